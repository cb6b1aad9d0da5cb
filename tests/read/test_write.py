"""Corpora through files and back, in every format."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisptopics import Corpus, Words, read_corpus, write_corpus
from crisptopics.details import Details
from crisptopics.errors import CorpusError

COUNTS = ["docword.a.txt", "docword.a.txt.gz", "a.ldac", "a.svmlight.xz", "a.mtx", "a.mtx.bz2", "a.npz", "a.ldac.zst"]
TABLES = ["a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.csv.gz", "a.jsonl.zst"]
NAMES = st.text(st.sampled_from(string.ascii_letters + " é東,;\t\"'"), min_size=1, max_size=6)


@st.composite
def corpora(draw):
    n_words, n_documents = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    rows = st.lists(st.integers(0, 2**31 - 1) | st.integers(0, 2), min_size=n_words, max_size=n_words)
    counts = draw(st.lists(rows, min_size=n_documents, max_size=n_documents))
    words = draw(st.lists(NAMES, min_size=n_words, max_size=n_words, unique=True))
    names = draw(st.lists(NAMES, min_size=n_documents, max_size=n_documents))
    labels = draw(st.none() | st.lists(st.sampled_from(["sea", "land"]), min_size=n_documents, max_size=n_documents))
    corpus = Corpus.from_counts(counts, words, names)
    details = Details(None if labels is None else tuple(labels), ("2024-05",) * n_documents)
    return Corpus(corpus.indptr, corpus.words, corpus.counts, n_words, corpus.vocabulary, corpus.names, details)


@pytest.mark.parametrize("name", COUNTS)
@settings(max_examples=12)  # each file is flushed to the disk
@given(corpus=corpora())
def test_counts_come_back_from_every_format(tmp_path_factory, name, corpus):
    folder = tmp_path_factory.mktemp("counts")
    files = write_corpus(corpus, folder / name)
    assert files[-1] == folder / name
    assert {file.name for file in files} == {file.name for file in folder.iterdir()}
    back = read_corpus(folder / name)
    assert (back.counts_matrix() != corpus.counts_matrix()).nnz == 0
    assert back.shape == corpus.shape
    assert (back.vocabulary, back.names) == (corpus.vocabulary, corpus.names)
    assert back.details.dates == corpus.details.dates
    if corpus.details.labels is not None:
        assert back.details.labels == corpus.details.labels


@pytest.mark.parametrize("name", TABLES)
@settings(max_examples=12)
@given(
    rows=st.lists(
        st.tuples(NAMES, st.sampled_from(["", "sea"]), st.text(max_size=20).map(lambda text: f"word {text}")),
        min_size=1,
        max_size=5,
    )
)
def test_texts_come_back_from_every_table(tmp_path_factory, name, rows):
    folder = tmp_path_factory.mktemp("texts")
    names, labels, texts = zip(*rows, strict=True)
    counted = Corpus.from_tokens([["word"]] * len(rows), names=names)
    details = Details(labels, ("2024-05-01",) * len(rows), texts)
    corpus = Corpus(counted.indptr, counted.words, counted.counts, 1, counted.vocabulary, counted.names, details)
    assert write_corpus(corpus, folder / name) == [folder / name]
    back = read_corpus(folder / name, keep_texts=True, words=Words(max_share=1.0))
    assert back.names == names
    assert (back.details.labels or ("",) * len(rows)) == labels
    assert back.details.dates == details.dates
    again = write_corpus(back, folder / f"again-{name}")[0]
    assert read_corpus(again, keep_texts=True, words=Words(max_share=1.0)).details.texts == back.details.texts
    if all(text.isascii() for text in texts):
        assert back.details.texts == texts


def test_lines_are_texts_without_their_line_breaks(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "one\\ntwo"}\n{"text": ""}\n{"text": "three"}\n', encoding="utf-8")
    write_corpus(read_corpus(tmp_path / "a.jsonl", keep_texts=True), tmp_path / "b.txt")
    assert (tmp_path / "b.txt").read_text(encoding="utf-8") == "one two\n\nthree\n"


def test_counts_without_words_get_some_where_the_format_needs_them(tmp_path):
    corpus = Corpus.from_counts([[1, 0, 0]])
    assert len(write_corpus(corpus, tmp_path / "docword.a.txt")) == 1
    write_corpus(corpus, tmp_path / "a.ldac")
    assert read_corpus(tmp_path / "a.ldac").shape == (1, 3)


def test_the_same_corpus_gives_the_same_bytes(tmp_path):
    corpus = Corpus.from_counts([[1, 0, 2]])
    for name in ("docword.a.txt.gz", "docword.b.txt.gz"):
        write_corpus(corpus, tmp_path / name)
    assert (tmp_path / "docword.a.txt.gz").read_bytes() == (tmp_path / "docword.b.txt.gz").read_bytes()


def test_what_cannot_be_written_is_refused(tmp_path):
    corpus = Corpus.from_tokens([["cat\ndog"]])
    with pytest.raises(CorpusError, match="this corpus has counts but no texts, which csv needs"):
        write_corpus(corpus, tmp_path / "a.csv")
    with pytest.raises(CorpusError, match=r"'cat\\ndog' cannot be line 1 of vocab.a.txt, for it has a line break"):
        write_corpus(corpus, tmp_path / "docword.a.txt")
    with pytest.raises(CorpusError, match=r"a.bin does not say its format; accepted are names such as a.csv"):
        write_corpus(corpus, tmp_path / "a.bin")
    with pytest.raises(CorpusError, match="cannot write the format 'folder'; accepted are csv, tsv"):
        write_corpus(corpus, tmp_path / "a", format="folder")
    with pytest.raises(FileNotFoundError, match="no such folder; make it first"):
        write_corpus(Corpus.from_counts([[1]]), tmp_path / "none" / "docword.a.txt")
    assert list(tmp_path.iterdir()) == []
