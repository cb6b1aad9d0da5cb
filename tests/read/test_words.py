"""Texts into words, in any script, and into a corpus without rare and common words."""

import pytest

from crisptopics.read.words import tokenize


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
