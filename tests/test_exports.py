"""Exports for other tools, read back as those tools read them."""

import gzip
import json

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from crisptopics import Corpus, CrispTopics
from crisptopics.details import Details, Spans
from crisptopics.errors import CorpusError
from crisptopics.exports import write_mallet_doc_topics, write_mallet_state, write_proxann

WORDS = ["sun", "sea side", "tax", "law", "never"]
TEXTS = ("sun, sea side; sun!", "", "law or tax or law", "never")


@pytest.fixture
def model():
    counts = [[4, 2, 0, 0, 0], [0, 0, 1, 5, 0]]
    init = [[1, 1, 0, 0, 0], [0, 0, 1, 1, 0]]
    return CrispTopics(2, penalty=2.0, init=init).fit(Corpus.from_counts(counts, vocabulary=WORDS))


@pytest.fixture
def corpus():
    """Make four documents: one of each topic, an empty one, and one of a word that no topic knows."""
    spans = Spans([0, 3, 3, 6, 7], [0, 1, 0, 1, 0, 1, 0], [0, 5, 15, 0, 7, 14, 0], [3, 13, 18, 3, 10, 17, 5])
    names = ["a day\tout", "empty", "state", ""]
    return Corpus([0, 2, 2, 4, 5], [0, 1, 2, 3, 4], [2, 1, 1, 2, 1], 5, WORDS, names, Details(texts=TEXTS, spans=spans))


def test_pyldavis_gets_what_it_checks(model, corpus):
    given = model.to_pyldavis(corpus)
    assert given["doc_topic_dists"].tolist() == [[1.0, 0.0], [0.0, 1.0]]  # rows of zeros it would refuse
    assert given["doc_lengths"].tolist() == [3, 3]
    assert given["vocab"] == WORDS
    assert given["term_frequency"].tolist() == [2, 1, 1, 2, 0]
    assert (given["topic_term_dists"] > 0).all()  # of which it takes logarithms
    np.testing.assert_allclose(given["topic_term_dists"].sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(given["topic_term_dists"][0, 0], 4.01 / 6.05, rtol=1e-12)


def test_pyldavis_keeps_the_order_and_the_numbers_of_topics(model, corpus):
    given = model.to_pyldavis(corpus.select([2, 2, 0]))  # topic 1 has more tokens here
    assert not given["sort_topics"]
    assert given["start_index"] == 0
    assert given["topic_term_dists"][0].argmax() == 0


def test_pyldavis_takes_plain_counts_and_numbered_columns():
    model = CrispTopics(1, penalty=2.0).fit([[1, 2]])
    assert model.to_pyldavis([[1, 2], [0, 3]])["vocab"] == ["w0", "w1"]


def read_state(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = file.read().split("\n")
    assert lines.pop() == ""
    return lines


def test_mallet_state_follows_the_text(model, corpus, tmp_path):
    write_mallet_state(model, corpus, tmp_path / "state.gz")
    assert read_state(tmp_path / "state.gz") == [
        "#doc source pos typeindex type topic",
        "#alpha : 0.0 0.0 ",
        "#beta : 0.01",
        "0 a_day_out 0 0 sun 0",
        "0 a_day_out 1 1 sea_side 0",
        "0 a_day_out 2 0 sun 0",
        "2 state 0 3 law 1",
        "2 state 1 2 tax 1",
        "2 state 2 3 law 1",
    ]


def test_mallet_state_of_counts_follows_the_columns(model, tmp_path):
    counts = Corpus.from_counts([[0, 0, 1, 2, 3]], names=["\ud800"])
    for name in ("one.gz", "two.gz"):
        write_mallet_state(model, counts, tmp_path / name)
    assert read_state(tmp_path / "one.gz")[3:] == [
        "0 \\ud800 0 2 tax 1",
        "0 \\ud800 1 3 law 1",
        "0 \\ud800 2 3 law 1",
    ]
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


def test_mallet_state_recounts_to_the_topics(tmp_path):
    rng = np.random.default_rng()
    counts = rng.integers(0, 4, (30, 12)) * rng.integers(0, 2, (30, 12))
    model = CrispTopics(3, penalty=2.0, random_state=int(rng.integers(2**31))).fit(counts)
    write_mallet_state(model, counts, tmp_path / "state.gz")
    tokens = np.array([line.split(" ") for line in read_state(tmp_path / "state.gz")[3:]])
    table = np.zeros((30, 3))
    np.add.at(table, (tokens[:, 0].astype(int), tokens[:, 5].astype(int)), 1)
    np.testing.assert_allclose(table, model.transform(counts) * counts.sum(axis=1, keepdims=True), atol=1e-9)


def test_mallet_doc_topics(model, corpus, tmp_path):
    write_mallet_doc_topics(model, corpus, tmp_path / "topics.txt")
    assert (tmp_path / "topics.txt").read_text(encoding="utf-8").split("\n") == [
        "0\ta_day_out\t1.0\t0.0",
        "1\tempty\t0.0\t0.0",
        "2\tstate\t0.0\t1.0",
        "3\t_\t0.0\t0.0",
        "",
    ]


def test_proxann_files(model, corpus, tmp_path):
    folder = tmp_path / "new" / "folder"
    write_proxann(model, corpus, folder)
    assert sorted(path.name for path in folder.iterdir()) == ["betas.npy", "corpus.jsonl", "thetas.npy", "vocab.json"]
    np.testing.assert_array_equal(np.load(folder / "thetas.npy"), model.transform(corpus))
    np.testing.assert_array_equal(np.load(folder / "betas.npy"), model.components_)
    vocabulary = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
    assert vocabulary == {word: column for column, word in enumerate(WORDS)}
    lines = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["text"] for line in lines] == list(TEXTS)
    assert lines[2] == {"id": "state", "text": TEXTS[2], "tokenized_text": "law tax law"}


def test_proxann_needs_texts(model, tmp_path):
    with pytest.raises(CorpusError, match=r"has no texts, which ProxAnn shows; read it with read_corpus"):
        write_proxann(model, [[1, 0, 0, 0, 0]], tmp_path / "folder")
    assert not (tmp_path / "folder").exists()


def test_a_file_in_the_folders_place_is_refused(model, corpus, tmp_path):
    (tmp_path / "folder").write_text("taken", encoding="utf-8")
    with pytest.raises(FileExistsError, match="folder"):
        write_proxann(model, corpus, tmp_path / "folder")


def test_a_fitted_pipeline_has_what_topicwizard_asks_for():
    texts = ["sun and rain", "rain, rain and sun", "cat and dog", "a dog and a cat"]
    pipeline = make_pipeline(CountVectorizer(), CrispTopics(2, penalty=2.0, random_state=0)).fit(texts)
    vectorizer, topics = pipeline[0], pipeline[-1]
    assert pipeline.transform(texts).shape == (4, 2)
    assert topics.components_.shape == (2, len(vectorizer.get_feature_names_out()))
    assert topics.get_feature_names_out().tolist() == ["crisptopics0", "crisptopics1"]
    assert pipeline.get_feature_names_out().tolist() == ["crisptopics0", "crisptopics1"]
