"""The commands that use a model, or compare some."""

import csv
import json
import sys

import pyarrow.parquet
import pytest

import crisptopics
from crisptopics import Corpus, CrispTopics, write_corpus
from crisptopics.datasets import synth_a


def test_topics_for_people_and_in_markdown(model, done):
    table = done("topics", model, "--top", 3)
    lines = table.splitlines()
    assert lines[0].split() == ["topic", "tokens", "share", "words"]
    assert lines[2].split()[:3] == ["0", "100", "50.0%"]
    assert max(map(len, lines)) <= 80
    assert not any(line.endswith(" ") or not line for line in lines)
    markdown = done("topics", model, "--top", 3, "--format", "markdown").splitlines()
    assert markdown[0] == "| topic | tokens | share | words |"
    assert markdown[1] == "| ---: | ---: | ---: | --- |"
    assert len(markdown) == 4


def test_topics_for_machines(model, done, read_json):
    fitted = crisptopics.load(model)
    topics = read_json("topics", model, "--top", 4)
    assert [topic["words"] for topic in topics] == fitted.top_words(4)
    assert [topic["tokens"] for topic in topics] == fitted.topic_word_counts_.sum(axis=1).tolist()
    rows = list(csv.DictReader(done("topics", model, "--top", 4, "--format", "csv").splitlines()))
    assert [row["words"].split(", ") for row in rows] == fitted.top_words(4)
    assert sum(float(row["share"]) for row in rows) == pytest.approx(1.0)


def test_broken_models_are_refused(folder, model, refused):
    (folder / "cut.crisp").write_bytes(model.read_bytes()[:-1])
    assert "'cut.crisp'" in refused("topics", "cut.crisp")
    assert refused("topics", "reviews.csv") == (
        "crisptopics: 'reviews.csv' is not a model file: it is no zip archive; pass a file written by save()\n"
    )
    assert refused("topics", ".") == "crisptopics: Is a directory: '.'\n"


def test_assign_gives_what_the_library_gives(model, done):
    rows = list(csv.DictReader(done("assign", model, "reviews.csv").splitlines()))
    fitted = crisptopics.load(model)
    frame = fitted.documents_frame(crisptopics.read_corpus("reviews.csv", recipe=fitted.recipe_))
    assert [row["document"] for row in rows] == frame.index.tolist()
    for column in frame:
        assert [float(row[column]) for row in rows] == frame[column].tolist()


def test_assign_writes_the_same_in_every_format(folder, model, done):
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        assert done("assign", model, "reviews.csv", "-o", name) == ""
    lines = [json.loads(line) for line in (folder / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 40
    assert list(lines[0]) == ["document", "tokens", "topic", "n_topics", "topic0", "topic1"]
    assert pyarrow.parquet.read_table("a.parquet").to_pylist() == lines
    with (folder / "a.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == [{name: str(value) for name, value in line.items()} for line in lines]


def test_assign_in_batches_is_assign_at_once(folder, model, done, monkeypatch):
    for name in ("one.csv", "one.parquet"):
        done("assign", model, "reviews.csv", "-o", name)
    printed = done("assign", model, "reviews.csv")
    monkeypatch.setattr(sys.modules["crisptopics.cli.assign"], "BATCH", 7)
    for name in ("many.csv", "many.parquet"):
        done("assign", model, "reviews.csv", "-o", name)
    assert (folder / "one.csv").read_bytes() == (folder / "many.csv").read_bytes() == printed.encode()
    assert pyarrow.parquet.read_table("one.parquet") == pyarrow.parquet.read_table("many.parquet")
    assert done("assign", model, "reviews.csv") == printed


def test_words_stand_where_they_are_in_the_text(folder, model, done):
    (folder / "new.txt").write_text("A zebra, my SUN; a cat, one sun.\n\nNothing known here\n", encoding="utf-8")
    rows = list(csv.DictReader(done("assign", model, "new.txt", "--words").splitlines()))
    assert [(row["document"], row["position"], row["word"]) for row in rows] == [
        ("0", "12", "sun"),
        ("0", "19", "cat"),
        ("0", "28", "sun"),
    ]
    assert rows[0]["topic"] == rows[2]["topic"] != rows[1]["topic"]


def test_documents_without_a_known_word_have_topic_minus_1(folder, model, done, read_json):
    (folder / "new.txt").write_text("Nothing known here\nsun and rain\n", encoding="utf-8")
    rows = read_json("assign", model, "new.txt")
    assert rows[0] == {"document": 0, "tokens": 0, "topic": -1, "n_topics": 0, "topic0": 0.0, "topic1": 0.0}
    assert rows[1]["tokens"] == 2
    topic = rows[1]["topic"]
    table = done("assign", model, "new.txt", "--format", "table").splitlines()
    assert [line.split() for line in table[2:]] == [["0", "0"], ["1", "2", f"{topic}:", "100%"]]


def test_words_of_counts_are_entries(folder, done, read_json):
    write_corpus(Corpus.from_counts([[2, 1, 0], [0, 0, 4]] * 5, vocabulary=["sun", "rain", "cat"]), "docword.a.txt")
    done("fit", "docword.a.txt", "-k", 2, "--penalty", 1, "-q")
    rows = read_json("assign", "docword.a.crisp", "docword.a.txt", "--words")
    assert [(row["document"], row["word"], row["count"]) for row in rows[:3]] == [
        (0, "sun", 2),
        (0, "rain", 1),
        (1, "cat", 4),
    ]
    (folder / "new.txt").write_text("Rain, rain and a cat\n", encoding="utf-8")
    words = [row["word"] for row in read_json("assign", "docword.a.crisp", "new.txt", "--words")]
    assert words == ["rain", "rain", "cat"]


def test_counts_of_other_words_are_refused(model, refused):
    write_corpus(Corpus.from_counts([[2, 1, 0]]), "counts.npz")
    assert "these counts have no vocabulary" in refused("assign", model, "counts.npz")


def test_counts_of_another_width_than_the_models_are_refused(done, refused):
    write_corpus(Corpus.from_counts([[2, 1, 0], [0, 0, 4]]), "a.npz")
    write_corpus(Corpus.from_counts([[2, 1]]), "b.npz")
    done("fit", "a.npz", "-k", 2, "--penalty", 1, "-q")
    assert refused("assign", "a.crisp", "b.npz").startswith("crisptopics: 'b.npz' has 2 words and the model 3; pass")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "a.txt"], "'a.txt' must end in .csv, .jsonl, .parquet, which tells the format; rename it"),
        (["-o", "nofolder/a.csv"], "no such folder; make it first"),
        (["--text", "speech"], "has no column 'speech' for text"),
    ],
)
def test_mistakes_of_assign(folder, model, refused, arguments, message):
    before = sorted(folder.iterdir())
    assert message in refused("assign", model, "reviews.csv", *arguments)
    assert sorted(folder.iterdir()) == before


def test_parquet_without_pyarrow_names_the_extra(model, refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    line = refused("assign", model, "reviews.csv", "-o", "a.parquet")
    assert "Parquet files need pyarrow; install it with: pip install 'crisptopics[io]'" in line


def test_evaluate(model, done, read_json):
    facts = read_json("evaluate", model, "reviews.csv")
    fitted = crisptopics.load(model)
    corpus = crisptopics.read_corpus("reviews.csv", recipe=fitted.recipe_)
    assert facts["documents"] == 40
    assert facts["tokens"] == facts["known_tokens"] == corpus.n_tokens
    assert facts["hard_log_likelihood"] == pytest.approx(fitted.score(corpus))
    assert facts["npmi"] == pytest.approx(crisptopics.metrics.npmi(fitted.top_words(10), corpus))
    assert facts["topics_per_document"] == pytest.approx(fitted.documents_frame(corpus)["n_topics"].mean())
    assert 0 < facts["nmi"] <= facts["purity"] <= 1
    assert done("evaluate", model, "reviews.csv").splitlines()[0].split() == ["documents", "40"]


def test_evaluate_without_labels_does_not_speak_of_them(folder, model, read_json):
    (folder / "new.txt").write_text("sun and rain\nsnow and wind\n", encoding="utf-8")
    facts = read_json("evaluate", model, "new.txt")
    assert "nmi" not in facts
    assert "purity" not in facts


def test_compare(read_json):
    write_corpus(Corpus.from_counts(synth_a(60, random_state=0).counts), "synth.npz")
    rows = read_json("compare", "synth.npz", "-k", 3, "--penalty", 9, "--engines", "crisp,klmeans,anchor")
    assert [row["engine"] for row in rows] == ["crisp", "klmeans", "anchor"]
    for row in rows:
        assert set(row) == {"engine", "seconds", "npmi", "diversity", "hard", "completion"}
        assert row["hard"] < 0
        assert row["completion"] < 0
        assert row["seconds"] > 0


def test_compare_measures_in_documents_that_no_engine_saw(read_json):
    corpus = Corpus.from_counts(synth_a(60, random_state=0).counts)
    write_corpus(corpus, "synth.npz")
    (row,) = read_json("compare", "synth.npz", "-k", 3, "--penalty", 9, "--engines", "crisp")
    held_out = [number % 10 == 9 for number in range(60)]
    fitted = CrispTopics(3, penalty=9.0, random_state=0).fit(corpus.select([not held for held in held_out]))
    assert row["hard"] == pytest.approx(fitted.score(corpus.select(held_out)))


def test_compare_all_engines_with_labels(done):
    out = done("compare", "reviews.csv", "-k", 2, "--penalty", 3, "--max-share", 1, "--format", "csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert [row["engine"] for row in rows] == ["crisp", "gibbs", "vb", "anchor", "klmeans"]
    assert all(0 <= float(row["nmi"]) <= float(row["purity"]) <= 1 for row in rows)
    assert max(float(row["nmi"]) for row in rows) > 0.9


def test_mistakes_of_compare(folder, refused, run):
    (folder / "few.txt").write_text("sun and rain\nsun and snow\n", encoding="utf-8")
    (folder / "few.csv").write_text("text\n" + "sun and rain\n" * 12, encoding="utf-8")
    line = refused("compare", "few.txt", "-k", 2, "--penalty", 3)
    assert "'few.txt' has 2 documents; compare holds out one of 10, so it needs 10 at least" in line
    assert "-k 999 is more than the " in refused("compare", "reviews.csv", "-k", 999)
    line = refused("compare", "few.csv", "-k", 12, "--penalty", 3, "--engines", "anchor")
    assert line.startswith("crisptopics: anchor: n_components=12 is more than the ")
    status, _, err = run("compare", "reviews.csv", "--engines", "crisp,bert")
    assert status == 2
    assert "'bert' is unknown; choose from crisp, gibbs, vb, anchor, klmeans" in err


def test_sweep_has_a_row_for_each_number_of_topics_and_penalty(folder, read_json, done):
    write_corpus(Corpus.from_counts(synth_a(60, random_state=0).counts), "synth.npz")
    rows = read_json("sweep", "synth.npz", "-k", "2,4", "--penalty", "6,12")
    assert [(row["topics"], row["penalty"]) for row in rows] == [(2, 6.0), (2, 12.0), (4, 6.0), (4, 12.0)]
    corpus = crisptopics.read_corpus("synth.npz")
    fits = [CrispTopics(4, penalty=6.0, random_state=seed).fit(corpus) for seed in (0, 1)]
    fitted = min(fits, key=lambda model: model.objective_)
    assert rows[2]["objective"] == fitted.objective_
    assert rows[2]["icl"] == pytest.approx(fitted.icl_)
    assert all(0 <= row["stability"] <= 1 for row in rows)
    assert done("sweep", "synth.npz", "-k", 2, "--penalty", 6, "-o", "sweep.csv") == ""
    with (folder / "sweep.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert float(row["objective"]) == rows[0]["objective"]


def test_mistakes_of_sweep(refused, run):
    assert "-k 999 is more than the " in refused("sweep", "reviews.csv", "-k", "2,999")
    assert "'a.txt' must end in .csv, .jsonl, .parquet" in refused("sweep", "reviews.csv", "-k", 2, "-o", "a.txt")
    assert run("sweep", "reviews.csv")[0] == 2


def test_penalty_and_number_of_topics_are_chosen(folder, done, read_json):
    out = done("fit", "reviews.csv", "-k", "2,3", "--max-share", 1)
    assert "chosen from 2, 3 by held-out words" in out
    facts = read_json("fit", "reviews.csv", "-k", "2,3", "--max-share", 1)
    assert {candidate["topics"] for candidate in facts["candidates"]} == {2, 3}
    model = crisptopics.load(folder / "reviews.crisp")
    assert facts["penalty"] == model.penalty_
    assert facts["topics"] == model.n_components_


def test_fit_writes_a_report(folder, done):
    out = done("fit", "reviews.csv", "-k", 2, "--penalty", 3, "--report", "report.html")
    assert "report      report.html\n" in out
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "<title>reviews" in page
    assert "weather" in page
