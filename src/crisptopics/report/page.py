"""From the dictionary to one HTML file that needs nothing else: no network, and no script but those inside it."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeAlias

from crisptopics.report.data import report_data
from crisptopics.save import write_atomically

Format: TypeAlias = Literal["html", "json"]

LIBRARIES = ("vega.min.js", "vega-lite.min.js", "vega-embed.min.js")
SCRIPTS = ("tables.js", "charts.js", "documents.js", "page.js")  # one script: they share a scope
TABLE_TOPICS = 100  # rows of the tables over periods and labels
TABLE_DOCUMENTS = 200  # rows of the table of documents that stands in when no script runs


def write_report(
    model: Any,
    corpus: Any,
    path: str | os.PathLike[str],
    *,
    title: str = "Topics",
    n_documents: int = 1000,
    format: Format = "html",  # noqa: A002 - the word that everybody looks for
) -> None:
    """Write a report of a fitted model and documents to a file, which appears whole or not at all.

    Parameters
    ----------
    model
        A fitted `CrispTopics`.
    corpus
        Documents with the columns of the training matrix, usually those of the fit.
    path
        The file.
    title
        What the report is about.
    n_documents
        Most documents to show.
    format
        "html" for a page, "json" for the dictionary of `report_data`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from crisptopics import Corpus, CrispTopics
    >>> corpus = Corpus.from_tokens([["rain", "sun"] * 3, ["goal", "team"] * 3])
    >>> model = CrispTopics(2, penalty=1.0, random_state=0).fit(corpus)
    >>> with TemporaryDirectory() as folder:
    ...     write_report(model, corpus, f"{folder}/report.html", title="Rain and goals")
    """
    if format not in ("html", "json"):
        raise ValueError(f"format must be 'html' or 'json'; received {format!r}; choose one of them")
    data = report_data(model, corpus, title=title, n_documents=n_documents)
    text = render(data) if format == "html" else json.dumps(data, ensure_ascii=False, allow_nan=False) + "\n"
    content = text.encode("utf-8", "replace")  # half a surrogate pair in a text becomes a question mark
    write_atomically(path, lambda file: file.write(content))


def render(data: dict[str, Any]) -> str:
    """Make the page of a dictionary as `report_data` gives it.

    Examples
    --------
    >>> from crisptopics import Corpus, CrispTopics
    >>> corpus = Corpus.from_tokens([["rain", "sun"] * 3, ["goal", "team"] * 3])
    >>> render(report_data(CrispTopics(2, penalty=1.0, random_state=0).fit(corpus), corpus))[:15]
    '<!doctype html>'
    """
    from crisptopics import __version__

    scripts, style = _scripts(), _read("page.css")
    page: str = _template().render(
        data=data,
        style=style,
        scripts=scripts,
        script_hashes=[_hash(script) for script in scripts],
        style_hashes=[_hash(style)],
        reading=_lines(data["reading"] or {}),
        left_out=_left_out(data),
        missing=_missing(data),
        largest=_largest(data["topics"]),
        table_documents=TABLE_DOCUMENTS,
        version=__version__,
    )
    return page


def _lines(values: Mapping[str, Any], name: str = "") -> list[tuple[str, str]]:
    """Make lines of nested values: {"rows": {"in": 9, "bad": 1}} is the line "rows", "in 9, bad 1"."""
    plain = {key: _said(value) for key, value in values.items() if not isinstance(value, Mapping)}
    plain = {key.replace("_", " "): said for key, said in plain.items() if said}
    lines = list(plain.items())
    if name and plain:
        lines = [(name, " · ".join(f"{key} {said}" for key, said in plain.items()))]
    for key, value in values.items():
        if isinstance(value, Mapping):
            lines += _lines(value, f"{name} {key}".strip().replace("_", " "))
    return lines


def _said(value: Any) -> str:
    """Write a number, a text or a list of them in words; an absent or empty one is the empty string."""
    if isinstance(value, Mapping):
        return ", ".join(_said(part) for part in value.values())
    if isinstance(value, list | tuple):
        return ("; " if any(isinstance(part, Mapping) for part in value) else ", ").join(map(_said, value))
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value).lower()


def _left_out(data: dict[str, Any]) -> list[tuple[str, int]]:
    """Name what the figures do not count, with numbers."""
    return [
        ("documents without a word", data["corpus"]["empty_documents"]),
        ("words that the model does not know", data["corpus"]["unknown_tokens"]),
        ("documents without a date", (data["time"] or {}).get("undated", 0)),
        ("documents without a label", (data["labels"] or {}).get("unlabelled", 0)),
    ]


def _missing(data: dict[str, Any]) -> list[str]:
    """Name the parts that this report does not have."""
    parts = {
        "texts": data["corpus"]["has_text"],
        "dates": data["time"],
        "labels": data["labels"],
        "a search for penalty and number of topics": data["choice"],
        "how the documents were read": data["reading"],
    }
    return [name for name, part in parts.items() if not part]


def _largest(topics: list[dict[str, Any]]) -> list[int]:
    """Give the topics of the wide tables, in their own order."""
    by_size = sorted(range(len(topics)), key=lambda topic: (-topics[topic]["tokens"], topic))
    return sorted(by_size[:TABLE_TOPICS])


@cache
def _scripts() -> tuple[str, ...]:
    """Give the page's scripts in the order in which they run; the first one before anything is drawn."""
    own = "".join(_read(name) for name in SCRIPTS)
    return (
        _read("early.js"),
        *(_read(f"vendor/{name}") for name in LIBRARIES),
        f'(function () {{\n"use strict";\n{own}}})();\n',
    )


def _hash(content: str) -> str:
    """Give what a content-security policy knows an inline script or style by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


@cache
def _read(name: str) -> str:
    return resources.files("crisptopics.report").joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.policies["json.dumps_function"] = _json
    environment.filters |= {"thousands": lambda number: f"{number:,}", "percent": lambda share: f"{100 * share:.2f}"}
    return environment.from_string(_read("template.html"))


def _json(value: Any, **_: Any) -> str:
    """Write JSON in which no line separator breaks a script; `tojson` escapes <, > and & in it."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
