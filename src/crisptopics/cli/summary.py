"""What `fit` says at its end."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

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


def fit_facts(model: CrispTopics, corpus: Corpus) -> dict[str, Any]:
    """Return what was read, what was left out and what was found, as plain values.

    Examples
    --------
    >>> from crisptopics import Corpus, CrispTopics
    >>> corpus = Corpus.from_counts([[4, 2, 0], [0, 0, 5]])
    >>> fit_facts(CrispTopics(2, penalty=2.0, random_state=0).fit(corpus), corpus)["topics"]
    2
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
        "topics": model.n_components_,
        "empty_topics": int((model.topic_word_counts_.sum(axis=1) == 0).sum()),
        "topics_per_document": model.history_[-1].topics_per_document,
        "penalty": model.penalty_,
        "candidates": [
            {"topics": one.n_components, "penalty": one.penalty, "icl": one.icl}
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
    rows, words, tokens = facts["rows"], facts["words"], facts["tokens"]
    without = facts["documents_without_words"]
    lines = [("documents", f"{facts['documents']:,}" + (f", {without:,} of them without a word" if without else ""))]
    if facts["columns"]:
        lines.append(("columns", ", ".join(_column(part, name) for part, name in facts["columns"].items())))
    if rows["bad"]:
        lines.append(("bad rows", f"{rows['bad']:,} of {rows['in']:,} left out: {_bad_row(facts['bad_rows'][0])}"))
    n_cut = sum(part["number"] for part in words["cut"].values())
    lines.append(("words", _part(words["kept"], words["kept"] + n_cut)))
    for reason, part in words["cut"].items():
        examples = ", ".join(example[:30] for example in part["examples"])
        lines.append(("", f"{part['number']:,} left out, {REASONS.get(reason, reason)}: {examples}"))
    lines.append(("tokens", _part(tokens["kept"], tokens["kept"] + tokens["dropped"])))
    tried = sorted({candidate["topics"] for candidate in facts["candidates"]})
    if len(tried) > 1:
        chosen_from = ", ".join(map(str, tried))
        lines.append(("topics", f"{facts['topics']}, chosen from {chosen_from} by integrated likelihood"))
    empty = f", {facts['empty_topics']} of them empty" if facts["empty_topics"] else ""
    use = f"{facts['topics_per_document']:.2f} in a document on average"
    lines.append(("", use + empty) if len(tried) > 1 else ("topics", f"{facts['topics']}{empty}, {use}"))
    chosen = "as given" if penalty_given else "chosen by integrated likelihood"
    lines.append(("penalty", f"{facts['penalty']:.4g}, {chosen}"))
    lines.append(("objective", f"{facts['objective']:,.0f}"))
    stopped = STOPS.get(facts["stop_reason"], facts["stop_reason"])
    lines.append(("iterations", f"{facts['iterations']:,}, {stopped}"))
    return [(name, shorten(value)) for name, value in lines]


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


def _bad_row(row: Row) -> str:
    place = ", ".join(f"{key} {value}" for key, value in row.items() if key not in ("file", "reason"))
    return f"{row['file']}, {place}: {row['reason']}"
