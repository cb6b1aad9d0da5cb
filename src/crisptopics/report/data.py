"""Everything that a report shows, as a plain dictionary: the JSON export, and all that the page is made of."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from crisptopics.metrics import diversity
from crisptopics.parameters import check_whole
from crisptopics.report.documents import document_records, sample_documents, typical_documents
from crisptopics.report.layout import topic_map
from crisptopics.report.study import Study
from crisptopics.report.topics import overlaps, topic_records
from crisptopics.report.trends import topics_by_label, topics_over_time

FORMAT = 1
DUPLICATE = 5  # of ten top words in common make two topics near-equal
MAX_DOCUMENTS = 100_000


def report_data(model: Any, corpus: Any, *, title: str = "Topics", n_documents: int = 1000) -> dict[str, Any]:
    """Gather what a report shows, as plain JSON values.

    Parameters
    ----------
    model
        A fitted `CrispTopics`.
    corpus
        Documents with the columns of the training matrix, usually those of the fit. A `Corpus` with details (texts,
        dates, labels) shows more than bare counts.
    title
        What the report is about.
    n_documents
        Most documents to show: those typical of a topic, then every so many-th one. The figures are of all documents.

    Returns
    -------
    A dictionary with the keys format, title, fit, corpus, reading, quality, topics, documents, time, labels, choice.

    Examples
    --------
    >>> from crisptopics import Corpus, CrispTopics
    >>> corpus = Corpus.from_tokens([["rain", "sun"] * 3, ["goal", "team"] * 3])
    >>> data = report_data(CrispTopics(2, penalty=1.0, random_state=0).fit(corpus), corpus)
    >>> data["corpus"]["documents"], len(data["topics"])
    (2, 2)
    """
    check_whole("n_documents", n_documents, 1, MAX_DOCUMENTS)
    study = Study.of(model, corpus)
    details = study.corpus.details
    reading = getattr(details, "reading", None) or getattr(model, "reading_", None)
    topics = topic_records(study)
    _place(study, topics)
    typical = typical_documents(study, n_documents)
    shown = sample_documents(study, typical, n_documents)
    held = set(shown.tolist())
    for topic, rows in zip(topics, typical, strict=True):
        topic["typical"] = [row for row in rows if row in held]
    return {
        "format": FORMAT,
        "title": str(title),
        "fit": _fit(model) | {"tokens": int(study.topic_tokens.sum())},
        "corpus": _corpus(study),
        "reading": None if reading is None else dict(reading),
        "quality": _quality(model, topics),
        "topics": topics,
        "documents": document_records(study, shown),
        "time": topics_over_time(study, details.dates) if details and details.dates else None,
        "labels": topics_by_label(study, details.labels, details.dates) if details and details.labels else None,
        "choice": [_plain(asdict(candidate)) for candidate in getattr(model, "choice_", None) or ()] or None,
    }


def _place(study: Study, topics: list[dict[str, Any]]) -> None:
    """Give each topic its place on the map; a topic without tokens has none."""
    filled = np.flatnonzero(study.topic_tokens)
    shares = np.array([topics[topic]["share"] for topic in filled])
    places, radii = topic_map(study.affinity[np.ix_(filled, filled)], shares)
    for record in topics:
        record["place"] = None
    for topic, (x, y), radius in zip(filled, places, radii, strict=True):
        topics[topic]["place"] = [round(float(value), 4) for value in (x, y, radius)]


def _fit(model: Any) -> dict[str, Any]:
    history = [_plain(asdict(iteration)) for iteration in model.history_]
    return {
        "n_topics": int(model.n_components_),
        "penalty": float(model.penalty_),
        "penalty_chosen": model.penalty == "auto",
        "topics_chosen": not isinstance(model.n_components, int | np.integer),
        "algorithm": str(model.algorithm),
        "objective": float(model.objective_),
        "stop_reason": str(model.stop_reason_),
        "iterations": int(model.n_iter_),
        "seconds": round(sum(iteration["seconds"] for iteration in history), 2),
        "history": history,
    }


def _corpus(study: Study) -> dict[str, Any]:
    corpus, details = study.corpus, study.corpus.details
    known = study.entry_topics >= 0
    return {
        "documents": len(corpus),
        "words": corpus.n_words,
        "tokens": corpus.n_tokens,
        "empty_documents": int((np.diff(corpus.indptr) == 0).sum()),
        "unknown_tokens": int(corpus.counts[~known].sum(dtype=np.int64)),
        "topics_per_document": round(study.document_tokens.nnz / len(corpus), 3),
        "has_text": details is not None and details.texts is not None,
    }


def _quality(model: Any, topics: list[dict[str, Any]]) -> dict[str, Any]:
    coherence = [topic["coherence"] for topic in topics if topic["coherence"] is not None]
    frequent = [[str(column) for column in columns] for columns in model._top_columns(10)]
    return {
        "coherence": round(float(np.mean(coherence)), 4) if coherence else None,
        "diversity": round(diversity(frequent), 4) if any(frequent) else None,
        "empty_topics": [topic["topic"] for topic in topics if not topic["tokens"]],
        "duplicates": overlaps(model.top_words(10), DUPLICATE),
    }


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Make NumPy's numbers Python's; JSON knows no others, and no NaN."""
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in values.items()}
    unknown = {name for name, value in plain.items() if isinstance(value, float) and not np.isfinite(value)}
    return plain | dict.fromkeys(unknown)
