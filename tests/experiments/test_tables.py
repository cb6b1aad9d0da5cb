"""Tables and figures: the paper's number beside ours, seeds counted, the same bytes each time."""

import sys

import pytest

from crisptopics.errors import MissingExtraError
from crisptopics.experiments import likelihood, nmi, objective, pairs, reconstruction, starts, timing
from crisptopics.experiments.cells import Cell, Results
from crisptopics.experiments.charts import Chart, draw
from crisptopics.experiments.tables import Entry, Table, entry


def test_entries_say_mean_spread_and_the_papers_number():
    assert str(Entry("nmi", (0.8, 0.9, 1.0), 0.829)) == "0.900 ± 0.100 [0.829]"
    assert str(Entry("nmi", (0.8,), 0.829)) == "0.800 [0.829]"
    assert str(Entry("nmi", (), 0.829)) == "not run [0.829]"
    assert str(Entry("sweeps", (1234.5,), None, 0, "at 7")) == "1,234 (at 7)"


def test_entries_count_the_seeds_that_are_finished(tmp_path):
    results = Results(tmp_path)
    cells = [Cell.of(lambda _, seed=seed: {"nmi": 0.5 + seed / 10}, 1.0, seed=seed) for seed in range(3)]
    assert str(entry(results, cells, "nmi")) == "not run"
    results.need(cells[0])
    results.need(cells[2])
    assert str(entry(results, cells, "nmi", scale=100.0, digits=1)) == "60.0 ± 14.1 (2 of 3 seeds)"
    results.need(cells[1])
    assert entry(results, cells, "nmi").values == (0.5, 0.6, 0.7)


def test_a_table_as_markdown_and_csv():
    both = [Entry("nmi", (0.8, 0.9), 0.829, 2, "2 of 3 seeds"), Entry("ari", (0.7, 0.7), 0.839, 2, "2 of 3 seeds")]
    rows = [("CGS", [both, "words, and more"]), ("Word", [[Entry("nmi", (), 0.7)], [Entry("l1", (0.1,))]])]
    table = Table("t", "Title", ("engine", "agreement", "other"), rows, ["Five documents."])
    assert table.markdown().splitlines() == [
        "## Title",
        "",
        "| engine | agreement | other |",
        "| --- | --- | --- |",
        "| CGS | 0.85 ± 0.07 / 0.70 ± 0.00 (2 of 3 seeds) [0.83 / 0.84] | words, and more |",
        "| Word | not run [0.700] | 0.100 |",
        "",
        "Five documents.",
    ]
    assert table.csv().splitlines() == [
        "row,column,measure,mean,sd,seeds,paper",
        "CGS,agreement,nmi,0.85,0.0707107,2,0.829",
        "CGS,agreement,ari,0.7,0,2,0.839",
        'CGS,other,"words, and more",,,,',
        "Word,agreement,nmi,,,0,0.7",
        "Word,other,l1,0.1,,1,",
    ]


CHART = Chart("c", "Chart", "sweeps", "L1", [("a", [1, 2], [3.0, 1.0]), ("b", [1], [2.0])], True, [("p", [1], [1.0])])


def test_figures_have_the_same_bytes_each_time(tmp_path):
    first = {path.name: path.read_bytes() for path in draw(CHART, tmp_path)}
    second = {path.name: path.read_bytes() for path in draw(CHART, tmp_path)}
    assert first == second
    assert set(first) == {"c.svg", "c.png"}
    assert b"<dc:date>" not in first["c.svg"]


def test_figures_without_matplotlib_name_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"no figures without matplotlib; pip install 'crisptopics\[plot\]'"):
        draw(CHART, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_papers_numbers_agree_with_each_other():
    printed = {5000: (3.07, 1.94), 10_000: (2.87, 1.66), 50_000: (2.48, 1.32), 100_000: (2.26, 1.18)}
    printed |= {500_000: (2.16, 1.10), 1_000_000: (1.82, 0.94)}  # as in its table, from the seconds beside them
    for size, (word, refine) in printed.items():
        ratios = timing._of_paper(size)
        assert ratios["word/cgs"] == pytest.approx(word, abs=0.011)
        assert ratios["refine/cgs"] == pytest.approx(refine, abs=0.08)  # 1.94 and 0.277 / 0.143 = 1.937; 1.66, 1.660
    for (corpus, engine), values in nmi.PAPER.items():
        assert len(values) == (1 if engine == "CGS" else len(nmi.PENALTIES[corpus]))
    for (corpus, engine), of_paper in starts.PAPER.items():
        label = {"word": "Word", "word+refine": "Word+Refine"}[engine]
        assert objective.PAPER[corpus, label] == of_paper.objective
        for penalty, both in of_paper.agreement.items():
            assert nmi.PAPER[corpus, label][nmi.PENALTIES[corpus].index(penalty)] == both
    assert set(reconstruction.PAPER) <= set(reconstruction.ROWS)
    assert {engine for _, engine in likelihood.PAPER} <= set(likelihood.ROWS)
    assert all(len(betas) == len(likelihood.BETAS) for betas in likelihood.PAPER.values())
    assert all(len(pair) == len(pairs.ENGINES) for pair in pairs.PAPER)
