"""How commands end: status, one line for a mistake, and streams that close or are full."""

import os
import subprocess
import sys
import warnings

import click
import pytest

from crisptopics import cli
from crisptopics.cli.options import Command

RUN = [sys.executable, "-c", "from crisptopics.cli import run; run()"]


def run_with(output, *arguments):
    command = [*RUN, *map(str, arguments)]
    return subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True, check=False)


@pytest.fixture
def add_command(monkeypatch):
    """Return a function that adds a command `trial`, which calls a function."""

    def add_command(function):
        monkeypatch.setitem(cli.commands.commands, "trial", click.Command("trial", callback=function))

    return add_command


def test_a_full_disk_is_said_in_one_line(model):
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123 (a device)
        done = run_with(full, "topics", model)
    assert done.returncode == 1
    assert done.stderr == "crisptopics: No space left on device\n"


def test_a_reader_that_has_enough_is_no_mistake_to_speak_of(model):
    reading, writing = os.pipe()
    os.close(reading)
    done = run_with(writing, "topics", model)
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == ""


def test_nothing_is_left_of_a_file_that_could_not_be_written_whole(folder, model, refused, monkeypatch):
    def fail(_):
        raise OSError(28, "No space left on device")

    before = sorted(folder.iterdir())
    monkeypatch.setattr(os, "fsync", fail)
    assert refused("assign", model, "reviews.csv", "-o", "a.csv") == "crisptopics: No space left on device\n"
    assert refused("convert", "reviews.csv", "a.npz", "-q") == "crisptopics: No space left on device\n"
    assert sorted(folder.iterdir()) == before


def test_warnings_are_one_line(add_command, run):
    def warn():
        warnings.simplefilter("default")
        warnings.warn("texts look\nunsegmented", stacklevel=1)

    add_command(warn)
    assert run("trial") == (0, "", "crisptopics: warning: texts look unsegmented\n")


def test_too_little_memory_is_said(add_command, refused):
    def fail():
        raise MemoryError

    add_command(fail)
    assert refused("trial") == (
        "crisptopics: there is not enough memory; pass fewer documents, or leave out more words\n"
    )


def test_mistakes_of_ours_are_not_hidden(add_command, run):
    def fail():
        raise RuntimeError("a mistake of ours")

    add_command(fail)
    with pytest.raises(RuntimeError, match="a mistake of ours"):
        run("trial")


@pytest.mark.parametrize(
    "command", [name for name, command in cli.commands.commands.items() if type(command) is Command]
)
def test_help_fits_80_columns_and_ends_in_examples(command, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = run(command, "--help")
    lines = out.splitlines()
    assert status == 0
    assert max(map(len, lines)) <= 80
    assert "None" not in out
    assert "RANGE" not in out
    assert f"  crisptopics {command} " in "\n".join(lines[lines.index("Examples:") :])


def test_help_lists_the_commands_in_the_order_of_their_use(run):
    _, out, _ = run("--help")
    listed = [line.split()[0] for line in out[out.index("Commands:") :].splitlines()[1:]]
    assert listed[:4] == ["demo", "fit", "topics", "assign"]
    assert "..." not in out[out.index("Commands:") :]


def test_help_of_every_command_imports_nothing_heavy():
    code = (
        "import sys; from crisptopics.cli import commands, main\n"
        "for name in commands.commands: main([name, '--help'])\n"
        "print({'numpy', 'sklearn', 'scipy', 'pandas', 'rich', 'regex'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("set()\n")


def test_shells_complete_commands_and_options():
    environment = os.environ | {"_CRISPTOPICS_COMPLETE": "bash_complete", "COMP_CWORD": "1"}
    for words, found in (("crisptopics as", "plain,assign"), ("crisptopics fit --pen", "plain,--penalty")):
        there = environment | {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        code = "import sys; sys.argv = ['crisptopics']; from crisptopics.cli import run; run()"
        done = subprocess.run([sys.executable, "-c", code], env=there, capture_output=True, text=True, check=False)
        assert found in done.stdout.splitlines()
