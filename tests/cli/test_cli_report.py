"""`crisptopics report`, and the report of `fit` and of the demo."""

import json
import re
from pathlib import Path

from crisptopics import load, read_corpus
from crisptopics.report import report_data


def test_a_page_appears_and_its_address_is_said(folder, model, done):
    out = done("report", model, "reviews.csv", "-o", "r.html")
    assert out.splitlines()[1] == f"open    {(folder / 'r.html').as_uri()}"
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert re.search("<title>reviews . 2 topics</title>", page)
    assert "animals" in page  # a label
    assert "The sun, rain" in json.dumps(texts_of(page))


def texts_of(page):
    start = page.index('<script type="application/json"')
    data = json.loads(page[page.index(">", start) + 1 : page.index("</script>", start)])
    joined = (
        "".join(piece if isinstance(piece, str) else piece[0] for piece in doc["text"]) for doc in data["documents"]
    )
    return list(joined)


def test_without_names_the_page_is_called_as_the_model_and_the_input(folder, model, done):
    done("report", model, "reviews.csv", "--title", "<Guests>")
    assert "&lt;Guests&gt;" in (folder / "reviews.html").read_text(encoding="utf-8")


def test_for_programs_it_is_the_data(model, done):
    assert done("report", model, "reviews.csv", "--format", "json", "-q") == ""
    fitted = load(model)
    corpus = read_corpus("reviews.csv", recipe=fitted.recipe_, keep_texts=True)
    assert json.loads(Path("reviews.json").read_text(encoding="utf-8")) == report_data(fitted, corpus, title="reviews")


def test_a_folder_that_is_not_there_is_refused_before_any_work(model, refused):
    assert "no such folder" in refused("report", model, "missing.csv", "-o", "nowhere/r.html")


def test_a_file_that_is_no_model_is_refused(refused):
    assert "reviews.csv" in refused("report", "reviews.csv", "reviews.csv")


def test_fit_writes_a_report_too(folder, done):
    out = done("fit", "reviews.csv", "-k", 2, "--penalty", 3, "--report", "r.html")
    assert "r.html" in out
    assert len(texts_of((folder / "r.html").read_text(encoding="utf-8"))) == 40
