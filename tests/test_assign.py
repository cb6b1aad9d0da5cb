"""Topics for documents under fixed topics of words: one Word pass, the same for old documents and new ones."""

import numpy as np
import pytest
from scipy import sparse

from crisptopics.assign import Assigner, entry_matrix, topic_shares
from crisptopics.blocks import Workers
from crisptopics.corpus import Corpus
from crisptopics.kernels import NO_TOPIC

TOPICS = sparse.csr_array(np.array([[90, 10, 0, 0], [0, 10, 90, 0]]))  # word 3 is in no topic


def assign(counts, penalty=2.0, smoothing=0.01, topics=TOPICS, threads=1):
    corpus = Corpus.from_counts(counts)
    with Workers(threads) as workers:
        return corpus, Assigner(topics, penalty, smoothing).assign(corpus, workers)


def test_words_go_to_the_topics_that_know_them():
    _, topics = assign([[3, 1, 0, 0], [0, 1, 3, 0], [5, 0, 5, 0]])
    assert topics.dtype == np.uint16
    assert topics.tolist() == [0, 0, 1, 1, 0, 1]


@pytest.mark.parametrize(
    ("penalty", "expected"),
    [
        (5.0, [0, 1]),  # word 2 costs 0.1 in topic 1 and log(104 / 1) = 4.6 more or less in topic 0: twice is 9.1
        (20.0, [0, 0]),  # three of four tokens are for topic 0
    ],
)
def test_a_second_topic_must_save_more_than_the_penalty(penalty, expected):
    _, topics = assign([[6, 0, 2, 0]], penalty, smoothing=1.0)
    assert topics.tolist() == expected


def test_words_of_no_topic_have_none_and_do_not_sway_the_others():
    _, topics = assign([[3, 0, 0, 50], [0, 0, 0, 1], [0, 0, 0, 0]])
    assert topics.tolist() == [0, NO_TOPIC, NO_TOPIC]


def test_an_empty_topic_takes_nothing():
    counts = sparse.csr_array(np.array([[0, 0, 0, 0], [9, 1, 0, 0], [0, 0, 9, 1]]))
    _, topics = assign([[1, 1, 1, 1]], penalty=1e-6, topics=counts)
    assert topics.tolist() == [1, 1, 2, 2]


def test_topics_without_any_word():
    _, topics = assign([[1, 0, 2, 0]], topics=sparse.csr_array((2, 4), dtype=np.int64))
    assert topics.tolist() == [NO_TOPIC, NO_TOPIC]


def test_no_documents():
    with Workers(2) as workers:
        topics = Assigner(TOPICS, 2.0, 0.01).assign(Corpus([0], [], [], n_words=4), workers)
    assert topics.shape == (0,)


def test_documents_are_assigned_each_by_itself_whatever_the_threads():
    counts = np.random.RandomState(0).poisson(0.7, size=(12_000, 4))  # more than one block
    corpus, topics = assign(counts)
    assert corpus.n_entries > 1 << 14
    for threads in (2, 7):
        np.testing.assert_array_equal(assign(counts, threads=threads)[1], topics)
    _, backwards = assign(counts[::-1])
    backwards = entry_matrix(Corpus.from_counts(counts[::-1]), backwards).toarray()
    np.testing.assert_array_equal(backwards[::-1], entry_matrix(corpus, topics).toarray())


def test_inputs_stay_as_they_are():
    topics = TOPICS.copy()
    for part in (topics.data, topics.indices, topics.indptr):
        part.setflags(write=False)
    assert assign([[3, 1, 0, 0]], topics=topics)[1].tolist() == [0, 0]


def test_log_likelihoods_by_hand():
    corpus = Corpus.from_counts([[2, 1, 0, 1], [0, 0, 4, 0]])
    topics = np.array([0, 1, NO_TOPIC, 0], dtype=np.uint16)
    logs = Assigner(TOPICS, 2.0, smoothing=0.5).log_likelihoods(corpus, topics)
    expected = [np.log(90.5 / 102), np.log(10.5 / 102), 0.0, np.log(0.5 / 102)]
    np.testing.assert_allclose(logs, expected, rtol=1e-15)


def test_shares_by_hand():
    corpus = Corpus.from_counts([[2, 1, 0, 1], [0, 0, 0, 0], [0, 0, 0, 3], [1, 1, 2, 0]])
    topics = np.array([1, 0, NO_TOPIC, NO_TOPIC, 2, 2, 0], dtype=np.uint16)
    shares = topic_shares(corpus, topics, n_topics=3)
    assert isinstance(shares, sparse.csr_array)
    np.testing.assert_allclose(shares.toarray(), [[1 / 3, 2 / 3, 0], [0, 0, 0], [0, 0, 0], [0.5, 0, 0.5]], rtol=1e-15)
    assert shares.nnz == 4


def test_shares_of_great_counts_do_not_overflow():
    corpus = Corpus.from_counts(np.full((1, 4), 2**31 - 1))
    shares = topic_shares(corpus, np.array([0, 0, 0, 1], dtype=np.uint16), n_topics=2)
    np.testing.assert_allclose(shares.toarray(), [[0.75, 0.25]], rtol=1e-15)


def test_entry_matrix_keeps_topic_zero_and_marks_words_without_topic():
    corpus = Corpus.from_counts([[2, 0, 1], [0, 0, 0], [0, 1, 0]])
    matrix = entry_matrix(corpus, np.array([0, NO_TOPIC, 40_000], dtype=np.uint16))
    assert matrix.has_canonical_format
    assert matrix.dtype == np.int32
    assert matrix.shape == (3, 3)
    assert matrix.data.tolist() == [0, -1, 40_000]
    assert matrix.indices.tolist() == [0, 2, 1]
    assert matrix.indptr.tolist() == [0, 2, 2, 3]
