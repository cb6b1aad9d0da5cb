"""The committed results of a full run: every experiment is there, and every figure that a page shows."""

import re
from pathlib import Path

from crisptopics.experiments import NAMES

RESULTS = Path(__file__).parents[2] / "experiments" / "results"


def test_every_experiment_has_results():
    page = (RESULTS / "README.md").read_text(encoding="utf-8")
    for name in NAMES:
        assert (RESULTS / f"{name}.md").read_text(encoding="utf-8") in page


def test_every_figure_that_is_shown_is_there():
    shown = re.findall(r"\]\(([^)]+\.svg)\)", (RESULTS / "README.md").read_text(encoding="utf-8"))
    assert len(shown) >= 5
    assert [name for name in shown if not (RESULTS / name).exists()] == []
    assert {path.name for path in RESULTS.glob("*.svg")} == set(shown)


def test_every_table_has_its_numbers():
    for path in RESULTS.glob("*.csv"):
        header, *lines = path.read_text(encoding="utf-8").splitlines()
        assert header == "row,column,measure,mean,sd,seeds,paper"
        assert lines, path.name
