"""Each topic of a report: its words, name, neighbours and colour, and what joining it with another would cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import xlogy

from crisptopics.metrics import npmi
from crisptopics.report.study import Study

WORDS_SHOWN = 25  # at each place of the relevance slider; fewer from 400 topics on
WORDS_IN_ALL = 10_000
RELEVANCES = np.linspace(0.0, 1.0, 11)  # the places of the slider
NAME_RELEVANCE = 0.6  # where Sievert and Shirley's readers recognised topics best
NEAREST = 5
PAIRS_AT_ONCE = 256  # of topics that are joined on trial: bounds the memory
PALETTE = 9  # hues in the page's style sheet


def topic_records(study: Study) -> list[dict[str, Any]]:
    """Describe each topic; the list is in the order of the model's own numbers.

    Examples
    --------
    >>> from crisptopics import Corpus, CrispTopics
    >>> corpus = Corpus.from_tokens([["rain", "sun"] * 3, ["goal", "team"] * 3])
    >>> records = topic_records(Study.of(CrispTopics(2, penalty=1.0, random_state=0).fit(corpus), corpus))
    >>> [record["topic"] for record in records]
    [0, 1]
    """
    words = [_words(study, topic) for topic in range(study.n_topics)]
    tokens = np.asarray(study.document_tokens.sum(axis=0))
    shares = tokens / max(1, tokens.sum())
    documents = study.together.diagonal()
    coherence = npmi([columns["frequent"][:10] for columns in words], study.corpus, per_topic=True)
    near = _nearest(study)
    merges = _best_merges(study, near)
    colours, patterns = hues_and_patterns(study)
    return [
        {
            "topic": topic,
            "name": ", ".join(study.words[column] for column in found["name"]),
            "tokens": int(tokens[topic]),
            "share": _round(shares[topic]),
            "documents": int(documents[topic]),
            "document_share": _round(documents[topic] / len(study.corpus)),
            "coherence": None if np.isnan(coherence[topic]) else _round(coherence[topic]),
            "colour": int(colours[topic]),
            "pattern": int(patterns[topic]),
            "words": found["words"],
            "words_total": int(study.topic_tokens[topic]),
            "apart": [study.words[column] for column in found["apart"]],
            "nearest": [[int(other), _round(study.affinity[topic, other])] for other in near[topic]],
            "merge": merges.get(topic),
        }
        for topic, found in enumerate(words)
    ]


def overlaps(top_words: list[list[str]], at_least: int) -> list[dict[str, Any]]:
    """Find the pairs of topics that have many of their top words in common, the most alike first.

    Examples
    --------
    >>> overlaps([["rain", "sun"], ["goal"], ["sun", "rain"]], at_least=2)
    [{'topics': [0, 2], 'words': ['rain', 'sun']}]
    """
    columns: dict[str, int] = {}
    rows = [[columns.setdefault(word, len(columns)) for word in words] for words in top_words]
    ends = np.cumsum([0, *map(len, rows)])
    flat = np.array([column for row in rows for column in row], dtype=np.int64)
    has = sparse.csr_array((np.ones(len(flat), np.int64), flat, ends), shape=(len(rows), len(columns)))
    common = sparse.coo_array(sparse.triu(has @ has.T, k=1))
    pairs = [(-n, int(a), int(b)) for a, b, n in zip(*common.coords, common.data, strict=True) if n >= at_least]
    return [
        {"topics": [a, b], "words": [word for word in top_words[a] if word in set(top_words[b])]}
        for _, a, b in sorted(pairs)
    ]


def hues_and_patterns(study: Study) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Give each topic one of few hues, topics that meet in documents different ones, and a pattern beside it.

    The largest topic chooses first; each takes the hue that is least used by the topics it shares documents with,
    and the pattern says which user of its hue it is.

    Examples
    --------
    >>> from crisptopics import Corpus, CrispTopics
    >>> corpus = Corpus.from_tokens([["rain"] * 2, ["rain"] * 4])
    >>> hues_and_patterns(Study.of(CrispTopics(2, penalty=1.0, random_state=0).fit(corpus), corpus))[1]
    array([0, 0])
    """
    colours = np.full(study.n_topics, -1, dtype=np.int64)
    patterns = np.zeros(study.n_topics, dtype=np.int64)
    users = np.zeros(PALETTE, dtype=np.int64)
    for topic in np.argsort(-study.together.diagonal(), kind="stable"):
        chosen = colours >= 0
        meetings = np.bincount(colours[chosen], weights=study.together[topic, chosen], minlength=PALETTE)
        colour = int(np.lexsort((users, meetings))[0])
        colours[topic], patterns[topic] = colour, users[colour]
        users[colour] += 1
    return colours, patterns


def _words(study: Study, topic: int) -> dict[str, Any]:
    """Find a topic's words that the page shows: at each place of the relevance slider, and those that set it apart."""
    row = slice(study.topic_words.indptr[topic], study.topic_words.indptr[topic + 1])
    columns, tokens = study.topic_words.indices[row], study.topic_words.data[row]
    order = np.argsort(-tokens, kind="stable")  # so that below the more frequent word wins among equals
    columns, tokens = columns[order], tokens[order]
    everywhere = study.word_tokens[columns]
    inside = np.log(tokens / max(1, study.topic_tokens[topic]))
    lift = inside - np.log(everywhere / study.topic_tokens.sum())
    shown = int(np.clip(WORDS_IN_ALL // study.n_topics, 10, WORDS_SHOWN))
    kept = np.zeros(len(columns), dtype=np.bool_)
    for relevance in RELEVANCES:
        kept[np.argsort(-(relevance * inside + (1 - relevance) * lift), kind="stable")[:shown]] = True
    name = np.argsort(-(NAME_RELEVANCE * inside + (1 - NAME_RELEVANCE) * lift), kind="stable")[:3]
    apart = np.argsort(-tokens * lift, kind="stable")[: min(10, shown // 2)]
    return {
        "frequent": [int(column) for column in columns[:10]],
        "name": columns[name],
        "apart": columns[apart[lift[apart] > 0]],
        "words": [
            [study.words[column], int(here), int(all_of_it)]
            for column, here, all_of_it in zip(columns[kept], tokens[kept], everywhere[kept], strict=True)
        ],
    }


def _nearest(study: Study) -> list[npt.NDArray[np.int64]]:
    """Give the topics with the greatest overlap, the nearest first; topics without tokens have and are none."""
    affinity = study.affinity.copy()
    np.fill_diagonal(affinity, -1.0)
    affinity[:, study.topic_tokens == 0] = -1.0
    order = np.argsort(-affinity, axis=1, kind="stable")[:, :NEAREST]
    return [row[affinity[topic, row] > 0] if study.topic_tokens[topic] else row[:0] for topic, row in enumerate(order)]


def _best_merges(study: Study, near: list[npt.NDArray[np.int64]]) -> dict[int, dict[str, Any]]:
    """Find for each topic which of its neighbours it could join at the least rise of the objective.

    Joining a and b changes the objective by cost(a + b) - cost(a) - cost(b) - penalty * (documents that use both),
    where cost is N log N minus the sum of n log n over the words.
    """
    pairs = np.array([(topic, other) for topic, row in enumerate(near) for other in row], dtype=np.int64).reshape(-1, 2)
    if not len(pairs):
        return {}
    entries = _entry_counts(study)
    cost, (first, second) = _costs(entries), pairs.T
    parts = [slice(start, start + PAIRS_AT_ONCE) for start in range(0, len(pairs), PAIRS_AT_ONCE)]
    joined = np.concatenate([_costs(sparse.csr_array(entries[first[part]] + entries[second[part]])) for part in parts])
    change = joined - cost[first] - cost[second] - study.penalty * study.together[first, second]
    best: dict[int, dict[str, Any]] = {}
    for place in np.argsort(change, kind="stable"):
        best.setdefault(int(first[place]), {"topic": int(second[place]), "change": round(float(change[place]), 1)})
    return best


def _entry_counts(study: Study) -> sparse.csr_array:
    """Count the words of each topic as these documents have them: shape (K, V)."""
    known = study.entry_topics >= 0
    places = (study.entry_topics[known], study.corpus.words[known])
    counts = study.corpus.counts[known].astype(np.int64)
    return sparse.csr_array(sparse.coo_array((counts, places), shape=study.topic_words.shape))


def _costs(counts: sparse.csr_array) -> npt.NDArray[np.float64]:
    """Compute N log N minus the sum of n log n for each row."""
    inner = sparse.csr_array((xlogy(counts.data, counts.data), counts.indices, counts.indptr), shape=counts.shape)
    totals = np.asarray(counts.sum(axis=1), dtype=np.float64)
    return np.asarray(xlogy(totals, totals) - inner.sum(axis=1))


def _round(value: float) -> float:
    """Keep four significant digits: a page needs no more, and they weigh less."""
    return float(f"{value:.4g}")
