"""Which format a file has: by its name, or by its first bytes."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from crisptopics.errors import CorpusError
from crisptopics.read.columns import TEXT_NAMES
from crisptopics.read.sources import Source

TextFormat: TypeAlias = Literal["csv", "tsv", "jsonl", "json", "parquet", "lines", "text", "folder"]
CountFormat: TypeAlias = Literal["uci", "ldac", "svmlight", "mtx", "npz"]
FORMATS: tuple[str, ...] = get_args(TextFormat) + get_args(CountFormat)
COUNT_FORMATS: tuple[str, ...] = get_args(CountFormat)

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".mtx": "mtx",
    ".npz": "npz",
    ".svm": "svmlight",
    ".libsvm": "svmlight",
    ".svmlight": "svmlight",
    ".ldac": "ldac",
    ".lda-c": "ldac",
}


def check_format(name: str | None) -> None:
    """Refuse a format that nobody reads.

    Examples
    --------
    >>> check_format("csv")
    """
    if name is not None and name not in FORMATS:
        raise CorpusError(f"unknown format {name!r}; accepted are {', '.join(FORMATS)}; or leave it out")


def guess_format(source: Source) -> str:
    """Name the format of an open file.

    Examples
    --------
    >>> import io
    >>> guess_format(Source("reviews.csv", None, io.BufferedReader(io.BytesIO(b"text"))))
    'csv'
    """
    suffix = Path(source.stem).suffix.lower()
    head = source.head()
    if suffix == ".json":
        return "json" if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[") else "jsonl"
    if source.stem.startswith("docword."):
        return "uci"
    return SUFFIXES.get(suffix) or _by_content(head)


def _by_content(head: bytes) -> str:
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"PK\x03\x04"):
        return "npz"
    if head.startswith(b"%%MatrixMarket"):
        return "mtx"
    lines = head.decode("utf-8-sig", errors="replace").splitlines()
    if head and len(head) >= 1 << 15:
        lines = lines[:-1]  # perhaps cut
    if lines and lines[0].startswith("{"):
        return "jsonl"
    fields = [line.split() for line in lines[:50] if line.strip()]
    if len(fields) >= 3 and _are_numbers(fields[:3], 1) and _are_numbers(fields[3:], 3):
        return "uci"
    if fields and all(_is_counted(row) for row in fields):
        return "ldac" if all(row[0] == str(len(row) - 1) for row in fields) else "svmlight"
    return _by_table(lines)


def _are_numbers(rows: list[list[str]], length: int) -> bool:
    return all(len(row) == length and all(field.isdecimal() for field in row) for row in rows)


def _is_counted(row: list[str]) -> bool:
    """Tell whether a line is a number and pairs such as 7:2, as LDA-C and svmlight have them."""
    pairs = [field.partition(":") for field in row[1:]]
    return (
        row[0].lstrip("+-").replace(".", "", 1).isdecimal()
        and bool(pairs)
        and all(word.isdecimal() and colon and count for word, colon, count in pairs)
    )


def _by_table(lines: list[str]) -> str:
    """Find a table by a header that names a text column, above rows as long as itself."""
    for delimiter, name in ((",", "csv"), ("\t", "tsv"), (";", "csv")):
        rows = list(csv.reader(lines[:20], delimiter=delimiter))
        if rows and len(rows[0]) > 1 and {field.strip().lower() for field in rows[0]} & set(TEXT_NAMES):
            return name
    return "lines"
