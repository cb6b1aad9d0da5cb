"""Agreement of two labellings of the same items, such as planted and found topics of tokens."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import xlogy

MAX_SMALL_LABEL = 2**16
MAX_TABLE_CELLS = 2**24
TOKENS_PER_BLOCK = 2**22


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
    in_a, in_b, joint, _ = _entropies(_contingency(a, b, weights))
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


def variation_of_information(a: ArrayLike, b: ArrayLike, weights: ArrayLike | None = None) -> float:
    r"""Compute the variation of information between two labellings of the same tokens, in nats.

    .. math:: \mathrm{VI} = H(a) + H(b) - 2 I(a, b) = H(a \mid b) + H(b \mid a)

    with the entropies H and the mutual information I of `nmi`. It is a metric on partitions: 0 for labellings that
    differ by the names of the labels only, at most the logarithm of the number of tokens (Meila 2007).

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
    A number of at least 0, in nats.

    Examples
    --------
    >>> labels = [0, 0, 1, 1]
    >>> variation_of_information(labels, [5, 5, 3, 3])
    0.0
    """
    in_a, in_b, joint, total = _entropies(_contingency(a, b, weights))
    return max(2.0 * joint - (in_a + in_b), 0.0) / total


def purity(labels: ArrayLike, topics: ArrayLike, weights: ArrayLike | None = None) -> float:
    r"""Compute the share of items that bear the most frequent label of their topic.

    .. math:: \mathrm{purity} = \frac{1}{N} \sum_k \max_i n_{ik}

    where :math:`n_{ik}` of the N items have label i and topic k. It is not symmetric, and rises with the number of
    topics: one topic for each item gives 1.

    Parameters
    ----------
    labels
        True label of each item, such as a document's class.
    topics
        Topic of each item, such as a document's main topic.
    weights
        Number of items each label stands for; one where None.

    Returns
    -------
    A number above 0, at most 1.

    Examples
    --------
    >>> purity(["news", "news", "sport", "news"], [0, 0, 1, 1])
    0.75
    """
    table = _contingency(labels, topics, weights, names=("labels", "topics"))
    return int(table.max(axis=0).sum()) / int(table.sum())


def _entropies(table: sparse.csr_array) -> tuple[float, float, float, int]:
    """Give N times the entropies of rows, columns and cells, and N."""
    # Labels of equal sizes give equal bits, so that scores of 0 and 1 are exact.
    tokens = int(table.sum())
    total = _sum_x_log_x(tokens)
    in_a, in_b, joint = (total - _sum_x_log_x(sizes) for sizes in (table.sum(axis=1), table.sum(axis=0), table.data))
    return in_a, in_b, joint, tokens


def _sum_x_log_x(numbers: ArrayLike) -> float:
    """Sum x log x exactly rounded, so that the order of the labels cannot change a bit."""
    return math.fsum(np.atleast_1d(xlogy(numbers, numbers)))


def _pairs_within(sizes: NDArray[np.int64]) -> int:
    """Count the pairs of tokens that are in one group, in integers without limit."""
    return sum(size * (size - 1) // 2 for size in sizes.tolist())


def _contingency(
    a: ArrayLike, b: ArrayLike, weights: ArrayLike | None, names: tuple[str, str] = ("a", "b")
) -> sparse.csr_array:
    """Count the tokens of each pair of labels, labels of `a` in rows; only pairs that occur are stored."""
    labels_a, labels_b = _label_codes(names[0], a), _label_codes(names[1], b)
    both = " and ".join(names)
    if len(labels_a) != len(labels_b):
        raise ValueError(
            f"{both} must label the same tokens, got {len(labels_a)} and {len(labels_b)} labels: pass equally many"
        )
    sizes = None if weights is None else _checked_weights(weights, len(labels_a))
    if len(labels_a) == 0 or (sizes is not None and not sizes.any()):
        raise ValueError(f"{both} label no token: pass at least one label that stands for a token")
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
