"""The file: what is in it, what it weighs, and how it appears."""

import base64
import hashlib
import json
import re
from importlib import resources

import numpy as np
import pytest
from studies import corpus_of, fitted

from crisptopics import Corpus, CrispTopics
from crisptopics.report import render, report_data, write_report
from crisptopics.report.page import _lines

VENDOR = resources.files("crisptopics.report") / "vendor"


def test_it_asks_for_nothing_outside(report):
    text = report.read_text(encoding="utf-8")
    own = re.sub(r"<script[^>]*>.*?</script>", "", text, flags=re.S)
    assert not re.search(r"""(src|href)=["'](?!#)""", own)
    assert "url(" not in own


def test_the_policy_allows_just_the_scripts_and_the_style_inside(report):
    text = report.read_text(encoding="utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text).group(1).replace("&#39;", "'")
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'; ")
    for tag, directive in (("script", "script-src"), ("style", "style-src")):
        inside = re.findall(rf"<{tag}>(.*?)</{tag}>", text, flags=re.S)
        hashes = [base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() for content in inside]
        allowed = re.search(rf"{directive}([^;]*)", policy).group(1)
        assert re.findall(r"'sha256-([^']*)'", allowed) == hashes
        assert allowed.count("'") == 2 * len(hashes)


def test_vendored_files_are_those_recorded():
    entries = json.loads((VENDOR / "vendor.json").read_text(encoding="utf-8"))
    assert {entry["file"] for entry in entries} == {file.name for file in VENDOR.iterdir() if file.name.endswith(".js")}
    licences = (VENDOR / "LICENSES.txt").read_text(encoding="utf-8")
    for entry in entries:
        content = (VENDOR / entry["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == entry["sha256"]
        assert not re.search(rb"</script|<!--", content, flags=re.I)  # either would end or unhinge the element
        assert f"{entry['package']} {entry['version']}" in licences


def test_it_weighs_under_a_megabyte_beside_its_data(study):
    data = report_data(*study)
    block = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    assert len(render(data).encode()) - len(block.encode()) < 1_000_000


def test_a_thousand_topics_weigh_under_three_megabytes():
    random = np.random.default_rng(2)
    topics = np.repeat(random.integers(0, 1000, 6000), 40)
    words = topics * 20 + random.geometric(0.02, len(topics))
    texts = [" ".join(f"word{word:05}" for word in row) for row in words.reshape(3000, 80)]
    labels = tuple(f"label {row % 60}" for row in range(3000))
    corpus = corpus_of(texts, labels=labels, dates=("1800", "2000") * 1500)
    entry_topics = np.random.default_rng(3).integers(0, 1000, corpus.n_entries)
    model = CrispTopics(1000, penalty=4.0, init=entry_topics, algorithm="word", max_iter=2).fit(corpus)
    data = report_data(model, corpus)
    assert len(data["documents"]) == 1000
    assert len(render(data).encode()) < 3_000_000


def test_the_report_of_a_model_and_of_the_function_are_one(study, tmp_path):
    model, corpus = study
    model.report(corpus, tmp_path / "a.html", title="Same & same")
    write_report(model, corpus, tmp_path / "b.html", title="Same & same")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert "Same &amp; same" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_the_json_export_is_the_data(study, tmp_path):
    write_report(*study, tmp_path / "r.json", title="T", format="json")
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8")) == report_data(*study, title="T")


def test_an_unknown_format_is_refused_and_nothing_is_written(study, tmp_path):
    with pytest.raises(ValueError, match="format must be 'html' or 'json'; received 'pdf'"):
        write_report(*study, tmp_path / "r.pdf", format="pdf")
    assert list(tmp_path.iterdir()) == []


def test_half_a_surrogate_pair_does_not_stop_the_file(tmp_path):
    corpus = corpus_of(["sun rain", "rain"], labels=("a\ud800", "b"))
    write_report(fitted(corpus, 1), corpus, tmp_path / "r.html")
    assert "a?" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_the_reading_becomes_lines():
    bad = {"file": "a.csv", "line": 2}
    reading = {"rows": {"in": 5000, "bad": 0}, "bad_rows": [bad, bad], "columns": [], "note": None, "split": True}
    assert _lines(reading) == [("bad rows", "a.csv, 2; a.csv, 2"), ("split", "true"), ("rows", "in 5,000 · bad 0")]
    cut = {"too_rare": {"number": 3, "examples": ["<b>", "the"]}}
    assert _lines({"words": {"kept": 2, "max_share": 0.5, "cut": cut}}) == [
        ("words", "kept 2 · max share 0.5"),
        ("words cut too rare", "number 3 · examples <b>, the"),
    ]


def test_numbers_of_a_search_are_plain(study):
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Candidate:
        n_components: int
        penalty: float
        icl: float

    model, corpus = study
    model.choice_ = [Candidate(5, 6.0, np.float64(-12.5)), Candidate(6, 6.0, float("-inf"))]
    try:
        data = report_data(model, corpus)
    finally:
        del model.choice_
    assert data["choice"] == [
        {"n_components": 5, "penalty": 6.0, "icl": -12.5},
        {"n_components": 6, "penalty": 6.0, "icl": None},
    ]
    assert 'id="choice-table"' not in render(data | {"choice": None})
    assert 'id="choice-table"' in render(data)


def test_candidates_without_a_judgement_have_an_empty_cell(tmp_path):
    corpus = Corpus.from_counts(np.random.RandomState(0).poisson(1.0, (60, 12)))
    model = CrispTopics([2, 3], random_state=0).fit(corpus)
    model.report(corpus, tmp_path / "r.html")
    table = (tmp_path / "r.html").read_text(encoding="utf-8").split('id="choice-table"')[1].split("</table>")[0]
    assert "completion" in table
    assert "None" not in table
