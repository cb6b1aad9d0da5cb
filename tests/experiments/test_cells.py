"""A finished cell is stored whole, never computed again, and never mistaken for another."""

import json
import os

import pytest

from crisptopics.experiments.cells import Cell, Results, in_order


def counting(calls, value=1.0):
    def run(_):
        calls.append(value)
        return {"value": value}

    return run


def test_a_finished_cell_is_not_computed_again(tmp_path):
    calls = []
    cell = Cell.of(counting(calls), 1.0, corpus="SynthA", penalty=10.0, seed=3)
    assert Results(tmp_path).get(cell) is None
    assert Results(tmp_path).need(cell) == {"value": 1.0}
    assert Results(tmp_path).need(cell) == {"value": 1.0}
    assert len(calls) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["synth-a_10.0_3.json"]
    stored = json.loads((tmp_path / cell.file_name).read_text())
    assert stored == {"cell": {"corpus": "SynthA", "penalty": 10.0, "seed": 3}, "result": {"value": 1.0}}


def test_a_failing_cell_leaves_nothing_and_the_others_intact(tmp_path):
    def fail(_):
        raise KeyboardInterrupt

    results, good = Results(tmp_path), Cell.of(counting([]), 1.0, name="good")
    results.need(good)
    with pytest.raises(KeyboardInterrupt):
        results.need(Cell.of(fail, 1.0, name="bad"))
    assert [path.name for path in tmp_path.iterdir()] == ["good.json"]
    assert Results(tmp_path).get(good) == {"value": 1.0}


def test_a_result_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    def no_space(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="No space left"):
        Results(tmp_path).need(Cell.of(counting([]), 1.0, name="one"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"cell": {}}', '{"cell": {"name": "other"}, "result": {}}', "\xff"]
)
def test_a_file_that_is_no_result_of_this_cell_counts_as_missing(tmp_path, content):
    calls = []
    cell = Cell.of(counting(calls), 1.0, name="one")
    (tmp_path / "one.json").write_bytes(content.encode("latin-1"))
    assert Results(tmp_path).need(cell) == {"value": 1.0}
    assert len(calls) == 1
    assert Results(tmp_path).get(cell) == {"value": 1.0}


def test_cells_whose_names_look_alike_are_not_confused(tmp_path):
    first, second = (Cell.of(counting([], value), 1.0, name=name) for value, name in ((1.0, "a b"), (2.0, "a-b")))
    assert first.file_name == second.file_name
    results = Results(tmp_path)
    assert [results.need(first), results.need(second)] == [{"value": 1.0}, {"value": 2.0}]
    assert Results(tmp_path).get(first) is None


def test_numbers_that_json_does_not_have_are_refused(tmp_path):
    with pytest.raises(ValueError, match="Out of range float values are not JSON compliant"):
        Results(tmp_path).need(Cell.of(counting([], float("nan")), 1.0, name="one"))


def test_a_cell_may_need_another_which_is_then_stored_too(tmp_path):
    calls = []
    inner = Cell.of(counting(calls), 1.0, name="inner")
    outer = Cell.of(lambda results: {"twice": 2 * results.need(inner)["value"]}, 1.0, name="outer")
    assert Results(tmp_path).need(outer) == {"twice": 2.0}
    Results(tmp_path).need(inner)
    assert len(calls) == 1


def test_the_first_seed_comes_first_and_repeats_once():
    cells = [Cell.of(dict, 1.0, engine=engine, seed=seed) for engine in "ba" for seed in (1, 0)]
    names = [cell.file_name for cell in in_order([*cells, *cells, Cell.of(dict, 1.0, engine="seedless")])]
    assert names == ["b_0.json", "a_0.json", "seedless.json", "b_1.json", "a_1.json"]
