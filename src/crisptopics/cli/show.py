"""Tables for people and for machines, on standard output."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeAlias

import click

from crisptopics.cli.options import option

Row: TypeAlias = Mapping[str, Any]
Columns: TypeAlias = Mapping[str, Sequence[Any]]

FORMATS = ("table", "json", "csv", "markdown")


def form_option(choices: Sequence[str], help: str) -> Callable[[Any], Any]:  # noqa: A002 (as click calls it)
    """Return the option --format with these choices, the first of which is the default.

    Examples
    --------
    >>> form_option(("html", "json"), "What to write.").__name__
    'decorator'
    """
    return option("--format", "form", type=click.Choice(choices), default=choices[0], show_default=True, help=help)


format_option = form_option(FORMATS, "How to print: for people, or for machines.")


def show(rows: Sequence[Row], form: str) -> None:
    """Print rows that have the same keys.

    Examples
    --------
    >>> show([{"topic": 0, "share": 0.25}, {"topic": 1, "share": None}], "csv")
    topic,share
    0,0.25
    1,
    """
    if form == "json":
        lines = json_lines(_columns(rows)).replace("}\n{", "},\n{")
        click.echo(f"[\n{lines}]")
    elif form == "csv":
        print_csv(_columns(rows), header=bool(rows))
    elif form == "markdown":
        click.echo(_markdown(rows), nl=False)
    elif rows:
        _print_table(rows)


def show_facts(facts: Row, form: str) -> None:
    """Print names and values: below each other in a table, one object in JSON.

    Examples
    --------
    >>> show_facts({"documents": 1200, "purity": 0.5}, "table")
    documents  1,200
    purity     0.500
    """
    if form == "json":
        plain = dict(zip(facts, _finite(list(facts.values())), strict=True))
        click.echo(json.dumps(plain, ensure_ascii=False, indent=2))
    elif form == "table":
        width = max(map(len, facts), default=0)
        for name, value in facts.items():
            click.echo(f"{name:<{width}}  {shown(name, value)}")
    else:
        show([facts], form)


def status(text: str, visible: bool = True) -> AbstractContextManager[Any]:
    """Show what is being done while it is, on a terminal only.

    Examples
    --------
    >>> with status("fitting"):
    ...     pass
    """
    if not (visible and sys.stderr.isatty()):
        return nullcontext()
    from rich.console import Console

    return Console(stderr=True, markup=False).status(text)


def as_rows(columns: Columns) -> list[Row]:
    """Return the rows of a table.

    Examples
    --------
    >>> as_rows({"word": ["sun", "sea"], "topic": [0, 1]})[1]
    {'word': 'sea', 'topic': 1}
    """
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def print_csv(columns: Columns, header: bool = True) -> None:
    """Print a table as it is, also what looks like colours, which click would leave out.

    Examples
    --------
    >>> print_csv({"topic": [7]})
    topic
    7
    """
    click.echo(csv_text(columns, header), nl=False, color=True)


def csv_text(columns: Columns, header: bool = True) -> str:
    r"""Return a table as lines of CSV.

    Examples
    --------
    >>> csv_text({"word": ["a,b"], "count": [2]})
    'word,count\n"a,b",2\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if header:
        writer.writerow(columns)
    writer.writerows(zip(*map(_finite, columns.values()), strict=True))
    return text.getvalue()


def json_lines(columns: Columns) -> str:
    r"""Return a table as lines of JSON.

    Examples
    --------
    >>> json_lines({"word": ["a"], "share": [float("nan")]})
    '{"word": "a", "share": null}\n'
    """
    rows = as_rows({name: _finite(values) for name, values in columns.items()})
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def shown(name: str, value: Any) -> str:
    """Return a value as people read it.

    Examples
    --------
    >>> shown("share", 0.125), shown("tokens", 12345), shown("npmi", 0.1234567), shown("nmi", None)
    ('12.5%', '12,345', '0.123', '-')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in str(value))
    if isinstance(value, int):
        return f"{value:,}"
    if name == "share":
        return f"{value:.1%}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3f}"


def _finite(values: Sequence[Any]) -> list[Any]:
    """Return None for NaN and infinity, which JSON does not know and CSV shows as an empty cell."""
    return [None if isinstance(value, float) and not math.isfinite(value) else value for value in values]


def _columns(rows: Sequence[Row]) -> Columns:
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}


def _markdown(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    lines = [list(rows[0]), ["---:" if _is_number(rows, name) else "---" for name in rows[0]]]
    lines += [[shown(name, value).replace("|", "\\|") for name, value in row.items()] for row in rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def _print_table(rows: Sequence[Row]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for name in rows[0]:
        table.add_column(name, justify="right" if _is_number(rows, name) else "left", overflow="fold")
    for row in rows:
        table.add_row(*(shown(name, value) for name, value in row.items()))
    console = Console(markup=False, emoji=False, highlight=False)  # words may look like markup, or emoji, of rich's
    with console.capture() as capture:
        console.print(table)
    lines = [line.rstrip() for line in capture.get().split("\n")]
    click.echo("\n".join(line for line in lines if line))


def _is_number(rows: Sequence[Row], name: str) -> bool:
    return all(isinstance(row[name], int | float | None) for row in rows)
