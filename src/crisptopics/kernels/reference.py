"""The paper's algorithms line by line in plain Python and NumPy: the specification of the C++ kernels and their oracle.

`topic_words` is the dense (K, V) table of counts, `costs` a dense (K, V) table of integer costs (see `fixed`), `topics`
holds one topic per entry. A document's entries are its distinct words; equal words of a document share a topic.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt

from crisptopics.kernels.fixed import FAR, NO_TOPIC, fixed_log, fixed_xlogx

IntArray = npt.NDArray[np.int64]
TopicArray = npt.NDArray[np.uint16]


class Documents(Protocol):
    """What the kernels need of a corpus: compressed rows of (word, count) entries."""

    @property
    def indptr(self) -> npt.NDArray[np.int64]:
        """Where each document's entries begin, and where the last one's end."""

    @property
    def words(self) -> npt.NDArray[np.int32]:
        """Word of each entry."""

    @property
    def counts(self) -> npt.NDArray[np.int32]:
        """Tokens of each entry."""


def count_topics(documents: Documents, topics: TopicArray, n_topics: int, n_words: int) -> IntArray:
    """Count the tokens of each word in each topic."""
    topic_words = np.zeros((n_topics, n_words), dtype=np.int64)
    np.add.at(topic_words, (topics, documents.words), documents.counts)
    return topic_words


def word_costs(topic_words: IntArray, smoothing: float = 0.0) -> IntArray:
    """Return -log psi of every word in every topic, psi = (n_kw + smoothing) / (N_k + V smoothing).

    Without smoothing an absent word is infinitely far. An empty topic is infinitely far from every word, and a word
    that no topic has is infinitely far from every topic, with smoothing too.
    """
    n_words = topic_words.shape[1]
    totals = topic_words.sum(axis=1, keepdims=True)
    usable = topic_words > 0 if smoothing == 0 else (totals > 0) & (topic_words.sum(axis=0) > 0)
    psi_top = np.where(usable, topic_words + smoothing, 1.0)
    psi_bottom = np.where(totals > 0, totals + n_words * smoothing, 1.0)
    return np.where(usable, fixed_log(psi_bottom) - fixed_log(psi_top), FAR)


def basic_step(documents: Documents, costs: IntArray, penalty: int, topics: TopicArray) -> TopicArray:
    """Give each word its cheapest topic; topics that the document did not use so far cost the penalty more (Basic)."""
    result = topics.copy()
    for first, last in pairwise(documents.indptr):
        unused = np.ones(len(costs), dtype=bool)
        unused[topics[first:last]] = False
        for entry in range(first, last):
            cost = costs[:, documents.words[entry]]
            if cost.min() < FAR:
                result[entry] = np.argmin(np.where(cost < FAR, cost + penalty * unused, np.iinfo(np.int64).max))
    return result


def word_step(documents: Documents, costs: IntArray, penalty: int) -> TopicArray:
    """Assign the words of each document by greedy facility location (the paper's Algorithm 1, Word)."""
    topics = np.full(len(documents.words), NO_TOPIC, dtype=np.uint16)
    for first, last in pairwise(documents.indptr):
        words = documents.words[first:last]
        topics[first:last] = _assign_document(costs[:, words].tolist(), documents.counts[first:last].tolist(), penalty)
    return topics


def _assign_document(costs: list[list[int]], counts: list[int], penalty: int) -> list[int]:
    """Return the topic of each word of one document; `costs[k][t]` is the cost of word t in topic k."""
    n_topics = len(costs)
    result = [NO_TOPIC] * len(counts)
    opening = [penalty] * n_topics  # f_i
    unmarked = {t for t in range(len(counts)) if any(costs[k][t] < FAR for k in range(n_topics))}
    while unmarked:
        best = None
        for k in range(n_topics):
            spent, tokens = opening[k], 0
            for t in sorted((t for t in unmarked if costs[k][t] < FAR), key=lambda t: costs[k][t]):
                spent += counts[t] * costs[k][t]
                tokens += counts[t]
                # Equal ratios: a topic that is open already wins, then the lower number.
                candidate = (Fraction(spent, tokens), opening[k] > 0, k)
                best = candidate if best is None else min(best, candidate)
        assert best is not None
        ratio, _, topic = best
        opening[topic] = 0
        for t in [t for t in unmarked if costs[topic][t] < FAR and costs[topic][t] <= ratio]:
            result[t] = topic
            unmarked.remove(t)
    return result


def keep_cheaper(
    documents: Documents, costs: IntArray, penalty: int, present: TopicArray, proposed: TopicArray
) -> TopicArray:
    """Take the proposed topics of a document only where they cost less than the present ones, psi fixed."""
    result = proposed.copy()
    for first, last in pairwise(documents.indptr):
        words, counts = documents.words[first:last], documents.counts[first:last]
        spent = [
            int((counts * costs[topics[first:last], words]).sum()) + penalty * len(set(topics[first:last].tolist()))
            for topics in (present, proposed)
        ]
        if spent[0] <= spent[1]:
            result[first:last] = present[first:last]
    return result


def refine_propose(
    documents: Documents, order: IntArray, topic_words: IntArray, penalty: int, topics: TopicArray
) -> TopicArray:
    """Name the best topic for each mini-topic of the documents in `order`, against the counts as they stand.

    A mini-topic is the words of one document in one topic. It stays where it is unless a move lowers the objective.
    Topics that share no word with it differ only by their totals, so the smallest of them stands for all.
    """
    wishes = topics.copy()
    totals = topic_words.sum(axis=1)
    smallest = int(np.argmin(totals))
    for document in order:
        first, last = documents.indptr[document], documents.indptr[document + 1]
        used = set(topics[first:last].tolist())
        for topic in sorted(used):
            entries = first + np.flatnonzero(topics[first:last] == topic)
            words, counts = documents.words[entries], documents.counts[entries].astype(np.int64)
            sharing = np.flatnonzero((topic_words[:, words] > 0).any(axis=1)).tolist()
            candidates = sorted({*used, *sharing, smallest} - {topic})
            leaving = _change(topic_words[topic, words], totals[topic], -counts) - penalty
            joining = [
                _change(topic_words[k, words], totals[k], counts) + (0 if k in used else penalty) for k in candidates
            ]
            if candidates and leaving + min(joining) < 0:
                wishes[entries] = candidates[int(np.argmin(joining))]
    return wishes


def refine_apply(
    documents: Documents, order: IntArray, topic_words: IntArray, penalty: int, topics: TopicArray, wishes: TopicArray
) -> tuple[int, int]:
    """Move the mini-topics one after the other, each only if it lowers the objective as the counts are by then.

    `topic_words` and `topics` follow each move. Returns the change of the words' cost and of the number of topics used.
    """
    change = change_used = 0
    for document in order:
        first, last = documents.indptr[document], documents.indptr[document + 1]
        start = topics[first:last].copy()
        for topic in sorted(set(start.tolist())):
            entries = first + np.flatnonzero(start == topic)
            wish = int(wishes[entries[0]])
            if wish == topic:
                continue
            words, counts = documents.words[entries], documents.counts[entries].astype(np.int64)
            closes = int((topics[first:last] == topic).sum() == len(entries))
            opens = int(wish not in topics[first:last])
            totals = topic_words.sum(axis=1)
            delta = _change(topic_words[topic, words], totals[topic], -counts)
            delta += _change(topic_words[wish, words], totals[wish], counts)
            if delta + penalty * (opens - closes) < 0:
                topics[entries] = wish
                topic_words[topic, words] -= counts
                topic_words[wish, words] += counts
                change, change_used = change + delta, change_used + opens - closes
    return change, change_used


def _change(in_topic: IntArray, total: int, counts: IntArray) -> int:
    """Return the change of N log N - sum n log n of one topic when `counts` tokens join it (leave it, if negative)."""
    whole = fixed_xlogx(total + counts.sum()) - fixed_xlogx(total)
    return int(whole - (fixed_xlogx(in_topic + counts) - fixed_xlogx(in_topic)).sum())


def objective_terms(documents: Documents, topics: TopicArray, n_topics: int) -> tuple[int, int]:
    """Return the words' cost (psi at its best for the topics) and the number of topics used, over all documents."""
    n_words = int(documents.words.max(initial=0)) + 1
    topic_words = count_topics(documents, topics, n_topics, n_words)
    cost = fixed_xlogx(topic_words.sum(axis=1)).sum() - fixed_xlogx(topic_words).sum()
    rows = np.repeat(np.arange(len(documents.indptr) - 1), np.diff(documents.indptr))
    used = np.unique(rows * n_topics + topics.astype(np.int64)).size
    return int(cost), int(used)


LANES = 16


def gibbs_step(
    cuts: IntArray,
    group: int,
    words: npt.NDArray[np.int32],
    alpha: npt.NDArray[np.float32],
    beta: np.float32,
    beta_sum: np.float32,
    uniforms: npt.NDArray[np.float32],
    topic_words: npt.NDArray[np.int32],
    totals: IntArray,
    topics: TopicArray,
) -> None:
    """Draw new topics for the tokens of one group of words, by collapsed Gibbs sampling in float32.

    `cuts` has a row for each document: where its groups of tokens begin, and where the last one ends. `topic_words` has
    a row for each word; rows and `alpha` are padded to a multiple of 16 topics. `topic_words`, `totals` and `topics`
    follow each draw.
    """
    for cut in cuts:
        in_document = np.bincount(topics[cut[0] : cut[-1]], minlength=len(alpha)).astype(np.float32)
        for token in range(cut[group], cut[group + 1]):
            in_topics = topic_words[words[token]]
            in_document[topics[token]] -= 1
            in_topics[topics[token]] -= 1
            totals[topics[token]] -= 1
            inverse = np.float32(1) / (totals.astype(np.float32) + beta_sum)
            weights = (in_document + alpha) * (in_topics.astype(np.float32) + beta) * inverse
            topics[token] = _find_share(weights, uniforms[token])
            in_document[topics[token]] += 1
            in_topics[topics[token]] += 1
            totals[topics[token]] += 1


def gibbs_infer(
    indptr: IntArray,
    words: npt.NDArray[np.int32],
    alpha: npt.NDArray[np.float32],
    uniforms: npt.NDArray[np.float32],
    psi: npt.NDArray[np.float32],
    topics: TopicArray,
    sums: npt.NDArray[np.float32],
) -> None:
    """Draw topics for the tokens of new documents, the topics' words fixed, and add up the documents' topic counts."""
    for document, (first, last) in enumerate(pairwise(indptr)):
        in_document = np.bincount(topics[first:last], minlength=len(alpha)).astype(np.float32)
        for token in range(first, last):
            in_document[topics[token]] -= 1
            topics[token] = _find_share((in_document + alpha) * psi[words[token]], uniforms[token])
            in_document[topics[token]] += 1
        sums[document] += in_document


ENTRIES_IN_FLOAT = 4096


def mixture_step(
    entries: Documents,
    rows: npt.NDArray[np.float32],
    columns: npt.NDArray[np.float32],
    row_prior: npt.NDArray[np.float32],
    column_prior: npt.NDArray[np.float32],
    weights: npt.NDArray[np.float32],
) -> npt.NDArray[np.float32]:
    """Share the tokens of each entry out over topics, and return how many each row has in each.

    `rows` and `columns` hold expected tokens, with a row for each document and each word, or the other way round,
    padded to a multiple of 16 topics; `weights` are 1 / (N_k + V beta), and 0 for padding. A token's first share is
    taken off both counts before it is shared out, so that it does not vouch for itself.
    """
    result, none, one = np.zeros_like(rows), np.float32(0), np.float32(1)
    for row, (first, last) in enumerate(pairwise(entries.indptr)):
        own, sums = rows[row], np.zeros(len(weights))
        base = (own + row_prior) * weights
        for begin in range(first, last, ENTRIES_IN_FLOAT):
            shared = np.zeros(len(weights), dtype=np.float32)
            for entry in range(begin, min(begin + ENTRIES_IN_FLOAT, last)):
                column = columns[entries.words[entry]]
                itself = base * (column + column_prior)
                itself = itself * (one / _lane_total(itself))
                share = np.maximum(own - itself, none) + row_prior
                share = share * (np.maximum(column - itself, none) + column_prior) * weights
                shared += share * (np.float32(entries.counts[entry]) / _lane_total(share))
            sums += shared
        result[row] = sums
    return result


def _lane_total(values: npt.NDArray[np.float32]) -> np.float32:
    """Add up values lane by lane, then the lanes pairwise."""
    sums = np.add.accumulate(values.reshape(-1, LANES))[-1]
    while len(sums) > 1:
        sums = sums[: len(sums) // 2] + sums[len(sums) // 2 :]
    return np.float32(sums[0])


def _find_share(weights: npt.NDArray[np.float32], u: np.float32) -> int:
    """Return the topic that holds the point u, topics being laid out lane by lane and rounded as the kernel does."""
    lanes = weights.reshape(-1, LANES)
    cumulative = np.zeros_like(lanes)
    lane_sums = np.zeros(LANES, dtype=np.float32)
    for row, lane_weights in zip(cumulative, lanes, strict=True):
        lane_sums += lane_weights
        row[:] = lane_sums
    ends = np.add.accumulate(lane_sums)
    target = u * ends[-1]
    lane = int(np.argmax(target < ends)) if target < ends[-1] else int(np.flatnonzero(lane_sums)[-1])
    below = ends[lane - 1] if lane else np.float32(0)
    rises = np.flatnonzero(np.diff(cumulative[:, lane], prepend=np.float32(0)) > 0)
    reached = np.flatnonzero(target - below < cumulative[:, lane])
    step = int(reached[0]) if len(reached) else int(rises[-1])
    return step * LANES + lane
