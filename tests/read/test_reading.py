"""read_corpus on good files: formats, columns, parts, labels, dates, reports; the same for any number of jobs."""

import bz2
import gzip
import io
import json
import lzma
import os
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import zstandard
from sklearn.feature_extraction.text import CountVectorizer

from crisptopics import Corpus, Words, read_corpus, write_corpus
from crisptopics.errors import CorpusError
from crisptopics.read import batches
from crisptopics.read.build import corpus_of_rows
from crisptopics.read.dates import iso_date
from crisptopics.read.dividing import Division
from crisptopics.read.helpers import Helpers
from crisptopics.read.rows import Row

TEXTS = ["The ferry crossing was late.", "A late ferry!", "Strong coffee: née 9 crème."]
ROWS = [("a", "sea", "2024-05-01", TEXTS[0]), ("b", "sea", "2025", TEXTS[1]), ("c", "shore", "", TEXTS[2])]
CSV = "id,label,date,text\n" + "".join(",".join(row) + "\n" for row in ROWS)
JSONL = "".join(json.dumps(dict(zip(("id", "label", "date", "text"), row, strict=True))) + "\n" for row in ROWS)
FORMS = {
    "a.csv": CSV,
    "a.tsv": CSV.replace(",", "\t"),
    "a.jsonl": JSONL,
    "a.json": f"[{','.join(JSONL.splitlines())}]",
    "a.ndjson": JSONL,
    "a.dat": CSV,
}
PACKERS = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress, ".zst": zstandard.compress}


def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def assert_the_three(corpus):
    assert corpus.names == ("a", "b", "c")
    assert corpus.details.labels == ("sea", "sea", "shore")
    assert corpus.details.dates == ("2024-05-01", "2025", "")
    assert corpus.vocabulary == ("coffee", "crossing", "crème", "ferry", "late", "née", "strong", "the", "was")
    assert corpus.counts_matrix().sum(axis=1).tolist() == [5, 2, 4]


@pytest.mark.parametrize("name", FORMS)
def test_tables_in_every_format(tmp_path, name):
    corpus = read_corpus(written(tmp_path / name, FORMS[name]))
    assert_the_three(corpus)
    assert corpus.details.reading["rows"] == {"in": 3, "used": 3, "bad": 0}
    assert corpus.details.reading["columns"] == {"text": "text", "label": "label", "id": "id", "date": "date"}


@pytest.mark.parametrize("suffix", PACKERS)
def test_tables_in_every_compression(tmp_path, suffix):
    assert_the_three(read_corpus(written(tmp_path / f"a.csv{suffix}", PACKERS[suffix](CSV.encode()))))


def test_a_zip_of_one_file(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("data/a.csv", CSV)
    assert_the_three(read_corpus(tmp_path / "a.zip"))


@pytest.mark.parametrize("text", [CSV, JSONL, gzip.compress(JSONL.encode())])
def test_standard_input(monkeypatch, text):
    data = text if isinstance(text, bytes) else text.encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    corpus = read_corpus("-")
    assert_the_three(corpus)
    assert corpus.details.reading["source"] == ["-"]


def test_counts_from_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"2\n3\n2\n1 1 2\n2 3 1\n")))
    assert read_corpus("-").counts_matrix().toarray().tolist() == [[2, 0, 0], [0, 0, 1]]


def test_a_folder_names_documents_by_file_and_labels_them_by_folder(tmp_path):
    written(tmp_path / "sea" / "a.txt", TEXTS[0])
    written(tmp_path / "sea" / "b.txt.gz", gzip.compress(TEXTS[1].encode()))
    written(tmp_path / "c.TXT", TEXTS[2])
    written(tmp_path / ".hidden.txt", "not this")
    written(tmp_path / "notes.md", "nor this")
    corpus = read_corpus(tmp_path)
    assert corpus.names == ("c", "sea/a", "sea/b")
    assert corpus.details.labels == ("", "sea", "sea")
    assert corpus.details.reading["format"] == "folder"


def test_a_list_of_files_is_one_corpus_whose_documents_have_names(tmp_path):
    one, two = written(tmp_path / "one.txt", "first text\n"), written(tmp_path / "two.csv", CSV)
    corpus = read_corpus([one, two])
    assert corpus.names == ("one:1", "a", "b", "c")
    assert corpus.details.reading["format"] == "lines, csv"
    with pytest.raises(CorpusError, match="holds counts, which are read from one file at a time; received 2"):
        read_corpus([written(tmp_path / "docword.a.txt", "1\n1\n1\n1 1 1\n"), two])
    with pytest.raises(CorpusError, match="has the format 'uci'; accepted here are csv"):
        read_corpus([two, tmp_path / "docword.a.txt"])


def test_lines_with_a_file_of_labels(tmp_path):
    path = written(tmp_path / "a.txt", "\n".join(TEXTS))
    corpus = read_corpus(path, label=str(written(tmp_path / "labels.txt", "sea\nsea\nshore\n")))
    assert corpus.details.labels == ("sea", "sea", "shore")
    with pytest.raises(CorpusError, match=r"labels.txt has 1 lines; accepted are 3, as a.txt has"):
        read_corpus(path, label=str(written(tmp_path / "labels.txt", "sea\n")))


def test_parts_of_a_book(tmp_path):
    book = written(tmp_path / "book.txt", "One two.\n\n Three four.\nFive.\n\n\n\nSix.")
    parts = read_corpus(book, split="paragraph", keep_texts=True)
    assert parts.details.texts == ("One two.", "Three four.\nFive.", "Six.")
    assert parts.names == ("book:1", "book:2", "book:3")
    assert parts.details.reading["rows"]["in"] == 1
    runs = read_corpus(book, split=2, keep_texts=True)
    assert runs.details.texts == ("One two.", "Three four.", "Five.\n\n\n\nSix.")
    text = written(tmp_path / "endless.txt", "word " * 1000)
    assert len(read_corpus(text, split=100)) == 10


def test_columns_by_number_when_there_is_no_header(tmp_path):
    path = written(tmp_path / "a.tsv", "first text here\ttrain\tsea\nsecond text here\ttest\tshore\n")
    corpus = read_corpus(path, text=0, label=2)
    assert len(corpus) == 2
    assert corpus.details.labels == ("sea", "shore")


def test_the_text_is_the_only_column_of_running_text(tmp_path):
    text = "when,what they said\n2024-05-01T10:00:00Z,The ferry was late again\n2025-01-01,No coffee on the ferry\n"
    assert read_corpus(written(tmp_path / "a.csv", text)).details.reading["columns"] == {"text": "what they said"}


def test_odd_names_and_dates_are_reported(tmp_path):
    text = "id,date,text\n1,03/04/2026,one\n1,2026,two\n"
    reading = read_corpus(written(tmp_path / "a.csv", text)).details.reading
    assert reading["names_repeated"] == {"number": 1, "examples": ["1"]}
    assert reading["dates_not_understood"] == {"number": 1, "examples": ["03/04/2026"]}


@pytest.mark.parametrize(
    ("written_as", "iso"),
    [
        ("1790", "1790"),
        ("2026-11", "2026-11"),
        ("2026/1/9", "2026-01-09"),
        ("20261119", "2026-11-19"),
        ("2026-11-19T20:44:45+00:00", "2026-11-19"),
        ("2026-11-19 20:44:45", "2026-11-19"),
        ("Thu, 19 Nov 2026 20:44:45 +0000", "2026-11-19"),
        ("Wed Oct 10 20:19:24 +0000 2018", "2018-10-10"),
        ("Nov 19, 2026", "2026-11-19"),
        ("19 November 2026", "2026-11-19"),
        ("March 1889", "1889-03"),
        ("0800-12-25", "0800-12-25"),
        ("2026-13-01", ""),
        ("2026-02-30", ""),
        ("12/11/2026", ""),
        ("1700000000", ""),
        ("soon", ""),
    ],
)
def test_dates(written_as, iso):
    assert iso_date(written_as) == iso


def test_what_was_cut_is_told_with_examples(tmp_path):
    lines = ["every one of them", "every two of them", "every two of us", "x" * 200 + " " + "y" * 101 + " every"]
    path = written(tmp_path / "a.txt", "\n".join(lines))
    corpus = read_corpus(path, words=Words(min_documents=2, max_share=0.9, stop_words=["of"]))
    assert corpus.vocabulary == ("them", "two")
    reading = corpus.details.reading
    cut = {reason: (told["number"], told["tokens"]) for reason, told in reading["words"]["cut"].items()}
    assert cut == {"stop_words": (1, 3), "too_long": (2, 2), "too_rare": (2, 2), "too_common": (1, 4)}
    assert reading["words"]["cut"]["too_common"]["examples"] == ["every"]
    assert reading["tokens"] == {"kept": 4, "dropped": 11}
    assert reading["documents_without_words"] == 1


@pytest.fixture
def small_batches(monkeypatch):
    """Start processes after 40 texts instead of after some megabytes."""
    monkeypatch.setattr(batches, "BATCH_TEXTS", 10)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"words": Words(phrases=True)},
        {"words": Words(lemmas=True, language="en"), "keep_texts": True},
        {"words": Words(tokenizer=lambda text: text.split())},
        {"words": Words(tokenizer=CountVectorizer().fit(["word1 word2 wörd3"]))},
    ],
)
def test_several_processes_give_the_same_corpus(tmp_path, options):
    random = np.random.default_rng()
    names = [f"wörd{number}" if number % 3 else f"word{number}" for number in range(2000)]
    names[:30] = ["treaties", "new", "york"] * 10
    lines = [" ".join(random.choice(names, size=20)) for _ in range(1000)]
    lines[500] = "caf\udce9"
    path = written(tmp_path / "a.txt", "\n".join(lines).encode("utf-8", "surrogateescape"))
    one, *others = (read_corpus(path, n_jobs=jobs, **options) for jobs in (1, 2, 3))
    assert one.details.reading["rows"] == {"in": 1000, "used": 999, "bad": 1}
    for other in others:
        assert other.vocabulary == one.vocabulary
        assert (other.details.reading, other.details.recipe) == (one.details.reading, one.details.recipe)
        for name in ("indptr", "words", "counts"):
            np.testing.assert_array_equal(getattr(other, name), getattr(one, name))
        if "keep_texts" in options:
            np.testing.assert_array_equal(other.details.spans.starts, one.details.spans.starts)


def refuse_late(text):
    if text == "last":
        raise CorpusError("no such word")
    return text.split()


@pytest.mark.usefixtures("small_batches")
def test_errors_of_other_processes_are_raised_here():
    rows = [Row("one two")] * 90 + [Row("last")] * 200
    with pytest.raises(CorpusError, match="no such word"):
        corpus_of_rows(rows, Words(tokenizer=refuse_late), n_jobs=3)


def end_at_once(_):
    os._exit(3)


def test_a_process_that_is_killed_ends_the_run_with_one_line():
    with Helpers(Division(tokenizer=end_at_once), 1) as helpers:
        task = helpers.give(["one two"])
        with pytest.raises(CorpusError, match="ended with status 3, perhaps for want of memory; read with one process"):
            helpers.result(task)
        with pytest.raises(CorpusError, match="ended with status 3"):
            helpers.give(["one two"])
    assert not Path(helpers.folder.name).exists()


def test_words_of_counts_can_be_chosen_too(tmp_path):
    corpus = Corpus.from_tokens([["cat", "dog", "the"], ["cat", "the"], ["the"]], names=["x", "y", "z"])
    write_corpus(corpus, tmp_path / "docword.pets.txt")
    chosen = read_corpus(tmp_path / "docword.pets.txt", words=Words(min_documents=2, stop_words=["the"]))
    assert chosen.vocabulary == ("cat",)
    assert chosen.names == ("x", "y", "z")
    assert chosen.details.reading["tokens"] == {"kept": 2, "dropped": 4}
    recipe = read_corpus(written(tmp_path / "a.txt", "dog\nbird")).details.recipe
    assert read_corpus(tmp_path / "docword.pets.txt", recipe=recipe).counts_matrix().toarray().tolist() == [
        [0, 1],
        [0, 0],
        [0, 0],
    ]


@pytest.mark.parametrize("name", ["bow.npz", "bow.mtx", "bow.ldac", "bow.svm"])
def test_words_that_do_not_belong_to_the_counts_are_refused(tmp_path, name):
    corpus = Corpus.from_tokens([["cat", "dog"]])
    write_corpus(corpus, tmp_path / name)
    written(tmp_path / "bow.vocab.txt", "cat\n")
    with pytest.raises(CorpusError, match=rf"bow.vocab.txt has 1 words for the 2 columns of {name}"):
        read_corpus(tmp_path / name)
    written(tmp_path / "bow.vocab.txt", b"c\xe9t\ndog\n")
    with pytest.raises(CorpusError, match=r"bow.vocab.txt, line 1: byte 0xe9 is not UTF-8"):
        read_corpus(tmp_path / name)


def test_svmlight_labels_are_labels(tmp_path):
    assert read_corpus(written(tmp_path / "a.svm", "7 1:2\n9 2:4\n")).details.labels == ("7", "9")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("2\n3\n1\n1 1 1\n", "uci"),
        ("2 0:1 1:2\n1 3:1\n", "ldac"),
        ("1 1:1 2:2\n5 3:1\n", "svmlight"),
        ("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1\n", "mtx"),
        ("a line, with a comma\nand another, too\n", "lines"),
        ('{"text": "one"}\n', "jsonl"),
        ("id\ttext\n1\tone\n", "tsv"),
    ],
)
def test_formats_are_told_by_their_first_bytes(tmp_path, text, form):
    assert read_corpus(written(tmp_path / "unnamed", text)).details.reading["format"] == form
