"""The command line, run as people run it."""

import subprocess
import sys

import click
import pytest

from crisptopics import __version__, cli
from crisptopics.errors import CorpusError


def run(*arguments, folder=None):
    command = [sys.executable, "-c", "from crisptopics.cli import run; run()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_demo_shows_topics_and_times_and_writes_a_report(tmp_path):
    done = run("demo", folder=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "indian" in done.stdout
    assert "Found 20 topics in " in done.stdout
    assert "14,906 paragraphs" in done.stdout
    assert done.stdout.endswith(f"open {(tmp_path / 'report.html').as_uri()}\n")
    assert "George Washington" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert (
        max(map(len, done.stdout.splitlines()[:-1])) <= 80 + 40
    )  # the table fits 80 columns, the summary wraps freely
    assert "\x1b" not in done.stdout


def test_help_and_version():
    done = run("--help")
    assert done.returncode == 0
    assert "demo" in done.stdout
    assert run("--version").stdout.strip() == f"crisptopics, version {__version__}"


@pytest.mark.parametrize("arguments", [["nonsense"], ["demo", "--nonsense"], ["demo", "too", "many"], []])
def test_wrong_usage_ends_with_2(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert "Usage: crisptopics" in done.stderr
    assert "Traceback" not in done.stderr


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from crisptopics.cli import main; main(['--help']); print({'numpy', 'sklearn'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("set()\n")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (CorpusError("no tokens; pass some"), "crisptopics: no tokens; pass some\n"),
        (FileNotFoundError(2, "No such file or directory", "x.csv"), "No such file or directory: 'x.csv'\n"),
        (KeyboardInterrupt(), "crisptopics: interrupted\n"),
    ],
)
def test_mistakes_are_said_in_one_line(error, line, monkeypatch, capsys):
    @click.command()
    def failing():
        raise error

    monkeypatch.setitem(cli.commands.commands, "failing", failing)
    assert cli.main(["failing"]) == 1
    shown = capsys.readouterr()
    assert shown.err.endswith(line)
    assert shown.err.strip().count("\n") == 0  # click ends the line that shows ^C first
    assert shown.out == ""
