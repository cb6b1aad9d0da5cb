"""Small corpora, counts and assignments for the kernel tests, made by hypothesis."""

from unittest import mock

import numpy as np
from hypothesis import strategies as st

from crisptopics import kernels
from crisptopics.corpus import Corpus

ONE = st.just(1)
UP_TO_FIVE = st.integers(1, 5)


@st.composite
def corpora(draw, max_documents=5, max_words=6, max_count=4, scale=ONE):
    """Corpora with empty documents, one word, repeated words and words that never occur; `scale` makes more tokens."""
    n_words = draw(st.integers(1, max_words))
    count = st.one_of(st.just(0), st.integers(0, max_count), st.sampled_from([0, 1, 1, 70_000]))
    rows = draw(st.lists(st.lists(count, min_size=n_words, max_size=n_words), max_size=max_documents))
    counts = np.array(rows, dtype=np.int64).reshape(len(rows), n_words) * draw(scale)
    return Corpus.from_counts(np.minimum(counts, 2**31 - 1))


@st.composite
def assigned(draw, n_topics=UP_TO_FIVE, **sizes):
    """A corpus, a number of topics, and a topic for each entry."""
    corpus = draw(corpora(**sizes))
    n_topics = draw(n_topics)
    topics = draw(st.lists(st.integers(0, n_topics - 1), min_size=corpus.n_entries, max_size=corpus.n_entries))
    return corpus, n_topics, np.array(topics, dtype=np.uint16)


penalties = st.one_of(st.integers(1, 40 * kernels.UNIT), st.sampled_from([1, 2**60]))


def read_only(*arrays):
    """Return copies that a kernel cannot write to unnoticed."""
    copies = [array.copy() for array in arrays]
    for copy in copies:
        copy.flags.writeable = False
    return copies


def documents_of(corpus):
    return kernels.Documents(corpus.indptr, corpus.words, corpus.counts)


def counts_of(corpus, n_topics, topics):
    """Return the kernels' counts of an assignment."""
    counts = kernels.TopicCounts.empty(n_topics, np.bincount(corpus.words, minlength=corpus.n_words))
    kernels.count_topics(documents_of(corpus), topics, counts.rows)
    return counts


def costs_of(counts, smoothing=0.0, dense=True):
    """Return the kernels' costs of counts, with or without the table that Word reads where topics are few."""
    with mock.patch.object(kernels, "DENSE_TOPICS", kernels.DENSE_TOPICS if dense else 0):
        costs = kernels.TopicCosts.of(counts, smoothing)
    costs.update(0, counts.n_words)
    return costs


def gains_of(counts, dense):
    """Return the kernels' gains of counts, with a cell for each word and topic or only for those that occur."""
    gains = kernels.TopicGains.of(counts, dense)
    gains.update(0, counts.n_words)
    return gains


def dense_costs(counts, costs):
    """Return the kernels' costs as the dense table of the reference."""
    table = np.repeat(costs.absent[:, None].astype(np.int64), counts.n_words, axis=1)
    for word in range(counts.n_words):
        slots = slice(counts.starts[word], counts.starts[word] + counts.lengths[word])
        table[counts.topics[slots], word] = costs.costs[slots]
        if counts.lengths[word] == 0:
            table[:, word] = kernels.FAR
    return table
