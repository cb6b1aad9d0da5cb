"""Topics as people meet them: distances between topics, and the worth of their lists of top words."""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from crisptopics.corpus import Corpus
from crisptopics.parameters import check_number

TopWords: TypeAlias = Sequence[Sequence[str]] | Sequence[Sequence[int]] | NDArray[Any]


def topic_l1(found: ArrayLike, true: ArrayLike) -> float:
    r"""Compute the mean L1 distance between topics, each matched with one of the others.

    .. math:: \min_\pi \frac{1}{K} \sum_k \sum_w |\mathrm{found}_{\pi(k) w} - \mathrm{true}_{kw}|

    over the permutations :math:`\pi` (Hungarian matching). It is 0 for the same topics in any order, 2 for topics
    without a common word. Only equal numbers of topics are compared: a matching of the lesser number would reward
    leaving out topics.

    Parameters
    ----------
    found
        Topics, one a row: the probability of each word.
    true
        As many topics over the same words.

    Returns
    -------
    A number from 0 to 2, where the rows sum to 1.

    Examples
    --------
    >>> topic_l1([[0.5, 0.5], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]])
    0.5
    """
    found, true = np.asarray(found, dtype=np.float64), np.asarray(true, dtype=np.float64)
    if found.ndim != 2 or found.shape != true.shape or found.size == 0:
        raise ValueError(
            f"found and true must have the same number of topics and words, got shapes {found.shape} and {true.shape}: "
            "pass two arrays of shape (n_topics, n_words)"
        )
    for name, topics in (("found", found), ("true", true)):
        if not np.isfinite(topics).all():
            place = tuple(np.argwhere(~np.isfinite(topics))[0].tolist())
            raise ValueError(f"{name} must hold finite numbers, got {topics[place]} at {place}: pass probabilities")
    distances = cdist(found, true, metric="cityblock")
    return float(distances[linear_sum_assignment(distances)].mean())


def symmetric_kl(topics: Any, smoothing: float = 0.0) -> float:
    r"""Compute the mean symmetric Kullback-Leibler divergence between two different topics.

    .. math::
        \frac{2}{K (K - 1)} \sum_{k < l} \frac{\mathrm{KL}(p_k \| p_l) + \mathrm{KL}(p_l \| p_k)}{2}, \quad
        p_{kw} = \frac{n_{kw} + s}{\sum_v (n_{kv} + s)}

    The two directions are averaged, not added; so this is also the mean of KL over all ordered pairs of topics. It is
    computed as the mean divergence from the topics' geometric mean times K / (K - 1), which takes K V steps.

    Parameters
    ----------
    topics
        Counts or probabilities of words, one topic a row, dense or sparse.
    smoothing
        The s that is added to each before rows are made to sum to 1. Without it, a word that some topics have and
        others lack makes the divergence infinite.

    Returns
    -------
    A number of at least 0, in nats.

    Examples
    --------
    >>> from crisptopics.metrics import symmetric_kl
    >>> print(round(symmetric_kl([[3, 1], [1, 3]]), 6))
    0.549306
    """
    check_number("smoothing", smoothing, 0.0, 1e6)
    rows = topic_rows("topics", topics).toarray() + smoothing
    if len(rows) < 2:
        raise ValueError("topics must be at least two, got 1 row: a distance needs another topic, fit with more topics")
    totals = rows.sum(axis=1, keepdims=True)
    if not totals.all():
        raise ValueError(
            f"topics must have words, got only zeros in row {int(np.argmin(totals))}: drop it or pass smoothing above 0"
        )
    shares = (rows / totals)[:, rows.any(axis=0)]
    if not shares.all():
        return float("inf")
    logs = np.log(shares)
    from_mean = float((shares * (logs - logs.mean(axis=0))).sum())
    return max(from_mean, 0.0) / (len(rows) - 1)


@overload
def npmi(top_words: TopWords, corpus: Any, per_topic: Literal[False] = False) -> float: ...


@overload
def npmi(top_words: TopWords, corpus: Any, per_topic: Literal[True]) -> NDArray[np.float64]: ...


def npmi(top_words: TopWords, corpus: Any, per_topic: bool = False) -> float | NDArray[np.float64]:
    r"""Compute how often the top words of a topic meet in documents: normalised pointwise mutual information.

    .. math::
        \mathrm{NPMI}(a, b) = \frac{\log \frac{p(a, b)}{p(a) p(b)}}{-\log p(a, b)}

    where p(a) is the share of the reference documents that have word a, and p(a, b) of those that have both. A topic
    scores the mean over its pairs of words, a model the mean over its topics. Nothing is smoothed: a pair that never
    meets scores -1, one that is in every document 1. Words that no document of the reference has say nothing: their
    pairs are skipped, and topics without a pair left score NaN and are skipped in turn.

    Parameters
    ----------
    top_words
        The top words of each topic: words of the corpus's vocabulary, or numbers of its columns.
    corpus
        Reference documents: anything `Corpus.from_counts` accepts; the training documents or, better, others.
    per_topic
        Return one score for each topic.

    Returns
    -------
    A number from -1 to 1, NaN if no pair of words is in the reference; or an array of such numbers.

    Examples
    --------
    >>> from crisptopics.metrics import npmi
    >>> npmi([[0, 1]], [[1, 1, 0], [2, 1, 0], [0, 0, 1]])
    1.0
    """
    corpus = Corpus.from_counts(corpus)
    columns = _columns(_word_lists("top_words", top_words), corpus)
    if not corpus.n_documents:
        raise ValueError(f"corpus must have documents to find words in, got {corpus!r}: pass a reference corpus")
    occurs = corpus.counts_matrix().astype(np.bool_).astype(np.int64).tocsc()
    scores = np.array([_mean_npmi(occurs[:, topic]) for topic in columns])
    if per_topic:
        return scores
    known = scores[~np.isnan(scores)]
    return float(known.mean()) if known.size else float("nan")


def diversity(top_words: TopWords) -> float:
    r"""Compute the share of different words among the top words of all topics.

    .. math:: \frac{|\bigcup_k T_k|}{\sum_k |T_k|}

    where :math:`T_k` are the top words of topic k. It is 1 where no two topics share a top word, 1 / K where all have
    the same (Dieng, Ruiz and Blei 2020).

    Parameters
    ----------
    top_words
        The top words of each topic, as words or numbers.

    Returns
    -------
    A number above 0, at most 1.

    Examples
    --------
    >>> from crisptopics.metrics import diversity
    >>> diversity([["rain", "sun"], ["sun", "goal"]])
    0.75
    """
    topics = _word_lists("top_words", top_words)
    n_words = sum(map(len, topics))
    if not n_words:
        raise ValueError(f"top_words must hold words, got {len(topics)} empty topics: pass the top words of each topic")
    return len(set().union(*topics)) / n_words


def stability(top_words_a: TopWords, top_words_b: TopWords) -> float:
    r"""Compute how alike the top words of two fits are, each topic matched with one of the other fit.

    .. math::
        \max_\pi \frac{1}{K} \sum_k J(A_k, B_{\pi(k)}), \quad J(A, B) = \frac{|A \cap B|}{|A \cup B|}

    over the permutations :math:`\pi` (Hungarian matching), with Jaccard's index J of two sets of top words, 1 for two
    empty ones. For fits that differ by the seed only it tells how far the topics can be trusted; for tokens' topics
    see `variation_of_information`.

    Parameters
    ----------
    top_words_a
        The top words of each topic of one fit, as words or numbers.
    top_words_b
        Those of as many topics of another fit.

    Returns
    -------
    A number from 0 to 1.

    Examples
    --------
    >>> from crisptopics.metrics import stability
    >>> stability([["rain", "sun"], ["goal"]], [["goal"], ["rain", "snow", "sun"]])
    0.8333333333333333
    """
    a, b = _word_lists("top_words_a", top_words_a), _word_lists("top_words_b", top_words_b)
    if len(a) != len(b):
        raise ValueError(
            f"top_words_a and top_words_b must have equally many topics, got {len(a)} and {len(b)}: compare two fits "
            "with the same n_components"
        )
    codes: dict[Any, int] = {}
    sets_a, sets_b = (_indicators(topics, codes) for topics in (a, b))
    # Those of a came first and have as many columns as were known by then.
    common = (sets_a @ sets_b[:, : sets_a.shape[1]].T).toarray()
    union = np.add.outer(sets_a.sum(axis=1), sets_b.sum(axis=1)) - common
    jaccard = np.where(union > 0, common / np.maximum(union, 1), 1.0)
    return float(jaccard[linear_sum_assignment(jaccard, maximize=True)].mean())


def topic_rows(name: str, topics: Any) -> sparse.csr_array:
    """Give topics as rows of non-negative numbers without stored zeros, checked.

    Examples
    --------
    >>> topic_rows("topics", [[3, 0], [1, 2]]).nnz
    3
    """
    rows = topics if sparse.issparse(topics) else np.asarray(topics)
    if rows.ndim != 2 or 0 in rows.shape or rows.dtype.kind not in "biuf":
        raise ValueError(
            f"{name} must be a table of numbers, got {rows.dtype} of shape {rows.shape}: "
            "pass an array of shape (n_topics, n_words)"
        )
    table = sparse.csr_array(rows, copy=True)
    table.sum_duplicates()
    table.eliminate_zeros()
    good = np.isfinite(table.data) & (table.data >= 0)
    if not good.all():
        entry = int(np.argmin(good))
        place = int(np.searchsorted(table.indptr, entry, side="right")) - 1, int(table.indices[entry])
        raise ValueError(
            f"{name} must hold finite numbers of at least 0, got {table.data[entry]} at {place}: "
            "pass counts or probabilities of words"
        )
    return table


def _word_lists(name: str, top_words: TopWords) -> list[list[Any]]:
    """Check that there is a list of words, or of column numbers, for each topic."""
    given = top_words if np.iterable(top_words) else []
    topics = [None if isinstance(topic, str) or not np.iterable(topic) else list(topic) for topic in given]
    if not topics or None in topics:
        raise ValueError(
            f"{name} must be a list of words for each topic, got {top_words!r:.60}: pass for example "
            "[['rain', 'sun'], ['goal', 'team']]"
        )
    lists = [topic for topic in topics if topic is not None]
    for number, topic in enumerate(lists):
        for word in topic:
            if not isinstance(word, str | numbers.Integral) or isinstance(word, bool):
                raise ValueError(
                    f"{name} must hold words or column numbers, got {word!r:.60} in topic {number}: pass strings or "
                    "whole numbers"
                )
        if len(set(topic)) < len(topic):
            raise ValueError(
                f"{name} must name a word once in a topic, got {topic!r:.60} for topic {number}: leave out repeats"
            )
    return lists


def _columns(topics: list[list[Any]], corpus: Corpus) -> list[list[int]]:
    """Give the columns of words; words that are not in the vocabulary are left out."""
    words = set(itertools.chain.from_iterable(topics))
    named = any(isinstance(word, str) for word in words)
    if named and corpus.vocabulary is None:
        raise ValueError(
            f"top_words are words, but corpus has no vocabulary, got {corpus!r}: pass column numbers, or a Corpus with "
            "its vocabulary"
        )
    columns = {word: int(word) for word in words if not isinstance(word, str)}
    outside = [column for column in columns.values() if not 0 <= column < corpus.n_words]
    if outside:
        raise ValueError(
            f"top_words must be columns from 0 to {corpus.n_words - 1}, got {min(outside)}: pass the corpus with the "
            "columns of the model, or words"
        )
    columns |= {word: column for column, word in enumerate(corpus.vocabulary or ())} if named else {}
    return [[columns[word] for word in topic if word in columns] for topic in topics]


def _mean_npmi(occurs: sparse.csc_array) -> float:
    """Average over the pairs of columns that occur at all; NaN if there is none."""
    n_documents, joint = occurs.shape[0], (occurs.T @ occurs).toarray().astype(np.float64)
    joint = joint[np.ix_(joint.diagonal() > 0, joint.diagonal() > 0)]
    first, second = np.triu_indices(len(joint), k=1)
    if not first.size:
        return float("nan")
    both, chance = joint[first, second], joint.diagonal()[first] * joint.diagonal()[second]
    scores = np.where(both > 0, 1.0, -1.0)
    usual = (both > 0) & (both < n_documents)
    # In counts, not shares: words that only occur together then score exactly 1.
    scores[usual] = np.log(both[usual] * n_documents / chance[usual]) / np.log(n_documents / both[usual])
    return float(scores.mean())


def _indicators(topics: list[list[Any]], codes: dict[Any, int]) -> sparse.csr_array:
    """Give a row for each topic with ones at its words; new words get the next column."""
    columns = [codes.setdefault(word, len(codes)) for topic in topics for word in topic]
    offsets = np.cumsum([0, *map(len, topics)])
    return sparse.csr_array((np.ones(len(columns), np.int64), columns, offsets), shape=(len(topics), len(codes)))
