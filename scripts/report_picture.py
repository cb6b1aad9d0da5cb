"""Take the picture of the report that the README shows: python scripts/report_picture.py.

It needs the extras [plot] and [test], and Chromium.
"""

import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from crisptopics import CrispTopics
from crisptopics.datasets import load_sotu

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "report.png"
WORD = "soviet"  # the topic to show

corpus = load_sotu()
model = CrispTopics(20, penalty=12, random_state=0).fit(corpus)
topic = max(range(20), key=lambda topic: WORD in model.top_words(10)[topic])
with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
    page_file, shot = Path(folder) / "report.html", Path(folder) / "shot.png"
    model.report(corpus, page_file, title="State of the Union, 1790 to 2021")
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1280, "height": 1000}, device_scale_factor=1.25)
    page.goto(f"{page_file.as_uri()}#topic={topic}")
    page.wait_for_selector("html[data-ready]", state="attached")
    page.locator(".document summary").nth(3).click()
    page.locator(".document .text").wait_for()
    page.evaluate("scrollTo(0, 0)")
    top, end = (page.locator(part).bounding_box()["y"] for part in ("#topics", "#documents"))
    page.screenshot(path=shot, full_page=True, clip={"x": 0, "y": top + 20, "width": 1280, "height": end - top + 560})
    browser.close()
    small = Image.open(shot).convert("RGB").quantize(96, dither=Image.Dither.NONE)
    small.save(PICTURE, optimize=True)
print(f"{PICTURE}: {PICTURE.stat().st_size / 1000:.0f} kB")
