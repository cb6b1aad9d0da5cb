"""`crisptopics fit`."""

import pytest

import crisptopics
from crisptopics.cli.fit import default_output
from crisptopics.cli.summary import fit_lines

FIT = ("fit", "reviews.csv", "-k", 2, "--penalty", 3)


def test_a_model_file_appears_and_the_summary_says_what_was_done(folder, done):
    out = done(*FIT, "-o", "out.crisp")
    lines = dict(line.split("  ", 1) for line in out.splitlines() if "  " in line)
    assert lines["documents"].strip() == "40"
    assert lines["columns"].strip() == "text from review, label, id"
    assert lines["words"].strip() == "12 of 13 (92.3%)"
    assert "1 left out, in too many documents: the" in out
    assert lines["tokens"].strip() == "160 of 200 (80.0%)"
    assert lines["topics"].strip() == "2, 1.00 in a document on average"
    assert lines["penalty"].strip() == "3, as given"
    assert lines["model"].strip().startswith("out.crisp (")
    assert "crisptopics topics out.crisp\n" in out
    assert out.endswith("crisptopics assign out.crisp reviews.csv -o out-topics.csv\n")
    assert max(map(len, out.splitlines())) <= 80
    assert crisptopics.load("out.crisp").n_components_ == 2
    assert sorted(path.name for path in folder.iterdir()) == ["out.crisp", "reviews.csv"]


def test_the_topics_are_those_of_the_library(model):
    corpus = crisptopics.read_corpus("reviews.csv", words=crisptopics.Words(max_share=1.0))
    fitted = crisptopics.CrispTopics(2, penalty=3.0, random_state=0).fit(corpus)
    assert (crisptopics.load(model).topic_word_counts_ == fitted.topic_word_counts_).all()


def test_the_summary_for_machines(read_json):
    facts = read_json(*FIT)
    assert facts["documents"] == 40
    assert facts["words"]["kept"] == 12
    assert facts["words"]["cut"]["too_common"]["examples"] == ["the"]
    assert facts["tokens"] == {"kept": 160, "dropped": 40}
    assert facts["penalty"] == 3.0
    assert facts["model"] == "reviews.crisp"
    assert facts["memory"] > 10e6


def test_quiet_says_nothing(folder, done):
    assert done(*FIT, "-q") == ""
    assert (folder / "reviews.crisp").exists()


def test_the_next_command_names_the_columns_again(done):
    out = done(*FIT, "--text", "review", "--input-format", "csv", "--split", "9", "-o", "my model.crisp")
    assert out.endswith(
        "crisptopics assign 'my model.crisp' reviews.csv --text review --input-format csv --split 9"
        " -o 'my model-topics.csv'\n"
    )


def test_texts_come_from_standard_input(folder, done, monkeypatch):
    with (folder / "reviews.csv").open(encoding="utf-8") as file:
        monkeypatch.setattr("sys.stdin", file)
        done("fit", "-", "-k", 2, "--penalty", 3, "-q")
    assert (folder / "model.crisp").exists()


def test_seeds_decide(done):
    for name, seed in (("a.crisp", 1), ("b.crisp", 1), ("c.crisp", 2)):
        done(*FIT, "--seed", seed, "-o", name, "-q")
    counts = [crisptopics.load(name).topic_word_counts_.tolist() for name in ("a.crisp", "b.crisp", "c.crisp")]
    assert counts[0] == counts[1]
    assert crisptopics.load("c.crisp")._seed != crisptopics.load("a.crisp")._seed


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("a/reviews.csv", "reviews.crisp"),
        ("docword.kos.txt.gz", "docword.kos.crisp"),
        ("books/", "books.crisp"),
        ("-", "model.crisp"),
    ],
)
def test_the_model_is_named_after_the_input(source, name):
    assert default_output(source) == name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nofile.csv"], "No such file or directory: 'nofile.csv'\n"),
        (["reviews.csv", "-o", "nofolder/a.crisp"], "no such folder; make it first: "),
        (["reviews.csv", "-o", "."], "this is a folder; choose the name of a file: "),
        (["reviews.csv", "-o", "/dev/null"], "this is a device or a pipe; choose the name of a file: '/dev/null'"),
        (["reviews.csv", "--report", "nofolder/a.html"], "no such folder; make it first: "),
        (["reviews.csv", "-k", "999"], "-k 999 is more than the 160 tokens of 'reviews.csv'; ask for fewer topics"),
        (["reviews.csv", "-k", "2,999"], "-k 999 is more than the 160 tokens"),
        (["reviews.csv", "--text", "speech"], "reviews.csv has no column 'speech' for text; it has 'id', 'review'"),
        (["reviews.csv", "--min-documents", "41"], "lower --min-documents"),
        (["empty.csv"], "empty.csv is empty"),
        (["latin.txt"], "pass --encoding"),
    ],
)
def test_mistakes(folder, refused, arguments, message):
    (folder / "empty.csv").touch()
    (folder / "latin.txt").write_bytes("Café, déjà vu, naïveté\n".encode("latin-1") * 9)
    before = sorted(folder.iterdir())
    assert message in refused("fit", *arguments, "--penalty", 3)
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-k", "0"], "'0' is not accepted; give a whole number from 1 to 65534"),
        (["-k", "few"], "or several separated by commas or auto."),
        (["-k", "3,"], "'3,' is not accepted"),
        (["--penalty", "0"], "'0' is not accepted; give a number above 0 or auto."),
        (["--penalty", "nan"], "'nan' is not accepted"),
        (["--jobs", "0"], "0 is not in the range"),
        (["--seed", "-1"], "-1 is not in the range"),
        (["--split", "sentence"], "'sentence' is not accepted; give paragraph, or a number of words"),
        (["--max-share", "0"], "0.0 is not in the range"),
        (["--max-share", "nan"], "'nan' is not a number"),
        (["--input-format", "doc"], "'doc' is not one of"),
    ],
)
def test_wrong_usage(run, arguments, message):
    status, out, err = run("fit", "reviews.csv", *arguments)
    assert (status, out) == (2, "")
    assert "Usage: crisptopics fit" in err
    assert message in " ".join(err.split())


def test_the_summary_tells_what_was_left_out_and_chosen():
    facts = {
        "documents": 9,
        "documents_without_words": 2,
        "columns": {"text": "review", "date": "date", "label": "2"},
        "rows": {"in": 10, "used": 9, "bad": 1},
        "bad_rows": [{"file": "a.csv", "line": 7, "reason": "3 fields where the header has 2"}],
        "words": {"kept": 5, "cut": {"too_rare": {"number": 5, "examples": [f"word{number}" for number in range(10)]}}},
        "tokens": {"kept": 50, "dropped": 50},
        "topics": 20,
        "empty_topics": 1,
        "topics_per_document": 1.5,
        "penalty": 12.3456,
        "candidates": [{"topics": 20, "penalty": 12.3456, "icl": -1.0}, {"topics": 10, "penalty": 9.0, "icl": -2.0}],
        "objective": 1234.5,
        "iterations": 50,
        "stop_reason": "interrupted",
    }
    assert fit_lines(facts, penalty_given=False) == [
        ("documents", "9, 2 of them without a word"),
        ("columns", "text from review, date, label from column 2"),
        ("bad rows", "1 of 10 left out: a.csv, line 7: 3 fields where the header has 2"),
        ("words", "5 of 10 (50.0%)"),
        ("", "5 left out, in too few documents: word0, word1, word2, word3 ..."),
        ("tokens", "50 of 100 (50.0%)"),
        ("topics", "20, chosen from 10, 20 by held-out words"),
        ("", "1.50 in a document on average, 1 of them empty"),
        ("penalty", "12.35, chosen by integrated likelihood"),
        ("objective", "1,234"),
        ("iterations", "50, interrupted: the best so far is kept"),
    ]
