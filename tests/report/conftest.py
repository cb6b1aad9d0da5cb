import shutil
from contextlib import contextmanager

import pytest
from studies import fitted, planted

from crisptopics.report import write_report

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE = {"viewport": {"width": 1400, "height": 900}}


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.fail("Chromium is missing; install it (Debian, Ubuntu: apt-get install chromium)", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def study():
    corpus = planted()
    return fitted(corpus, 6), corpus


@pytest.fixture(scope="session")
def report(study, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(*study, path, title="Six themes")
    return path


@pytest.fixture
def opened(chromium):
    """Open pages without a network, and end with an error if one of them complained or asked for anything."""
    complaints = []

    @contextmanager
    def opening(path, fragment="", wait=True, **context):
        with chromium.new_context(**(WIDE | context), offline=True) as tab:
            page = tab.new_page()
            page.on("console", lambda message: complaints.append(f"console: {message.text}"))
            page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
            page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}") or dialog.dismiss())
            page.on("request", lambda asked: asked.url.startswith(("file:", "blob:")) or complaints.append(asked.url))
            page.goto(path.as_uri() + fragment)
            if wait:
                page.wait_for_selector("html[data-ready]", state="attached")
            yield page

    yield opening
    assert complaints == []
