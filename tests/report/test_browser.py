"""The page in a real browser: every control by mouse and by keyboard."""

import csv
import io
import json
import re

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from studies import corpus_of, fitted

from crisptopics import Corpus, CrispTopics
from crisptopics.datasets import make_lda_corpus
from crisptopics.report import write_report

CHOSEN = "document.querySelector('#topic-name .chip').textContent"
PHONE = {"viewport": {"width": 400, "height": 800}, "has_touch": True, "is_mobile": True}


def until(page, condition):
    """Wait for a condition; Playwright's own way would need the page's policy to allow eval."""
    for _ in range(500):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(10)
    raise AssertionError(f"never: {condition}")


def topic_of(page):
    until(page, "(location.hash.match(/topic=(\\d+)/) ?? [0, state()])[1] === state()".replace("state()", CHOSEN))
    shown = page.locator("#topic-name .chip").inner_text()
    assert page.locator("#choose-topic").input_value() == shown
    return int(shown)


def choose(page, topic):
    page.locator("#choose-topic").select_option(str(topic))
    until(page, f"{CHOSEN} === '{topic}'")


def table(page, name):
    page.locator(f"#{name}").evaluate("table => table.closest('details').open = true")
    return page.locator(f"#{name}").evaluate("table => [...table.rows].map(r => [...r.cells].map(c => c.textContent))")


def test_every_control_of_the_topics_by_mouse(opened, report):
    with opened(report) as page:
        start = topic_of(page)
        assert "#" not in page.url
        page.locator("#next").click()
        assert topic_of(page) == (start + 1) % 6
        assert page.url.endswith(f"#topic={(start + 1) % 6}")
        page.locator("#previous").click()
        page.locator("#previous").click()
        assert topic_of(page) == (start - 1) % 6
        circles = page.locator("#map .layer_0_marks path")
        assert circles.count() == 6
        circles.nth(2).click(position={"x": 12, "y": circles.nth(2).bounding_box()["height"] / 2})
        assert topic_of(page) == 2
        page.locator("#topic-more a.topic").first.click()
        near = topic_of(page)
        assert near != 2
        page.go_back()
        until(page, f"{CHOSEN} === '2'")
        page.locator("#labels-chart .mark-rect path").first.click(position={"x": 6, "y": 6})
        assert topic_of(page) == 0


def test_every_control_of_the_topics_by_keyboard(opened, report):
    with opened(report, "#topic=3") as page:
        assert topic_of(page) == 3
        places = {topic["topic"]: topic["place"] for topic in page_data(page)["topics"]}
        rightmost = max(places, key=lambda topic: places[topic][0])
        page.locator("#map").focus()
        for _ in range(6):
            page.keyboard.press("ArrowRight")
        assert topic_of(page) == rightmost
        page.keyboard.press("ArrowLeft")
        assert topic_of(page) != rightmost
        page.locator("#next").focus()
        before = topic_of(page)
        page.keyboard.press("Enter")
        assert topic_of(page) == (before + 1) % 6
        page.locator("#choose-topic").focus()
        page.keyboard.press("Home")
        assert topic_of(page) == 0
        page.locator("#all-topics").evaluate("table => table.closest('details').querySelector('summary').focus()")
        page.keyboard.press("Enter")
        page.locator("#all-topics a").nth(4).focus()
        page.keyboard.press("Enter")
        assert topic_of(page) == 4


def page_data(page):
    return json.loads(page.locator("#data").text_content())


def test_the_slider_sorts_words_by_relevance(opened, report, study):
    model, _ = study
    counts = np.rint(model.expected_counts_)
    words = list(model.feature_names_in_)
    inside = np.log(np.where(counts[1], counts[1], np.nan) / counts[1].sum())
    lift = inside - np.log(counts.sum(axis=0) / counts.sum())
    with opened(report, "#topic=1") as page:
        slider = page.locator("#relevance")
        for key, weight in (("Home", 0.0), ("End", 1.0)):
            slider.press(key)
            assert float(slider.input_value()) == weight
            shown = [row[0] for row in table(page, "words")[1:]]
            scores = [(weight * inside + (1 - weight) * lift)[words.index(word)] for word in shown]
            assert np.diff(scores).max() < 1e-9
            assert np.isclose(scores[0], np.nanmax(weight * inside + (1 - weight) * lift))
        slider.press("ArrowLeft")
        assert page.locator("#relevance-value").inner_text() == "0.9"
        marks = page.locator("#words-chart .layer_1_marks path")
        until(page, "document.querySelectorAll('#words-chart .layer_1_marks path').length > 0")
        assert marks.count() == len(table(page, "words")) - 1


def test_documents_are_searched_filtered_sorted_and_paged(opened, report, study):
    _, corpus = study
    with opened(report, "#topic=2") as page:
        rows, found = page.locator(".document"), page.locator("#found")
        assert rows.count() == 50
        page.locator("#more").click()
        assert rows.count() == 100
        assert page.evaluate("document.activeElement.closest('.document').dataset.document") == "50"
        page.locator("#search").fill("text 17")
        expected = sum("text 17" in name for name in corpus.names)
        assert found.inner_text() == f"{expected} of 240 documents"
        page.locator("#search").fill("VIOLIN")
        assert rows.count() == min(50, sum("violin" in text.lower() for text in corpus.details.texts))
        page.locator("#search").fill("no such words anywhere")
        assert page.locator("#list").inner_text().startswith("No document")
        page.locator("#search").fill("")
        page.locator("#filter").select_option("main")
        mains = [doc for doc in page_data(page)["documents"] if doc["topics"][0][0] == 2]
        assert found.inner_text() == f"{len(mains)} of 240 documents"
        page.locator("#sort").select_option("share")
        shares = page.locator(".bar").evaluate_all("bars => bars.map(bar => bar.getAttribute('aria-label'))")
        of_topic = [int(re.search(r"topic 2 (\d+) %", said).group(1)) for said in shares]
        assert of_topic == sorted(of_topic, reverse=True)
        choose(page, 4)
        assert (
            found.inner_text()
            == f"{len([d for d in page_data(page)['documents'] if d['topics'][0][0] == 4])} of 240 documents"
        )
        page.locator("#filter").select_option("")
        page.locator("#sort").select_option("date")
        assert rows.first.inner_text().startswith("text 0")
        page.locator("#sort").select_option("tokens")
        assert rows.count() == 50


def test_an_opened_document_shows_the_topic_of_each_word(opened, report, study):
    model, corpus = study
    number = 7
    with opened(report) as page:
        page.locator(f'[data-document="{number}"] summary').press("Enter")
        text = page.locator(f'[data-document="{number}"] .text')
        text.wait_for()
        words = text.locator(".word").evaluate_all(
            "words => words.map(w => [w.textContent.toLowerCase(), w.dataset.topic])"
        )
        entries = slice(corpus.indptr[number], corpus.indptr[number + 1])
        topics = dict(
            zip(np.array(corpus.vocabulary)[corpus.words[entries]], model.assign(corpus)[[number]].data, strict=True)
        )
        assert len(words) == int(corpus.counts[entries].sum())
        assert all(int(topic) == topics[word] for word, topic in words)
        assert text.inner_text() == corpus.details.texts[number]
        legend = page.locator(f'[data-document="{number}"] .legend a')
        assert legend.count() == len(set(topics.values()))
        legend.first.focus()
        chosen = text.locator(".word.chosen")
        assert 0 < chosen.count() < len(words)
        assert text.locator(".word").first.get_attribute("title").strip()


def test_the_address_keeps_topic_and_document_over_a_reload(opened, report):
    with opened(report, "#topic=5") as page:
        link = page.locator("#topic-more a.link").first
        name = link.inner_text()
        link.click()
        opened_row = page.locator(".document[open]")
        assert opened_row.locator("summary").inner_text().startswith(name)
        address = page.url
        assert re.search(r"#topic=5&document=\d+$", address)
        page.reload()
        page.wait_for_selector("html[data-ready]", state="attached")
        assert page.url == address
        assert topic_of(page) == 5
        assert opened_row.count() == 1
        opened_row.locator("summary").click()
        until(page, "location.hash === '#topic=5'")


@pytest.mark.parametrize(
    "fragment", ["#topic=99", "#topic=-1", "#topic=x", "#topic=1.5&document=9999", "#documents", "#%zz"]
)
def test_odd_addresses_are_harmless(opened, report, fragment):
    with opened(report, fragment) as page:
        assert 0 <= int(page.locator("#topic-name .chip").inner_text()) < 6


def test_tables_are_copied_and_saved(opened, report, study):
    _, corpus = study
    with opened(report, permissions=["clipboard-read", "clipboard-write"]) as page:
        expected = [[cell.strip() for cell in row] for row in table(page, "labels-table")]
        assert expected[0] == ["topic", *sorted(set(corpus.details.labels))] or len(expected[0]) == 7
        assert len(expected) == 7
        page.locator("[data-copy=labels-table]").click()
        assert page.evaluate("navigator.clipboard.readText()") == "\n".join("\t".join(row) for row in expected)
        with page.expect_download() as download:
            page.locator("[data-csv=labels-table]").click()
        assert download.value.suggested_filename == "labels-table.csv"
        saved = download.value.path().read_text(encoding="utf-8-sig")
        assert list(csv.reader(io.StringIO(saved))) == expected
        shares = np.array([[float(cell) for cell in row[1:]] for row in expected[1:]])
        np.testing.assert_allclose(shares.sum(axis=0), 100, atol=0.5)


def test_light_and_dark(opened, report):
    paper = "getComputedStyle(document.body).backgroundColor"
    with opened(report, color_scheme="dark") as page:
        dark = page.evaluate(paper)
        button = page.locator("#theme")
        assert button.get_attribute("aria-pressed") == "true"
        button.press("Enter")
        light = page.evaluate(paper)
        assert light != dark
        for _ in range(10):  # Chromium takes a moment to store it
            page.reload()
            if page.evaluate(paper) == light:
                break
        assert page.evaluate(paper) == light
        assert button.get_attribute("aria-pressed") == "false"
    with opened(report) as page:
        assert page.evaluate(paper) == light


def test_without_scripts_it_is_plain_tables(opened, report, study):
    _, corpus = study
    with opened(report, wait=False, java_script_enabled=False) as page:
        assert page.locator("#map").is_hidden()
        assert page.locator("#search").is_hidden()
        for name in ("history", "facts", "all-topics", "time-table", "labels-table"):
            assert page.locator(f"#{name}").is_visible()
        text = page.locator("main").inner_text()
        assert corpus.names[0] in text
        assert all(word in text for word in ("violin", "goal", "Coherence", "texts.csv"))


def test_the_parts_are_reached_by_keyboard_and_keep_the_topic(opened, report):
    with opened(report, "#topic=4") as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.locator("nav a", has_text="Time").press("Enter")
        assert page.evaluate("document.activeElement.id") == "time-title"
        assert page.url.endswith("#topic=4")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("context", [{}, PHONE], ids=["wide", "phone"])
def test_nobody_is_shut_out(opened, report, scheme, context):
    with opened(report, "#topic=1&document=3", color_scheme=scheme, **context) as page:
        page.evaluate("for (const details of document.querySelectorAll('details:not(.document)')) details.open = true")
        found = Axe().run(page).response["violations"]
        assert [(rule["id"], [node["html"][:200] for node in rule["nodes"][:3]]) for rule in found] == []


def test_a_phone_is_wide_enough(opened, report):
    with opened(report, "#topic=1", **PHONE) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == 400
        page.locator("#next").tap()
        assert topic_of(page) == 2
        page.locator(".document summary").first.tap()
        page.locator(".document[open] .text").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") == 400
        small = (
            "[...document.querySelectorAll('button, select')].filter(e => e.offsetWidth && e.offsetHeight < 30).length"
        )
        assert page.evaluate(small) == 0


def test_printing_opens_the_tables_and_hides_the_controls(opened, report):
    with opened(report) as page:
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("#all-topics").is_visible()
        assert page.locator("nav").is_hidden()
        assert page.locator("#choose-topic").is_hidden()
        assert page.locator("#map svg").is_visible()


def odd_studies():
    counts = Corpus.from_counts([[3, 1, 0, 2], [0, 0, 0, 0], [0, 2, 5, 1]])
    yield "one topic, counts without names", fitted(counts, 1), counts
    yield "an empty topic and an empty document", fitted(counts, 4, algorithm="word"), counts
    chinese = corpus_of(["天气、下雨、太阳。", "足球、比赛、球队。"] * 5, dates=("2024-01-05", "2024-01-09") * 5)
    yield "Chinese, days", fitted(chinese, 2, penalty=1.0), chinese
    alone = corpus_of(["word"], labels=("only",), dates=("2001",))
    yield "one word", fitted(alone, 1), alone
    undated = corpus_of(["sun rain", "rain"], labels=("", "wet"), dates=("", "yesterday"))
    yield "no date that is one", fitted(undated, 2, penalty=0.1), undated


@pytest.mark.parametrize(("model", "corpus"), [pytest.param(*rest, id=name) for name, *rest in odd_studies()])
def test_odd_studies_make_pages_that_work(opened, tmp_path, model, corpus):
    write_report(model, corpus, tmp_path / "r.html")
    with opened(tmp_path / "r.html") as page:
        for topic in range(model.n_components_):
            choose(page, topic)
        page.locator(".document summary").last.click()
        assert page.locator(".document[open]").count() == 1
        assert Axe().run(page).violations_count == 0


def test_a_search_for_penalty_and_number_is_shown(opened, tmp_path, study):
    from crisptopics.report import render, report_data

    data = report_data(*study)
    data["choice"] = [
        {"n_components": k, "penalty": penalty, "icl": -1000.0 + k - penalty, "objective": 5.0, "seconds": 0.1}
        for k in (5, 10)
        for penalty in (6.0, 12.0, 24.0)
    ]
    (tmp_path / "r.html").write_text(render(data), encoding="utf-8")
    with opened(tmp_path / "r.html") as page:
        assert page.locator("#choice-chart .role-mark.mark-symbol path").count() == 6
        assert len(table(page, "choice-table")) == 7


def test_200_topics_and_5000_documents_are_ready_in_two_seconds(opened, tmp_path):
    drawn = make_lda_corpus(5000, n_topics=200, n_words=3000, doc_length=60, alpha=0.02, beta=0.02, random_state=5)
    model = CrispTopics(200, penalty=4.0, init=drawn.psi, algorithm="word", max_iter=1).fit(drawn.counts)
    write_report(model, drawn.counts, tmp_path / "large.html", n_documents=5000)
    for _ in range(3):  # the machine may be busy with something else
        with opened(tmp_path / "large.html") as page:
            seconds = page.evaluate("performance.getEntriesByName('topics')[0].startTime") / 1000
            assert len(page_data(page)["documents"]) == 5000
            page.locator("#search").fill("w17")
            assert "of 5,000" in page.locator("#found").inner_text()
            choose(page, 150)
        if seconds < 2:
            return
    raise AssertionError(f"ready after {seconds:.1f} s")
