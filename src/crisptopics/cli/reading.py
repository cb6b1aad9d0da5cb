"""How commands read INPUT: the options of `read_corpus`, and what it tells of rows, words and tokens."""

from __future__ import annotations

import functools
import re
import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from crisptopics.cli.options import Range, option
from crisptopics.errors import CorpusError, CrispTopicsError

if TYPE_CHECKING:
    from crisptopics.corpus import Corpus
    from crisptopics.estimator import CrispTopics

INPUT_HELP = """
    INPUT is a .csv, .tsv, .json, .jsonl or .parquet file with a column of texts, a folder of .txt files, a file with a
    document a line, or "-" for standard input; or counts: UCI docword, Matrix Market, LDA-C, svmlight or .npz. It may
    be compressed: .gz, .xz, .zst, .bz2 or .zip.
"""
FORMATS = (
    "csv", "tsv", "json", "jsonl", "parquet", "lines", "text", "uci", "ldac", "svmlight", "mtx", "npz",
)  # fmt: skip
OPTIONS = {"format": "--input-format"}  # the others are called like the keyword


class Column(click.ParamType[str | int]):
    """The name of a column, or its number from 0 where the file has no header."""

    name = "COLUMN"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | int:  # noqa: ARG002
        """Return a number for digits."""
        return int(value) if isinstance(value, str) and value.isdecimal() else value


class Split(click.ParamType[str | int]):
    """Where documents are cut."""

    name = "paragraph|WORDS"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        """Show what is accepted."""
        return self.name

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str | int:
        """Return "paragraph" or a number of words."""
        if value == "paragraph":
            return value
        if not value.isdecimal() or int(value) < 1:
            self.fail(f"{value!r} is not accepted; give paragraph, or a number of words.", param, ctx)
        return int(value)


_option = functools.partial(option, heading="Reading INPUT")
SOURCE_OPTIONS = (
    _option("--text", type=Column(), help="Column of the texts.  [default: guessed]"),
    _option("--label", type=Column(), help="Column of labels to compare topics with.  [default: guessed]"),
    _option("--id", type=Column(), help="Column of the documents' names.  [default: guessed]"),
    _option("--date", type=Column(), help="Column of dates.  [default: guessed]"),
    _option(
        "--input-format",
        "format",
        metavar="FORMAT",
        type=click.Choice(FORMATS),
        help=f"One of {', '.join(FORMATS)}.  [default: guessed]",
    ),
    _option("--encoding", metavar="NAME", default="utf-8", show_default=True, help="Encoding of texts."),
    _option("--split", type=Split(), help="Cut documents at empty lines, or into parts of so many words."),
    _option(
        "--max-bad-rows",
        metavar="N",
        type=click.IntRange(0),
        help="Bad rows to leave out before giving up.  [default: 0.1 %]",
    ),
)
WORD_OPTIONS = (
    _option(
        "--min-documents",
        metavar="N",
        type=click.IntRange(1),
        help="Leave out words in fewer documents.  [default: 1 to 10, as the documents are few or many]",
    ),
    _option(
        "--max-share",
        metavar="SHARE",
        type=Range(0, 1, min_open=True),
        help="Leave out words in more than this share of the documents.  [default: about 0.1]",
    ),
    _option(
        "--stop-words",
        metavar="LANGUAGE|FILE",
        help="Leave out these too: a language such as en, or a file with a word a line.",
    ),
    _option(
        "--language",
        metavar="CODE",
        help="Language of the texts, such as en; needed by --lemmas, and by zh, ja and th.",
    ),
    _option("--lemmas", is_flag=True, help="Count inflected words as their dictionary form."),
    _option("--phrases", is_flag=True, help='Join words that belong together, such as "new_york".'),
)
SOURCE_NAMES = ("text", "label", "id", "date", "format", "encoding", "split", "max_bad_rows")
WORD_NAMES = ("min_documents", "max_share", "stop_words", "language", "lemmas", "phrases")


def source_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say what INPUT is; it gets them as `read`."""
    return _collect(function, SOURCE_OPTIONS, SOURCE_NAMES)


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command also the options that say what its words are."""
    return _collect(function, SOURCE_OPTIONS + WORD_OPTIONS, SOURCE_NAMES + WORD_NAMES)


def _collect(
    function: Callable[..., Any], options: Sequence[Callable[..., Any]], names: Sequence[str]
) -> Callable[..., Any]:
    @functools.wraps(function)
    def collected(**parameters: Any) -> Any:
        read = {name: parameters.pop(name) for name in names}
        return function(read=read, **parameters)

    collected.__doc__ = f"{function.__doc__}\n{INPUT_HELP}"
    for add in reversed(options):
        collected = add(collected)
    return collected


def read_input(
    source: str, jobs: int | None = None, keep_texts: bool = False, tell_bad_rows: bool = True, **read: Any
) -> Corpus:
    """Read documents, and choose their words; rows that cannot be read are told, unless a summary does that."""
    from crisptopics.read.corpus import read_corpus
    from crisptopics.read.words import Words

    try:
        choices = {name: value for name in WORD_NAMES if (value := read.pop(name, None))}
        words = Words(**choices) if choices else None  # counts keep all their words unless asked
        corpus = read_corpus(source, words=words, n_jobs=jobs or -1, keep_texts=keep_texts, **read)
    except CorpusError as error:
        raise CorpusError(in_options(str(error))) from error
    if tell_bad_rows:
        _tell_bad_rows(corpus)
    return corpus


def _tell_bad_rows(corpus: Corpus) -> None:
    from crisptopics.cli.summary import bad_rows, reading_facts

    facts = reading_facts(corpus)
    if facts["rows"]["bad"]:
        click.echo(f"crisptopics: rows that cannot be read: {bad_rows(facts)}", err=True)


def check_topics(most: int | str | list[int], corpus: Corpus, source: str) -> None:
    """Refuse more topics than tokens, by the option's name."""
    largest = max(most) if isinstance(most, list) else most
    if isinstance(largest, int) and largest > corpus.n_tokens:
        raise CorpusError(
            f"-k {largest} is more than the {corpus.n_tokens} tokens of {source!r}; ask for fewer topics or pass more"
            " documents"
        )


def check_model(model: CrispTopics) -> None:
    """Refuse what no fit accepts as a mistake of the user's."""
    from crisptopics.parameters import check_parameters

    try:
        check_parameters(model.get_params())
    except ValueError as error:
        raise CrispTopicsError(str(error)) from error


def command_of(source: str, read: dict[str, Any]) -> str:
    """Return how a command names the same documents again.

    Examples
    --------
    >>> command_of("my reviews.csv", {"text": "review", "encoding": "utf-8", "split": None})
    "'my reviews.csv' --text review"
    """
    options = [
        f"{OPTIONS.get(name) or '--' + name.replace('_', '-')} {shlex.quote(str(read[name]))}"
        for name in SOURCE_NAMES
        if read.get(name) not in (None, "utf-8")
    ]
    return " ".join([shlex.quote(source), *options])


def read_like(model: CrispTopics, source: str, keep_texts: bool = False, **read: Any) -> Corpus:
    """Read documents just as those of the model were."""
    from crisptopics.read.corpus import read_corpus

    try:
        recipe = model.recipe_ or _recipe_of_names(model)
        corpus = read_corpus(source, recipe=recipe, n_jobs=model.n_jobs or -1, keep_texts=keep_texts, **read)
    except CorpusError as error:
        raise CorpusError(in_options(str(error))) from error
    _tell_bad_rows(corpus)
    if corpus.n_words != model.n_features_in_:
        raise CorpusError(
            f"{source!r} has {corpus.n_words:,} words and the model {model.n_features_in_:,}; pass documents with the"
            " columns of those that it was fitted to"
        )
    return corpus


def _recipe_of_names(model: CrispTopics) -> Any:
    """Return how to read texts for a model that was fitted to counts with words; None where these have no names."""
    from crisptopics.read.recipe import Recipe

    names = getattr(model, "feature_names_in_", None)
    return None if names is None else Recipe("words", None, tuple(names)).to_json()


def in_options(message: str) -> str:
    """Return a message of `read_corpus` with the command's options where it names keywords.

    Examples
    --------
    >>> in_options("b.csv is not UTF-8; pass encoding='cp1252' or raise max_bad_rows")
    'b.csv is not UTF-8; pass --encoding cp1252 or raise --max-bad-rows'
    """
    names = "|".join([*SOURCE_NAMES, *WORD_NAMES])

    def named(match: re.Match[str]) -> str:
        name, quoted, plain = match.groups()
        return f"{OPTIONS.get(name) or '--' + name.replace('_', '-')} {quoted or plain}"

    message = re.sub(rf"(?:\bWords\()?\b({names})=(?:'([^']*)'|([^\s,;)]+))\)?", named, message)
    bare = "|".join(name for name in (*SOURCE_NAMES, *WORD_NAMES) if "_" in name)
    return re.sub(rf"\b({bare})\b", lambda match: "--" + match[1].replace("_", "-"), message)
