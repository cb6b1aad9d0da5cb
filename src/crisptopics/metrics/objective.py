"""What a fit minimises, and what the choice of penalty and number of topics maximises, from their definitions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.special import gammaln, xlogy

from crisptopics.corpus import Corpus
from crisptopics.parameters import check_number, check_whole

MAX_TOPIC = 2**24 - 1  # the objective keeps a number for each topic up to the largest
PRIORS = 1e-5, 100.0  # where the best alpha and beta are sought


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
    tokens, in_documents = _topic_counts(counts, topics, n_topics)
    totals = tokens.sum(axis=1)
    fit = np.sum(xlogy(totals, totals)) - np.sum(xlogy(tokens.data, tokens.data))
    return float(fit + penalty * in_documents.nnz)


def integrated_likelihood(
    counts: Any, topics: Any, n_topics: int, alpha: float | None = None, beta: float | None = None
) -> float:
    r"""Compute log p(words, topics | alpha, beta), with theta and psi integrated out.

    .. math::
        \sum_d \Big[ \log \frac{\Gamma(K \alpha)}{\Gamma(N_d + K \alpha)}
        + \sum_k \log \frac{\Gamma(n_{dk} + \alpha)}{\Gamma(\alpha)} \Big] +
        \sum_k \Big[ \log \frac{\Gamma(V \beta)}{\Gamma(N_k + V \beta)}
        + \sum_w \log \frac{\Gamma(n_{kw} + \beta)}{\Gamma(\beta)} \Big]

    with :math:`n_{dk}` tokens of document d and :math:`n_{kw}` of word w in topic k, :math:`N_d` and :math:`N_k` their
    sums: the probability of the tokens and their topics in a given order, under symmetric Dirichlet priors. At its
    best alpha and beta it is the integrated complete likelihood (Biernacki, Celeux and Govaert 2000).

    Parameters
    ----------
    counts
        Documents: anything `Corpus.from_counts` accepts.
    topics
        Topic of each (document, word) entry, as for `objective`.
    n_topics
        Number of topics K, empty ones included.
    alpha
        Prior of a document's topics; where None, the best from 1e-5 to 100 (in one number the likelihood has a single
        maximum: Levin and Reeds 1977).
    beta
        Prior of a topic's words; None likewise.

    Returns
    -------
    The logarithm of the probability, in nats, at most 0.

    Examples
    --------
    >>> import numpy as np
    >>> print(round(integrated_likelihood(np.array([[1, 1]]), [0, 0], n_topics=1, alpha=1.0, beta=1.0), 6))
    -1.791759
    """
    check_whole("n_topics", n_topics, 1)
    for name, prior in (("alpha", alpha), ("beta", beta)):
        if prior is not None:
            check_number(name, prior, 0.0, 1e6, open_below=True)
    tokens, in_documents = _topic_counts(counts, topics, n_topics)
    return _log_evidence(in_documents, int(n_topics), alpha) + _log_evidence(tokens, tokens.shape[1], beta)


def _topic_counts(counts: Any, topics: Any, n_topics: int | None) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Count the tokens of each topic and word, and of each document and topic, for the topics up to the largest."""
    corpus = Corpus.from_counts(counts)
    documents = corpus.document_of
    topics = _entry_topics(corpus, documents, counts, topics)
    _check_topics(topics, corpus.n_entries, n_topics)
    sizes, n_used = corpus.counts.astype(np.int64), int(topics.max(initial=0)) + 1
    of_words = sparse.coo_array((sizes, (topics, corpus.words)), shape=(n_used, corpus.n_words))
    of_documents = sparse.coo_array((sizes, (documents, topics)), shape=(corpus.n_documents, n_used))
    return of_words.tocsr(), of_documents.tocsr()


def _log_evidence(table: sparse.csr_array, n_cells: int, prior: float | None) -> float:
    """Sum the Dirichlet-multinomial log probabilities of rows of `n_cells` cells; where None, at the best prior."""
    # Few numbers repeat many times: one gammaln for each.
    cells, cell_times = np.unique(table.data, return_counts=True)
    sums, sum_times = np.unique(table.sum(axis=1), return_counts=True)

    def log_evidence(prior: float) -> float:
        inside = cell_times @ (gammaln(cells + prior) - gammaln(prior))
        whole = n_cells * prior
        return float(inside - sum_times @ (gammaln(sums + whole) - gammaln(whole)))

    return _maximum(log_evidence) if prior is None else log_evidence(float(prior))


def _maximum(function: Callable[[float], float]) -> float:
    """Give the greatest value of a function with one maximum over the priors, sought on a logarithmic scale."""
    least, most = (math.log(prior) for prior in PRIORS)
    found = minimize_scalar(
        lambda log_prior: -function(math.exp(log_prior)),
        bounds=(least, most),
        method="bounded",
        options={"xatol": 1e-7},
    )
    return max(-float(found.fun), *map(function, PRIORS))  # the search never tries the ends


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
