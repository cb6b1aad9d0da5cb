"""The progress bar: for people at a terminal only."""

import io
import os
import pty
import subprocess
import sys

import pytest

from crisptopics import CrispTopics
from crisptopics.progress import progress
from crisptopics.solve import Iteration

RECORD = Iteration("word+refine", 10.0, 1_234_567.8, 4_321, 1.75, 0.1)
X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 5, 1], [0, 1, 2, 4]]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def wide_terminal(monkeypatch):
    """Make standard error a wide terminal; not a fixture, since pytest puts its own back before the test begins."""
    fake = Terminal()
    monkeypatch.setattr(sys, "stderr", fake)
    for name, value in {"TERM": "xterm", "COLUMNS": "160"}.items():
        monkeypatch.setenv(name, value)
    for name in ("NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return fake


def test_nothing_is_written_to_a_pipe_or_file(capfd):
    with progress(5, visible=True) as draw:
        draw(RECORD)
    CrispTopics(2, verbose=1).fit(X)
    assert capfd.readouterr() == ("", "")


def test_nothing_is_written_unless_asked(monkeypatch, capsys):
    terminal = wide_terminal(monkeypatch)
    with progress(5, visible=False) as draw:
        draw(RECORD)
    CrispTopics(2, verbose=0).fit(X)
    assert terminal.getvalue() == ""
    assert capsys.readouterr().out == ""


def test_a_terminal_shows_how_the_fit_goes(monkeypatch, capsys):
    terminal = wide_terminal(monkeypatch)
    with progress(5, visible=True) as draw:
        draw(RECORD)
    shown = terminal.getvalue()
    for part in ("objective 1,234,568", "moved 4,321", "topics/document 1.75"):
        assert part in shown
    assert capsys.readouterr().out == ""


def test_a_fit_draws_its_last_iteration(monkeypatch):
    terminal = wide_terminal(monkeypatch)
    model = CrispTopics(2, penalty=2.0, verbose=1, random_state=0).fit(X)
    assert f"objective {model.objective_:,.0f}" in terminal.getvalue()
    assert f"topics/document {model.history_[-1].topics_per_document:.2f}" in terminal.getvalue()


def test_the_cursor_comes_back_after_an_error(monkeypatch):
    terminal = wide_terminal(monkeypatch)
    with pytest.raises(ZeroDivisionError), progress(5, visible=True):
        raise ZeroDivisionError
    hide, show = "\x1b[?25l", "\x1b[?25h"
    assert terminal.getvalue().rfind(show) > terminal.getvalue().rfind(hide) >= 0


def test_a_real_terminal_and_standard_output_stays_free():
    code = f"from crisptopics import CrispTopics; CrispTopics(2, penalty=2.0, verbose=1).fit({X})"
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "160"}
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=theirs, env=environment, check=True, timeout=50
        )
        shown = os.read(ours, 1 << 16).decode()
    finally:
        os.close(theirs)
        os.close(ours)
    assert done.stdout == b""
    assert "objective" in shown
    assert "topics/document" in shown
