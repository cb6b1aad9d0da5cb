"""What several commands share: options, their kinds of values, and help texts that end in examples."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import click

MAX_TOPICS = 65_534


class Option(click.Option):
    """An option that may stand under a heading of its own, and whose range only a refusal tells."""

    def __init__(self, *args: Any, heading: str = "Options", **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.heading = heading

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Return what stands in brackets behind the help."""
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra


option = functools.partial(click.option, cls=Option)


class Command(click.Command):
    """A command whose help ends in examples."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, under headings where they have some."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = None if isinstance(param, click.Argument) else param.get_help_record(ctx)
            if record:
                sections.setdefault(getattr(param, "heading", "Options"), []).append(record)
        for heading in sorted(sections, key="Options".__ne__):
            with formatter.section(heading):
                formatter.write_dl(sections[heading])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 (click's)
        """Write the examples, each on a line of its own."""
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{example}\n")


class Range(click.FloatRange):
    """A range of numbers; NaN, which is in no range, click lets pass."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a number in the range."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


class Numbers(click.ParamType[Any]):
    """Numbers separated by commas, or one of some words."""

    def __init__(self, item: click.ParamType[Any], of: str, words: Sequence[str] = (), several: bool = True) -> None:
        self.item, self.words, self.several = item, words, several
        self.name = "|".join([*words, "N[,N...]" if several else "N"])
        self.accepted = " or ".join([of, *(["several separated by commas"] if several else []), *words])

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:  # noqa: ARG002 (click's)
        """Show the words and the form of the numbers."""
        return self.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a word, a number, or a list of two or more different numbers."""
        if not isinstance(value, str) or value in self.words:
            return value
        parts = value.split(",") if self.several else [value]
        try:
            numbers = list(dict.fromkeys(self.item.convert(part.strip(), param, ctx) for part in parts))
        except click.BadParameter:
            self.fail(f"{value!r} is not accepted; give {self.accepted}.", param, ctx)
        return numbers[0] if len(numbers) == 1 else numbers


TOPIC_NUMBER = click.IntRange(1, MAX_TOPICS)
PENALTY = functools.partial(Numbers, Range(0.0, 1e12, min_open=True), "a number above 0", ("auto",))
TOPICS = functools.partial(Numbers, TOPIC_NUMBER, f"a whole number from 1 to {MAX_TOPICS}")

model_argument = click.argument("model", type=click.Path())
input_argument = click.argument("source", metavar="INPUT", type=click.Path(allow_dash=True))
quiet_option = option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
jobs_option = option("--jobs", metavar="N", type=click.IntRange(1), help="Processors to use.  [default: all]")
seed_option = option(
    "--seed",
    metavar="N",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    show_default=True,
    help="Seed: equal input, options and seed give equal results on every machine.",
)
