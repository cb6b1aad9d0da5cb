"""Tables for people and for machines."""

import csv
import io
import json
import math

import pytest

from crisptopics.cli.show import show, show_facts, shown

ROWS = [
    {"topic": 0, "share": 0.125, "score": math.nan, "words": 'a, "b"'},
    {"topic": 12345, "share": 1.0, "score": -1234.5, "words": "[bold]x[/] :smile: | \x1b[31m"},
]


@pytest.fixture
def printed(capsys):
    def printed(rows, form):
        (show if isinstance(rows, list) else show_facts)(rows, form)
        return capsys.readouterr().out

    return printed


def test_a_table_shows_markup_emoji_and_escapes_as_they_are(printed):
    out = printed(ROWS, "table")
    assert "[bold]x[/] :smile: | \N{REPLACEMENT CHARACTER}[31m" in out
    assert "\x1b" not in out
    assert out.splitlines()[2].split() == ["0", "12.5%", "-", "a,", '"b"']
    assert "12,345" in out
    assert "-1,234" in out


def test_long_cells_are_folded_at_80_columns(printed):
    out = printed([{"topic": 0, "words": ", ".join(["word"] * 40)}, {"topic": 1, "words": "x" * 200}], "table")
    assert max(map(len, out.splitlines())) <= 80
    assert out.count("word,") == 39
    assert out.count("x") == 200


def test_markdown_keeps_its_columns(printed):
    lines = printed(ROWS, "markdown").splitlines()
    assert lines[0] == "| topic | share | score | words |"
    assert lines[1] == "| ---: | ---: | ---: | --- |"
    assert lines[3].endswith(" :smile: \\| \N{REPLACEMENT CHARACTER}[31m |")


def test_json_has_null_for_what_is_no_number(printed):
    assert json.loads(printed(ROWS, "json")) == [ROWS[0] | {"score": None}, ROWS[1]]
    assert json.loads(printed([{"a": "}\n{"}, {"a": "x"}], "json")) == [{"a": "}\n{"}, {"a": "x"}]
    assert json.loads(printed({"a": math.inf}, "json")) == {"a": None}
    assert json.loads(printed([], "json")) == []


def test_csv_comes_back(printed):
    rows = list(csv.DictReader(io.StringIO(printed(ROWS, "csv"))))
    assert [row["words"] for row in rows] == [row["words"] for row in ROWS]
    assert [row["score"] for row in rows] == ["", "-1234.5"]


def test_nothing_is_shown_of_nothing(printed):
    assert [printed([], form) for form in ("table", "csv", "markdown")] == ["", "", ""]


def test_facts(printed):
    assert printed({"documents": 1200, "nmi": 0.5}, "table") == "documents  1,200\nnmi        0.500\n"
    assert printed({"documents": 1200, "nmi": 0.5}, "csv") == "documents,nmi\n1200,0.5\n"


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("icl", -123456.7, "-123,457"),
        ("icl", 999.9996, "1000.000"),
        ("share", 0.5, "50.0%"),
        ("x", True, "True"),
        ("x", "é", "é"),
        ("x", "a\nb\x00", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_values(name, value, text):
    assert shown(name, value) == text
