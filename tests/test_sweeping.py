"""Sweeps compare whole fits, one row for each number of topics and penalty."""

import pytest

from crisptopics import CrispTopics, datasets, sweep


def test_a_row_tells_of_the_fits_it_stands_for():
    counts = datasets.synth_a(300, random_state=1).counts
    table = sweep(counts, n_components=[3, 20], penalty=[12.0, "auto"], n_seeds=2, random_state=5)
    assert table["n_components"].tolist() == [3, 3, 20, 20]
    assert table["penalty"].tolist()[0::2] == [12.0, 12.0]
    fits = [CrispTopics(20, penalty=12.0, random_state=seed).fit(counts) for seed in (5, 6)]
    best = min(fits, key=lambda model: model.objective_)
    row = table.iloc[2]
    assert (row["icl"], row["objective"]) == (best.icl_, best.objective_)
    assert table["icl"].idxmax() in (2, 3)
    assert table["stability"].between(0, 1).all()
    assert table["seconds"].min() > 0


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_other_frames(kind):
    counts = datasets.synth_a(60, random_state=1).counts
    table = sweep(counts, n_components=[2], penalty=[5.0], kind=kind)
    assert type(table).__module__.startswith(kind)
    assert table["n_components"].to_pylist() == [2] if kind == "pyarrow" else table["n_components"].to_list() == [2]


def test_one_seed_is_refused():
    with pytest.raises(ValueError, match="n_seeds=1 is not accepted; give a whole number of at least 2"):
        sweep([[1, 2], [3, 4]], n_components=[2], n_seeds=1)
