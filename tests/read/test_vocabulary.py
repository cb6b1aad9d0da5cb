"""Choices of words: languages, lemmas, phrases, tokenizers, places, and recipes that read new text like the old."""

import builtins
import importlib
import json
import sys
import unicodedata
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from crisptopics import Words
from crisptopics.errors import CorpusError, MissingExtraError
from crisptopics.read.build import corpus_of_rows
from crisptopics.read.dividing import Divider, Division
from crisptopics.read.languages import divider_of
from crisptopics.read.rows import Row
from crisptopics.read.words import tokenize

LETTERS = st.text(st.sampled_from("ab_9 .-'\n\0éE\u0301\u0130ßΣ東京हि\u200d🙂"), max_size=40)
ENGLISH = [
    "The treaties were signed.",
    "A treaty was signed in New York",
    "New York signs",
    "In New York, treaties",
] * 4
INFLECTED = [{"treaties", "treaty"}, {"signed", "sign"}, {"were", "be"}, {"was", "be"}]
CHINESE = ["我来到北京清华大学", "清华大学在北京", "北京很大很大"]


def corpus_of(texts, choices=None, **options):
    return corpus_of_rows([Row(text) for text in texts], choices, **options)


def split_at_spaces(text):
    return text.split()


@given(st.lists(LETTERS | st.text(max_size=30), max_size=6))
def test_fast_tokens_are_those_of_tokenize(texts):
    tokens = Divider(Division(output="tokens"))(texts)
    assert [tokens.words[number] for number in tokens.ids] == [word for text in texts for word in tokenize(text)]
    assert np.diff(tokens.indptr).tolist() == [len(tokenize(text)) for text in texts]


@given(st.lists(LETTERS | st.text(max_size=30), max_size=6))
def test_places_are_where_the_words_stand(texts):
    texts = [unicodedata.normalize("NFC", text) for text in texts]
    tokens = Divider(Division(output="places"))(texts)
    assert [tokens.words[number] for number in tokens.ids] == [word for text in texts for word in tokenize(text)]
    for document, number, start, end in zip(tokens.documents, tokens.ids, tokens.starts, tokens.ends, strict=True):
        found = texts[document][start:end].lower()
        assert found.upper() == tokens.words[number].upper()  # a final sigma depends on what follows


@pytest.mark.parametrize(
    "choices", [Words(), Words(phrases=True), Words(lemmas=True, language="en"), Words(language="zh")]
)
def test_spans_are_the_words_of_the_entries(choices):
    texts = ENGLISH * 3 + CHINESE
    corpus = corpus_of(texts, choices, keep_texts=True)
    assert corpus.details.texts == tuple(texts)
    spans = corpus.details.spans
    for row in range(len(corpus)):
        first, last = corpus.indptr[row], corpus.indptr[row + 1]
        of_row = slice(spans.indptr[row], spans.indptr[row + 1])
        assert np.bincount(spans.entries[of_row], minlength=last - first).tolist() == corpus.counts[first:last].tolist()
        words = [corpus.vocabulary[word] for word in corpus.words[first:last]]
        for entry, start, end in zip(spans.entries[of_row], spans.starts[of_row], spans.ends[of_row], strict=True):
            found = texts[row][start:end].lower().replace(" ", "_")
            assert found == words[entry] or {found, words[entry]} <= {
                "treaties",
                "treaty",
                "signs",
                "signed",
                "sign",
                "were",
                "was",
                "be",
            }


RECIPES = {
    "plain": Words(min_documents=2),
    "stop words": Words(stop_words="en"),
    "lemmas": Words(lemmas=True, language="en", stop_words=True),
    "phrases": Words(phrases=True, max_share=1.0),
    "all": Words(phrases=True, lemmas=True, language="en", max_share=1.0),
    "Chinese": Words(language="zh"),
    "own": Words(tokenizer=split_at_spaces),
    "vectorizer": Words(tokenizer=CountVectorizer().fit(ENGLISH)),
}


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_reads_new_text_like_the_old(name):
    texts = ENGLISH + CHINESE
    choices = RECIPES[name]
    corpus = corpus_of(texts, choices)
    recipe = json.loads(json.dumps(corpus.details.recipe))
    again = Words(tokenizer=choices.tokenizer)
    same = corpus_of(texts, again, recipe=recipe)
    assert same.vocabulary == corpus.vocabulary
    assert (same.counts_matrix() != corpus.counts_matrix()).nnz == 0
    new = corpus_of(["nothing of that", texts[3]], again, recipe=recipe)
    assert new.counts_matrix().toarray()[1].tolist() == corpus.counts_matrix().toarray()[3].tolist()
    assert new.details.recipe == recipe


def test_lemmas_are_counted_as_their_dictionary_form():
    corpus = corpus_of(ENGLISH, Words(lemmas=True, language="en"))
    assert "treaty" in corpus.vocabulary
    assert "treaties" not in corpus.vocabulary
    assert corpus.details.recipe["lemmas"]["treaties"] == "treaty"
    assert corpus.details.reading["words"]["lemmas"]["number"] > 0


def test_settled_lemmas_come_before_those_of_the_package():
    recipe = corpus_of(ENGLISH, Words(lemmas=True, language="en")).details.recipe
    changed = recipe | {"lemmas": recipe["lemmas"] | {"contracts": "treaty"}}
    assert corpus_of(["contracts"], recipe=changed).n_tokens == 1


def test_phrases_are_found_by_score_and_never_across_documents_or_stop_words():
    texts = ["new york is old", "the old new york", "york and new", "of the sea of the land", "old is and sea"] * 20
    corpus = corpus_of(texts, Words(phrases=True, max_share=1.0, stop_words=["the", "of"]))
    assert corpus.details.recipe["phrases"][0][0] == ["new", "york"]
    assert "new_york" in corpus.vocabulary
    assert not any("of" in pair or "the" in pair for pairs in corpus.details.recipe["phrases"] for pair in pairs)
    columns = [column for column, word in enumerate(corpus.vocabulary) if "new_york" in word]
    assert corpus.counts_matrix().toarray()[:5, columns].sum(axis=1).tolist() == [1, 1, 0, 0, 0]
    assert corpus.details.reading["words"]["phrases"]["examples"][0] == "new_york"


def test_longer_phrases_come_in_a_second_round():
    texts = [f"{word} interstate commerce commission {word}s" for word in ("sea", "land", "air", "fire")] * 10
    texts += [
        "interstate land",
        "sea commerce",
        "commission of air",
        "fire land air sea",
        "seas and lands and airs",
    ] * 9
    assert "interstate_commerce_commission" in corpus_of(texts, Words(phrases=True, max_share=1.0)).vocabulary


def test_phrases_keep_the_places_of_their_words():
    corpus = corpus_of(
        ["big New  York"] * 20 + ["new sea", "york"], Words(phrases=True, max_share=1.0), keep_texts=True
    )
    spans, texts = corpus.details.spans, corpus.details.texts
    found = {texts[0][spans.starts[place] : spans.ends[place]] for place in range(spans.indptr[1])}
    assert "New  York" in found or "big New  York" in found


@pytest.mark.parametrize("stop_words", ["en", True, ["The", "WAS", "were", "in"]])
def test_stop_words_by_language_and_list(stop_words):
    corpus = corpus_of(ENGLISH, Words(stop_words=stop_words, language="en"))
    assert not {"the", "was", "were", "in"} & set(corpus.vocabulary)


def test_stop_words_from_a_file(tmp_path):
    (tmp_path / "stop.txt").write_text("the\ndon't\n", encoding="utf-8")
    assert corpus_of(["The cat don"], Words(stop_words=tmp_path / "stop.txt")).vocabulary == ("cat",)
    assert corpus_of(["The cat don"], Words(stop_words=str(tmp_path / "stop.txt"))).vocabulary == ("cat",)


def test_chinese_is_divided_into_words():
    assert {"清华大学", "北京"} <= set(corpus_of(CHINESE, Words(language="zh", max_share=1.0)).vocabulary)


def test_japanese_and_thai_are_divided_by_their_packages(monkeypatch):
    japanese = {"東京大学で本を読む": ["東京大学", "で", "本", "を", "読む", "。"]}
    thai = {"ค้นพบดาวเคราะห์": ["ค้นพบ", " ", "ดาวเคราะห์"]}
    taggers = SimpleNamespace(
        GenericTagger=lambda options: (
            lambda text: [SimpleNamespace(surface=word) for word in japanese[text]] if options == "dictionary" else []
        )
    )
    fakes = {
        "fugashi": taggers,
        "ipadic": SimpleNamespace(MECAB_ARGS="dictionary"),
        "pythainlp": SimpleNamespace(),
        "pythainlp.tokenize": SimpleNamespace(word_tokenize=thai.__getitem__),
    }
    for name, fake in fakes.items():
        monkeypatch.setitem(sys.modules, name, fake)
    divider_of.cache_clear()
    assert corpus_of(list(japanese), Words(language="ja")).vocabulary == ("東京大学", "読む")
    assert corpus_of(list(thai), Words(language="th")).vocabulary == ("ค้นพบ", "ดาวเคราะห์")
    divider_of.cache_clear()


@pytest.mark.parametrize(
    "texts",
    [CHINESE * 5, ["นักวิทยาศาสตร์ค้นพบดาวเคราะห์ดวงใหม่"] * 5, ["こんにちは世界今日は天気がいい"] * 5],
)
def test_text_that_looks_unsegmented_is_warned_of(texts):
    with pytest.warns(UserWarning, match=r"100% of the words look like whole clauses.*name the language, 'zh', 'ja'"):
        corpus = corpus_of(texts)
    assert "look like whole clauses" in corpus.details.reading["warnings"][0]


def test_own_tokenizers_are_asked_for_again():
    corpus = corpus_of(["a-b c", "b c"], Words(tokenizer=split_at_spaces))
    assert corpus.vocabulary == ("a-b", "b", "c")
    with pytest.raises(CorpusError, match=r"divided by your own tokenizer; pass it again, as words=Words\(tokenizer"):
        corpus_of(["b"], recipe=corpus.details.recipe)
    with pytest.raises(CorpusError, match="texts were divided by words; leave tokenizer out"):
        corpus_of(["b"], Words(tokenizer=split_at_spaces), recipe=corpus_of(["one"]).details.recipe)


def test_a_fitted_vectorizer_keeps_its_columns():
    vectorizer = CountVectorizer(ngram_range=(1, 2)).fit(["cat dog", "bird"])
    corpus = corpus_of(["cat dog cat", "fish"], Words(tokenizer=vectorizer))
    assert corpus.vocabulary == tuple(vectorizer.get_feature_names_out())
    np.testing.assert_array_equal(
        corpus.counts_matrix().toarray(), vectorizer.transform(["cat dog cat", "fish"]).toarray()
    )
    with pytest.raises(CorpusError, match="the tokenizer TfidfVectorizer gives weights; accepted are counts"):
        corpus_of(["cat dog"], Words(tokenizer=TfidfVectorizer().fit(["cat dog", "cat"])))


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"min_documents": 0}, "min_documents must be a number of documents, at least 1; received 0"),
        ({"min_documents": 0.5}, "min_documents must be a number of documents, at least 1; received 0.5"),
        ({"max_share": 0}, "max_share must be a share of the documents, above 0 and at most 1; received 0"),
        ({"max_share": 50}, "max_share must be a share of the documents, above 0 and at most 1; received 50"),
        ({"lemmas": True}, r"lemmas needs the language of the texts; name it, for example Words\(language='en'\)"),
        ({"stop_words": True}, "stop_words=True needs the language of the texts"),
        ({"tokenizer": 7}, "tokenizer must be a function from a text to its words, or a fitted CountVectorizer"),
        ({"tokenizer": CountVectorizer(), "phrases": True}, "the tokenizer CountVectorizer has its own vocabulary"),
    ],
)
def test_unusable_choices_are_refused(choices, message):
    with pytest.raises(CorpusError, match=message):
        Words(**choices)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (Words(stop_words="xx"), "there is no list of stop words for 'xx'; accepted are af, ar"),
        (Words(stop_words=7), "stop_words must be a language such as 'en', a file with a word a line, or a list"),
        (Words(stop_words=[7]), "stop_words must be a language such as 'en'"),
        (Words(lemmas=True, language="xx"), "there are no lemmas for the language 'xx'"),
        (Words(tokenizer=str.lower), "the tokenizer gave the text 'one two'; accepted is a list of words"),
        (Words(tokenizer=lambda _: [7]), r"the tokenizer gave 7 \(int\); accepted are strings"),
        (Words(min_documents=3), "no word is left of 2: 2 too rare, with min_documents=3 and max_share="),
    ],
)
def test_choices_that_cannot_be_met_are_refused(choices, message):
    with pytest.raises(CorpusError, match=message):
        corpus_of(["One two"], choices)


@pytest.mark.parametrize(
    ("choices", "package", "extra"),
    [
        (Words(stop_words="en"), "stopwordsiso", "lang"),
        (Words(lemmas=True, language="en"), "simplemma", "lang"),
        (Words(language="zh"), "rjieba", "zh"),
        (Words(language="ja"), "fugashi", "ja"),
        (Words(language="th"), "pythainlp", "th"),
    ],
)
def test_missing_packages_are_named_with_their_extra(monkeypatch, choices, package, extra):
    def refuse(name, *_):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", refuse)
    divider_of.cache_clear()
    with pytest.raises(MissingExtraError, match=rf"{package}; install it with pip install 'crisptopics\[{extra}\]'"):
        corpus_of(["one two"], choices)


@pytest.mark.parametrize(("name", "packages"), [("a.parquet", "pyarrow"), ("a.csv.zst", "zstandard")])
def test_missing_packages_of_formats_are_named(tmp_path, monkeypatch, name, packages):
    from crisptopics import read_corpus

    (tmp_path / name).write_bytes(b"\x28\xb5\x2f\xfd....")
    plain = builtins.__import__

    def refuse(module, *rest):
        if module.split(".")[0] == packages:
            raise ImportError(module)
        return plain(module, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    monkeypatch.setattr(sys, "version_info", (3, 11))
    with pytest.raises(MissingExtraError, match=rf"{packages}.*pip install 'crisptopics\[io\]'"):
        read_corpus(tmp_path / name, format="parquet" if name == "a.parquet" else None)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, "its version is 2, this version of crisptopics reads 1"),
        ({"division": "spells"}, "division 'spells' is none of words, language"),
        ({"vocabulary": ["a", "a"]}, r"vocabulary is \['a', 'a'\]"),
        ({"vocabulary": "abc"}, "vocabulary is 'abc'"),
        ({"stop_words": [1]}, r"stop_words is \[1\]"),
        ({"language": 1}, "language is 1"),
        ({"lemmas": {"a": 1}}, "lemmas is {'a': 1}"),
        ({"phrases": [[["a"]]]}, r"phrases is \[\[\['a'\]\]\]"),
        ({"more": 1}, "its fields are"),
    ],
)
def test_broken_recipes_are_refused(changes, message):
    recipe = corpus_of(["one two"]).details.recipe
    with pytest.raises(CorpusError, match=f"this is no recipe of a corpus: {message}"):
        corpus_of(["one"], recipe=dict(recipe) | changes)


@pytest.mark.parametrize(
    ("documents", "words_each", "share"), [(10, 5, 1.0), (1000, 5, 0.1), (1000, 600, 0.3), (400, 1500, 0.5)]
)
def test_default_limits_follow_the_size_of_documents(documents, words_each, share):
    texts = [
        " ".join(f"w{number}" for number in range(words_each)) + f" own{row}x own{row // 2}y"
        for row in range(documents)
    ]
    reading = corpus_of(texts, Words(min_documents=1)).details.reading
    assert reading["words"]["max_share"] == pytest.approx(share, rel=0.05)
