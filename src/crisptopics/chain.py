"""The states of a collapsed Gibbs sampler for latent Dirichlet allocation, the same bits at any number of threads."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from crisptopics import kernels
from crisptopics.blocks import Workers
from crisptopics.corpus import Corpus
from crisptopics.kernels import GibbsTokens
from crisptopics.start import random_topics, stream_key

TOKENS_PER_GROUP = 150_000
MAX_GROUPS = 16

Matrix = npt.NDArray[np.float64]
TopicArray = npt.NDArray[np.uint16]


class Chain:
    """The sampler's state: a topic for each token of a corpus, and the counts that follow.

    Words are dealt into groups, and documents into as many blocks. A sweep has as many rounds as groups; in each round
    every block samples its tokens of another group. Tasks of one round share neither words nor documents, so they may
    run side by side; only the topics' totals are as old as the round. The groups follow from the corpus, so the result
    does not depend on the number of threads.

    Examples
    --------
    >>> chain = Chain(Corpus.from_counts([[3, 1], [0, 2]]), 2, alpha=0.1, beta=0.01, seed=0)
    >>> with Workers(1) as workers:
    ...     chain.sweep(workers)
    >>> int(chain.topic_word_counts.sum())
    6
    """

    def __init__(
        self,
        corpus: Corpus,
        n_topics: int,
        alpha: float | Matrix,
        beta: float,
        seed: int,
        topics: TopicArray | None = None,
    ) -> None:
        self.n_topics, self.n_words, self.beta, self.seed, self.iteration = n_topics, corpus.n_words, beta, seed, 0
        n_groups = int(np.clip(corpus.n_tokens // TOKENS_PER_GROUP, 1, MAX_GROUPS))
        self._order, cuts, words = deal_tokens(corpus, n_groups)
        self._cuts, self._words, self._n_groups = cuts, words, n_groups
        self.set_alpha(alpha)
        document_ends = cuts[::n_groups]
        marks = np.linspace(0, document_ends[-1], n_groups + 1)
        self._edges = np.searchsorted(document_ends, marks)
        self._edges[-1] = len(corpus)  # empty documents at the end stand behind the last token
        start = random_topics(corpus.n_tokens, n_topics, seed) if topics is None else topics
        self._topics = start[self._order]
        n_padded = kernels.padded(n_topics)
        keys = words.astype(np.int64) * n_padded + self._topics
        self._counts = np.bincount(keys, minlength=self.n_words * n_padded).astype(np.int32)
        self._totals = self._counts.reshape(self.n_words, n_padded).sum(axis=0, dtype=np.int64)

    def set_alpha(self, alpha: float | Matrix) -> None:
        """Change the prior weight of the topics in a document: one for all, or one for each topic."""
        prior, beta_sum = padded_prior(alpha, self.n_topics), self.beta * self.n_words
        self._tokens = GibbsTokens(self._n_groups, self._cuts, self._words, prior, self.beta, beta_sum)

    def sweep(self, workers: Workers) -> None:
        """Draw a new topic for every token."""
        self.iteration += 1
        key = stream_key(self.seed, self.iteration)

        def task(block_and_group: tuple[int, int]) -> npt.NDArray[np.int64]:
            block, group = block_and_group
            totals = self._totals.copy()
            first, last = self._edges[block], self._edges[block + 1]
            kernels.gibbs_step(self._tokens, first, last, group, key, self._counts, totals, self._topics)
            change: npt.NDArray[np.int64] = totals - self._totals
            return change

        for round_ in range(self._n_groups):
            tasks = [(block, (block + round_) % self._n_groups) for block in range(self._n_groups)]
            self._totals += sum(workers.map(task, tasks))

    @property
    def token_topics(self) -> TopicArray:
        """Topic of each token: documents in order, words in order of columns, equal words side by side."""
        topics = np.empty_like(self._topics)
        topics[self._order] = self._topics
        return topics

    @property
    def topic_word_counts(self) -> npt.NDArray[np.int64]:
        """Tokens of each word in each topic."""
        return self._counts.reshape(self.n_words, -1)[:, : self.n_topics].T.astype(np.int64)

    @property
    def components(self) -> Matrix:
        """The topics at this state: expected share of each word in the topic's tokens."""
        counts: Matrix = self.topic_word_counts.astype(np.float64)
        counts += self.beta
        counts /= counts.sum(axis=1, keepdims=True)
        return counts


def deal_tokens(
    corpus: Corpus, n_groups: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return the tokens' order by document and group of words, where each group begins, and the words in that order.

    Examples
    --------
    >>> order, cuts, words = deal_tokens(Corpus.from_counts([[1, 2]]), 2)
    >>> cuts.tolist(), words.tolist()
    ([0, 2, 3], [1, 1, 0])
    """
    frequencies = np.bincount(corpus.words, weights=corpus.counts, minlength=corpus.n_words)
    group_of = np.empty(corpus.n_words, dtype=np.int64)
    group_of[np.argsort(-frequencies, kind="stable")] = np.arange(corpus.n_words) % n_groups
    words = np.repeat(corpus.words, corpus.counts)
    documents = np.repeat(corpus.document_of, corpus.counts)
    keys = documents * n_groups + group_of[words]
    order = np.argsort(keys, kind="stable")
    sizes = np.bincount(keys, minlength=len(corpus) * n_groups)
    return order, np.concatenate([[0], np.cumsum(sizes)]), words[order]


def padded_prior(alpha: float | Matrix, n_topics: int) -> npt.NDArray[np.float32]:
    """Return the prior weight of each topic, followed by topics that are never drawn.

    Examples
    --------
    >>> float(padded_prior(0.5, 3).sum())
    1.5
    """
    prior = np.zeros(kernels.padded(n_topics), dtype=np.float32)
    prior[:n_topics] = alpha
    return prior
