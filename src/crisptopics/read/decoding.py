"""Bytes into text, strictly: what is no text of the encoding is found, and the likely encoding named."""

from __future__ import annotations

import codecs
import io
import re

from crisptopics.errors import CorpusError
from crisptopics.read.sources import Source, open_source

MOSTLY = 10  # letters beyond ASCII that are of the encoding, for each byte that is not

_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF16_LE: "utf-16"} | {
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_BE: "utf-16",
}
_EAST_ASIAN = (  # the pairs of bytes of the commonest characters, and the least share of them in such texts
    ("euc_jp", rb"[\xa4\xa5][\xa1-\xfe]", 0.3),
    ("shift_jis", rb"[\x82\x83][\x40-\xfc]", 0.3),
    ("euc_kr", rb"[\xb0-\xc8][\xa1-\xfe]", 0.8),
    ("gb18030", rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]", 0.8),
    ("big5", rb"[\xa1-\xc6][\x40-\x7e\xa1-\xfe]", 0.8),
)


def open_text(source: Source, encoding: str, *, keep_line_ends: bool = False) -> io.TextIOWrapper:
    r"""Decode a file; bytes that are no text become lone surrogates, which `broken_byte` finds line by line.

    Parameters
    ----------
    source
        The open file.
    encoding
        Its encoding; a byte order mark is accepted where it agrees.
    keep_line_ends
        Leave the ends of lines as they are, for CSV.

    Examples
    --------
    >>> source = Source("a.txt", None, io.BufferedReader(io.BytesIO(b"one\r\ntwo")))
    >>> list(open_text(source, "utf-8"))
    ['one\n', 'two']
    """
    try:
        plain = codecs.lookup(encoding).name
        "".encode(encoding)  # not every codec is for text
    except LookupError as error:
        raise CorpusError(f"unknown encoding {encoding!r}; accepted are names such as 'utf-8' or 'cp1252'") from error
    if plain in ("utf-8", "utf-8-sig"):
        head = source.head()
        likely = next((name for bom, name in _BOMS.items() if head.startswith(bom)), "utf-8-sig")
        even, odd = (head[first:1000:2].count(0) / len(head[first:1000:2] or b" ") for first in (0, 1))
        if likely == "utf-8-sig" and abs(even - odd) > 0.5:
            likely = "utf-16-le" if odd > even else "utf-16-be"
        elif likely == "utf-8-sig" and even + odd > 0.5:
            raise CorpusError(f"{source.name} is no text: many of its bytes are 0; accepted are text files and counts")
        if likely != "utf-8-sig":
            raise CorpusError(f"{source.name} is not UTF-8, it looks like {likely}: pass encoding='{likely}'")
        plain = "utf-8-sig"
    newline = "" if keep_line_ends else None
    return io.TextIOWrapper(source.file, plain, "surrogateescape", newline)


def broken_byte(text: str) -> int | None:
    r"""Return the first byte of a text that could not be decoded.

    Examples
    --------
    >>> broken_byte(b"caf\xe9".decode("utf-8", "surrogateescape"))
    233
    """
    if text.isascii():
        return None
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return ord(text[error.start]) - 0xDC00
    return None


def likely_encoding(data: bytes) -> str:
    r"""Guess the encoding of bytes that are not UTF-8.

    Examples
    --------
    >>> likely_encoding("A café in Zürich".encode("cp1252"))
    'cp1252'
    """
    high = len(re.findall(rb"[\x80-\xff]", data))
    for encoding, pairs, least in _EAST_ASIAN:
        others = len(re.findall(rb"[\x80-\xff]", re.sub(pairs, b"", data)))
        common = len(re.findall(pairs, data))
        if 2 * common >= least * (2 * common + others) and _is_text(data, encoding):
            return encoding
    # Among Latin letters those beyond ASCII stand alone; words of Cyrillic are made of them.
    runs = len(re.findall(rb"[\x80-\xff]{3,}", data))
    return "cp1251" if runs * 8 > high else "cp1252"


def is_mostly(source: Source, encoding: str) -> bool:
    r"""Tell whether a file is of an encoding but for damage: by its first megabyte, which is read again.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.txt")
    ...     _ = path.write_bytes(20 * "Zürich ".encode() + b"caf\xe9")
    ...     with open_source(path) as source:
    ...         is_mostly(source, "utf-8")
    True
    """
    if source.path is None:
        return False
    with open_source(source.path) as again:
        text = again.file.read(1 << 20).decode(encoding, "surrogateescape")
    bad = len(re.findall("[\udc80-\udcff]", text))
    return len(re.findall(r"[^\x00-\x7f]", text)) - bad > MOSTLY * bad


def _is_text(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
