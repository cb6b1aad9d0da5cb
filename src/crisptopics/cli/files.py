"""Tables in files, which appear whole or not at all; and where files may go."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from crisptopics.cli.show import Columns, csv_text, json_lines
from crisptopics.errors import CrispTopicsError, MissingExtraError

TABLE_SUFFIXES = (".csv", ".jsonl", ".parquet")


def check_table(path: str | None) -> None:
    """Refuse a file that no table can be written to, before any work is done for it.

    Examples
    --------
    >>> check_table("topics.csv")
    """
    from crisptopics.save import check_target

    if path is None:
        return
    if Path(path).suffix.lower() not in TABLE_SUFFIXES:
        raise CrispTopicsError(f"{path!r} must end in {', '.join(TABLE_SUFFIXES)}, which tells the format; rename it")
    check_target(path)


def write_columns(batches: Iterable[Columns], path: str) -> None:
    """Write batches of a table as CSV, lines of JSON or Parquet, as the file's name says.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_columns([{"topic": [0]}, {"topic": [7]}], f"{folder}/topics.csv")
    ...     Path(f"{folder}/topics.csv").read_text().split()
    ['topic', '0', '7']
    """
    from crisptopics.save import write_atomically

    suffix = Path(path).suffix.lower()

    def write(file: BinaryIO) -> None:
        if suffix == ".parquet":
            _write_parquet(batches, file)
            return
        for number, batch in enumerate(batches):
            text = json_lines(batch) if suffix == ".jsonl" else csv_text(batch, header=number == 0)
            file.write(text.encode("utf-8", "backslashreplace"))

    write_atomically(path, write)


def _write_parquet(batches: Iterable[Columns], file: Any) -> None:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError(
            "Parquet files need pyarrow; install it with: pip install 'crisptopics[io]', or write .csv or .jsonl"
        ) from error
    writer = None
    for batch in batches:
        table = pa.table(dict(batch), schema=writer.schema if writer else None)
        writer = writer or parquet.ParquetWriter(file, table.schema)
        writer.write_table(table)
    if writer:
        writer.close()
