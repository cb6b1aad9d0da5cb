"""A small table of reviews in a folder of its own, and a model of it."""

import csv
import json

import pytest

from crisptopics import cli

WEATHER = ["sun", "rain", "wind", "snow", "cloud", "storm"]
ANIMALS = ["cat", "dog", "horse", "sheep", "goat", "cow"]


def review(number):
    """Make a text of one theme, whose words all occur in many texts."""
    theme = (WEATHER, ANIMALS)[number % 2]
    return "The " + ", ".join(theme[(number // 2 + step) % 6] for step in range(4)) + "!"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    with (tmp_path / "reviews.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "review", "label"])
        table.writerows([f"r{number}", review(number), ("weather", "animals")[number % 2]] for number in range(40))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys, folder):  # noqa: ARG001 (in which commands run)
    """Return a function that runs a command and gives its status, output and errors."""

    def run(*arguments):
        status = cli.main([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return status, shown.out, shown.err

    return run


@pytest.fixture
def done(run):
    """Return a function that runs a command which must succeed, and gives its output."""

    def done(*arguments):
        status, out, err = run(*arguments)
        assert (status, err) == (0, "")
        return out

    return done


@pytest.fixture
def refused(run):
    """Return a function that runs a command which must say a mistake in one line, and gives that line."""

    def refused(*arguments):
        status, out, err = run(*arguments)
        assert (status, out) == (1, "")
        assert err.startswith("crisptopics: ")
        assert err.count("\n") == 1
        return err

    return refused


@pytest.fixture
def model(folder, done):
    done("fit", "reviews.csv", "-k", 2, "--penalty", 3, "--max-share", 1, "-o", "reviews.crisp", "-q")
    return folder / "reviews.crisp"


@pytest.fixture
def read_json(done):
    """Return a function that runs a command with --format json, and gives what it says."""
    return lambda *arguments: json.loads(done(*arguments, "--format", "json"))
