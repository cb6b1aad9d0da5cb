"""The documents of a study as word counts: one frozen CSR matrix with its vocabulary and document names."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics.details import Details, take_rows
from crisptopics.errors import CorpusError
from crisptopics.tables import as_numbers, check_structure, read_table

_LARGEST = 2**31 - 1  # counts and word ids are int32


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Corpus:
    """Word counts of documents, checked once and never changed.

    The constructor takes the three arrays of any CSR matrix; `from_counts`, `from_tokens` and `from_bow` take other
    forms and end in it. Arrays that already have the final form are shared with the caller, not copied; the caller's
    arrays are never changed, nor made read-only.

    - An empty document stays, as a document without entries; a word that never occurs keeps its column.
    - Explicit zeros are dropped, unsorted words sorted, repeated words of a document summed (in int64).
    - Counts may be integers, whole floats or bools, and ids and offsets any integers. The total may exceed 2**31; one
      count may not.
    - Without documents it is a valid corpus of shape (0, n_words). One word is enough; without words it is refused.
    - A negative, fractional, NaN, infinite or too large count is refused, and so are complex numbers, text, offsets
      that fall, words out of range, a vocabulary with repeated words or non-strings, and labels of the wrong length.

    Parameters
    ----------
    indptr
        Where each document's entries start, and after the last one where they end.
    words
        Word of each entry, strictly increasing inside a document.
    counts
        How often the document has the word, at least 1.
    n_words
        Number of columns.
    vocabulary
        The words as strings, in the order of the columns.
    names
        Names of the documents; what is not a string is converted.
    details
        What is known of the documents beside their counts: labels, dates, texts.

    Examples
    --------
    >>> corpus = Corpus([0, 2, 3], [0, 2, 1], [1, 5, 2], n_words=3)
    >>> corpus
    Corpus(2 documents, 3 words, 8 tokens)
    """

    indptr: npt.NDArray[np.int64]
    words: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]
    n_words: int
    vocabulary: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    details: Details | None = None

    def __post_init__(self) -> None:
        indptr, words, counts = np.asarray(self.indptr), np.asarray(self.words), as_numbers(np.asarray(self.counts))
        n_documents = len(indptr) - 1 if indptr.ndim else -1
        n_words = _width(self.n_words, n_documents)
        check_structure(indptr, words, counts, n_words)
        self._set(indptr=_frozen(indptr, np.int64), words=_frozen(words, np.int32), n_words=n_words)
        if self.vocabulary is not None:
            self._set(vocabulary=_labels("vocabulary", _word_strings(self.vocabulary), n_words))
        if self.names is not None:
            self._set(names=_labels("names", self.names, n_documents))
        if self.details is not None:
            self.details.check(n_documents)
        self._check_counts(counts)
        if not (_is_rising(self.indptr, self.words) and counts.all()):
            summed = sparse.csr_array(
                (counts.astype(np.int64), self.words.copy(), self.indptr.copy()), shape=(n_documents, n_words)
            )
            summed.sum_duplicates()
            summed.eliminate_zeros()
            self._set(indptr=_frozen(summed.indptr, np.int64), words=_frozen(summed.indices, np.int32))
            counts = summed.data
            self._check_counts(counts)
        self._set(counts=_frozen(counts, np.int32))

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def _check_counts(self, counts: npt.NDArray[Any]) -> None:
        """Refuse the first entry that is not a whole number that int32 holds."""
        if counts.dtype.kind in "iu" and counts.size and counts.min() >= 0 and counts.max() <= _LARGEST:
            return  # without the memory that the following needs
        good = (counts >= 0) & (counts <= _LARGEST)  # False for NaN
        if counts.dtype.kind == "f":
            good &= counts == np.floor(counts)
        if good.all():
            return
        entry = int(np.argmin(good))
        value = counts[entry].item()
        if math.isnan(value):
            problem, advice = "NaN in data", "fill in or leave out what is missing"
        elif math.isinf(value):
            problem, advice = "Infinite value (inf) in data", "replace it"
        elif value < 0:
            problem, advice = "Negative values in data", "correct or leave out the entry"
        elif value > _LARGEST:
            problem, advice = "Too large a count in data", "divide the document into smaller ones"
        else:
            problem, advice = "Fractional count in data", "pass plain word counts, not weights such as tf-idf"
        raise CorpusError(
            f"{problem}: {self._place(entry)} has {value}; accepted are whole numbers from 0 to {_LARGEST}; {advice}"
        )

    def _place(self, entry: int) -> str:
        """Say where an entry stands, with the names if there are any."""
        row, column = int(np.searchsorted(self.indptr, entry, side="right")) - 1, int(self.words[entry])
        document = f"document {row}" if self.names is None else f"document {row} ({self.names[row]!r})"
        return f"{document}, word {column}" + ("" if self.vocabulary is None else f" ({self.vocabulary[column]!r})")

    @property
    def n_documents(self) -> int:
        """Number of documents, empty ones included."""
        return len(self.indptr) - 1

    @property
    def n_entries(self) -> int:
        """Number of (document, word) pairs that occur."""
        return len(self.words)

    @property
    def n_tokens(self) -> int:
        """Sum of all counts."""
        return int(self.counts.sum(dtype=np.int64))

    @property
    def shape(self) -> tuple[int, int]:
        """Number of documents and number of words."""
        return self.n_documents, self.n_words

    @property
    def word_names(self) -> tuple[str, ...]:
        """The vocabulary; without one, "w0", "w1" and so on."""
        if self.vocabulary is not None:
            return self.vocabulary
        return tuple(f"w{word}" for word in range(self.n_words))

    def __len__(self) -> int:
        return self.n_documents

    def __repr__(self) -> str:
        return f"Corpus({self.n_documents:,} documents, {self.n_words:,} words, {self.n_tokens:,} tokens)"

    def __reduce__(self) -> tuple[type[Corpus], tuple[Any, ...]]:
        """Unpickle through the constructor, which makes the arrays read-only again."""
        parts = (self.indptr, self.words, self.counts, self.n_words, self.vocabulary, self.names, self.details)
        return Corpus, parts

    @property
    def document_of(self) -> npt.NDArray[np.int64]:
        """Document of each entry, made anew each time.

        Examples
        --------
        >>> Corpus.from_counts([[0, 2], [1, 1]]).document_of
        array([0, 1, 1])
        """
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    def counts_matrix(self) -> sparse.csr_array:
        """Give the counts as a SciPy matrix that shares the (read-only) words and counts.

        Beyond 2**31 entries SciPy needs wider word ids, and copies them.

        Examples
        --------
        >>> corpus = Corpus.from_counts([[0, 2], [1, 1]])
        >>> corpus.counts_matrix().sum(axis=0)
        array([1, 3])
        """
        index_type = np.int32 if self.n_entries <= _LARGEST else np.int64
        return sparse.csr_array((self.counts, self.words, self.indptr.astype(index_type)), shape=self.shape)

    def select(self, rows: npt.ArrayLike) -> Corpus:
        """Give the corpus of some documents, in the order asked for; repeats are allowed.

        Parameters
        ----------
        rows
            Numbers of documents, or one bool for each document.

        Examples
        --------
        >>> corpus = Corpus.from_counts([[0, 2], [1, 1], [4, 0]], names=["a", "b", "c"])
        >>> corpus.select([2, 0]).names
        ('c', 'a')
        """
        chosen = _rowas_numbers(np.asarray(rows), self.n_documents)
        entries, indptr = take_rows(self.indptr, chosen)
        names = None if self.names is None else tuple(np.array(self.names, dtype=object)[chosen])
        details = None if self.details is None else self.details.select(chosen)
        words, counts = self.words[entries], self.counts[entries]
        return Corpus(indptr, words, counts, self.n_words, self.vocabulary, names, details)

    @classmethod
    def from_counts(
        cls, counts: Any, vocabulary: Iterable[str] | None = None, names: Iterable[Any] | None = None
    ) -> Corpus:
        """Make a corpus of a table with a row for each document and a column for each word.

        Parameters
        ----------
        counts
            A SciPy sparse matrix or array of any format, a dense array, nested lists, or a pandas, polars or pyarrow
            frame. A Corpus is given back as it is.
        vocabulary
            The words of the columns; by default a frame's column names, if all are strings.
        names
            Names of the documents; by default a pandas index, unless it merely numbers the rows.

        Examples
        --------
        >>> corpus = Corpus.from_counts([[0, 2], [1, 1]], vocabulary=["cat", "dog"])
        >>> corpus.n_tokens
        4
        """
        if isinstance(counts, Corpus):
            if vocabulary is not None or names is not None:
                raise CorpusError(
                    "vocabulary and names must be None when counts is a Corpus, which has its own; leave them out"
                )
            return counts
        table = read_table(counts)
        vocabulary = table.columns if vocabulary is None else vocabulary
        names = table.rows if names is None else names
        csr = table.csr
        end = csr.nnz  # SciPy allows unused room after the last entry
        return cls(csr.indptr, csr.indices[:end], csr.data[:end], csr.shape[1], vocabulary, names)  # type: ignore[arg-type]

    @classmethod
    def from_tokens(
        cls,
        documents: Iterable[Iterable[str]],
        vocabulary: Iterable[str] | None = None,
        names: Iterable[Any] | None = None,
    ) -> Corpus:
        """Make a corpus of documents that are lists of words; they are read once, one at a time.

        Parameters
        ----------
        documents
            The words of each document; generators will do.
        vocabulary
            The words to keep, in the order of the columns; by default all that occur, sorted.
        names
            Names of the documents.

        Examples
        --------
        >>> corpus = Corpus.from_tokens([["the", "cat", "the"], ["dog"]])
        >>> corpus.vocabulary
        ('cat', 'dog', 'the')
        """
        kept = None if vocabulary is None else _word_strings(vocabulary)
        ids = defaultdict[str, int](None, {word: column for column, word in enumerate(kept or ())})
        if kept is None:
            ids.default_factory = ids.__len__  # a new word gets the next number
        flat, ends = array("i"), array("q", [0])
        for row, tokens in enumerate(documents):
            flat.extend(_token_ids(tokens, ids, row))
            ends.append(len(flat))
        words = np.asarray(flat)
        if kept is None:
            kept = tuple(sorted(_word_strings(list(ids))))
            column_of = np.empty(len(kept), np.int32)
            column_of[[ids[word] for word in kept]] = np.arange(len(kept))
            words = column_of[words]
        return cls(np.asarray(ends), words, np.ones(len(words), np.int32), len(kept), kept, names)  # type: ignore[arg-type]

    @classmethod
    def from_bow(
        cls,
        documents: Iterable[Iterable[tuple[int, int]]],
        vocabulary: Iterable[str] | Mapping[int, str] | None = None,
        n_words: int | None = None,
        names: Iterable[Any] | None = None,
    ) -> Corpus:
        """Make a corpus of documents that are lists of (word id, count) pairs, as gensim has them.

        Parameters
        ----------
        documents
            The pairs of each document; generators will do.
        vocabulary
            The words in the order of their ids, or a mapping from id to word such as gensim's Dictionary.
        n_words
            Number of columns; by default the vocabulary's length, or without one the largest id + 1.
        names
            Names of the documents.

        Examples
        --------
        >>> corpus = Corpus.from_bow([[(0, 1), (2, 3)], [(1, 2)]], vocabulary={0: "a", 1: "b", 2: "c"})
        >>> corpus.shape
        (2, 3)
        """
        word_strings = None if vocabulary is None else _words_by_id(vocabulary)
        ids, counts, ends = array("q"), array("d"), array("q", [0])
        for row, pairs in enumerate(documents):
            try:
                for word, count in pairs:
                    ids.append(word)
                    counts.append(count)
            except (TypeError, ValueError, OverflowError) as error:
                raise CorpusError(
                    f"document {row} is not a list of (word id, count) pairs: {error}; accepted is for example"
                    " [(0, 2), (7, 1)]; for lists of words use Corpus.from_tokens"
                ) from error
            ends.append(len(ids))
        words = np.asarray(ids)
        if n_words is None:
            n_words = int(words.max(initial=-1)) + 1 if word_strings is None else len(word_strings)
        return cls(np.asarray(ends), words, np.asarray(counts), n_words, word_strings, names)  # type: ignore[arg-type]


def _frozen(values: npt.NDArray[Any], dtype: type[np.generic]) -> npt.NDArray[Any]:
    """Give a read-only array of this type; a view, so that the caller's own array stays writeable."""
    view = np.ascontiguousarray(values, dtype=dtype).view()
    view.flags.writeable = False
    return view


def _width(n_words: Any, n_documents: int) -> int:
    if not isinstance(n_words, int | np.integer) or not 0 <= n_words <= _LARGEST:
        raise CorpusError(
            f"n_words must be a whole number from 1 to {_LARGEST}; received {n_words!r}; pass the number of columns"
        )
    if n_words == 0:
        raise CorpusError(
            f"0 feature(s) (shape=({n_documents}, 0)) while a minimum of 1 is required: there is no word;"
            " pass documents with words, or a vocabulary"
        )
    return int(n_words)


def _is_rising(indptr: npt.NDArray[np.int64], words: npt.NDArray[np.int32]) -> bool:
    """Tell whether the words of each document strictly increase."""
    rising = words[1:] > words[:-1]
    starts = indptr[(indptr > 0) & (indptr < len(words))]
    rising[starts - 1] = True
    return bool(rising.all())


def _word_strings(vocabulary: Any) -> tuple[str, ...]:
    """Check that these are different strings in a given order."""
    if not isinstance(vocabulary, Iterable) or isinstance(vocabulary, str | bytes | Mapping | Set):
        raise CorpusError(
            f"vocabulary must be the words in the order of the columns; received a {type(vocabulary).__name__}; pass a"
            " list of strings (of a CountVectorizer: get_feature_names_out())"
        )
    words = tuple(vocabulary)
    if not _are_plain(words):
        for column, word in enumerate(words):
            if not isinstance(word, str):
                raise CorpusError(
                    f"every word must be a string; word {column} is {word!r:.60} ({type(word).__name__}); accepted is"
                    " text such as 'cat'; convert it with str or leave it out"
                )
        words = tuple(map(str, words))  # NumPy's own string scalars become plain strings
    if len(set(words)) < len(words):
        word, times = Counter(words).most_common(1)[0]
        raise CorpusError(
            f"words of the vocabulary must differ; received {word!r} {times} times; accepted is each word once;"
            " rename or merge the columns"
        )
    return words


def _are_plain(strings: tuple[Any, ...]) -> bool:
    return set(map(type, strings)) <= {str}


def _labels(what: str, labels: Iterable[Any], length: int) -> tuple[str, ...]:
    """Make as many strings as there are documents or words."""
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise CorpusError(f"{what} must be a list of {length} strings; received {labels!r:.60}; put them into a list")
    strings = tuple(labels)
    if not _are_plain(strings):
        strings = tuple(map(str, strings))
    if len(strings) != length:
        raise CorpusError(
            f"{what} must have {length} items, one for each {'word' if what == 'vocabulary' else 'document'}; received"
            f" {len(strings)}; pass the list that belongs to these counts"
        )
    return strings


def _words_by_id(vocabulary: Any) -> tuple[str, ...]:
    """Put the words of a mapping {id: word} into the order of their ids; a sequence has it already."""
    if not hasattr(vocabulary, "items"):
        return _word_strings(vocabulary)
    words = dict(vocabulary.items())
    missing = [word_id for word_id in range(len(words)) if word_id not in words]
    if missing:
        raise CorpusError(
            f"vocabulary must map the ids 0 to {len(words) - 1} to words; received no word for id {missing[0]}; pass"
            " {id: word} without gaps (gensim: dictionary.compactify() before the counts are made)"
        )
    return _word_strings([words[word_id] for word_id in range(len(words))])


def _rowas_numbers(rows: npt.NDArray[Any], n_documents: int) -> npt.NDArray[np.int64]:
    """Turn bools into the numbers of documents, and check numbers."""
    is_mask = rows.dtype == bool
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "biu") or (is_mask and len(rows) != n_documents):
        raise CorpusError(
            f"rows must be a list of document numbers, or of {n_documents} bools; received dtype {rows.dtype} and shape"
            f" {rows.shape}; pass for example [0, 2]"
        )
    numbers = np.flatnonzero(rows) if is_mask else rows.astype(np.int64)
    outside = (numbers < 0) | (numbers >= n_documents)
    if outside.any():
        raise CorpusError(
            f"document {numbers[np.argmax(outside)]} was asked for; accepted are 0 to {n_documents - 1}; correct rows"
        )
    return numbers


def _token_ids(tokens: Any, ids: defaultdict[str, int], row: int) -> list[int]:
    """Look up the tokens of one document; new ones enter the dictionary if it has a default, else are left out."""
    if isinstance(tokens, str | bytes):
        raise CorpusError(
            f"document {row} is the text {tokens!r:.60}; accepted is a list of words; divide texts into words"
            " first, for example with crisptopics.read.words.tokenize"
        )
    try:
        if ids.default_factory:
            return list(map(ids.__getitem__, tokens))
        return [ids[token] for token in tokens if token in ids]
    except TypeError as error:
        raise CorpusError(
            f"document {row} is not a list of words: {error}; received {tokens!r:.60}; accepted is a list of strings;"
            " divide the text into words first"
        ) from error
