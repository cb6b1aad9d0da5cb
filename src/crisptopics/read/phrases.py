"""Pairs of words that stand together more often than by chance become one word, in two rounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from crisptopics.read.counting import Tokens
from crisptopics.read.recipe import Pairs
from crisptopics.read.words import Numbering

ROUNDS = 2  # phrases of up to four words
LEAST_TIMES = 10
LEAST_SCORE = 0.5
JOINT = "_"


def find_phrases(
    blocks: list[Tokens], ids: Numbering, left_out: Iterable[str], least_times: int = LEAST_TIMES
) -> tuple[Pairs, ...]:
    """Find phrases and join them in the blocks, in two rounds.

    A pair's score is its normalised pointwise mutual information: 1 for words that never stand apart, 0 for chance.

    Parameters
    ----------
    blocks
        Tokens of all documents; those with phrases take their place.
    ids
        Number of each word; phrases are added.
    left_out
        Words that are in no phrase.
    least_times
        How often a pair must occur.

    Returns
    -------
    The pairs of each round.

    Examples
    --------
    >>> from crisptopics.read.dividing import Divider, Division
    >>> divider = Divider(Division(output="tokens"))
    >>> blocks = [divider(["new york has cats", "cats like new york", "dogs like cats"])]
    >>> ids = Numbering({word: number for number, word in enumerate(blocks[0].words)})
    >>> find_phrases(blocks, ids, [], least_times=2)
    ((('new', 'york'),),)
    """
    rounds = []
    excluded = set(left_out)
    for _ in range(ROUNDS):
        words = list(ids)
        allowed = np.fromiter((word not in excluded for word in words), bool, len(words))
        pairs = _pairs(blocks, allowed, least_times)
        if not len(pairs):
            break
        rounds.append(tuple((words[first], words[second]) for first, second in pairs))
        join_phrases(blocks, ids, rounds[-1])
    return tuple(rounds)


def join_phrases(blocks: list[Tokens], ids: Numbering, pairs: Pairs) -> None:
    """Make one word of each of these pairs of words, wherever they stand together; of a b c the first.

    Examples
    --------
    >>> from crisptopics.read.dividing import Divider, Division
    >>> blocks = [Divider(Division(output="tokens"))(["old new york"])]
    >>> ids = Numbering({word: number for number, word in enumerate(blocks[0].words)})
    >>> join_phrases(blocks, ids, (("new", "york"),))
    >>> [list(ids)[number] for number in blocks[0].ids]
    ['old', 'new_york']
    """
    known = [
        (ids[first], ids[second], f"{first}{JOINT}{second}") for first, second in pairs if {first, second} <= ids.keys()
    ]
    if not known:
        return
    width = len(ids)
    keys = np.array([first * width + second for first, second, _ in known])
    joined = np.array([ids[name] for _, _, name in known], np.int32)
    order = np.argsort(keys)
    keys, joined = keys[order], joined[order]
    for number, block in enumerate(blocks):
        blocks[number] = _join(block, keys, joined, width)


def _pairs(blocks: list[Tokens], allowed: npt.NDArray[np.bool_], least_times: int) -> npt.NDArray[np.int64]:
    """Return the pairs of words that score, best first."""
    width = len(allowed)
    times = np.zeros(width, np.int64)
    for block in blocks:
        times += np.bincount(block.ids, minlength=width)
    allowed = allowed & (times >= least_times)
    keys, together = np.empty(0, np.int64), np.empty(0, np.int64)
    parts: list[npt.NDArray[np.int64]] = []
    for number, block in enumerate(blocks, 1):
        good = allowed[block.ids]
        parts.append(_neighbours(block, width)[good[:-1] & good[1:] & _same_document(block)])
        if sum(map(len, parts)) > 1 << 23 or number == len(blocks):
            every = np.concatenate([keys, *parts])
            weights = np.concatenate([together, np.ones(len(every) - len(keys), np.int64)])
            keys, places = np.unique(every, return_inverse=True)
            together = np.bincount(places, weights, len(keys)).astype(np.int64)
            parts.clear()
    keys, together = keys[together >= least_times], together[together >= least_times]
    first, second = keys // width, keys % width
    total = times.sum()
    chance = np.log(together / total)
    scores = (chance - np.log(times[first] / total) - np.log(times[second] / total)) / np.maximum(-chance, 1e-12)
    order = np.lexsort((keys, -scores))
    order = order[scores[order] >= LEAST_SCORE]
    return np.stack([first[order], second[order]], axis=1)


def _neighbours(block: Tokens, width: int) -> npt.NDArray[np.int64]:
    ids = block.ids.astype(np.int64)
    return ids[:-1] * width + ids[1:]


def _same_document(block: Tokens) -> npt.NDArray[np.bool_]:
    documents = block.documents
    return np.asarray(documents[:-1] == documents[1:])


def _join(block: Tokens, keys: npt.NDArray[np.int64], joined: npt.NDArray[np.int32], width: int) -> Tokens:
    if len(block.ids) < 2:
        return block
    neighbours = _neighbours(block, width)
    places = np.minimum(np.searchsorted(keys, neighbours), len(keys) - 1)
    matches = (keys[places] == neighbours) & _same_document(block)
    # Of matches in a row, a b c, each shares a word with the next: every other one is taken, from the first.
    hits = np.flatnonzero(matches)
    starts = np.flatnonzero(np.diff(hits, prepend=-2) > 1)
    in_run = np.arange(len(hits)) - np.repeat(starts, np.diff(starts, append=len(hits)))
    hits = hits[in_run % 2 == 0]
    ids = block.ids.copy()
    ids[hits] = joined[places[hits]]
    ends = block.ends
    if ends is not None:
        ends = ends.copy()
        ends[hits] = ends[hits + 1]
    kept = np.ones(len(ids), bool)
    kept[hits + 1] = False
    return replace(block, ids=ids, ends=ends).only(kept)
