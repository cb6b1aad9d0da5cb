"""The command line: one file for each command, which translates to public functions.

Those files import nothing heavy at their top, so that `crisptopics --help` answers at once.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import click

from crisptopics import __version__
from crisptopics.cli.assign import assign
from crisptopics.cli.compare import compare
from crisptopics.cli.convert import convert
from crisptopics.cli.demo import demo
from crisptopics.cli.evaluate import evaluate
from crisptopics.cli.fit import fit
from crisptopics.cli.report import report
from crisptopics.cli.reproduce import reproduce
from crisptopics.cli.sweep import sweep
from crisptopics.cli.topics import topics
from crisptopics.errors import CrispTopicsError


class Group(click.Group):
    """Commands in the order in which they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's)
        """Return the commands' names."""
        return list(self.commands)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "--version", prog_name="crisptopics")
def commands() -> None:
    """Find topics in documents: every word of every document gets exactly one topic."""


for command in (demo, fit, topics, assign, report, evaluate, sweep, compare, convert, reproduce):
    commands.add_command(command)


def main(argv: Sequence[str]) -> int:
    """Run a command; returns 0 when done, 1 for a mistake of the user's (said in one line), 2 for wrong usage."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            commands.main(list(argv), prog_name="crisptopics", standalone_mode=False)
            sys.stdout.flush()  # here, where a full disk or a closed pipe is noticed
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except BrokenPipeError:  # who reads the output has enough of it
        _forget_output()
        return 1
    except OSError as error:
        _forget_output()
        place = "" if error.filename is None else f": {error.filename!r}"
        return _fail(f"{error.strerror}{place}" if error.strerror else str(error))
    except CrispTopicsError as error:
        return _fail(str(error))
    except MemoryError:
        return _fail("there is not enough memory; pass fewer documents, or leave out more words")
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted")
    return 0


def _fail(message: str) -> int:
    click.echo(f"crisptopics: {' '.join(message.split())}", err=True)
    return 1


def _forget_output() -> None:
    """Let what could not be written not be tried again when Python ends."""
    with suppress(OSError, ValueError):  # tests put in a file without a number
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    click.echo(f"crisptopics: warning: {' '.join(str(message).split())}", err=True)


def run() -> None:
    """Run the command that the process was started with."""
    sys.exit(main(sys.argv[1:]))
