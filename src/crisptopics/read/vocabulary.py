"""From the words of all documents to those that are kept, and the counts of these."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics.corpus import Corpus
from crisptopics.errors import CorpusError
from crisptopics.read.counting import Counts, Joint
from crisptopics.read.languages import stop_words_of
from crisptopics.read.recipe import read_recipe
from crisptopics.read.words import Numbering, Words

LONGEST_WORD = 100
ROWS_AT_ONCE = 4096
MANY_DOCUMENTS = 20  # a word in fewer is never too common
LEAST_SHARE, MOST_SHARE = 0.1, 0.5
DIFFERENT_WORDS = 2000
SHOWN = 10
_LEAST_DOCUMENTS = ((50, 1), (5_000, 2), (50_000, 5))


@dataclass(slots=True, eq=False)
class Gathered:
    """The counts of all documents, under words that are numbered as they came.

    Examples
    --------
    >>> Gathered().n_documents
    0
    """

    joint: Joint = field(default_factory=Joint)
    flat_ids: array[int] = field(default_factory=lambda: array("i"))
    flat_counts: array[int] = field(default_factory=lambda: array("i"))
    lengths: list[npt.NDArray[np.int64]] = field(default_factory=list)
    used_in: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(1 << 16, np.int64))
    tokens: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(1 << 16, np.int64))
    lemmas: dict[str, str] = field(default_factory=dict)

    @property
    def ids(self) -> Numbering:
        """Number of each word."""
        return self.joint.ids

    @property
    def n_documents(self) -> int:
        """Number of documents, empty ones included."""
        return sum(map(len, self.lengths))

    def add(self, batch: Counts) -> None:
        """Take in the counts of further documents."""
        ids = self.joint.numbers(batch)
        if len(self.ids) > len(self.used_in):
            room = np.zeros(len(self.ids), np.int64)
            self.used_in = np.concatenate([self.used_in, room])
            self.tokens = np.concatenate([self.tokens, room])
        np.add.at(self.used_in, ids, 1)  # a bincount would pass over the whole vocabulary, for each batch
        np.add.at(self.tokens, ids, batch.counts.astype(np.int64))
        self.lemmas.update(batch.lemmas)
        self.flat_ids.frombytes(ids.astype(np.int32, copy=False).tobytes())  # grows in place, unlike a list of arrays
        self.flat_counts.frombytes(batch.counts.astype(np.int32, copy=False).tobytes())
        self.lengths.append(np.diff(batch.indptr))

    @property
    def words(self) -> list[str]:
        """All words, by number."""
        return list(self.ids)


def gather(batches: Iterable[Counts]) -> Gathered:
    """Put the counts of batches under one another.

    Examples
    --------
    >>> from crisptopics.read.dividing import Divider, Division
    >>> gather(map(Divider(Division()), [["The cat"], ["A cat"]])).used_in[:2]
    array([1, 2])
    """
    gathered = Gathered()
    for batch in batches:
        gathered.add(batch)
    return gathered


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Which words are kept, and what is said of the others.

    Parameters
    ----------
    vocabulary
        The words that are kept, sorted.
    columns
        Column of each word by its old number; -1 for words that are left out.
    cut
        For each reason, how many words were left out for it, and examples.
    used
        The limits that were used.

    Examples
    --------
    >>> Choice(("cat",), np.array([0, -1]), {}, {}).vocabulary
    ('cat',)
    """

    vocabulary: tuple[str, ...]
    columns: npt.NDArray[np.int32]
    cut: dict[str, Any]
    used: dict[str, Any]


def limits(gathered: Gathered, choices: Words) -> tuple[int, float]:
    """Return in how many documents a word must be, and in what share of them it may be.

    Examples
    --------
    >>> from crisptopics.read.dividing import Divider, Division
    >>> limits(gather([Divider(Division())(["The cat sat.", "The dog sat."])]), Words(min_documents=2))
    (2, 1.0)
    """
    least, share = choices.min_documents, choices.max_share
    if least is None:
        least = default_min_documents(gathered.n_documents)
        if not (gathered.used_in >= least).any():
            least = 1
    if share is None:
        share = default_max_share(gathered)
        used_in = gathered.used_in[gathered.used_in >= least]
        if len(used_in) and used_in.min() / gathered.n_documents > share:  # the same texts again and again
            share = 1.0
    return least, share


def choose_words(gathered: Gathered, least: int, share: float, stop_words: Collection[str] = ()) -> Choice:
    """Leave out stop words, and words that are too rare, too common or too long.

    Examples
    --------
    >>> from crisptopics.read.dividing import Divider, Division
    >>> gathered = gather([Divider(Division())(["The cat sat.", "The dog sat."])])
    >>> choose_words(gathered, 1, 0.5).vocabulary
    ('cat', 'dog')
    """
    words = gathered.words
    stops = np.zeros(len(words), bool)
    stops[[gathered.ids[word] for word in stop_words if word in gathered.ids]] = True
    reasons = {
        "stop_words": stops,
        "too_long": np.fromiter(map(len, words), np.int64, len(words)) > LONGEST_WORD,
        "too_rare": gathered.used_in[: len(words)] < least,
        "too_common": too_common(gathered, share),
    }
    kept = np.ones(len(words), bool)
    cut = {}
    for reason, out in reasons.items():
        out &= kept
        kept &= ~out
        if out.any():
            cut[reason] = _told(words, gathered.tokens, np.flatnonzero(out))
    used = {"min_documents": least, "max_share": round(min(share, 1.0), 6)}
    if not kept.any():
        _refuse_nothing(len(words), cut, used, gathered.n_documents)
    numbers = sorted(np.flatnonzero(kept).tolist(), key=words.__getitem__)
    columns = np.full(len(words), -1, np.int32)
    columns[numbers] = np.arange(len(numbers), dtype=np.int32)
    return Choice(tuple(map(words.__getitem__, numbers)), columns, cut, used)


def known_words(gathered: Gathered, vocabulary: Collection[str]) -> Choice:
    """Keep the words of an earlier vocabulary, in its order.

    Examples
    --------
    >>> from crisptopics.read.dividing import Divider, Division
    >>> known_words(gather([Divider(Division())(["The cat sat."])]), ["dog", "cat"]).columns
    array([-1,  1, -1], dtype=int32)
    """
    words = gathered.words
    place = {word: column for column, word in enumerate(vocabulary)}
    columns = np.fromiter((place.get(word, -1) for word in words), np.int32, len(words))
    unknown = np.flatnonzero(columns < 0)
    cut = {"unknown": _told(words, gathered.tokens, unknown)} if len(unknown) else {}
    return Choice(tuple(vocabulary), columns, cut, {})


def keep_words(corpus: Corpus, choices: Words, recipe: Mapping[str, Any] | None) -> tuple[Corpus, dict[str, Any]]:
    """Choose words of a corpus that is counted already; its details are left behind.

    Parameters
    ----------
    corpus
        The corpus.
    choices
        Limits, of which those that are not given do not apply, and stop words.
    recipe
        The words of an earlier corpus, instead.

    Returns
    -------
    The smaller corpus, and what was left out.

    Examples
    --------
    >>> corpus = Corpus.from_tokens([["cat", "dog"], ["cat"]])
    >>> keep_words(corpus, Words(min_documents=2), None)[0].vocabulary
    ('cat',)
    """
    for name in ("phrases", "lemmas", "tokenizer"):
        if getattr(choices, name):
            raise CorpusError(f"counts have no texts for {name}; accepted are min_documents, max_share and stop_words")
    if corpus.vocabulary is None and (recipe is not None or choices.stop_words):
        raise CorpusError("these counts have no vocabulary, so their words cannot be told; put vocab.txt beside them")
    gathered = gather([Counts(list(corpus.word_names), corpus.indptr, corpus.words, corpus.counts)])
    if recipe is None:
        choice = choose_words(gathered, choices.min_documents or 0, choices.max_share or 1.0, stop_words_of(choices))
        vocabulary = None if corpus.vocabulary is None else choice.vocabulary
    else:
        choice = known_words(gathered, read_recipe(recipe).vocabulary)
        vocabulary = choice.vocabulary
    counts = assemble(gathered, choice.columns, len(choice.vocabulary))
    smaller = Corpus(counts.indptr, counts.ids, counts.counts, len(choice.vocabulary), vocabulary, corpus.names)
    return smaller, {"kept": len(choice.vocabulary), "cut": choice.cut} | choice.used


def default_min_documents(n_documents: int) -> int:
    """Return in how many documents a word must be, for corpora of so many documents.

    Examples
    --------
    >>> [default_min_documents(size) for size in (10, 1000, 10_000, 1_000_000)]
    [1, 2, 5, 10]
    """
    return next((least for size, least in _LEAST_DOCUMENTS if n_documents < size), 10)


def default_max_share(gathered: Gathered) -> float:
    """Return in what share of the documents a word may be: a tenth, up to a half where documents have 1,000 words.

    Examples
    --------
    >>> from crisptopics.read.dividing import Divider, Division
    >>> default_max_share(gather([Divider(Division())(["one text"] * 1000)]))
    0.1
    """
    different = len(gathered.flat_ids) / gathered.n_documents
    share = min(max(different / DIFFERENT_WORDS, LEAST_SHARE), MOST_SHARE)
    return min(max(share, MANY_DOCUMENTS / gathered.n_documents), 1.0)


def too_common(gathered: Gathered, share: float) -> npt.NDArray[np.bool_]:
    """Tell which words are in more than this share of the documents.

    Examples
    --------
    >>> from crisptopics.read.dividing import Divider, Division
    >>> too_common(gather([Divider(Division())(["the cat", "the dog"])]), 0.5)
    array([ True, False, False])
    """
    return np.asarray(gathered.used_in[: len(gathered.ids)] / gathered.n_documents > share)


def assemble(gathered: Gathered, columns: npt.NDArray[np.int32], n_columns: int) -> Counts:
    """Give all counts under new columns, in the memory that they have; what was gathered is no more after that.

    Examples
    --------
    >>> from crisptopics.read.dividing import Divider, Division
    >>> gathered = gather([Divider(Division())(["cat cat dog"])])
    >>> assemble(gathered, np.array([1, 0]), 2).counts
    array([1, 2], dtype=int32)
    """
    indptr = np.cumsum(np.concatenate([[0], *gathered.lengths]), dtype=np.int64)
    ids, counts = np.frombuffer(gathered.flat_ids, np.int32), np.frombuffer(gathered.flat_counts, np.int32)
    lengths, end = [np.zeros(1, np.int64)], 0
    for start in range(0, len(indptr) - 1, ROWS_AT_ONCE):
        bounds = indptr[start : start + ROWS_AT_ONCE + 1]
        of_block = slice(bounds[0], bounds[-1])
        block = renamed(Counts([], bounds - bounds[0], ids[of_block], counts[of_block]), columns, n_columns)
        place = slice(end, end + block.nnz)  # never beyond the block, which was copied
        ids[place], counts[place] = block.indices, block.data
        lengths.append(np.diff(block.indptr).astype(np.int64))
        end += block.nnz
    del ids, counts  # else the arrays may not shrink
    del gathered.flat_ids[end:], gathered.flat_counts[end:]
    ids, counts = (np.frombuffer(part, np.int32) for part in (gathered.flat_ids, gathered.flat_counts))
    return Counts([], np.cumsum(np.concatenate(lengths)), ids, counts)


def renamed(block: Counts, columns: npt.NDArray[np.int32], n_columns: int) -> sparse.csr_array:
    """Give the counts of a block under new columns; words with one column are added up, those with none left out.

    Examples
    --------
    >>> block = Counts([], np.array([0, 3]), np.array([0, 1, 2]), np.array([5, 6, 7]))
    >>> renamed(block, np.array([1, -1, 1]), 2).toarray()
    array([[ 0, 12]])
    """
    columns_of = columns[block.ids] if len(columns) else block.ids
    kept = columns_of >= 0
    indptr = np.concatenate([[0], np.cumsum(kept)])[block.indptr].astype(np.int32)  # int64 would widen the words too
    csr = sparse.csr_array((block.counts[kept], columns_of[kept], indptr), shape=(len(indptr) - 1, n_columns))
    csr = csr.tocsc().tocsr()  # sorts in half the time that comparing takes
    csr.sum_duplicates()
    return csr


def _told(words: list[str], tokens: npt.NDArray[np.int64], numbers: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Say how many words these are, with the commonest as examples."""
    of_words = tokens[numbers]
    ranks = np.arange(len(numbers)) - of_words * len(numbers)  # the most tokens, then the first word
    first = numbers[np.argpartition(ranks, SHOWN)[:SHOWN]] if len(numbers) > SHOWN else numbers
    first = first[np.lexsort((first, -tokens[first]))]
    examples = [words[number][: LONGEST_WORD // 2] for number in first]
    return {"number": len(numbers), "tokens": int(of_words.sum()), "examples": examples}


def _refuse_nothing(n_words: int, cut: dict[str, Any], used: dict[str, Any], n_documents: int) -> None:
    if not n_words:
        raise CorpusError(
            f"there is no word in {n_documents} documents; words are two or more letters or digits; pass documents"
            " with words"
        )
    reasons = ", ".join(f"{told['number']} {reason.replace('_', ' ')}" for reason, told in cut.items())
    raise CorpusError(
        f"no word is left of {n_words}: {reasons}, with min_documents={used['min_documents']!r} and"
        f" max_share={used['max_share']!r} of {n_documents} documents; lower min_documents or raise max_share"
    )
