"""What `fit` says at its end."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from crisptopics.cli.reading import in_options
from crisptopics.cli.show import Row, shown

if TYPE_CHECKING:
    from crisptopics.corpus import Corpus
    from crisptopics.estimator import CrispTopics

REASONS = {
    "stop_words": "stop words",
    "too_long": "too long",
    "too_rare": "in too few documents",
    "too_common": "in too many documents",
}
STOPS = {
    "converged": "converged",
    "max_iter": "all that were allowed",
    "interrupted": "interrupted: the best so far is kept",
}


def reading_facts(corpus: Corpus) -> dict[str, Any]:
    """Return what was read and what was left out, as plain values.

    Examples
    --------
    >>> from crisptopics import Corpus
    >>> reading_facts(Corpus.from_counts([[4, 2, 0], [0, 0, 0]]))["documents_without_words"]
    1
    """
    reading: Any = (corpus.details.reading if corpus.details else None) or {}
    return {
        "documents": len(corpus),
        "documents_without_words": int((corpus.indptr[1:] == corpus.indptr[:-1]).sum()),
        "rows": reading.get("rows", {"in": len(corpus), "used": len(corpus), "bad": 0}),
        "bad_rows": reading.get("bad_rows", []),
        "columns": reading.get("columns", {}),
        "words": {"kept": corpus.n_words, "cut": reading.get("words", {}).get("cut", {})},
        "tokens": {"kept": corpus.n_tokens, "dropped": reading.get("tokens", {}).get("dropped", 0)},
    }


def reading_lines(facts: Row) -> list[tuple[str, str]]:
    """Return what was read and left out as people read it, in lines that fit 80 columns.

    Examples
    --------
    >>> from crisptopics import Corpus
    >>> reading_lines(reading_facts(Corpus.from_counts([[4, 2, 0], [0, 0, 5]])))
    [('documents', '2'), ('words', '3'), ('tokens', '11')]
    """
    words, tokens = facts["words"], facts["tokens"]
    lines = document_lines(facts)
    n_cut = sum(part["number"] for part in words["cut"].values())
    lines.append(("words", _part(words["kept"], words["kept"] + n_cut)))
    for reason, part in words["cut"].items():
        examples = ", ".join(example[:30] for example in part["examples"])
        lines.append(("", shorten(f"{part['number']:,} left out, {REASONS.get(reason, reason)}: {examples}")))
    lines.append(("tokens", _part(tokens["kept"], tokens["kept"] + tokens["dropped"])))
    return lines


def document_lines(facts: Row) -> list[tuple[str, str]]:
    """Return what was read of documents, whatever their words are.

    Examples
    --------
    >>> from crisptopics import Corpus
    >>> document_lines(reading_facts(Corpus.from_counts([[4, 2, 0], [0, 0, 0]])))
    [('documents', '2, 1 of them without a word')]
    """
    rows, without = facts["rows"], facts["documents_without_words"]
    lines = [("documents", f"{facts['documents']:,}" + (f", {without:,} of them without a word" if without else ""))]
    if facts["columns"]:
        columns = ", ".join(_column(part, name) for part, name in facts["columns"].items())
        lines.append(("columns", shorten(columns)))
    if rows["bad"]:
        told = textwrap.wrap(shown("", bad_rows(facts)), 68)
        lines += zip(["bad rows"] + [""] * (len(told) - 1), told, strict=True)
    return lines


def bad_rows(facts: Row) -> str:
    """Say how many rows could not be read, and what is wrong with the first.

    Examples
    --------
    >>> bad = {"file": "a.csv", "line": 3, "reason": "1 field where the header has 2"}
    >>> bad_rows({"rows": {"in": 5, "bad": 1}, "bad_rows": [bad]})
    '1 of 5 left out: a.csv, line 3: 1 field where the header has 2'
    """
    from crisptopics.read.account import describe_bad_row

    rows, first = facts["rows"], facts["bad_rows"][0]
    return in_options(f"{rows['bad']:,} of {rows['in']:,} left out: {describe_bad_row(first)}")


def fit_facts(model: CrispTopics, corpus: Corpus) -> dict[str, Any]:
    """Return what was read, what was left out and what was found, as plain values.

    Examples
    --------
    >>> from crisptopics import Corpus, CrispTopics
    >>> corpus = Corpus.from_counts([[4, 2, 0], [0, 0, 5]])
    >>> fit_facts(CrispTopics(2, penalty=2.0, random_state=0).fit(corpus), corpus)["topics"]
    2
    """
    return reading_facts(corpus) | {
        "topics": model.n_components_,
        "empty_topics": int((model.topic_word_counts_.sum(axis=1) == 0).sum()),
        "topics_per_document": model.history_[-1].topics_per_document,
        "penalty": model.penalty_,
        "candidates": [
            {"topics": one.n_components, "penalty": one.penalty, "icl": one.icl, "completion": one.completion}
            for one in getattr(model, "choice_", None) or []
        ],
        "objective": model.objective_,
        "iterations": model.n_iter_,
        "stop_reason": model.stop_reason_,
    }


def fit_lines(facts: Row, penalty_given: bool) -> list[tuple[str, str]]:
    """Return the facts as people read them, in lines that fit 80 columns.

    Examples
    --------
    >>> from crisptopics import Corpus, CrispTopics
    >>> corpus = Corpus.from_counts([[4, 2, 0], [0, 0, 5]])
    >>> facts = fit_facts(CrispTopics(2, penalty=2.0, random_state=0).fit(corpus), corpus)
    >>> fit_lines(facts, penalty_given=True)[3:5]
    [('topics', '2, 1.00 in a document on average'), ('penalty', '2, as given')]
    """
    lines = []
    tried = sorted({candidate["topics"] for candidate in facts["candidates"]})
    if len(tried) > 1:
        chosen_from = ", ".join(map(str, tried))
        lines.append(("topics", f"{facts['topics']}, chosen from {chosen_from} by held-out words"))
    empty = f", {facts['empty_topics']} of them empty" if facts["empty_topics"] else ""
    use = f"{facts['topics_per_document']:.2f} in a document on average"
    lines.append(("", use + empty) if len(tried) > 1 else ("topics", f"{facts['topics']}{empty}, {use}"))
    chosen = "as given" if penalty_given else "chosen by integrated likelihood"
    lines.append(("penalty", f"{facts['penalty']:.4g}, {chosen}"))
    lines.append(("objective", f"{facts['objective']:,.0f}"))
    stopped = STOPS.get(facts["stop_reason"], facts["stop_reason"])
    lines.append(("iterations", f"{facts['iterations']:,}, {stopped}"))
    return reading_lines(facts) + [(name, shorten(value)) for name, value in lines]


def shorten(text: str, width: int = 68) -> str:
    """Return a text of one line, cut where it is too long.

    Examples
    --------
    >>> shorten("one, two, three, four", 14)
    'one, two ...'
    """
    return textwrap.shorten(shown("", text), width, placeholder=" ...").replace(", ...", " ...")


def _column(part: str, name: str) -> str:
    return part if part == name else f"{part} from {'column ' if name.isdecimal() else ''}{name}"


def _part(kept: int, total: int) -> str:
    return f"{kept:,}" if kept == total else f"{kept:,} of {total:,} ({kept / max(1, total):.1%})"
