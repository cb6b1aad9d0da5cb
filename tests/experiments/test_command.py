"""`crisptopics reproduce`, run as people run it."""

import importlib
import io
import subprocess
import sys

import pytest

from crisptopics import cli
from crisptopics.experiments import NAMES, presets, run
from crisptopics.experiments.cells import Cell

command = importlib.import_module("crisptopics.cli.reproduce")  # the name in `cli` is the command itself


def test_a_quick_experiment_from_the_shell(tmp_path):
    out = tmp_path / "a" / "out"
    code = "from crisptopics.cli import run; run()"
    done = subprocess.run(
        [sys.executable, "-c", code, "reproduce", "time", "--quick", "-o", out],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert done.stderr == f"3 cells computed, 0 were finished before: {out}\n"
    assert (out / "README.md").read_text().startswith("# The paper's tables and figures")
    assert (out / "time.csv").read_text().startswith("row,column,measure,mean,sd,seeds,paper\nCGS (s),500,cgs,")


@pytest.mark.parametrize(
    ("arguments", "names", "preset"),
    [
        (["time"], ("time",), presets.FULL),
        (["table1", "--quick"], ("nmi",), presets.QUICK),
        (["--quick"], NAMES, presets.QUICK),
        (["all", "--quick"], NAMES, presets.QUICK),
    ],
)
def test_what_is_asked_for_is_run(arguments, names, preset, tmp_path, monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(run, "reproduce", lambda *arguments: asked.append(arguments[:3]) or ["a line"])
    assert cli.main(["reproduce", *arguments, "-o", str(tmp_path)]) == 0
    assert asked == [(names, tmp_path, preset)]
    assert capsys.readouterr().err == "a line\n"


@pytest.mark.parametrize("arguments", [["nonsense", "-o", "x"], ["time"], ["time", "-o", "x", "--nonsense"]])
def test_wrong_usage(arguments, capsys):
    assert cli.main(["reproduce", *arguments]) == 2
    assert "Usage: crisptopics reproduce" in capsys.readouterr().err


def test_an_interrupted_run_says_so(tmp_path, monkeypatch, capsys):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "reproduce", interrupt)
    assert cli.main(["reproduce", "time", "-o", str(tmp_path)]) == 1
    assert "interrupted" in capsys.readouterr().err


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_shows_the_time_left(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    for name, value in {"TERM": "xterm", "COLUMNS": "120"}.items():
        monkeypatch.setenv(name, value)
    for name in ("NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    clock = iter([0.0, 60.0, 60.0])
    monkeypatch.setattr(command.time, "monotonic", lambda: next(clock, 60.0))
    with command._progress() as draw:
        draw(Cell.of(dict, 1.0, corpus="SynthA", seed=1), 25.0, 100.0)
    assert "3 min left: SynthA 1" in terminal.getvalue()


def test_a_pipe_shows_nothing(capfd):
    with command._progress() as draw:
        draw(Cell.of(dict, 1.0, corpus="SynthA"), 1.0, 2.0)
    assert capfd.readouterr() == ("", "")
