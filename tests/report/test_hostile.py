"""Words, names, labels and texts that want to be more than text."""

import json

import pytest
from studies import fitted

from crisptopics import Corpus
from crisptopics.details import Details, Spans
from crisptopics.report import write_report

HOSTILE = [
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    '"onmouseover="window.pwned=1',
    "' autofocus onfocus=window.pwned=1 '",
    "<svg/onload=window.pwned=1>",
    "{{7*7}}",
    "{% raw %}${7*7}",
    "javascript:window.pwned=1",
    "<!--<script>",
    "]]><style>body{display:none}</style>",
    "&lt;b&gt;&amp;",
    "\u202egnp.tset",
    "\u2066\u202dcba",
    "line\u2028and\u2029paragraph",
    "nul\x00bell\x07escape\x1b[31m",
    "=HYPERLINK(1)",
    "w" * 10_000,
    "à́̂̃" * 30,
    "__proto__",
    "datum.picked' + window.pwned=1 + '",
]
SHOWN = [word for word in HOSTILE if len(word) < 60 and "\x00" not in word]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """Every hostile string is a word, a name, a label, a date and part of a text; two serve as title and source."""
    tokens = [[*HOSTILE[:10], *HOSTILE[: row % 7 + 1]] for row in range(10)]
    tokens += [[*HOSTILE[10:], *HOSTILE[10 : row % 7 + 11]] for row in range(10)]
    counted = Corpus.from_tokens(tokens)
    texts, indptr, entries, starts, ends = [], [0], [], [], []
    for row, words in enumerate(tokens):
        text, columns = "", counted.words[counted.indptr[row] : counted.indptr[row + 1]].tolist()
        for word in words:
            entries.append(columns.index(counted.vocabulary.index(word)))
            starts.append(len(text))
            ends.append(len(text) + len(word))
            text += word + " 😀 "
        texts.append(text)
        indptr.append(len(entries))
    details = Details(
        labels=tuple(HOSTILE), dates=tuple(HOSTILE), texts=tuple(texts), spans=Spans(indptr, entries, starts, ends),
        reading={HOSTILE[0]: {HOSTILE[1]: [HOSTILE[4], {"reason": HOSTILE[0]}]}, "path": HOSTILE[11]},
    )  # fmt: skip
    corpus = Corpus(
        counted.indptr, counted.words, counted.counts, counted.n_words, counted.vocabulary, tuple(HOSTILE), details
    )
    path = tmp_path_factory.mktemp("hostile") / "r.html"
    write_report(fitted(corpus, 2, penalty=1.0), corpus, path, title=HOSTILE[0])
    return path


def test_hostile_strings_are_inert_and_shown_as_text(opened, page_file):
    with opened(page_file, "#topic=0") as page:
        assert page.evaluate("window.pwned") is None
        assert page.locator("h1").inner_text() == HOSTILE[0]
        for document in page.locator(".document summary").all():
            document.click()
        page.wait_for_timeout(100)
        names = page.locator(".document summary bdi:first-child").evaluate_all("names => names.map(n => n.textContent)")
        assert [name for name in names if name in SHOWN] == SHOWN
        words = set(page.locator(".document .word").evaluate_all("words => words.map(w => w.textContent)"))
        assert words.issuperset(word for word in HOSTILE if "\x00" not in word)
        for topic in (0, 1):
            page.locator("#choose-topic").select_option(str(topic))
            page.locator("#words-chart .layer_1_marks path").first.hover()
            page.wait_for_timeout(50)
        assert page.evaluate("document.querySelectorAll('img, iframe, [onload], [onerror], [onfocus]').length") == 0
        assert page.evaluate("document.scripts.length") == 6
        assert page.evaluate("window.pwned") is None
        assert page.evaluate("getComputedStyle(document.body).display") == "block"
        assert page.evaluate("document.documentElement.scrollWidth") == 1400


def test_the_table_that_is_saved_holds_no_formula(opened, page_file):
    with opened(page_file) as page:
        page.locator("#labels-table").evaluate("table => table.closest('details').open = true")
        with page.expect_download() as download:
            page.locator("[data-csv=labels-table]").click()
        assert "'=HYPERLINK(1)" in download.value.path().read_text(encoding="utf-8-sig")


def test_hostile_strings_without_scripts(opened, page_file):
    with opened(page_file, wait=False, java_script_enabled=False) as page:
        text = page.locator("main").inner_text()
        assert "<img src=x onerror=window.pwned=1>" in text
        assert "{{7*7}}" in text


def test_the_data_block_cannot_be_left(page_file):
    text = page_file.read_text(encoding="utf-8")
    start = text.index('<script type="application/json"')
    block = text[text.index(">", start) + 1 : text.index("</script>", start)]
    assert not set("<>&\u2028\u2029") & set(block)
    assert json.loads(block)["title"] == HOSTILE[0]
