"""Counts in an .npz file without reading them first: the operating system fetches what is looked at."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

_LOCAL_HEADER = 30  # bytes of a zip member's header before its name


def open_npz(path: str | Path) -> sparse.csr_array:
    """Give the matrix that `scipy.sparse.save_npz` has written, mapped into memory where that can be done.

    Arrays of a CSR matrix that are stored without compression, at a place that suits their type, are mapped; stored
    elsewhere they are read in one piece; a compressed file is read as SciPy reads it. A corpus shares mapped counts.

    Parameters
    ----------
    path
        The file; it must not change while the matrix is in use.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "counts.npz")
    >>> sparse.save_npz(path, sparse.csr_array([[0, 2], [1, 0]]), compressed=False)
    >>> open_npz(path).toarray()
    array([[0, 2],
           [1, 0]])
    """
    with zipfile.ZipFile(path) as archive:
        members = {member.filename: member for member in archive.infolist()}
        plain = all(member.compress_type == zipfile.ZIP_STORED for member in members.values())
        if not plain or not {"format.npy", "shape.npy", "indptr.npy", "indices.npy", "data.npy"} <= members.keys():
            return _read(path)
    opened = {name: _open_member(Path(path), member) for name, member in members.items()}
    arrays = {name: array for name, array in opened.items() if array is not None}
    if len(arrays) < len(opened) or arrays["format.npy"].item() not in ("csr", b"csr"):
        return _read(path)
    data = (arrays["data.npy"], arrays["indices.npy"], arrays["indptr.npy"])
    return sparse.csr_array(data, shape=tuple(arrays["shape.npy"].tolist()), copy=False)


def _read(path: str | Path) -> sparse.csr_array:
    return sparse.csr_array(sparse.load_npz(path))


def _open_member(path: Path, member: zipfile.ZipInfo) -> npt.NDArray[Any] | None:
    """Map or read one stored array; give None for what SciPy had better judge."""
    with path.open("rb") as file:
        file.seek(member.header_offset)
        header = file.read(_LOCAL_HEADER)
        begin = member.header_offset + _LOCAL_HEADER + sum(np.frombuffer(header[26:30], "<u2").tolist())
        file.seek(begin)
        if np.lib.format.read_magic(file) != (1, 0):
            return None
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        offset, size = file.tell(), int(np.prod(shape, dtype=np.int64))
        if dtype.hasobject or len(shape) > 1 or offset + size * dtype.itemsize != begin + member.file_size:
            return None
        if size and offset % dtype.alignment == 0:
            return np.memmap(path, dtype, "r", offset, shape)
        file.seek(offset)
        return np.fromfile(file, dtype, size).reshape(shape)
