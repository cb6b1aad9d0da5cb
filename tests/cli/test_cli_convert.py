"""`crisptopics convert`: each format reads back as what was written."""

import json

import pytest

import crisptopics
from crisptopics import Corpus, write_corpus

COUNTS = ["docword.a.txt", "docword.a.txt.gz", "a.ldac", "a.svmlight", "a.mtx.xz", "a.npz"]
TEXTS = ["a.csv", "a.csv.gz", "a.tsv", "a.jsonl", "a.jsonl.xz", "a.parquet"]


def counts_of(corpus):
    return corpus.counts_matrix().toarray().tolist()


@pytest.mark.parametrize("name", COUNTS)
def test_texts_become_counts(done, name):
    out = done("convert", "reviews.csv", name)
    corpus, again = crisptopics.read_corpus("reviews.csv"), crisptopics.read_corpus(name)
    assert counts_of(again) == counts_of(corpus)
    assert again.vocabulary == corpus.vocabulary
    assert again.names == corpus.names
    assert again.details.labels == corpus.details.labels
    assert out.startswith("documents   40\ncolumns     text from review, label, id\nwords       12 of 13 (92.3%)\n")
    assert "1 left out, in too many documents: the\ntokens      160 of 200 (80.0%)\nwritten  " in out
    assert out.endswith(f"            {name}\n")


@pytest.mark.parametrize("name", TEXTS)
def test_texts_become_other_texts(done, name):
    done("convert", "reviews.csv", name)
    corpus = crisptopics.read_corpus("reviews.csv", keep_texts=True)
    again = crisptopics.read_corpus(name, keep_texts=True)
    assert again.names == corpus.names
    assert again.details.texts == corpus.details.texts
    assert again.details.labels == corpus.details.labels
    assert counts_of(again) == counts_of(corpus)


def test_counts_become_other_counts(done):
    write_corpus(Corpus.from_counts([[1, 2], [0, 3]]), "docword.b.txt")
    assert done("convert", "docword.b.txt", "b.npz", "-q") == ""
    assert counts_of(crisptopics.read_corpus("b.npz")) == [[1, 2], [0, 3]]


def test_what_was_written_is_told_for_machines_too(done):
    facts = json.loads(done("convert", "reviews.csv", "a.npz", "--format", "json"))
    assert facts["tokens"] == {"kept": 160, "dropped": 40}
    assert facts["files"] == ["a.vocab.txt", "a.names.txt", "a.labels.txt", "a.npz"]


def test_texts_are_written_whole_so_no_word_is_left_out(done):
    out = done("convert", "reviews.csv", "a.jsonl")
    assert out == "documents   40\ncolumns     text from review, label, id\nwritten     a.jsonl\n"


def test_rows_that_cannot_be_read_are_told(folder, run):
    with (folder / "reviews.csv").open("a", encoding="utf-8") as file:
        file.write("r40,a review without the label that the header has\n")
    arguments = ("convert", "reviews.csv", "a.jsonl", "--max-bad-rows", "1")
    told = "1 of 41 left out: reviews.csv, line 42: 2 fields where the header has 3"
    status, out, err = run(*arguments)
    assert (status, err) == (0, "")
    assert f"bad rows    {told[:60]}" in out
    status, out, err = run(*arguments, "--quiet")
    assert (status, out, err) == (0, "", f"crisptopics: rows that cannot be read: {told}\n")


def test_the_format_may_be_named(folder, done):
    done("convert", "reviews.csv", "a.dat", "--output-format", "jsonl", "-q")
    first = json.loads((folder / "a.dat").read_text(encoding="utf-8").splitlines()[0])
    assert first["id"] == "r0"


def test_parts_of_texts_can_be_written(folder, done):
    (folder / "book.txt").write_text("The sun.\n\nThe rain.\n", encoding="utf-8")
    done("convert", "book.txt", "parts.jsonl", "--split", "paragraph", "-q")
    lines = [json.loads(line) for line in (folder / "parts.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["text"] for line in lines] == ["The sun.", "The rain."]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reviews.csv", "a.doc"], "a.doc does not say its format; accepted are names such as a.csv"),
        (["reviews.csv", "a"], "a does not say its format"),
        (["reviews.csv", "a"], "or pass --output-format\n"),
        (["reviews.csv", "nofolder/a.npz"], "no such folder"),
        (["nofile.csv", "a.npz"], "No such file or directory: 'nofile.csv'"),
        (["docword.b.txt", "a.csv"], "this corpus has counts but no texts, which csv needs"),
    ],
)
def test_mistakes_of_convert(folder, refused, arguments, message):
    write_corpus(Corpus.from_counts([[1, 2]]), folder / "docword.b.txt")
    before = sorted(folder.iterdir())
    assert message in refused("convert", *arguments)
    assert sorted(folder.iterdir()) == before
