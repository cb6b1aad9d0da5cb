"""A whole run at the smallest size: all is written, a second run computes nothing, an interrupted one goes on."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from tiny import TINY

from crisptopics import Corpus
from crisptopics.experiments import NAMES, likelihood, run
from crisptopics.experiments.gibbs_start import arrival, marks, start_cost
from crisptopics.experiments.likelihood import judged
from crisptopics.experiments.real import Real, real_corpora


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder, seen = tmp_path_factory.mktemp("results"), []
    corpora = real_corpora(TINY, {})
    notes = run.reproduce(NAMES, folder, TINY, corpora, lambda cell, done, total: seen.append((cell, done, total)))
    return folder, corpora, notes, seen


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_every_experiment_has_its_files(finished):
    folder, _, notes, _ = finished
    names = set(contents(folder))
    assert {f"{name}.md" for name in NAMES} <= names
    for chart in ("nmi-syntha", "nmi-synthb", "reconstruction", "time", "gibbs-start-synthb"):
        assert {f"{chart}.svg", f"{chart}.png", f"{chart}.csv"} <= names
    assert {"objective.csv", "starts.csv", "likelihood-state-of-the-union.csv", "pairs-state-of-the-union.csv"} <= names
    page = (folder / "README.md").read_text()
    assert page.count("\n## ") == 10
    assert "not run" not in page
    assert "nan" not in page
    assert all(f"({name})" not in page or (folder / name).exists() for name in ("time.svg", "nmi-syntha.svg"))
    assert notes == [f"{len(list((folder / 'cells').iterdir()))} cells computed, 0 were finished before: {folder}"]


def test_progress_never_turns_back_and_ends_at_the_end(finished):
    *_, seen = finished
    done = [value for _, value, _ in seen]
    assert done == sorted(done)
    assert done[-1] == pytest.approx(seen[-1][2])
    assert [cell.seed for cell, _, _ in seen] == sorted(cell.seed for cell, _, _ in seen)


def test_a_second_run_computes_nothing_and_writes_the_same(finished):
    folder, corpora, *_ = finished
    before = contents(folder)
    notes = run.reproduce(NAMES, folder, TINY, corpora, lambda *_: pytest.fail("a finished cell was computed again"))
    assert notes[-1].startswith("0 cells computed, ")
    assert contents(folder) == before


def test_an_interrupted_run_keeps_its_cells_shows_them_and_goes_on(tmp_path):
    small = replace(TINY, timed_sizes=(50, 60, 70))

    def stop(cell, *_):
        if dict(cell.key)["documents"] == 70:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.reproduce(["time"], tmp_path, small, [], stop)
    assert len(list((tmp_path / "cells").iterdir())) == 2
    shown = (tmp_path / "time.md").read_text()
    assert "not run" in shown
    again = []
    run.reproduce(["time"], tmp_path, small, [], lambda cell, *_: again.append(cell.file_name))
    assert set(again) == {"time_synth-a_70_9.json"}
    assert "not run" not in (tmp_path / "time.md").read_text()


def test_without_tomotopy_and_matplotlib_the_rest_is_written(finished, monkeypatch, tmp_path):
    folder, corpora, *_ = finished
    (tmp_path / "cells").symlink_to(folder / "cells")
    for name in ("tomotopy", "matplotlib"):
        monkeypatch.setitem(sys.modules, name, None)
    notes = run.reproduce(["nmi"], tmp_path, TINY, corpora)
    assert notes[:2] == [
        "no column for tomotopy, which is not installed; pip install tomotopy",
        "no figures without matplotlib; pip install 'crisptopics[plot]'",
    ]
    assert set(contents(tmp_path)) == {"nmi.md", "nmi-syntha.csv", "nmi-synthb.csv", "README.md"}
    page = (tmp_path / "README.md").read_text()
    assert "| tomotopy |" not in page
    assert ".svg" not in page
    assert "| tomotopy |" in (folder / "README.md").read_text()


def test_word_refine_is_tuned_to_the_samplers_topics_per_document(finished):
    folder, (real,), *_ = finished
    results = run.Results(folder / "cells")
    record = results.get(likelihood.pair_cell(real, 0.01, 0, TINY))
    ours, sampler = (record[name]["topics_per_document"] for name in ("Word+Refine", "CGS"))
    assert ours == pytest.approx(sampler, rel=0.15)
    assert likelihood.PENALTIES[0] < record["penalty"] < likelihood.PENALTIES[1]
    others = [results.get(likelihood.cell_of(likelihood.ENGINES["VB"], real, 0.01, 0, TINY))]
    assert [other["penalty"] for other in others] == [record["penalty"]]


def test_likelihoods_of_topics_that_are_known():
    documents = Corpus.from_counts([[3, 0], [0, 2]])
    real = Real("x", documents, documents, "made up", "")
    counts = likelihood.sparse.csr_array([[8, 0], [0, 8]])
    record = judged(real, counts, 1.0, 0.5, seed=0)
    assert record["hard"] == pytest.approx(np.log(9 / 10))
    # theta leans to the document's own topic, by alpha 0.1 for the other one
    assert np.log(0.5) < record["original"] < np.log(9 / 10)
    assert record["mean_log"] < record["original"]
    assert record["top_words"][0][0] == "w0"


def test_marks_and_arrivals():
    assert marks(1000)[:8] == [0, 1, 2, 3, 5, 7, 10, 14]
    assert marks(1000)[-1] == 1000
    record = {"sweeps": [0, 1, 2], "seconds": [0.5, 1.0, 1.5], "values": [-3.0, -2.0, -1.0]}
    assert arrival(record, -2.0, rising=True) == 1
    assert arrival(record, -0.5, rising=True) is None
    assert arrival(record, -3.0, rising=False) == 0
    assert start_cost(record) == 1.0
