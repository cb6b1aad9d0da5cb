"""How good an answer is: agreement of token topics, distance between topics, and the paper's objective."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from scipy.special import xlogy

from crisptopics.corpus import Corpus

__all__ = ["adjusted_rand", "nmi", "objective", "topic_l1"]

MAX_SMALL_LABEL = 2**16
MAX_TABLE_CELLS = 2**24
TOKENS_PER_BLOCK = 2**22
MAX_TOPIC = 2**24 - 1  # the objective keeps a number for each topic up to the largest


def nmi(a: ArrayLike, b: ArrayLike, weights: ArrayLike | None = None) -> float:
    r"""Compute the normalised mutual information of two labellings of the same tokens.

    With :math:`n_{ij}` tokens labelled i in `a` and j in `b`, :math:`n_i` and :math:`n_j` their sums and N tokens:

    .. math::
        \mathrm{NMI} = \frac{I(a, b)}{(H(a) + H(b)) / 2}, \quad
        I = \sum_{ij} \frac{n_{ij}}{N} \log \frac{N n_{ij}}{n_i n_j}, \quad
        H(a) = -\sum_i \frac{n_i}{N} \log \frac{n_i}{N}

    It is 1 for labellings that differ by the names of the labels only, 0 for independent ones, and 1 where both have
    one label.

    Parameters
    ----------
    a
        Label of each token.
    b
        Label of each token, in the same order.
    weights
        Number of tokens each label stands for, such as the counts of (document, word) entries; one where None.

    Returns
    -------
    A number from 0 to 1.

    Examples
    --------
    >>> nmi([0, 0, 1, 1], [5, 5, 3, 3])
    1.0
    """
    table = _contingency(a, b, weights)
    # N times the entropies, so that labels of equal sizes give equal bits, and the answers 0 and 1 are exact.
    total = _sum_x_log_x(table.sum())
    in_a, in_b, joint = (total - _sum_x_log_x(sizes) for sizes in (table.sum(axis=1), table.sum(axis=0), table.data))
    if in_a + in_b <= 0.0:
        return 1.0
    return min(max(2.0 * (in_a + in_b - joint) / (in_a + in_b), 0.0), 1.0)


def adjusted_rand(a: ArrayLike, b: ArrayLike, weights: ArrayLike | None = None) -> float:
    r"""Compute the adjusted Rand index of two labellings of the same tokens.

    With :math:`n_{ij}` tokens labelled i in `a` and j in `b`, :math:`n_i` and :math:`n_j` their sums and N tokens, of
    which there are :math:`P = \binom{N}{2}` pairs, and
    :math:`A = \sum_i \binom{n_i}{2}`, :math:`B = \sum_j \binom{n_j}{2}` pairs labelled alike:

    .. math::
        \mathrm{ARI} = \frac{\sum_{ij} \binom{n_{ij}}{2} - A B / P}{(A + B) / 2 - A B / P}

    It is 1 for labellings that differ by the names of the labels only, and 0 on average for independent ones. Pairs
    are counted in integers without limit, so only the last division rounds.

    Parameters
    ----------
    a
        Label of each token.
    b
        Label of each token, in the same order.
    weights
        Number of tokens each label stands for, such as the counts of (document, word) entries; one where None.

    Returns
    -------
    A number from -0.5 to 1.

    Examples
    --------
    >>> adjusted_rand([0, 0, 1, 2], [0, 0, 1, 1])
    0.5714285714285714
    """
    table = _contingency(a, b, weights)
    pairs = math.comb(int(table.sum()), 2)
    both = _pairs_within(table.data)
    in_a, in_b = (_pairs_within(table.sum(axis=axis)) for axis in (1, 0))
    by_chance = in_a * in_b
    if (in_a + in_b) * pairs == 2 * by_chance:
        return 1.0
    return 2 * (both * pairs - by_chance) / ((in_a + in_b) * pairs - 2 * by_chance)


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


def objective(counts: Any, topics: Any, penalty: float, n_topics: int | None = None) -> float:
    r"""Compute the paper's objective, with psi at its best for the given topics.

    .. math::
        \sum_k N_k \log N_k - \sum_{kw} n_{kw} \log n_{kw} + \lambda \sum_d K_d

    where :math:`n_{kw}` tokens of word w are in topic k, :math:`N_k` are their sums, :math:`K_d` is the number of
    topics used in document d and :math:`\lambda` the penalty. It shares no code with what minimises it.

    Parameters
    ----------
    counts
        Documents: anything `Corpus.from_counts` accepts.
    topics
        Topic of each (document, word) entry: a sparse matrix of the structure of `counts` whose data are topics, or
        an array with one topic per entry in the order of ``Corpus.from_counts(counts)``.
    penalty
        Cost of one more topic in a document.
    n_topics
        Number of topics, where a topic beyond it shall be refused.

    Returns
    -------
    The objective in nats.

    Examples
    --------
    >>> import numpy as np
    >>> objective(np.array([[2, 0], [1, 3]]), [0, 0, 1], penalty=10.0)
    30.0
    """
    if not 0.0 <= penalty < math.inf:
        raise ValueError(f"penalty must be a finite number of at least 0, got {penalty!r}: pass a cost such as 10.0")
    corpus = Corpus.from_counts(counts)
    documents = np.repeat(np.arange(corpus.n_documents), np.diff(corpus.indptr))
    topics = _entry_topics(corpus, documents, counts, topics)
    _check_topics(topics, corpus.n_entries, n_topics)
    shape = (int(topics.max(initial=0)) + 1, corpus.n_words)
    tokens = sparse.coo_array((corpus.counts.astype(np.int64), (topics, corpus.words)), shape=shape).tocsr()
    used = sparse.coo_array((np.ones(len(topics), np.bool_), (documents, topics)), shape=(corpus.n_documents, shape[0]))
    totals = tokens.sum(axis=1)
    fit = np.sum(xlogy(totals, totals)) - np.sum(xlogy(tokens.data, tokens.data))
    return float(fit + penalty * used.tocsr().nnz)


def _sum_x_log_x(numbers: ArrayLike) -> float:
    """Sum x log x exactly rounded, so that the order of the labels cannot change a bit."""
    return math.fsum(np.atleast_1d(xlogy(numbers, numbers)))


def _pairs_within(sizes: NDArray[np.int64]) -> int:
    """Count the pairs of tokens that are in one group, in integers without limit."""
    return sum(size * (size - 1) // 2 for size in sizes.tolist())


def _contingency(a: ArrayLike, b: ArrayLike, weights: ArrayLike | None) -> sparse.csr_array:
    """Count the tokens of each pair of labels, labels of `a` in rows; only pairs that occur are stored."""
    labels_a, labels_b = _label_codes("a", a), _label_codes("b", b)
    if len(labels_a) != len(labels_b):
        raise ValueError(
            f"a and b must label the same tokens, got {len(labels_a)} and {len(labels_b)} labels: pass equally many"
        )
    sizes = None if weights is None else _checked_weights(weights, len(labels_a))
    if len(labels_a) == 0 or (sizes is not None and not sizes.any()):
        raise ValueError("a and b label no token: pass at least one label that stands for a token")
    shape = (int(labels_a.max()) + 1, int(labels_b.max()) + 1)
    if shape[0] * shape[1] <= MAX_TABLE_CELLS:
        return sparse.csr_array(_dense_table(labels_a, labels_b, sizes, shape))
    sizes = np.ones(len(labels_a), dtype=np.int64) if sizes is None else sizes
    table = sparse.coo_array((sizes, (labels_a, labels_b)), shape=shape).tocsr()
    table.eliminate_zeros()
    return table


def _label_codes(name: str, labels: ArrayLike) -> NDArray[Any]:
    """Give labels as small integers from 0; labels that already are stay as they are, not copied."""
    labels = np.asarray(labels)
    if labels.ndim != 1:
        raise ValueError(
            f"{name} must be one label per token, got shape {labels.shape}: pass an array of one dimension"
        )
    if labels.dtype.kind in "iu" and labels.size and labels.min() >= 0 and labels.max() < MAX_SMALL_LABEL:
        return labels
    return np.unique(labels, return_inverse=True)[1]


def _checked_weights(weights: ArrayLike, n_labels: int) -> NDArray[np.int64]:
    """Check that there is one number of tokens per label."""
    sizes = np.asarray(weights)
    if sizes.shape != (n_labels,) or sizes.dtype.kind not in "iu":
        raise ValueError(
            f"weights must be one integer per label, shape ({n_labels},), got {sizes.dtype} of shape {sizes.shape}: "
            "pass numbers of tokens"
        )
    if sizes.size and sizes.min() < 0:
        raise ValueError(f"weights must not be negative, got {sizes.min()}: pass numbers of tokens")
    return sizes.astype(np.int64, copy=False)


def _dense_table(
    a: NDArray[Any], b: NDArray[Any], sizes: NDArray[np.int64] | None, shape: tuple[int, int]
) -> NDArray[np.int64]:
    """Count the tokens of each pair of labels, in blocks, as keys of 64 bits need four times the labels' memory."""
    table = np.zeros(shape[0] * shape[1], dtype=np.int64)
    for start in range(0, len(a), TOKENS_PER_BLOCK):
        block = slice(start, start + TOKENS_PER_BLOCK)
        keys = a[block].astype(np.int64) * shape[1] + b[block].astype(np.int64)
        # bincount sums weights in float64, which is exact below 2**53 tokens.
        table += np.bincount(keys, None if sizes is None else sizes[block], minlength=table.size).astype(np.int64)
    return table.reshape(shape)


def _entry_topics(corpus: Corpus, documents: NDArray[np.int64], counts: Any, topics: Any) -> NDArray[Any]:
    """Give the topic of each entry of the corpus."""
    if not sparse.issparse(topics):
        return np.asarray(topics)
    matrix = sparse.csr_array(topics, copy=True)
    matrix.sort_indices()
    shape = (corpus.n_documents, corpus.n_words)
    # Stored zeros and repeats of counts are no entries of a corpus, but have topics in the structure of counts.
    sizes = {corpus.n_entries, getattr(counts, "nnz", corpus.n_entries)}
    keys = documents * corpus.n_words + corpus.words
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    stored_keys = rows * corpus.n_words + matrix.indices
    places = np.searchsorted(stored_keys, keys)
    same_size = matrix.shape == shape and matrix.nnz in sizes
    if not same_size or not np.array_equal(stored_keys[places[places < matrix.nnz]], keys):
        raise ValueError(
            f"topics must have the entries of counts, shape {shape} with {corpus.n_entries} entries, got shape "
            f"{matrix.shape} with {matrix.nnz} entries: pass what assign(counts) returned, with its explicit zeros"
        )
    topics_of_entries: NDArray[Any] = matrix.data[places]
    return topics_of_entries


def _check_topics(topics: NDArray[Any], n_entries: int, n_topics: int | None) -> None:
    """Raise unless there is one topic per entry, and none is beyond the number of topics."""
    if topics.shape != (n_entries,) or topics.dtype.kind not in "iu":
        raise ValueError(
            f"topics must be one integer per entry of counts, shape ({n_entries},), got {topics.dtype} of shape "
            f"{topics.shape}: pass what assign(counts) returned"
        )
    last = MAX_TOPIC if n_topics is None else n_topics - 1
    if topics.size and not 0 <= topics.min() <= topics.max() <= last:
        raise ValueError(
            f"topics must lie from 0 to {last}, got {topics.min()} to {topics.max()}: "
            "give every entry a topic, or pass a larger n_topics"
        )
