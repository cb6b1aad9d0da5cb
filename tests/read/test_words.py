"""Texts into words, in any script, and into a corpus without rare and common words."""

import doctest

import pytest

import crisptopics.read.words
from crisptopics.errors import CorpusError
from crisptopics.read.words import corpus_of_texts, tokenize


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The CAT sat.", ["the", "cat", "sat"]),
        ("", []),
        ("a b c 1 2", []),
        ("don't e-mail", ["don", "mail"]),
        ("snake_case 42 x9", ["snake_case", "42", "x9"]),
        ("line\none\ttab", ["line", "one", "tab"]),
        ("हिन्दी में लिखा", ["हिन्दी", "में", "लिखा"]),
        ("ΟΔΟΣ Привет שלום", ["οδος", "привет", "שלום"]),
        ("東京 大学", ["東京", "大学"]),
        ("🙂 ok 🙂", ["ok"]),
    ],
)
def test_words_in_any_script(text, words):
    assert tokenize(text) == words


def test_composed_and_decomposed_accents_give_the_same_word():
    assert tokenize("cafe\u0301 CAFE\u0301") == tokenize("caf\u00e9 CAF\u00c9") == ["caf\u00e9", "caf\u00e9"]


def test_corpus_of_texts_counts_words():
    corpus = corpus_of_texts(iter(["The cat, the dog.", "", "A dog"]), names=["x", "y", "z"])
    assert corpus.vocabulary == ("cat", "dog", "the")
    assert corpus.counts_matrix().toarray().tolist() == [[1, 1, 2], [0, 0, 0], [0, 1, 0]]
    assert corpus.names == ("x", "y", "z")


def test_rare_and_common_words_are_left_out():
    texts = ["all most one", "all most two", "all some some"]
    assert corpus_of_texts(texts, min_documents=2).vocabulary == ("all", "most")
    assert corpus_of_texts(texts, max_share=2 / 3).vocabulary == ("most", "one", "some", "two")
    corpus = corpus_of_texts(texts, min_documents=2, max_share=0.9, names=["x", "y", "z"])
    assert corpus.names == ("x", "y", "z")
    assert corpus.vocabulary == ("most",)
    assert corpus.counts_matrix().toarray().tolist() == [[1], [1], [0]]


def test_a_share_is_reached_exactly():
    # 0.29 * 100 is less than 29 in floating point
    texts = ["rare word"] * 29 + ["word"] * 71
    assert corpus_of_texts(texts, max_share=0.29).vocabulary == ("rare",)


def test_own_tokenizer():
    assert corpus_of_texts(["a-b", "b-c"], tokenizer=lambda text: text.split("-")).vocabulary == ("a", "b", "c")


def test_tokenizer_that_gives_text_is_refused():
    with pytest.raises(CorpusError, match="document 0 is the text 'a b'; accepted is a list of words"):
        corpus_of_texts(["A B"], tokenizer=str.lower)


def test_one_text_is_refused_as_a_list():
    with pytest.raises(CorpusError, match="texts must be a list of strings; received the one text 'hello'"):
        corpus_of_texts("hello")


@pytest.mark.parametrize("text", [None, 3, b"bytes", float("nan"), ["a", "list"]])
def test_what_is_not_text_is_refused(text):
    with pytest.raises(CorpusError, match=r"text 1 is .*; accepted are strings; leave it out"):
        corpus_of_texts(["good", text])


@pytest.mark.parametrize("texts", [[], ["", "?"]])
def test_no_word_at_all_is_refused(texts):
    with pytest.raises(CorpusError, match=r"0 feature\(s\).*there is no word"):
        corpus_of_texts(texts)


def test_no_word_left_is_refused():
    with pytest.raises(CorpusError, match="no word is left of 2: none is in at least min_documents=3 documents"):
        corpus_of_texts(["one", "two"], min_documents=3)


@pytest.mark.parametrize("min_documents", [0, -1, 0.01, float("nan")])
def test_unusable_min_documents_are_refused(min_documents):
    with pytest.raises(CorpusError, match="min_documents must be a number of documents, at least 1; received"):
        corpus_of_texts(["text"], min_documents=min_documents)


@pytest.mark.parametrize("max_share", [0, -0.5, 1.01, 50, float("nan")])
def test_unusable_max_shares_are_refused(max_share):
    with pytest.raises(
        CorpusError, match="max_share must be a share of the documents, above 0 and at most 1; received"
    ):
        corpus_of_texts(["text"], max_share=max_share)


def test_examples_run():
    assert doctest.testmod(crisptopics.read.words).failed == 0
