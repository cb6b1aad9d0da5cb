"""Tables of counts in many forms, brought into compressed sparse rows."""

from __future__ import annotations

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

_NUMBER_TYPES = (Real, Decimal, np.bool_, NoneType)  # NumPy reads None as NaN, which is then refused as such


class _NotNumbersError(CorpusError, TypeError):
    """Counts that are not numbers, also a TypeError because scikit-learn's checks expect one."""


@dataclass(frozen=True, eq=False)
class Table:
    """Counts in rows, not yet canonical, with the names of columns and rows where there are any."""

    csr: Any
    columns: list[str] | None = None
    rows: list[Any] | None = None


def read_table(counts: Any) -> Table:
    """Bring a sparse, dense or framed table into rows.

    Examples
    --------
    >>> read_table([[0, 2], [1, 1]]).csr.nnz
    3
    """
    frame = _as_frame(counts)
    if frame is None:
        return Table(_as_csr(counts if sparse.issparse(counts) else _dense_table(counts)))
    return Table(_as_csr(_frame_table(frame)), _frame_words(frame), _frame_names(frame))


def as_numbers(values: npt.NDArray[Any], what: str = "counts") -> npt.NDArray[Any]:
    """Refuse all but real numbers; object arrays that hold numbers become floats.

    Examples
    --------
    >>> as_numbers(np.array([1, 2.5], dtype=object))
    array([1. , 2.5])
    """
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


def check_structure(
    indptr: npt.NDArray[Any],
    indices: npt.NDArray[Any],
    values: npt.NDArray[Any],
    n_indices: int,
    kinds: tuple[str, str] = ("document", "word"),
) -> None:
    """Refuse offsets that fall and indices out of range, for which SciPy's loops would leave their arrays.

    Examples
    --------
    >>> check_structure(np.array([0, 1]), np.array([4]), np.array([1]), n_indices=5)
    """
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
    if indices.size and (indices.min() < 0 or indices.max() >= n_indices):
        outside = (indices < 0) | (indices >= n_indices)
        entry = int(np.argmax(outside))
        row = int(np.searchsorted(indptr, entry, side="right")) - 1
        raise CorpusError(
            f"{kinds[0]} {row} has {kinds[1]} {indices[entry]}; accepted are 0 to {n_indices - 1}; correct it, or pass"
            f" the true number of {kinds[1]}s"
        )


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
        column = as_numbers(series.to_numpy(), f"column {series.name!r}")
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
    return sparse.csr_array(as_numbers(values))


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
        check_structure(table.indptr, table.indices[:end], table.data[:end], table.shape[0], ("word", "document"))
        return table.tocsr()
    entries = table.tocoo()
    order = np.argsort(entries.row, kind="stable")
    lengths = np.bincount(entries.row, minlength=entries.shape[0])
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    return sparse.csr_array((entries.data[order], entries.col[order], indptr), shape=entries.shape)
