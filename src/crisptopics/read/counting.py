"""Texts into numbers of words, a batch at a time, in this process or in several."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from crisptopics.errors import CorpusError
from crisptopics.read.words import ONE_LETTER_WORDS, split_ascii, tokenize

BATCH_CHARACTERS = 1 << 20
BATCH_TEXTS = 4096
FIRST_BATCHES = 8  # read here before processes are started, which takes about a second

Divide: TypeAlias = Callable[[str], Iterable[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The words of some documents, in the order of the texts.

    Parameters
    ----------
    words
        The different words.
    indptr
        Where each document's tokens start, and after the last one where they end.
    ids
        Word of each token; -1 for one that was left out.

    Examples
    --------
    >>> Tokens(["cat"], np.array([0, 2]), np.array([0, 0])).words
    ['cat']
    """

    words: list[str]
    indptr: npt.NDArray[np.int64]
    ids: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How often some documents have which words; the words of a document are in no order.

    Examples
    --------
    >>> Counts(["cat"], np.array([0, 1]), np.array([0]), np.array([2])).counts
    array([2])
    """

    words: list[str]
    indptr: npt.NDArray[np.int64]
    ids: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]


def tokens_of(texts: Sequence[str], divide: Divide | None = None) -> Tokens:
    """Divide texts into words.

    Parameters
    ----------
    texts
        The texts.
    divide
        Divides a text into its words; by default `tokenize`, or for ASCII something equal and faster.

    Examples
    --------
    >>> tokens_of(["The cat", "A dog"]).words
    ['the', 'cat', 'dog']
    """
    if divide is not None:
        ids: defaultdict[str, int] = defaultdict()
        ids.default_factory = ids.__len__
        flat, ends = _flat(texts, lambda text: _checked(divide(text)), ids)
        return Tokens(list(ids), ends, flat)
    # The words of one letter come first, so that one comparison leaves them out.
    ids = defaultdict(None, {word: number for number, word in enumerate(ONE_LETTER_WORDS)})
    ids.default_factory = ids.__len__
    flat, ends = _flat(texts, lambda text: split_ascii(text) if text.isascii() else tokenize(text), ids)
    n_short = len(ONE_LETTER_WORDS)
    kept = flat >= n_short
    indptr = np.concatenate([[0], np.cumsum(kept)])[ends]
    return Tokens(list(islice(ids, n_short, None)), indptr, flat[kept] - np.int32(n_short))


def _flat(
    texts: Sequence[str], divide: Divide, ids: defaultdict[str, int]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    flat, ends = array("i"), [0]
    for text in texts:
        flat.extend(list(map(ids.__getitem__, divide(text))))
        ends.append(len(flat))
    return np.array(flat, dtype=np.int32), np.array(ends, dtype=np.int64)


def _checked(words: Any) -> list[str]:
    if isinstance(words, str | bytes):
        raise CorpusError(f"the tokenizer gave the text {words!r:.60}; accepted is a list of words")
    words = list(words)
    for word in words:
        if not isinstance(word, str):
            raise CorpusError(f"the tokenizer gave {word!r:.60} ({type(word).__name__}); accepted are strings")
    return [word for word in words if word]


def counts_of(tokens: Tokens) -> Counts:
    """Count the words of each document.

    Examples
    --------
    >>> counts_of(tokens_of(["The cat, the cat", "A dog"])).counts
    array([2, 2, 1], dtype=int32)
    """
    n_words = max(len(tokens.words), 1)
    documents = np.repeat(np.arange(len(tokens.indptr) - 1), np.diff(tokens.indptr))
    keys = documents * n_words + tokens.ids
    keys = np.sort(keys[tokens.ids >= 0])
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.diff(firsts, append=len(keys)).astype(np.int32)
    keys = keys[firsts]
    indptr = np.searchsorted(keys, np.arange(len(tokens.indptr)) * n_words)
    return Counts(tokens.words, indptr, (keys % n_words).astype(np.int32), counts)


def in_batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Cut texts into lists of about a million characters.

    Examples
    --------
    >>> [len(batch) for batch in in_batches(["word"] * 5000)]
    [4096, 904]
    """
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= BATCH_CHARACTERS or len(batch) >= BATCH_TEXTS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def on_processes(work: Callable[[list[str]], Any], batches: Iterator[list[str]], n_jobs: int | None) -> Iterator[Any]:
    """Do the work for each batch, in order; on several processes when there is much of it.

    Parameters
    ----------
    work
        The work.
    batches
        Lists of texts.
    n_jobs
        Processes; None for this one alone, -1 for all processors.

    Examples
    --------
    >>> list(on_processes(len, iter([["a", "b"], ["c"]]), None))
    [2, 1]
    """
    if n_jobs in (None, 1):
        yield from map(work, batches)
        return
    yield from map(work, islice(batches, FIRST_BATCHES))
    first = next(batches, None)
    if first is None:
        return
    from itertools import chain

    from joblib import Parallel, delayed  # comes with scikit-learn

    run = Parallel(n_jobs=n_jobs, return_as="generator", pre_dispatch="2 * n_jobs", batch_size=1)
    yield from run(delayed(work)(batch) for batch in chain([first], batches))
