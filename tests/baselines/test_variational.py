"""Variational LDA is scikit-learn's, with normalised topics and zeros for empty documents."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from planted import N_TOPICS, planted
from sklearn.decomposition import LatentDirichletAllocation

from crisptopics.baselines import VariationalLDA

X = planted(90)


@pytest.mark.parametrize("learning_method", ["batch", "online"])
def test_the_same_as_scikit_learn(learning_method):
    model = VariationalLDA(
        N_TOPICS, alpha=0.2, beta=0.05, max_iter=7, learning_method=learning_method, random_state=3
    ).fit(X)
    theirs = LatentDirichletAllocation(
        N_TOPICS,
        doc_topic_prior=0.2,
        topic_word_prior=0.05,
        max_iter=7,
        learning_method=learning_method,
        random_state=3,
    ).fit(X)
    assert_allclose(model.components_ * theirs.components_.sum(axis=1, keepdims=True), theirs.components_, rtol=1e-10)
    assert_allclose(model.transform(X), theirs.transform(X), rtol=1e-8)
    assert model.n_iter_ == 7


def test_priors_default_to_one_over_the_number_of_topics():
    default = VariationalLDA(N_TOPICS, max_iter=3, random_state=0).fit(X)
    explicit = VariationalLDA(N_TOPICS, alpha=1 / 3, beta=1 / 3, max_iter=3, random_state=0).fit(X)
    assert_array_equal(default.components_, explicit.components_)


def test_only_empty_documents_get_zeros():
    model = VariationalLDA(N_TOPICS, max_iter=3, random_state=0).fit(X)
    counts = np.vstack([X[:1] * 0, X[:2]])
    assert_allclose(model.transform(counts).sum(axis=1), [0.0, 1.0, 1.0], rtol=1e-12)
