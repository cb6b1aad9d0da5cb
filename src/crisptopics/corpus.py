"""The documents of a study as word counts: one frozen CSR matrix with its vocabulary and document names."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics.errors import CorpusError

if TYPE_CHECKING:
    import narwhals as nw

_LARGEST = 2**31 - 1  # counts and word ids are int32
_NUMBER_TYPES = (Real, Decimal, np.bool_, NoneType)  # NumPy reads None as NaN, which is then refused as such


class _NotNumbersError(CorpusError, TypeError):
    """Counts that are not numbers, also a TypeError because scikit-learn's checks expect one."""


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

    def __post_init__(self) -> None:
        indptr, words, counts = np.asarray(self.indptr), np.asarray(self.words), _numbers(np.asarray(self.counts))
        n_documents = len(indptr) - 1 if indptr.ndim else -1
        n_words = _width(self.n_words, n_documents)
        _check_structure(indptr, words, counts, n_words)
        self._set(indptr=_frozen(indptr, np.int64), words=_frozen(words, np.int32), n_words=n_words)
        if self.vocabulary is not None:
            self._set(vocabulary=_labels("vocabulary", _word_strings(self.vocabulary), n_words))
        if self.names is not None:
            self._set(names=_labels("names", self.names, n_documents))
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
        return Corpus, (self.indptr, self.words, self.counts, self.n_words, self.vocabulary, self.names)

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
        chosen = _row_numbers(np.asarray(rows), self.n_documents)
        lengths = np.diff(self.indptr)[chosen]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        entries = np.arange(indptr[-1]) + np.repeat(self.indptr[chosen] - indptr[:-1], lengths)
        names = None if self.names is None else tuple(np.array(self.names, dtype=object)[chosen])
        return Corpus(indptr, self.words[entries], self.counts[entries], self.n_words, self.vocabulary, names)

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
        frame = _as_frame(counts)
        if frame is not None:
            vocabulary = _frame_words(frame) if vocabulary is None else vocabulary
            names = _frame_names(frame) if names is None else names
            counts = _frame_table(frame)
        csr = _as_csr(counts if sparse.issparse(counts) else _dense_table(counts))
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


def _numbers(values: npt.NDArray[Any], what: str = "counts") -> npt.NDArray[Any]:
    """Refuse all but real numbers; object arrays that hold numbers become floats."""
    if values.dtype.kind in "biuf":
        return values.astype(np.float32) if values.dtype == np.float16 else values  # SciPy has no float16
    if values.dtype.kind == "c":
        raise CorpusError(
            f"Complex data not supported: {what} received with dtype {values.dtype}; accepted are whole numbers;"
            " take the real part"
        )
    for place, value in np.ndenumerate(values.astype(object, copy=False)):
        if values.dtype != object or not isinstance(value, _NUMBER_TYPES):
            where = ", ".join(f"{axis} {number}" for axis, number in zip(("row", "column"), place, strict=False))
            raise _NotNumbersError(
                f"{what} of dtype {values.dtype}: received {value!r:.60} ({type(value).__name__}) at {where}; the"
                " argument must be free of strings and other objects, only numbers are accepted; for lists of words use"
                " Corpus.from_tokens"
            )
    return values.astype(np.float64)


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


def _check_structure(
    indptr: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    values: npt.NDArray[Any],
    n_indices: int,
    kinds: tuple[str, str] = ("document", "word"),
) -> None:
    """Refuse offsets that fall and indices out of range, for which SciPy's loops would leave their arrays."""
    broken, advice = "broken sparse matrix: ", "build the matrix again, for example with scipy.sparse.coo_array"
    for name, numbers in (("indptr", indptr), ("indices", indices)):
        if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
            raise CorpusError(
                f"{broken}{name} has {numbers.ndim} dimensions and dtype {numbers.dtype}; accepted is one dimension of"
                f" integers; {advice}"
            )
    if values.shape != indices.shape:
        raise CorpusError(
            f"{broken}there are {values.size} counts for {indices.size} indices; accepted is one for each; {advice}"
        )
    if not indptr.size or indptr[0] != 0 or indptr[-1] != indices.size:
        received = f"goes from {indptr[0]} to {indptr[-1]}" if indptr.size else "is empty"
        raise CorpusError(f"{broken}indptr {received}; it must go from 0 to {indices.size}; {advice}")
    falls = indptr[1:] < indptr[:-1]
    if falls.any():
        row = int(np.argmax(falls))
        raise CorpusError(
            f"{broken}indptr falls from {indptr[row]} to {indptr[row + 1]} at {kinds[0]} {row};"
            f" it must never fall; {advice}"
        )
    outside = (indices < 0) | (indices >= n_indices)
    if outside.any():
        entry = int(np.argmax(outside))
        row = int(np.searchsorted(indptr, entry, side="right")) - 1
        raise CorpusError(
            f"{kinds[0]} {row} has {kinds[1]} {indices[entry]}; accepted are 0 to {n_indices - 1}; correct it, or pass"
            f" the true number of {kinds[1]}s"
        )


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
    for column, word in enumerate(words):
        if not isinstance(word, str):
            raise CorpusError(
                f"every word must be a string; word {column} is {word!r:.60} ({type(word).__name__}); accepted is text"
                " such as 'cat'; convert it with str or leave it out"
            )
    if len(set(words)) < len(words):
        word, times = Counter(words).most_common(1)[0]
        raise CorpusError(
            f"words of the vocabulary must differ; received {word!r} {times} times; accepted is each word once;"
            " rename or merge the columns"
        )
    return tuple(map(str, words))  # NumPy's own string scalars become plain strings


def _labels(what: str, labels: Iterable[Any], length: int) -> tuple[str, ...]:
    """Make as many strings as there are documents or words."""
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise CorpusError(f"{what} must be a list of {length} strings; received {labels!r:.60}; put them into a list")
    strings = tuple(map(str, labels))
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


def _row_numbers(rows: npt.NDArray[Any], n_documents: int) -> npt.NDArray[np.int64]:
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


def _as_frame(counts: Any) -> nw.DataFrame[Any] | None:
    """Wrap a pandas, polars or pyarrow frame; give None for anything else."""
    if isinstance(counts, np.ndarray | list | tuple) or sparse.issparse(counts):
        return None
    import narwhals as nw

    if not nw.dependencies.is_into_dataframe(counts):
        return None
    try:
        frame: nw.DataFrame[Any] = nw.from_native(counts, eager_only=True)
        frame.columns  # noqa: B018 - reading it is what finds a repeated name
    except nw.exceptions.DuplicateError as error:
        raise CorpusError(f"columns of a frame must differ: {error}; rename or merge them") from error
    return frame


def _frame_words(frame: nw.DataFrame[Any]) -> list[str] | None:
    """Give the column names, if all are strings."""
    columns = frame.columns
    return columns if all(isinstance(column, str) for column in columns) else None


def _frame_names(frame: nw.DataFrame[Any]) -> list[Any] | None:
    """Give the labels of a pandas index, unless it merely numbers the rows."""
    import narwhals as nw

    index = nw.maybe_get_index(frame)
    return None if index is None or type(index).__name__ == "RangeIndex" else list(index)


def _frame_table(frame: nw.DataFrame[Any]) -> sparse.csc_array:
    """Read a column at a time, so that a frame of pandas' sparse columns is never dense as a whole."""
    rows, counts = [np.empty(0, np.int32)], [np.empty(0, np.int8)]
    for series in frame.iter_columns():
        column = _numbers(series.to_numpy(), f"column {series.name!r}")
        filled = np.flatnonzero(column)
        rows.append(filled.astype(np.int32))
        counts.append(column[filled])
    indptr = np.cumsum([len(column) for column in counts])
    return sparse.csc_array((np.concatenate(counts), np.concatenate(rows), indptr), shape=frame.shape)


def _dense_table(counts: Any) -> sparse.csr_array:
    try:
        values = np.asarray(counts)
    except ValueError as error:  # rows of different lengths
        raise CorpusError(f"counts are not a table: {error}; accepted are rows of one length; fill in zeros") from error
    if values.ndim != 2:
        raise CorpusError(
            f"Expected a table of counts with 2 dimensions; received a {type(counts).__name__} of shape {values.shape}."
            " Reshape your data with array.reshape(1, -1) if it is one document; for lists of words use"
            " Corpus.from_tokens"
        )
    return sparse.csr_array(_numbers(values))


def _as_csr(table: Any) -> Any:
    """Bring a sparse matrix of any format into rows; repeated entries stay apart, to be checked one by one."""
    if table.ndim != 2:
        raise CorpusError(
            f"Expected a table of counts with 2 dimensions; received a sparse array of shape {table.shape}."
            " Reshape your data with array.reshape(1, -1) if it is one document"
        )
    if table.format == "csr":
        return table
    if table.format == "csc":  # SciPy trusts the offsets and ids
        end = table.nnz
        _check_structure(table.indptr, table.indices[:end], table.data[:end], table.shape[0], ("word", "document"))
        return table.tocsr()
    entries = table.tocoo()
    order = np.argsort(entries.row, kind="stable")
    lengths = np.bincount(entries.row, minlength=entries.shape[0])
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    return sparse.csr_array((entries.data[order], entries.col[order], indptr), shape=entries.shape)
