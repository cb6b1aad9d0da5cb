"""What holds for every baseline without sampling: scikit-learn's checks, rows, seeds, names and refusals."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from planted import N_TOPICS, N_WORDS, TOPICS, planted
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from crisptopics import Corpus, metrics
from crisptopics.baselines import AnchorTopics, KLMeans, VariationalLDA

X = planted()
X.setflags(write=False)
MODELS = {
    "anchor-l2": AnchorTopics(N_TOPICS, random_state=0),
    "anchor-kl": AnchorTopics(N_TOPICS, recovery="kl", random_state=0),
    "klmeans": KLMeans(N_TOPICS, random_state=0),
    "variational": VariationalLDA(N_TOPICS, alpha=0.1, beta=0.1, max_iter=20, random_state=0),
}


@pytest.fixture(params=MODELS)
def model(request):
    return clone(MODELS[request.param])


def test_scikit_learns_own_checks_all_pass(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(model.set_params(n_components=2), on_fail=None)
    assert len(results) > 40
    assert [(result["check_name"], result["status"]) for result in results if result["status"] != "passed"] == []


def test_planted_topics_are_recovered(model):
    words = planted(2000, stray=0.2 if isinstance(model, AnchorTopics) else 0.0)
    assert metrics.topic_l1(model.fit(words).components_, TOPICS) < 0.1


def test_rows_sum_to_one_and_to_zero_without_words(model):
    model.fit(X)
    assert_allclose(model.components_.sum(axis=1), 1.0, rtol=1e-12)
    shares = model.transform(np.vstack([X, np.zeros((1, N_WORDS), dtype=int)]))
    assert shares.shape == (len(X) + 1, N_TOPICS)
    assert shares.min() >= 0
    assert_allclose(shares[:-1].sum(axis=1), 1.0, rtol=1e-12)
    assert_array_equal(shares[-1], 0.0)


def test_empty_documents_change_nothing_in_the_fit(model):
    with_empty = np.vstack([X, np.zeros((3, N_WORDS), dtype=int)])
    expected = clone(model).fit(X)
    assert_allclose(model.fit(with_empty).components_, expected.components_, rtol=1e-6, atol=1e-9)
    assert_array_equal(model.transform(with_empty)[-3:], 0.0)


def test_every_form_of_the_counts_gives_the_same_topics(model):
    names = [f"word{column}" for column in range(N_WORDS)]
    expected = clone(model).fit(X).components_
    forms = [sparse.csr_array(X), sparse.csc_matrix(X), pd.DataFrame(X, columns=names), Corpus.from_counts(X, names)]
    for form in forms:
        assert_array_equal(clone(model).fit(form).components_, expected)
        assert_array_equal(clone(model).fit(form).transform(form), clone(model).fit(X).transform(X))


def test_same_seed_same_answer_at_any_number_of_threads(model):
    first, second = clone(model).set_params(n_jobs=1).fit(X), clone(model).fit(X)
    if not isinstance(model, VariationalLDA):  # n_jobs are processes there
        second = second.set_params(n_jobs=3).fit(X)
    assert_array_equal(first.components_, second.components_)
    assert_array_equal(first.transform(X), second.transform(X))


def test_top_words_and_names_of_topics(model):
    vocabulary = [f"word{column}" for column in range(N_WORDS)]
    model.fit(Corpus.from_counts(X, vocabulary))
    lists = model.top_words(5)
    assert {vocabulary.index(word) // 10 for word in lists[0]} == {model.components_[0].argmax() // 10}
    assert [len(words) for words in lists] == [5] * N_TOPICS
    assert model.top_words(1, list(range(N_WORDS))) == [[row.argmax()] for row in model.components_]
    prefix = type(model).__name__.lower()
    assert model.get_feature_names_out().tolist() == [f"{prefix}{topic}" for topic in range(N_TOPICS)]
    assert clone(model).fit(X).top_words(1)[0] == [f"w{model.components_[0].argmax()}"]


def test_pipeline_and_pickle(model):
    texts = ["sun sun heat", "heat sun", "rain cloud rain", "cloud rain"] * 3
    pipeline = make_pipeline(CountVectorizer(), model.set_params(n_components=2)).fit(texts)
    shares = pickle.loads(pickle.dumps(pipeline)).transform(["sun heat", "rain"])
    assert shares[0].argmax() != shares[1].argmax()


def test_refusals_of_documents(model):
    with pytest.raises(ValueError, match="not fitted"):
        model.transform(X)
    with pytest.raises(ValueError, match="Negative values in data: document 0, word 0 has -1"):
        model.fit([[-1, 2], [3, 4]])
    with pytest.raises(ValueError, match="Fractional count"):
        model.fit([[0.5, 2], [3, 4]])
    with pytest.raises(ValueError, match="X has no tokens"):
        model.fit(np.zeros((4, 5), dtype=int))
    with pytest.raises(ValueError, match="n_components=3 is more than the 2 tokens"):
        model.fit([[1, 1]])
    model.fit(Corpus.from_counts(X, [f"word{column}" for column in range(N_WORDS)]))
    with pytest.raises(ValueError, match=f"X has 2 features, but .* is expecting {N_WORDS}"):
        model.transform(Corpus.from_counts([[1, 2]]))
    with pytest.raises(ValueError, match="column 0 is 'other0' and was 'word0'"):
        model.transform(Corpus.from_counts(X, [f"other{column}" for column in range(N_WORDS)]))


def test_refusals_of_words(model):
    model.fit(X)
    with pytest.raises(ValueError, match="top=0 is not accepted; give a whole number of at least 1"):
        model.top_words(0)
    with pytest.raises(ValueError, match="words has 1 names, but the model has 30 columns"):
        model.top_words(2, ["one"])


def test_a_refused_fit_leaves_the_old_topics_usable_only_with_their_columns(model):
    model.fit(X)
    with pytest.raises(ValueError, match="X has no tokens"):
        model.fit(np.zeros((4, 5), dtype=int))
    with pytest.raises(ValueError, match=r"X has 5 features, but .* is expecting 30"):
        model.transform(np.ones((2, 5), dtype=int))


@pytest.mark.parametrize(
    ("name", "parameter", "value"),
    [
        *[(name, "n_components", value) for name in MODELS for value in (0, 2.5, 70_000, True)],
        *[(name, "max_iter", 0) for name in MODELS],
        *[(name, "n_jobs", 0) for name in MODELS],
        ("anchor-l2", "recovery", "l1"),
        ("anchor-l2", "min_documents", 0),
        ("anchor-l2", "n_projections", 0),
        ("anchor-l2", "transform_iter", 0),
        ("anchor-l2", "tol", -1.0),
        ("anchor-l2", "alpha", -0.1),
        ("klmeans", "n_init", 0),
        ("klmeans", "tol", 2.0),
        ("klmeans", "smoothing", 0.0),
        ("variational", "alpha", 0.0),
        ("variational", "beta", float("nan")),
        ("variational", "learning_method", "stochastic"),
    ],
)
def test_refusals_of_parameters(name, parameter, value):
    with pytest.raises(
        ValueError, match=rf"{parameter}={value!r} is (not accepted|unknown|no number).*; (give|choose)"
    ):
        clone(MODELS[name]).set_params(**{parameter: value}).fit(X)
