"""The dictionary behind the page, by hand and against the measures."""

import json
import math

import numpy as np
import pytest
from studies import THEMES, counted, fitted, planted

from crisptopics import Corpus, CrispTopics, metrics
from crisptopics.details import Details
from crisptopics.errors import CorpusError
from crisptopics.report import report_data
from crisptopics.report.documents import _cut
from crisptopics.report.study import Study
from crisptopics.report.topics import overlaps


@pytest.fixture(scope="module")
def data(study):
    return report_data(*study, title="Six")


def test_it_is_plain_json(data):
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert " ".join(data) == "format title fit corpus reading quality topics documents time labels choice"


def test_topics_keep_their_numbers_and_add_up(data, study):
    model, corpus = study
    topics = data["topics"]
    assert [topic["topic"] for topic in topics] == list(range(6))
    assert sum(topic["tokens"] for topic in topics) == corpus.n_tokens
    assert math.isclose(sum(topic["share"] for topic in topics), 1, abs_tol=1e-3)
    shares = model.transform(corpus)
    assert [topic["documents"] for topic in topics] == (shares > 0).sum(axis=0).tolist()
    everywhere = counted(corpus)
    for topic in topics:
        words = [word for word, *_ in topic["words"]]
        assert words[:5] == model.top_words(5)[topic["topic"]]
        # The words' expected tokens are rounded in each of the six topics.
        assert all(abs(everywhere[word] - total) <= 3 and total >= here for word, here, total in topic["words"])
        assert topic["words_total"] == np.rint(model.expected_counts_[topic["topic"]]).sum()


def test_planted_themes_name_the_topics(data):
    named = {frozenset(topic["name"].split(", ")) for topic in data["topics"]}
    assert all(any(name <= set(theme) for theme in THEMES) for name in named)


def test_quality_is_what_the_measures_say(data, study):
    model, corpus = study
    assert data["quality"]["coherence"] == pytest.approx(metrics.npmi(model.top_words(10), corpus), abs=1e-3)
    assert data["quality"]["diversity"] == pytest.approx(metrics.diversity(model.top_words(10)), abs=1e-4)
    main = model.transform(corpus).argmax(axis=1)
    purity = metrics.purity(list(corpus.details.labels), main)
    assert data["labels"]["purity"] == pytest.approx(purity, abs=1e-4)


def test_near_equal_topics_are_named():
    words = [["a", "b", "c"], ["x", "y", "z"], ["c", "b", "q"], ["z", "y", "x"]]
    assert overlaps(words, at_least=2) == [
        {"topics": [1, 3], "words": ["x", "y", "z"]},
        {"topics": [0, 2], "words": ["b", "c"]},
    ]
    assert overlaps([[], []], at_least=1) == []


def test_the_change_by_joining_topics_is_the_objective_of_the_joined(data, study):
    model, corpus = study
    assigned = model.assign(corpus)
    before = metrics.objective(corpus, assigned, model.penalty_)
    for topic in data["topics"]:
        joined = assigned.copy()
        joined.data[joined.data == topic["topic"]] = topic["merge"]["topic"]
        change = metrics.objective(corpus, joined, model.penalty_) - before
        assert topic["merge"]["change"] == pytest.approx(change, abs=0.2)


def test_affinity_is_the_sum_of_square_roots(study):
    model, corpus = study
    roots = np.sqrt(model.components_)
    np.testing.assert_allclose(Study.of(model, corpus).affinity, roots @ roots.T, atol=0.01)


def test_topics_that_meet_have_different_colours():
    corpus = planted(400, seed=7)
    topics = report_data(fitted(corpus, 9), corpus)["topics"]
    assert len({(topic["colour"], topic["pattern"]) for topic in topics}) == 9
    assert len({topic["colour"] for topic in topics}) == 9


def test_texts_are_whole_and_their_words_have_their_topics(data, study):
    model, corpus = study
    assigned = model.assign(corpus)
    assert [doc["document"] for doc in data["documents"]] == list(range(len(corpus)))
    for doc in data["documents"][:40]:
        row = doc["document"]
        assert (
            "".join(piece if isinstance(piece, str) else piece[0] for piece in doc["text"]) == corpus.details.texts[row]
        )
        topics = dict(zip(np.array(corpus.vocabulary)[assigned[[row]].indices], assigned[[row]].data, strict=True))
        pairs = [piece for piece in doc["text"] if not isinstance(piece, str)]
        assert len(pairs) == doc["tokens"]
        assert all(topics[word.lower()] == topic for word, topic in pairs)
        assert doc["topics"] == sorted(doc["topics"], key=lambda pair: -pair[1])
        assert sum(count for _, count in doc["topics"]) == doc["tokens"]


def test_documents_without_text_are_bags_of_words():
    corpus = Corpus.from_counts([[3, 1, 0], [0, 2, 2]], vocabulary=["rain", "sun", "sea"], names=["a", "b"])
    first, second = report_data(fitted(corpus, 1), corpus)["documents"]
    assert first["words"] == [["rain", 3, 0], ["sun", 1, 0]]
    assert second == {
        "document": 1,
        "name": "b",
        "tokens": 4,
        "topics": [[0, 4]],
        "words": [["sun", 2, 0], ["sea", 2, 0]],
    }


def test_words_that_the_model_does_not_know():
    seen = Corpus.from_counts([[3, 1, 0]], vocabulary=["rain", "sun", "sea"])
    new = Corpus.from_counts([[1, 0, 4], [0, 0, 0]], vocabulary=["rain", "sun", "sea"])
    data = report_data(fitted(seen, 1), new)
    assert data["corpus"]["unknown_tokens"] == 4
    assert data["corpus"]["empty_documents"] == 1
    assert data["documents"][0]["words"] == [["rain", 1, 0], ["sea", 4, -1]]
    assert data["documents"][1]["topics"] == []


def test_a_sample_has_typical_documents_and_even_steps(study):
    model, corpus = study
    data = report_data(model, corpus, n_documents=50)
    shown = [doc["document"] for doc in data["documents"]]
    assert len(shown) == len(set(shown)) == 50
    assert shown == sorted(shown)
    shares = model.transform(corpus)
    tokens = corpus.counts_matrix().sum(axis=1)
    for topic in data["topics"]:
        assert set(topic["typical"]) <= set(shown)
        scores = shares[:, topic["topic"]] ** 2 * tokens
        assert topic["typical"][0] == int(scores.argmax())
    steps = np.diff([-1, *(row for row in shown if row not in {t for k in data["topics"] for t in k["typical"]}), 240])
    assert steps.max() < 35


@pytest.mark.parametrize("n_documents", [0, 1.5, "many", 100_001])
def test_an_odd_size_of_the_sample_is_refused(study, n_documents):
    with pytest.raises((ValueError, TypeError), match=r"n_documents=.* is not accepted"):
        report_data(*study, n_documents=n_documents)


def test_texts_are_cut_to_the_room_there_is():
    lengths = np.array([10, 100, 1000, 20])
    assert _cut(lengths, 2000) == 1000
    assert _cut(lengths, 330) == 200
    assert _cut(lengths, 60) == 16
    for budget in (60, 90, 330, 1129):
        assert np.minimum(lengths, _cut(lengths, budget)).sum() <= budget


def test_long_texts_end_at_a_word(monkeypatch, study):
    model, corpus = study
    monkeypatch.setattr("crisptopics.report.documents.CHARACTERS", 24_000)
    texts = report_data(model, corpus)["documents"]
    for doc in texts:
        text = "".join(piece if isinstance(piece, str) else piece[0] for piece in doc["text"])
        whole = corpus.details.texts[doc["document"]]
        assert text == whole or (text.endswith(" …") and whole.startswith(text[:-2]))
    assert any(len(doc["text"]) < 60 for doc in texts)


def test_the_reading_of_the_corpus_or_else_of_the_model(study):
    model, corpus = study
    assert report_data(model, corpus)["reading"] == corpus.details.reading
    bare = Corpus(corpus.indptr, corpus.words, corpus.counts, corpus.n_words, corpus.vocabulary)
    assert report_data(model, bare)["reading"] == corpus.details.reading
    assert report_data(fitted(bare, 2), bare)["reading"] is None


def test_documents_without_words_are_refused(study):
    model, corpus = study
    empty = Corpus([0, 0], [], [], corpus.n_words, corpus.vocabulary, details=Details(texts=("?",)))
    with pytest.raises(CorpusError, match="a report needs documents with words"):
        report_data(model, empty)


def test_a_model_without_a_fit_is_refused(study):
    with pytest.raises(ValueError, match="not fitted"):
        report_data(CrispTopics(), study[1])


def test_the_same_data_for_any_number_of_threads(study):
    model, corpus = study
    one = report_data(model.set_params(n_jobs=1), corpus)
    assert one == report_data(model.set_params(n_jobs=3), corpus)
