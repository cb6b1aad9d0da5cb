"""Rows of tables, of any format that has columns, one at a time."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from crisptopics.errors import CorpusError, MissingExtraError
from crisptopics.read.account import Account
from crisptopics.read.beside import read_lines_of, read_word_list
from crisptopics.read.columns import SAMPLE, Columns, Wanted, choose_columns
from crisptopics.read.decoding import broken_byte, is_mostly, likely_encoding, open_text
from crisptopics.read.sources import Source

LONGEST_FIELD = 1 << 30
DELIMITERS = ",;\t|"
BLOCK = 1 << 16  # characters of lines that are read ahead


class Row(NamedTuple):
    """One row that can be used: a text, and what is known of it.

    Examples
    --------
    >>> Row("some text").label
    ''
    """

    text: str
    name: str | None = None
    label: str = ""
    date: Any = ""


@dataclass(slots=True, eq=False)
class Reading:
    """What readers need beside the file, and what they find out.

    Examples
    --------
    >>> Reading(Wanted(), Account()).columns
    {}
    """

    wanted: Wanted
    account: Account
    encoding: str = "utf-8"
    columns: dict[str, str] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)

    def bad_byte(self, source: Source, line: int, text: str, byte: int) -> None:
        """Note a row that is not of the encoding, and the likely encoding, once a file."""
        reason = f"byte 0x{byte:02x} is not {self.encoding}"
        if self.notes.get("undecoded") != source.name:
            self.notes["undecoded"] = source.name
            with suppress(UnicodeError):  # UTF-16 cannot give all bytes back
                likely = likely_encoding(text.encode(self.encoding, "surrogateescape"))
                if is_mostly(source, self.encoding):
                    reason += f", as nearly all of the file is; only if all of it is {likely}, pass"
                else:
                    reason += f"; it looks like {likely}: pass"
                reason += f" encoding='{likely}'"
        self.account.bad(source.name, line, reason)

    def refuse_columns(self, name: str, *parts: str) -> None:
        """Refuse columns that were asked for, of a file that has none."""
        for part in parts:
            column = getattr(self.wanted, part)
            if column is not None:
                raise CorpusError(
                    f"{name} has no columns, so no {part} column {column!r}; leave {part} out, or pass a table such as"
                    " CSV"
                )

    def label_file(self, source: Source, n_documents: int | None = None) -> list[str] | None:
        """Read the labels of a file without columns from a file of their own, a line for each document."""
        path = self.wanted.label
        if path is None:
            return None
        if isinstance(path, int) or not Path(path).is_file():
            raise CorpusError(
                f"{source.name} has no columns, and {path!r} is no file; pass as label a file with a label a line"
            )
        if n_documents is None:
            return read_word_list(Path(path))
        return read_lines_of(Path(path), n_documents, source.name)


def read_csv(source: Source, reading: Reading, *, delimiter: str | None = None) -> Iterator[Row]:
    r"""Read comma- or tab-separated rows; a row that is not as long as the header is bad.

    Parameters
    ----------
    source
        The open file.
    reading
        Columns wanted, and the account of bad rows.
    delimiter
        What stands between fields; by default the commonest of comma, semicolon, tab and bar in the first line.

    Examples
    --------
    >>> import io
    >>> source = Source("a.csv", None, io.BufferedReader(io.BytesIO(b"id,text\n7,One two\n")))
    >>> list(read_csv(source, Reading(Wanted(), Account())))
    [Row(text='One two', name='7', label='', date='')]
    """
    with open_text(source, reading.encoding, keep_line_ends=True) as lines, _long_fields():
        first = lines.readline()
        if delimiter is None:
            delimiter = max(DELIMITERS, key=first.split('"')[0].count)
            if not first.split('"')[0].count(delimiter):
                delimiter = max(DELIMITERS, key=first.count)
        records = _records(_Lines(first, lines), delimiter)
        header, records = _header(records, reading.wanted, source)
        start = list(islice(records, SAMPLE))
        columns = choose_columns(
            reading.wanted, header, [fields for _, fields in start if isinstance(fields, list)], source.name
        )
        reading.columns = columns.as_names(header)
        for line, fields in chain(start, records):
            if isinstance(fields, str):
                reading.account.bad(source.name, line, fields)
            elif len(fields) != len(header):
                s = "" if len(fields) == 1 else "s"
                reading.account.bad(source.name, line, f"{len(fields)} field{s} where the header has {len(header)}")
            elif (byte := broken_byte(text := "".join(fields))) is not None:
                reading.bad_byte(source, line, text, byte)
            else:
                yield _row(fields, columns)


def _row(fields: list[str], columns: Columns) -> Row:
    return Row(
        fields[columns.text],
        None if columns.id is None else fields[columns.id],
        "" if columns.label is None else fields[columns.label],
        "" if columns.date is None else fields[columns.date],
    )


def _header(
    records: Iterator[tuple[int, list[str] | str]], wanted: Wanted, source: Source
) -> tuple[list[str], Iterator[tuple[int, list[str] | str]]]:
    """Take the header; a first row with bare numbers is none, and columns are then called by their number."""
    first = next(records, None)
    if first is None:
        raise CorpusError(f"{source.name} is empty; pass a file with a header and a row for each document")
    line, fields = first
    if isinstance(fields, str):
        raise CorpusError(f"{source.name}, line {line}: the header cannot be read: {fields}; mend it")
    if (byte := broken_byte("".join(fields))) is not None:
        raise CorpusError(
            f"{source.name}, line {line}: byte 0x{byte:02x} of the header is no text; pass the file's encoding=..."
        )
    if wanted.by_number or any(_is_number(name) for name in fields):
        return [str(number) for number in range(len(fields))], chain([first], records)
    return fields, records


def _is_number(name: str) -> bool:
    return name.strip().lstrip("-").replace(".", "", 1).isdecimal()


@contextmanager
def _long_fields() -> Iterator[None]:
    """Allow fields beyond 128 KB, such as books; the csv module has this limit for the whole process."""
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


class _Lines:
    """Lines for the csv module, of which those of the record that is being read are kept, to be read again."""

    def __init__(self, first: str, file: TextIOWrapper) -> None:
        self.file = file
        self.kept = [first] if first else []
        self.number = 0  # of lines before those that are kept
        self.begin = 0  # of lines before the record

    def from_record(self) -> Iterator[str]:
        """Give all lines from the one where the record begins."""
        self._forget()
        return chain(self.kept, chain.from_iterable(self._blocks()))

    def _blocks(self) -> Iterator[list[str]]:
        while block := self.file.readlines(BLOCK):
            self._forget()
            self.kept += block
            yield block

    def _forget(self) -> None:
        self.kept = self.kept[self.begin - self.number :]
        self.number = self.begin


def _records(lines: _Lines, delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """Yield the line and the fields of each record, or what is wrong with it.

    A quote that is opened by mistake swallows lines until the next quote. When the parser notices, only the first
    of these lines is bad, and the others are read again.
    """
    while True:
        reader = csv.reader(lines.from_record(), delimiter=delimiter, strict=True)
        before = lines.begin
        try:
            for fields in reader:
                if fields:  # none in an empty line
                    yield lines.begin + 1, fields
                lines.begin = before + reader.line_num
            return
        except csv.Error as error:
            line = lines.kept[lines.begin - lines.number]
            lines.begin += 1
            plain = line.rstrip("\r\n").split("\t")
            if delimiter == "\t":  # most files with tabs know no quotes
                yield lines.begin, plain
            else:
                reason = "a quote is opened and never closed" if "unexpected end" in str(error) else str(error)
                yield lines.begin, reason


def read_jsonl(source: Source, reading: Reading) -> Iterator[Row]:
    r"""Read one JSON object a line.

    Examples
    --------
    >>> import io
    >>> source = Source("a.jsonl", None, io.BufferedReader(io.BytesIO(b'{"text": "One two", "year": 1790}\n')))
    >>> list(read_jsonl(source, Reading(Wanted(), Account())))
    [Row(text='One two', name=None, label='', date='1790')]
    """

    def objects() -> Iterator[tuple[int, Any]]:
        for number, line in enumerate(lines, 1):
            if (byte := broken_byte(line)) is not None:
                reading.bad_byte(source, number, line, byte)
            elif not line.isspace():
                try:
                    yield number, json.loads(line)
                except (ValueError, RecursionError) as error:
                    reading.account.bad(source.name, number, f"no JSON: {error}")

    with open_text(source, reading.encoding) as lines:
        yield from _rows_of_objects(objects(), source, reading, "line")


def read_json(source: Source, reading: Reading) -> Iterator[Row]:
    """Read one JSON list of objects, as a whole.

    Examples
    --------
    >>> import io
    >>> source = Source("a.json", None, io.BufferedReader(io.BytesIO(b'[{"text": "One two"}]')))
    >>> list(read_json(source, Reading(Wanted(), Account())))[0].text
    'One two'
    """
    with open_text(source, reading.encoding) as file:
        text = file.read()
    if (byte := broken_byte(text)) is not None:
        raise CorpusError(f"{source.name}: byte 0x{byte:02x} is not {reading.encoding}; pass its encoding=...")
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{source.name} is no JSON: {error}; for one object a line pass format='jsonl'") from error
    if not isinstance(items, list):
        raise CorpusError(f"{source.name} holds a JSON {type(items).__name__}; accepted is a list of objects")
    yield from _rows_of_objects(iter(enumerate(items, 1)), source, reading, "item")


def read_parquet(source: Source, reading: Reading) -> Iterator[Row]:
    """Read a Parquet file, some thousand rows at a time; needs the extra `io`.

    Examples
    --------
    >>> import io, pyarrow, pyarrow.parquet
    >>> file = io.BytesIO()
    >>> pyarrow.parquet.write_table(pyarrow.table({"text": ["One two"]}), file)
    >>> _ = file.seek(0)
    >>> list(read_parquet(Source("a.parquet", None, io.BufferedReader(file)), Reading(Wanted(), Account())))[0].text
    'One two'
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError(
            f"{source.name}: Parquet files need pyarrow; install it with pip install 'crisptopics[io]'"
        ) from error
    try:
        seekable = source.path is not None and source.path.name == source.name
        file = parquet.ParquetFile(source.path if seekable else pyarrow.BufferReader(source.file.read()))
        start = next(file.iter_batches(SAMPLE), None)
        sample = [] if start is None else [list(row.values()) for row in start.to_pylist()]
        header = file.schema_arrow.names
        columns = choose_columns(reading.wanted, header, sample, source.name)
        reading.columns = columns.as_names(header)
        names = list(dict.fromkeys(reading.columns.values()))
        number = 0
        for batch in file.iter_batches(4096, columns=names):
            for item in batch.to_pylist():
                number += 1
                if (row := _row_of_object(item, reading, source, number, "row")) is not None:
                    yield row
    except pyarrow.ArrowException as error:
        raise CorpusError(f"{source.name} is no Parquet file that can be read: {error}; write it again") from error


def _rows_of_objects(objects: Iterator[tuple[int, Any]], source: Source, reading: Reading, unit: str) -> Iterator[Row]:
    start = list(islice(objects, SAMPLE))
    header = list(dict.fromkeys(key for _, item in start if isinstance(item, dict) for key in item))
    sample = [[item.get(key) for key in header] for _, item in start if isinstance(item, dict)]
    if header:
        reading.columns = choose_columns(reading.wanted, header, sample, source.name).as_names(header)
    for number, item in chain(start, objects):
        if (row := _row_of_object(item, reading, source, number, unit)) is not None:
            yield row


def _row_of_object(item: Any, reading: Reading, source: Source, number: int, unit: str) -> Row | None:
    def bad(reason: str) -> None:
        reading.account.bad(source.name, number, reason, unit=unit)

    if not isinstance(item, Mapping):
        bad(f"no JSON object, but of type {type(item).__name__}")
        return None
    columns = reading.columns
    text = item.get(columns["text"])
    if not isinstance(text, str):
        what = "is missing" if text is None else f"is of type {type(text).__name__}"
        bad(f"{columns['text']!r} {what}; accepted is text")
        return None
    name = item.get(columns.get("id"))
    return Row(
        _whole(text),
        None if name is None else _whole(str(name)),
        _plain(item.get(columns.get("label"))),
        _plain(item.get(columns.get("date"))),
    )


def _plain(value: Any) -> str:
    return "" if value is None else _whole(str(value))


def _whole(text: str) -> str:
    """Replace halves of surrogate pairs, which JSON can hold and nothing else can, by the sign for lost characters."""
    if broken_byte(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
