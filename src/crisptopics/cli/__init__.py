"""The command line: one file for each command, which translates to public functions.

Those files import nothing heavy at their top, so that `crisptopics --help` answers at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from crisptopics import __version__
from crisptopics.cli.demo import demo
from crisptopics.cli.reproduce import reproduce
from crisptopics.errors import CrispTopicsError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "--version", prog_name="crisptopics")
def commands() -> None:
    """Find topics in documents: every word of every document gets exactly one topic."""


for command in (demo, reproduce):
    commands.add_command(command)


def main(argv: Sequence[str]) -> int:
    """Run a command; returns 0 when done, 1 for a mistake of the user's (said in one line), 2 for wrong usage."""
    try:
        commands.main(list(argv), prog_name="crisptopics", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (CrispTopicsError, OSError) as error:
        click.echo(f"crisptopics: {error}", err=True)
        return 1
    except (KeyboardInterrupt, click.Abort):
        click.echo("crisptopics: interrupted", err=True)
        return 1
    return 0


def run() -> None:
    """Run the command that the process was started with."""
    sys.exit(main(sys.argv[1:]))
