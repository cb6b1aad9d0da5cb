"""The compiled kernels, and the arrays that they work on; `reference` says in plain NumPy what each computes.

A kernel is a loop over one block of documents. It allocates nothing per document, draws nothing at random and starts
no threads; it lets go of the interpreter lock, so that Python's threads can run blocks side by side.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from crisptopics.kernels import _kernels
from crisptopics.kernels._kernels import (
    CHECKED,
    Documents,
    GibbsTokens,
    basic_step,
    choose_instruction_set,
    count_topics,
    gibbs_infer,
    gibbs_step,
    instruction_sets,
    keep_cheaper,
    mixture_step,
    recount_topics,
    refine_apply,
    refine_propose,
    topics_used,
    word_step,
    words_cost,
)
from crisptopics.kernels.fixed import (
    FAR,
    NO_TOPIC,
    UNIT,
    fixed_log,
    fixed_penalty,
    fixed_xlogx,
    gain_table,
    least_counts,
    log_table,
    xlogx_table,
)

__all__ = [
    "CHECKED",
    "FAR",
    "MAX_TOPICS",
    "NO_TOPIC",
    "UNIT",
    "Documents",
    "GibbsTokens",
    "TopicCosts",
    "TopicCounts",
    "TopicGains",
    "basic_step",
    "choose_instruction_set",
    "count_topics",
    "fixed_penalty",
    "fixed_xlogx",
    "gibbs_infer",
    "gibbs_step",
    "instruction_sets",
    "keep_cheaper",
    "mixture_step",
    "padded",
    "recount_topics",
    "refine_apply",
    "refine_propose",
    "topics_used",
    "word_step",
    "words_cost",
    "xlogx_table",
]

LANES = 16  # dense rows have room for a multiple of so many topics
FEW_TOPICS = 128  # with more, reading a word's sparse row is faster
MAX_TOPICS = NO_TOPIC - 1  # topics are stored as uint16
DENSE_TOPICS = 64  # up to here costs also stand in a table of all words and topics; the kernels allow no more

if _forced := os.environ.get("CRISPTOPICS_ISA"):
    choose_instruction_set(_forced)


@dataclass(frozen=True, eq=False)
class TopicCounts:
    """Tokens of each word in each topic, in sparse word rows that the kernels change in place.

    Row w lies at `starts[w]` and has `lengths[w]` topics in no particular order. A row has room for as many topics as
    the word can ever be in: the number of topics, or of documents with the word if that is less. So the rows never
    hold more than one place for each entry of the corpus.
    """

    starts: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.int32]
    topics: npt.NDArray[np.uint16]
    counts: npt.NDArray[np.int64]
    totals: npt.NDArray[np.int64]
    rows: _kernels.TopicRows

    @classmethod
    def empty(cls, n_topics: int, document_frequencies: npt.NDArray[np.int64]) -> TopicCounts:
        """Return rows without tokens, for words that are in so many documents each."""
        room = np.minimum(document_frequencies, n_topics)
        starts = np.concatenate([[0], np.cumsum(room)]).astype(np.int64)
        lengths = np.zeros(len(room), dtype=np.int32)
        topics = np.zeros(starts[-1], dtype=np.uint16)
        return cls._of(starts, lengths, topics, np.zeros(starts[-1], np.int64), np.zeros(n_topics, np.int64))

    @classmethod
    def from_matrix(cls, topic_words: sp.csr_array) -> TopicCounts:
        """Return the rows of a (K, V) matrix of counts; they have no room for more topics."""
        columns = sp.csc_array(topic_words)
        starts = columns.indptr.astype(np.int64)
        totals = np.asarray(topic_words.sum(axis=1), dtype=np.int64)
        counts = columns.data.astype(np.int64)
        return cls._of(starts, np.diff(starts).astype(np.int32), columns.indices.astype(np.uint16), counts, totals)

    @classmethod
    def _of(
        cls,
        starts: npt.NDArray[np.int64],
        lengths: npt.NDArray[np.int32],
        topics: npt.NDArray[np.uint16],
        counts: npt.NDArray[np.int64],
        totals: npt.NDArray[np.int64],
    ) -> TopicCounts:
        rows = _kernels.TopicRows(starts, lengths, topics, counts, totals)
        return cls(starts, lengths, topics, counts, totals, rows)

    @property
    def n_topics(self) -> int:
        """Number of topics, empty ones included."""
        return len(self.totals)

    @property
    def n_words(self) -> int:
        """Size of the vocabulary."""
        return len(self.lengths)

    def clear(self) -> None:
        """Forget all tokens."""
        self.lengths[:] = 0
        self.totals[:] = 0

    def to_matrix(self) -> sp.csr_array:
        """Return the counts as a canonical (K, V) matrix."""
        words = np.repeat(np.arange(self.n_words), self.lengths)
        filled = np.arange(len(words)) + np.repeat(
            self.starts[:-1] - (np.cumsum(self.lengths) - self.lengths), self.lengths
        )
        entries = (self.counts[filled], (self.topics[filled].astype(np.int64), words))
        matrix = sp.csr_array(sp.coo_array(entries, shape=(self.n_topics, self.n_words)))
        matrix.sort_indices()
        return matrix


@dataclass(frozen=True, eq=False)
class TopicGains:
    """What one token more of a word saves at most in each topic, for Refine, beside the rows of counts.

    Dense gains have a cell for each word and topic, the topics padded; others one for each place of the rows.
    """

    rows: _kernels.GainRows
    cells: npt.NDArray[np.uint16]

    @classmethod
    def of(cls, counts: TopicCounts, dense: bool) -> TopicGains:
        """Return room for the gains; `update` fills it block by block."""
        n_cells = counts.n_words * padded(counts.n_topics) if dense else len(counts.topics)
        cells = np.empty(n_cells, dtype=np.uint16)
        return cls(_kernels.GainRows(counts.rows, cells, dense, xlogx_table(), gain_table(), least_counts()), cells)

    @classmethod
    def fitting(cls, counts: TopicCounts, n_entries: int) -> TopicGains:
        """Return room of the faster kind: dense if topics and words are few beside so many entries of the corpus."""
        few = counts.n_topics <= FEW_TOPICS and counts.n_words * padded(counts.n_topics) <= n_entries
        return cls.of(counts, few)

    def update(self, first: int, last: int) -> None:
        """Compute the gains of the words from `first` to before `last`."""
        _kernels.joining_gains(self.rows, first, last)


def padded(n_topics: int) -> int:
    """Return how many topics a dense row has room for."""
    return -(-n_topics // LANES) * LANES


@dataclass(frozen=True, eq=False)
class TopicCosts:
    """What each word costs in each topic, -log psi in fixed point, beside the rows of counts.

    Without smoothing a word is infinitely far from a topic that lacks it; with it, psi is
    (n_kw + smoothing) / (N_k + V smoothing). An empty topic is infinitely far from every word.
    """

    rows: _kernels.CostRows
    costs: npt.NDArray[np.int32]
    absent: npt.NDArray[np.int32]
    table: npt.NDArray[np.int32]  # of all words in all topics, padded, if topics are few; else empty
    smoothing: float
    log_totals: npt.NDArray[np.int32]

    @classmethod
    def of(cls, counts: TopicCounts, smoothing: float = 0.0) -> TopicCosts:
        """Return room for the costs; `update` fills it block by block."""
        width = padded(counts.n_topics) if counts.n_topics <= DENSE_TOPICS else 0
        table = np.empty(counts.n_words * width, dtype=np.int32)
        return cls._with_totals(counts, smoothing, np.empty(len(counts.topics), dtype=np.int32), table)

    def again(self, counts: TopicCounts) -> TopicCosts:
        """Return the same memory for the costs of counts that have changed."""
        return self._with_totals(counts, self.smoothing, self.costs, self.table)

    @classmethod
    def _with_totals(
        cls, counts: TopicCounts, smoothing: float, costs: npt.NDArray[np.int32], table: npt.NDArray[np.int32]
    ) -> TopicCosts:
        totals = np.where(counts.totals > 0, counts.totals + counts.n_words * smoothing, 1.0)
        log_totals = fixed_log(totals).astype(np.int32)
        absent = np.full(counts.n_topics, FAR, dtype=np.int32)
        if smoothing > 0:
            absent[counts.totals > 0] = (log_totals - fixed_log(smoothing))[counts.totals > 0]
        return cls(_kernels.CostRows(counts.rows, costs, absent, table), costs, absent, table, smoothing, log_totals)

    @property
    def largest(self) -> int:
        """No finite cost is more than this."""
        return max(int(self.log_totals.max(initial=0)), int(self.absent[self.absent < FAR].max(initial=0)))

    def update(self, first: int, last: int) -> None:
        """Compute the costs of the words from `first` to before `last`."""
        _kernels.word_costs(self.rows, first, last, self.smoothing, log_table(self.smoothing), self.log_totals)
