"""Every bad file that we could think of, and what it gets: a corpus, or one line that says what is wrong and where."""

import bz2
import gzip
import io
import json
import lzma
import os
import zipfile
from unittest import mock

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from crisptopics import Words, read_corpus, write_corpus
from crisptopics.errors import CorpusError
from crisptopics.read import rows
from crisptopics.read.account import Account
from crisptopics.read.columns import Wanted
from crisptopics.read.sources import Source

UTF16 = "id,text\n1,hello wörld\n".encode("utf-16")
CYRILLIC = "привет мир и люди\n".encode("cp1251") * 5
JAPANESE = "こんにちは世界、今日は天気がいい\n".encode("shift_jis") * 5
CHINESE = "我来到北京清华大学读书学习\uff0c今天天气很好我们去公园散步\n".encode("gb18030") * 5
TAIWAN = "今天天氣很好我們去公園散步\uff0c她說中國人民是好朋友\n".encode("big5") * 5
KOREAN = "안녕하세요 세계 오늘은 날씨가 좋습니다\n".encode("euc_kr") * 5

# name, bytes, options of read_corpus, and either documents, words and bad rows, or the refusal
READ = [
    ("one.csv", b"id,text\n1,hello world\n", {}, (1, 2, 0)),
    ("nul.csv", b"id,text\n1,he\0llo wor\0ld\n", {}, (1, 4, 0)),
    ("surrogate.jsonl", b'{"text": "half \\ud83d of a pair"}\n{"text": "good"}\n', {}, (2, 4, 0)),
    ("marks.txt", "cafe\u0301 caf\u00e9\n".encode(), {}, (1, 1, 0)),
    ("right_to_left.txt", "שלום עולם\nمرحب ب\n".encode(), {}, (2, 3, 0)),
    ("long.txt", b"a" * 10_000_000 + b"\nsome words\n", {}, (2, 2, 0)),
    ("mixed_ends.txt", b"one two\r\nthree four\nfive six\rseven eight", {}, (4, 8, 0)),
    ("bom.csv", b"\xef\xbb\xbfid,text\n1,hello world\n", {"id": "id"}, (1, 2, 0)),
    ("utf16.csv", UTF16, {"encoding": "utf-16"}, (1, 2, 0)),
    ("duplicates.csv", b"id,text\n1,word one\n1,word two\n", {}, (2, 3, 0)),
    ("same.txt", b"the same text\n" * 300, {}, (300, 3, 0)),
    ("empty_cell.csv", b"id,text\n1,\n2,word\n", {}, (2, 1, 0)),
    ("blank_lines.txt", b"one\n\ntwo\n", {}, (3, 2, 0)),
    ("quotes.tsv", b'id\ttext\n1\t"Hello" he said\n2\tok "fine\n', {}, (2, 5, 0)),
    ("semicolons.csv", b"id;text\n1;word, one\n2;two\n", {}, (2, 3, 0)),
    ("no_header.csv", b"5,some words here and there\n6,more words there and here\n", {}, (2, 6, 0)),
    ("lines.json", b'{"text": "one two"}\n{"text": "three"}\n', {}, (2, 3, 0)),
    ("quote.csv", b'id,text\n1,"open\n2,good row\n3,good row\n', {"max_bad_rows": 1}, (2, 2, 1)),
    ("ragged.csv", b"id,text\n1,a b c,d\n2,good\n3\n", {"max_bad_rows": 2}, (1, 1, 2)),
    ("deep.jsonl", b"[" * 100_000 + b'\n{"text": "one two"}\n', {"max_bad_rows": 1}, (1, 2, 1)),
    ("kinds.jsonl", b'{"text":"one"}\n{oops\n[1]\n{"text":7}\n{"x":1}\n', {"max_bad_rows": 4}, (1, 1, 4)),
    ("latin.txt", b"good\ncaf\xe9\n", {"max_bad_rows": 1}, (1, 1, 1)),
    ("digits.jsonl", b'{"text":"one","n":' + b"9" * 5000 + b"}\n", {"max_bad_rows": 1, "text": None}, "no document in"),
    ("taiwan.txt", TAIWAN, {}, "it looks like big5"),
    ("empty.csv", b"", {}, "empty.csv is empty; pass a file with a header"),
    ("empty.txt", b"", {}, r"there is no document in .*empty.txt \(0 rows\)"),
    ("empty.npz", b"", {}, "empty.npz is no .npz of a sparse matrix"),
    ("empty.ldac", b"", {}, r"empty.ldac holds counts of shape \(0, 0\)"),
    ("empty.svm", b"", {}, r"empty.svm holds counts of shape \(0, 0\)"),
    ("empty.parquet", b"", {}, "empty.parquet is no Parquet file"),
    ("header_only.csv", b"id,text\n", {}, r"there is no document in .*header_only.csv \(0 rows\)"),
    ("stop.csv", b"text\nthe of\nthe and\n", {"words": Words(stop_words="en")}, "no word is left of 3: 3 stop words"),
    ("signs.txt", b"? !\n", {}, "there is no word in 1 documents"),
    (
        "quote.csv",
        b'id,text\n1,"open\n2,good row\n',
        {},
        "1 of 2 rows cannot be read.*line 2: a quote is opened and never",
    ),
    (
        "ragged.csv",
        b"id,text\n1,a,b\n2,c\n3\n",
        {},
        "2 of 3 rows.*line 2: 3 fields where the header has 2.*line 4: 1 f",
    ),
    ("utf16.csv", UTF16, {}, "utf16.csv is not UTF-8, it looks like utf-16: pass encoding='utf-16'"),
    ("utf16.txt", "hello world".encode("utf-16-le"), {}, "it looks like utf-16-le"),
    ("utf16.txt", "hello world".encode("utf-16-be"), {}, "it looks like utf-16-be"),
    (
        "latin.csv",
        b"id,text\n1,caf\xe9\n",
        {},
        "line 2: byte 0xe9 is not utf-8; it looks like cp1252: pass encoding='cp1252'",
    ),
    ("latin.csv", b"caf\xe9,text\n1,one\n", {}, "line 1: byte 0xe9 of the header is no text; pass the file's encoding"),
    ("numbers.npy", b"\x93NUMPY" + bytes(500), {}, "numbers.npy is no text: many of its bytes are 0"),
    ("odd16.txt", UTF16[:-1], {"encoding": "utf-16"}, "odd16.txt is not utf-16: .*truncated data"),
    ("lone16.txt", b"\xff\xfea\0\x00\xd8b\0", {"encoding": "utf-16"}, "lone16.txt is not utf-16: .*illegal"),
    ("ascii.txt", b"caf\xc3\xa9\n", {"encoding": "ascii"}, "byte 0xc3 is not ascii"),
    ("hex.txt", b"6162\n", {"encoding": "hex"}, "unknown encoding 'hex'"),
    (
        "damaged.csv",
        "id,text\n1,Zürich\n".encode() * 30 + b"2,caf\xe9\n",
        {},
        "line 61: byte 0xe9 is not utf-8, as nearly all of the file is; only if all of it is cp1252, pass encoding=",
    ),
    ("cyrillic.txt", CYRILLIC, {}, "it looks like cp1251"),
    ("japanese.txt", JAPANESE, {}, "it looks like shift_jis"),
    ("chinese.txt", CHINESE, {}, "it looks like gb18030"),
    ("korean.txt", KOREAN, {}, "it looks like euc_kr"),
    ("latin.json", b'[{"text": "caf\xe9"}]', {}, "latin.json: byte 0xe9 is not utf-8; pass its encoding"),
    ("missing.csv", b"id,text\n1,one\n", {"text": "body"}, "no column 'body' for text; it has 'id', 'text'; name one"),
    ("missing.csv", b"1,one\n", {"text": 7}, "no column 7 for text; it has '0', '1'"),
    (
        "two.csv",
        b"review,abstract\nA long text of words,Another long text\n",
        {},
        "could be any of 'review', 'abstract'",
    ),
    ("none.csv", b"a,b\nx,y\n", {}, "the text is none of 'a', 'b' for certain; name its column with text="),
    ("header.csv", b'"id,text\n1,one\n', {}, "line 1: the header cannot be read: a quote is opened and never closed"),
    ("no.json", b"[oops", {}, "no.json is no JSON: Expecting value"),
    ("one.json", b"7", {"format": "json"}, "one.json holds a JSON int; accepted is a list of objects"),
    (
        "cut.txt.gz",
        gzip.compress(b"some words here\n" * 9999)[:-20],
        {},
        "cut.txt.gz is cut short or damaged: after [0-9,]+ bytes",
    ),
    ("cut.txt.xz", lzma.compress(b"some words here\n" * 9999)[:-20], {}, "cut.txt.xz is cut short or damaged"),
    ("cut.txt.bz2", bz2.compress(b"some words here\n" * 9999)[:-20], {}, "cut.txt.bz2 is cut short or damaged"),
    ("cut.txt.zst", zstandard.compress(b"some words here\n" * 9999)[:-20], {}, "cut.txt.zst is cut short or damaged"),
    ("odd.txt.gz", b"\x1f\x8bjunk", {}, "odd.txt.gz is cut short or damaged"),
    ("odd.zip", b"PK\x03\x04junk", {}, "odd.zip is a zip archive that cannot be read"),
    ("odd.parquet", b"PAR1junk", {}, "odd.parquet is no Parquet file that can be read"),
    ("bomb.txt.gz", gzip.compress(b"0" * (80 << 20), 9), {}, "bomb.txt.gz grows more than 200-fold"),
    ("bomb.txt.zst", zstandard.compress(b"0" * (80 << 20)), {}, "bomb.txt.zst grows more than 200-fold"),
    ("sheet.xlsx", b"PK\x03\x04", {}, "sheet.xlsx: .xlsx files are not read; save it as CSV"),
    ("letter.PDF", b"%PDF", {}, "letter.PDF: .PDF files are not read; save it as plain text"),
    ("a.csv", b"text\none\n", {"format": "pdf"}, "unknown format 'pdf'; accepted are csv, tsv"),
    ("a.csv", b"text\none\n", {"encoding": "klingon"}, "unknown encoding 'klingon'"),
    ("a.csv", b"text\none\n", {"split": 0}, "split must be 'paragraph' or a number of words, at least 1; received 0"),
    ("a.csv", b"text\none\n", {"max_bad_rows": -1}, "max_bad_rows must be a number of rows, at least 0; received -1"),
    ("a.txt", b"one\n", {"text": "body"}, "a.txt has no columns, so no text column 'body'"),
    ("a.txt", b"one\n", {"label": "party"}, "a.txt has no columns, and 'party' is no file"),
    ("a.txt", b"one\n", {"recipe": {}}, r"this is no recipe of a corpus: its fields are \[\]"),
    ("docword.a.txt", b"2\n3\n1\n2 9 1\n", {}, "docword.a.txt, about line 4: word 9; accepted are 1 to 3"),
    ("docword.a.txt", b"2\n3\n1\n0 1 1\n", {}, "about line 4: document 0; accepted are 1 to 2"),
    ("docword.a.txt", b"2\n3\n1\n1 1 0\n", {}, "about line 4: count 0; accepted are 1 to 2147483647"),
    ("docword.a.txt", b"2\n3\n2\n1 1 2\n", {}, "line 3 announces 2 entries; received 1; the file is cut short"),
    ("docword.a.txt", b"2\n3\nx\n", {}, "docword.a.txt, line 3: b'x'; a UCI file begins with the numbers"),
    ("docword.a.txt", b"2\n3\n1\n1 1\n", {}, "line 4: b'1 1'; accepted are three whole numbers: document, word, count"),
    ("docword.a.txt", b"2\n3\n1\n1 1 " + b"9" * 30, {}, "line 4: b'1 1 9+'; accepted are three whole numbers"),
    (
        "docword.a.txt",
        b"2000000000\n3\n1\n1 1 1\n",
        {},
        "announces 2,000,000,000 documents of 3 words, and has 1 entries",
    ),
    ("docword.a.txt", b"2\n3\n2\n1 1 2147483647\n1 1 1\n", {}, "Too large a count in data"),
    ("a.ldac", b"3 0:1 1:2\n", {}, "line 1: b'3 0:1 1:2' has 2 pairs; accepted is a number of words, then as many"),
    ("a.ldac", b"1 0:1\n1 0:1.5\n", {}, "a.ldac, line 2: b'1 0:1.5'; accepted are a number of words"),
    ("docword.a.txt", b"2\n3\n0\n\n \n", {}, (2, 3, 0)),
    ("a.ldac", b"1 0:1\r\n0\r\n", {}, (2, 1, 0)),
    ("a.ldac", b"1 0:1\r\r\n", {}, r"a.ldac, line 1: b'1 0:1'; accepted are a number of words"),
    ("docword.a.txt", b"2\n3\n0\n ", {}, (2, 3, 0)),
    ("a.ldac", b"1 9999999999:1\n", {}, "a word or a count is above 2147483647"),
    ("a.ldac", b"1 2000000000:1\n", {}, "announces 1 documents of 2,000,000,001 words"),
    ("a.svm", b"1 1:1 2:2\n5 3:1.5\n", {}, "a.svm: Fractional count in data: document 1, word 2 has 1.5"),
    ("a.svm", b"x 1:1\n", {}, "a.svm is no svmlight file: could not convert"),
    ("a.mtx", b"hello", {}, "a.mtx is no Matrix Market file"),
    ("a.mtx", b"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 2 nan\n", {}, "NaN in data"),
    (
        "a.mtx",
        b"%%MatrixMarket matrix coordinate integer general\n99999999999 3 1\n1 2 1\n",
        {},
        "announces 99,999,999,999",
    ),
    ("a.npz", b"PK\x03\x04junk.npy", {}, "a.npz is no .npz of a sparse matrix"),
    ("docword.a.txt", b"1\n1\n1\n1 1 1\n", {"split": 5}, "holds counts, which cannot be split; received split=5"),
    ("docword.a.txt", b"1\n1\n1\n1 1 1\n", {"words": Words(phrases=True)}, "counts have no texts for phrases"),
    ("docword.a.txt", b"1\n1\n1\n1 1 1\n", {"words": Words(stop_words=["a"])}, "these counts have no vocabulary"),
]


@pytest.mark.parametrize(
    ("name", "data", "options", "expected"), READ, ids=[f"{number}-{case[0]}" for number, case in enumerate(READ)]
)
def test_what_a_file_gets(tmp_path, name, data, options, expected):
    (tmp_path / name).write_bytes(data)
    if isinstance(expected, str):
        with pytest.raises(CorpusError, match=expected) as caught:
            read_corpus(tmp_path / name, **options)
        assert "\n" not in str(caught.value)
        return
    corpus = read_corpus(tmp_path / name, **options)
    rows = corpus.details.reading["rows"]
    assert (len(corpus), corpus.n_words, rows["bad"]) == expected
    assert rows["in"] == rows["used"] + rows["bad"]
    assert json.loads(json.dumps(corpus.details.reading)) == corpus.details.reading


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.csv"):
        read_corpus(tmp_path / "nothing.csv")


def test_no_file_at_all_is_refused():
    with pytest.raises(CorpusError, match="source is an empty list"):
        read_corpus([])


def test_a_file_that_may_not_be_read_is_refused(tmp_path, monkeypatch):
    (tmp_path / "secret.csv").write_text("text\none\n")

    def refuse(self, *_):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.open", refuse)  # root may read everything, so mode 0 would not do
    with pytest.raises(PermissionError, match="Permission denied"):
        read_corpus(tmp_path / "secret.csv")


@pytest.mark.parametrize(("held", "told"), [([], "it is empty"), (["a.csv"], "it holds a.csv")])
def test_a_folder_without_texts_is_refused(tmp_path, held, told):
    for name in held:
        (tmp_path / name).touch()
    with pytest.raises(CorpusError, match=f"is a folder without .txt files \\({told}\\)"):
        read_corpus(tmp_path)


def test_a_folder_where_a_file_is_expected_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="is a folder; accepted for format 'csv' is a file"):
        read_corpus(tmp_path, format="csv")
    with pytest.raises(IsADirectoryError, match="this is a folder"):
        write_corpus(read_corpus(_written(tmp_path / "docword.a.txt", b"1\n1\n1\n1 1 1\n")), tmp_path, format="uci")


def _written(path, data):
    path.write_bytes(data)
    return path


def test_zip_bombs_and_zips_of_many_files_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("a.txt", b"0" * (80 << 20))
    with pytest.raises(CorpusError, match=r"bomb.zip/a.txt grows more than 200-fold"):
        read_corpus(tmp_path / "bomb.zip")
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.txt", b"one")
        archive.writestr("b.txt", b"two")
    with pytest.raises(CorpusError, match=r"two\.zip is a zip archive of 2 files; accepted is an archive of one"):
        read_corpus(tmp_path / "two.zip")


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    corpus = read_corpus(_written(tmp_path / "a.txt", b"one two\n"), keep_texts=True)

    def fail(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    for name in ("b.jsonl", "docword.b.txt.gz"):
        with pytest.raises(OSError, match="No space left"):
            write_corpus(corpus, tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_bad_rows_are_told_with_place_and_reason(tmp_path):
    path = _written(tmp_path / "a.csv", b'id,text\n1,"two\nlines"\n2,a,b\n3,"x" y\n4,fine\n')
    reading = read_corpus(path, max_bad_rows=2).details.reading
    assert reading["rows"] == {"in": 4, "used": 2, "bad": 2}
    assert reading["bad_rows"] == [
        {"file": "a.csv", "line": 4, "reason": "3 fields where the header has 2"},
        {"file": "a.csv", "line": 5, "reason": "',' expected after '\"'"},
    ]


@pytest.mark.parametrize(("bad", "stops"), [(1, False), (2, True)])
def test_the_run_stops_above_a_thousandth_of_bad_rows(tmp_path, bad, stops):
    lines = [b"id,text", *(b"%d,some text" % number for number in range(1500)), *[b"oops"] * bad]
    path = _written(tmp_path / "a.csv", b"\n".join(lines))
    if stops:
        with pytest.raises(
            CorpusError, match=r"2 of 1502 rows cannot be read, accepted are 0\.1% of the rows, 100 at most"
        ):
            read_corpus(path)
    else:
        assert read_corpus(path).details.reading["rows"] == {"in": 1501, "used": 1500, "bad": 1}


def test_the_run_stops_after_a_hundred_bad_rows(tmp_path):
    lines = [b"id,text", *[b"1,some text"] * 200_000, *[b"oops"] * 101]
    with pytest.raises(CorpusError, match="101 of 200101 rows cannot be read"):
        read_corpus(_written(tmp_path / "a.csv", b"\n".join(lines)))


@pytest.mark.parametrize("seed", range(20))
def test_broken_copies_never_crash_and_always_account_for_their_rows(tmp_path, seed):
    random = np.random.default_rng(seed)
    table = "".join(f'{number},"text ""{number}"" of, words\nand lines",x\n' for number in range(60))
    data = bytearray(f"id,text,label\n{table}".encode())
    for place in random.integers(14, len(data), size=5):
        data[place] = random.integers(0, 256)
    try:
        corpus = read_corpus(_written(tmp_path / "a.csv", bytes(data)), max_bad_rows=10_000)
    except CorpusError as error:
        assert "a.csv" in str(error)  # noqa: PT017 (either outcome is right)
        return
    reading = corpus.details.reading
    assert reading["rows"]["in"] == reading["rows"]["used"] + reading["rows"]["bad"]
    assert len(corpus) == reading["rows"]["used"]


@given(st.lists(st.sampled_from(["a,", 'b"', '"', '""', ',"', '",', "\n", "\r\n", "\r", "\t", "word"]), max_size=60))
def test_rows_do_not_depend_on_where_what_is_read_at_once_ends(parts):
    data = "".join(["text,label\n", *parts]).encode()
    told = []
    for size in (1, 1 << 16):
        with mock.patch.object(rows, "BLOCK", size):
            account = Account(max_bad_rows=100)
            source = Source("a.csv", None, io.BufferedReader(io.BytesIO(data)))
            told.append((list(rows.read_csv(source, rows.Reading(Wanted("text"), account))), account.as_json()))
    assert told[0] == told[1]
