import pickle

import numpy as np
import pytest

from crisptopics import Corpus
from crisptopics.details import Details, Spans, take_rows
from crisptopics.errors import CorpusError


@pytest.fixture
def corpus():
    spans = Spans([0, 3, 3, 4], [0, 1, 0, 0], [0, 2, 4, 0], [1, 3, 5, 1])
    details = Details(("x", "", "y"), ("2025", "", "2026-11-19"), ("a b a", "", "b"), spans, {"words": "plain"}, {})
    return Corpus.from_counts([[2, 1], [0, 0], [0, 1]]), details


def with_details(corpus, details):
    return Corpus(corpus.indptr, corpus.words, corpus.counts, corpus.n_words, details=details)


def test_selection_takes_all_details_along(corpus):
    chosen = with_details(*corpus).select([2, 0, 1]).details
    assert chosen.labels == ("y", "x", "")
    assert chosen.dates == ("2026-11-19", "2025", "")
    assert chosen.texts == ("b", "a b a", "")
    assert chosen.spans.indptr.tolist() == [0, 1, 4, 4]
    assert chosen.spans.starts.tolist() == [0, 0, 2, 4]
    assert chosen.recipe == {"words": "plain"}


def test_a_pickled_corpus_keeps_its_details(corpus):
    copy = pickle.loads(pickle.dumps(with_details(*corpus)))
    assert copy.details.labels == corpus[1].labels
    assert copy.details.spans.ends.tolist() == corpus[1].spans.ends.tolist()
    assert not copy.details.spans.ends.flags.writeable


@pytest.mark.parametrize("name", ["labels", "dates", "texts"])
def test_details_of_another_number_of_documents_are_refused(corpus, name):
    with pytest.raises(CorpusError, match=f"{name} must have 3 items, one for each document; received 2"):
        with_details(corpus[0], Details(**{name: ("a", "b")}))


def test_spans_of_another_number_of_documents_are_refused(corpus):
    with pytest.raises(CorpusError, match="spans must have 3 items"):
        with_details(corpus[0], Details(spans=Spans([0, 0], [], [], [])))


def test_spans_of_unequal_lengths_are_refused():
    with pytest.raises(CorpusError, match="as many entries, starts and ends as indptr says, 2; received 2, 1 and 2"):
        Spans([0, 2], [0, 1], [0], [1, 2])


def test_rows_may_repeat():
    picked, starts = take_rows(np.array([0, 1, 3]), np.array([1, 1]))
    assert picked.tolist() == [1, 2, 1, 2]
    assert starts.tolist() == [0, 2, 4]
