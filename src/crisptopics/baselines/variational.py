"""Latent Dirichlet allocation by variational Bayes: scikit-learn's, behind the interface of CrispTopics."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation

from crisptopics.baselines.base import Matrix, TopicBaseline, block_matrix
from crisptopics.blocks import thread_count
from crisptopics.kernels import MAX_TOPICS
from crisptopics.parameters import check_number, check_size, check_whole

LEARNING_METHODS = ("batch", "online")
LARGEST_PRIOR = 1e6


class VariationalLDA(TopicBaseline):
    """Latent Dirichlet allocation by variational Bayes, as scikit-learn fits it.

    Parameters
    ----------
    n_components
        Number of topics.
    alpha
        Concentration of the documents' shares of topics; None for 1 / `n_components`.
    beta
        Concentration of the topics' shares of words; None for 1 / `n_components`.
    max_iter
        Number of passes over the documents.
    learning_method
        "batch" or "online".
    random_state
        Seed of the start.
    n_jobs
        Processes, as in scikit-learn: None for one, -1 for all processors.

    Attributes
    ----------
    components_ : array of shape (K, V)
        The topics: the expected share of each word, each row sums to 1.
    model_ : sklearn.decomposition.LatentDirichletAllocation
        The fitted model that does the work.
    n_iter_ : int
        Passes made.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 5, 1], [0, 1, 2, 4]]
    >>> model = VariationalLDA(2, alpha=0.1, beta=0.1, max_iter=10, random_state=0).fit(X)
    >>> model.transform(X).shape
    (4, 2)
    """

    def __init__(
        self,
        n_components: int = 20,
        *,
        alpha: float | None = None,
        beta: float | None = None,
        max_iter: int = 100,
        learning_method: str = "batch",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.max_iter = max_iter
        self.learning_method = learning_method
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn passes y)
        """Find topics.

        Parameters
        ----------
        X
            Counts: sparse or dense, a data frame, or a Corpus.
        y
            Ignored.
        """
        self._check_parameters()
        corpus = self._training_corpus(X)
        check_size(corpus, self.n_components)
        model = LatentDirichletAllocation(
            self.n_components,
            doc_topic_prior=self.alpha,
            topic_word_prior=self.beta,
            max_iter=self.max_iter,
            learning_method=self.learning_method,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        filled = corpus.select(np.diff(corpus.indptr) > 0)  # others would only shift scikit-learn's random numbers
        self.model_ = model.fit(block_matrix(filled, (0, len(filled))))
        self.components_ = model.components_ / model.components_.sum(axis=1, keepdims=True)
        self.n_iter_ = model.n_iter_
        return self

    def transform(self, X: Any) -> Matrix:
        """Return the expected share of each topic in each document; the row of a document without words is zero.

        Parameters
        ----------
        X
            Counts, with the columns of the training matrix.
        """
        corpus = self._new_corpus(X)
        shares: Matrix = self.model_.transform(block_matrix(corpus, (0, len(corpus))))
        shares[np.diff(corpus.indptr) == 0] = 0.0
        return shares

    def _check_parameters(self) -> None:
        check_whole("n_components", self.n_components, 1, MAX_TOPICS)
        check_whole("max_iter", self.max_iter, 1)
        for name, prior in (("alpha", self.alpha), ("beta", self.beta)):
            if prior is not None:
                check_number(name, prior, 0.0, LARGEST_PRIOR, open_below=True)
        thread_count(self.n_jobs)
        if self.learning_method not in LEARNING_METHODS:
            choice = " or ".join(map(repr, LEARNING_METHODS))
            raise ValueError(f"learning_method={self.learning_method!r} is unknown; choose {choice}")
