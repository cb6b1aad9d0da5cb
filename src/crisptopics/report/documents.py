"""The documents that a report shows: which they are, and their words with their topics."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics.report.study import Study

TYPICAL = 5  # documents of each topic, fewer where that would fill the sample
CHARACTERS = 600_000  # of text in all, of which each topic takes the room of some
CHARACTERS_PER_TOPIC = 400
CHARACTERS_PER_WORD = 10  # a word of a document without text takes the room of so many


def typical_documents(study: Study, limit: int) -> list[list[int]]:
    """Find for each topic the documents that have most of it: the most tokens times their share of the document.

    Parameters
    ----------
    study
        Topics and documents.
    limit
        Number of documents that all topics may name together.

    Examples
    --------
    >>> from crisptopics import Corpus, CrispTopics
    >>> corpus = Corpus.from_tokens([["rain"] * 2, ["rain"] * 4])
    >>> typical_documents(Study.of(CrispTopics(1, penalty=1.0, random_state=0).fit(corpus), corpus), limit=1)
    [[1]]
    """
    wanted = int(np.clip(limit // study.n_topics, 1, TYPICAL))
    tokens = study.document_tokens
    totals = np.repeat(np.asarray(tokens.sum(axis=1)), np.diff(tokens.indptr))
    scores = sparse.csc_array(sparse.csr_array((tokens.data**2 / totals, tokens.indices, tokens.indptr), tokens.shape))
    columns = [slice(*bounds) for bounds in zip(scores.indptr[:-1], scores.indptr[1:], strict=True)]
    return [
        [int(row) for row in scores.indices[part][np.argsort(-scores.data[part], kind="stable")[:wanted]]]
        for part in columns
    ]


def sample_documents(study: Study, typical: list[list[int]], limit: int) -> npt.NDArray[np.int64]:
    """Choose documents: those typical of a topic, and for the rest every so many-th one.

    Examples
    --------
    >>> from crisptopics import Corpus, CrispTopics
    >>> corpus = Corpus.from_tokens([["rain"]] * 10)
    >>> study = Study.of(CrispTopics(1, penalty=1.0, random_state=0).fit(corpus), corpus)
    >>> sample_documents(study, [[7]], limit=4)
    array([0, 4, 7, 9])
    """
    n_documents = len(study.corpus)
    if n_documents <= limit:
        return np.arange(n_documents)
    ranked = [row for rank in range(TYPICAL) for rows in typical for row in rows[rank : rank + 1]]
    chosen = list(dict.fromkeys(ranked))[:limit]
    others = np.setdiff1d(np.arange(n_documents), chosen)
    even = np.linspace(0, len(others) - 1, limit - len(chosen)).astype(np.int64)
    return np.sort(np.concatenate([np.array(chosen, dtype=np.int64), others[even]]))


def document_records(study: Study, rows: npt.NDArray[np.int64]) -> list[dict[str, Any]]:
    """Describe documents: name, label, date, topics, and the text in pieces or, without texts, the words.

    A piece of a text is a string without a topic or a pair of word and topic; a word is (word, count, topic). "more"
    says how many words of a long document are not shown.

    Examples
    --------
    >>> from crisptopics import Corpus, CrispTopics
    >>> corpus = Corpus.from_tokens([["rain", "rain"]], names=["a"])
    >>> study = Study.of(CrispTopics(1, penalty=1.0, random_state=0).fit(corpus), corpus)
    >>> document_records(study, np.array([0]))
    [{'document': 0, 'name': 'a', 'tokens': 2, 'topics': [[0, 2]], 'words': [['rain', 2, 0]]}]
    """
    corpus, details = study.corpus, study.corpus.details
    has_text = details is not None and details.texts is not None
    lengths = [len(details.texts[row]) for row in rows] if has_text else np.diff(corpus.indptr)[rows]  # type: ignore[union-attr,index]
    room = max(CHARACTERS - CHARACTERS_PER_TOPIC * study.n_topics, CHARACTERS // 3)
    cut = _cut(np.asarray(lengths), room if has_text else room // CHARACTERS_PER_WORD)
    totals = np.bincount(study.document_of, weights=corpus.counts, minlength=len(corpus))
    records = []
    for row in rows:
        record: dict[str, Any] = {"document": int(row)}
        if corpus.names is not None:
            record["name"] = corpus.names[row]
        for key, part in (("label", "labels"), ("date", "dates")):
            if details is not None and getattr(details, part) is not None:
                record[key] = getattr(details, part)[row]
        record |= {"tokens": int(totals[row]), "topics": _topics(study, row)}
        record |= _text(study, row, cut) if has_text else _bag(study, row, cut)
        records.append(record)
    return records


def _cut(lengths: npt.NDArray[np.int64], budget: int) -> int:
    """Find the greatest length at which lengths cut to it fit the budget together."""
    ordered = np.sort(lengths)
    before = np.cumsum(ordered) - ordered
    fits = (budget - before) // np.arange(len(ordered), 0, -1)  # if all from this one on were cut
    short = ordered > fits
    return int(fits[np.argmax(short)]) if short.any() else int(ordered[-1])


def _topics(study: Study, row: int) -> list[list[int]]:
    tokens = study.document_tokens
    part = slice(tokens.indptr[row], tokens.indptr[row + 1])
    order = np.argsort(-tokens.data[part], kind="stable")
    pairs = zip(tokens.indices[part][order], tokens.data[part][order], strict=True)
    return [[int(topic), int(count)] for topic, count in pairs]


def _text(study: Study, row: int, cut: int) -> dict[str, Any]:
    """Divide a text into strings and into words with their topics."""
    details = study.corpus.details
    assert details is not None and details.texts is not None  # noqa: PT018 - for the type checker
    text, spans = details.texts[row], details.spans
    shown = text if len(text) <= cut else text[:cut].rsplit(None, 1)[0] + " …"
    pieces: list[Any] = []
    end = 0
    if spans is not None:
        part = slice(spans.indptr[row], spans.indptr[row + 1])
        topics = study.entry_topics[study.corpus.indptr[row] + spans.entries[part]]
        known = (topics >= 0) & (spans.ends[part] <= min(cut, len(shown)))
        for start, stop, topic in zip(
            spans.starts[part][known].tolist(), spans.ends[part][known].tolist(), topics[known].tolist(), strict=True
        ):
            pieces += ([shown[end:start]] if start > end else []) + [[shown[start:stop], topic]]
            end = stop
    return {"text": [*pieces, shown[end:]] if end < len(shown) else pieces}


def _bag(study: Study, row: int, cut: int) -> dict[str, Any]:
    """List the words of a document: by topic, the topic with the most tokens first, then by count."""
    corpus = study.corpus
    part = slice(corpus.indptr[row], corpus.indptr[row + 1])
    words, counts, topics = corpus.words[part], corpus.counts[part], study.entry_topics[part]
    rank = np.full(study.n_topics + 1, study.n_topics)
    for place, (topic, _) in enumerate(_topics(study, row)):
        rank[topic] = place
    order = np.lexsort((words, -counts, rank[topics]))[: max(cut, 1)]
    shown = [[study.words[words[i]], int(counts[i]), int(topics[i])] for i in order]
    return {"words": shown} | ({"more": len(words) - len(shown)} if len(shown) < len(words) else {})
