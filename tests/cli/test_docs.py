"""The pages about the command line and other libraries name only what there is."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import crisptopics
from crisptopics import cli

DOCS = Path(__file__).parents[2] / "docs"
CLI = (DOCS / "cli.md").read_text(encoding="utf-8")
COMING_FROM = (DOCS / "coming-from.md").read_text(encoding="utf-8")
NAMES = "|".join(cli.commands.commands)
COMMANDS = re.findall(rf"crisptopics ((?:{NAMES})(?: [^`|<>\n(]+)?)", CLI + COMING_FROM)


@pytest.mark.parametrize("line", sorted(set(COMMANDS)))
def test_commands_are_accepted(line):
    name, *arguments = shlex.split(line)
    if arguments and "--help" not in arguments:
        cli.commands.commands[name].make_context(name, arguments)


def test_every_command_has_a_section_with_an_example():
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", CLI, flags=re.M | re.S))
    for name in re.findall(r"^\| \[`(\w+)`\]", CLI, flags=re.M):
        assert f"crisptopics {name}" in sections[name]


def test_options_are_those_that_there_are():
    options = {name for command in cli.commands.commands.values() for param in command.params for name in param.opts}
    assert set(re.findall(r"(?<=`)--[a-z-]+", CLI)) <= options | {"--help"}


def test_names_of_the_library_exist():
    model = crisptopics.CrispTopics(2, penalty=2.0, random_state=0).fit(crisptopics.Corpus.from_tokens([["a", "b"]]))
    for name in set(re.findall(r"model\.([a-z_]+)", COMING_FROM)):
        assert hasattr(model, name), name
    for module, name in set(re.findall(r"(exports|metrics|baselines|Corpus)\.(\w+)", COMING_FROM)):
        assert hasattr(getattr(crisptopics, module), name), name


def test_code_runs(tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", COMING_FROM, flags=re.S)
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
