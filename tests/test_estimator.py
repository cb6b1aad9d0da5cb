"""CrispTopics as scikit-learn users meet it: inputs, outputs, fitted attributes, ways in which a fit ends."""

import os
import pickle
import signal
import threading
import time
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from crisptopics import Corpus, CrispTopics, datasets, solve
from crisptopics.errors import CorpusError

N_TOPICS, N_WORDS = 3, 30
WORDS = [f"word{column}" for column in range(N_WORDS)]


def planted(n_documents=60, seed=0):
    """Documents of 40 tokens; document d has four tokens of five from topic d % 3, whose words are ten columns."""
    random = np.random.RandomState(seed)
    topics = np.where(random.rand(n_documents, 40) < 0.8, np.arange(n_documents)[:, None], random.randint(3, size=(1,)))
    words = topics % N_TOPICS * 10 + random.randint(10, size=(n_documents, 40))
    return np.array([np.bincount(row, minlength=N_WORDS) for row in words])


X = planted()
X.setflags(write=False)


def make(**parameters):
    return CrispTopics(**({"n_components": N_TOPICS, "penalty": 4.0, "random_state": 0} | parameters))


@pytest.fixture(scope="module")
def model():
    return make().fit(X)


@pytest.fixture(scope="module")
def large():
    """Enough entries for several blocks."""
    return datasets.synth_a(1000, random_state=0).counts


def shares_by_hand(counts, entry_topics, n_topics):
    shares = np.zeros((counts.shape[0], n_topics))
    entry_topics = sparse.coo_array(entry_topics)
    for row, column, topic in zip(*entry_topics.coords, entry_topics.data, strict=True):
        if topic >= 0:
            shares[row, topic] += counts[row, column]
    return shares / np.maximum(1, shares.sum(axis=1, keepdims=True))


def assert_same_fit(one, other):
    assert one.history_[-1].objective == one.objective_ == other.objective_
    assert [record.moved for record in one.history_] == [record.moved for record in other.history_]
    np.testing.assert_array_equal(one.topic_word_counts_, other.topic_word_counts_)
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(one.assignments_, part), getattr(other.assignments_, part))


# scikit-learn


@pytest.mark.parametrize("algorithm", ["word+refine", "word", "basic"])
def test_scikit_learns_own_checks_all_pass(algorithm):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(CrispTopics(n_components=2, algorithm=algorithm), on_fail=None)
    assert len(results) > 40
    assert [(result["check_name"], result["status"]) for result in results if result["status"] != "passed"] == []


def test_pipeline_of_vectorizer_and_model():
    texts = ["sun sun heat", "heat sun", "rain cloud rain", "cloud rain"] * 3
    pipeline = make_pipeline(CountVectorizer(), make(n_components=2, penalty=1.0))
    shares = pipeline.fit(texts).transform(["sun heat", "rain", "snow"])
    assert shares[0].argmax() != shares[1].argmax()
    np.testing.assert_array_equal(shares.sum(axis=1), [1, 1, 0])
    assert pipeline.get_feature_names_out().tolist() == ["crisptopics0", "crisptopics1"]


def test_grid_search_by_score_prefers_the_planted_number_of_topics():
    grid = {"n_components": [1, N_TOPICS], "penalty": [2.0, 8.0]}
    search = GridSearchCV(make(), grid, cv=2, error_score="raise").fit(sparse.csr_array(X))
    assert search.best_params_["n_components"] == N_TOPICS
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])
    assert len(set(search.cv_results_["mean_test_score"])) > 1


def test_clone_keeps_parameters_and_nothing_fitted(model):
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert set(vars(copy)) == set(model.get_params())
    assert not hasattr(copy, "components_")


def test_fit_leaves_parameters_and_arguments_as_they_were():
    init = np.random.RandomState(0).rand(N_TOPICS, N_WORDS)
    before = init.copy()
    model = make(init=init, seed_words={0: ["w1"]})
    parameters = model.get_params()
    assert model.fit(X) is model
    assert all(model.get_params()[name] is value for name, value in parameters.items())
    np.testing.assert_array_equal(init, before)


@pytest.mark.parametrize(("kind", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_set_output_gives_frames(kind, frame):
    model = make().set_output(transform=kind)
    shares = model.fit_transform(frame(X, WORDS) if frame is pl.DataFrame else frame(X, columns=WORDS))
    assert isinstance(shares, frame)
    assert list(shares.columns) == ["crisptopics0", "crisptopics1", "crisptopics2"]
    np.testing.assert_array_equal(shares.to_numpy(), make().fit_transform(X))


def test_set_output_keeps_the_index_of_a_pandas_frame():
    frame = pd.DataFrame(X, index=[f"d{row}" for row in range(len(X))])
    assert make().set_output(transform="pandas").fit_transform(frame).index.equals(frame.index)


# Inputs


@pytest.mark.parametrize(
    "form",
    [
        sparse.csr_array,
        sparse.csr_matrix,
        sparse.csc_array,
        sparse.coo_array,
        np.asfortranarray,
        lambda counts: counts.astype(np.float32),
        lambda counts: counts.astype(np.uint8),
        lambda counts: counts.tolist(),
        lambda counts: pd.DataFrame(counts, columns=WORDS),
        lambda counts: pl.DataFrame(counts, WORDS),
        Corpus.from_counts,
    ],
)
def test_every_input_type_gives_the_same_fit(model, form):
    given = form(X)
    other = make().fit(given)
    assert_same_fit(other, model)
    np.testing.assert_array_equal(other.transform(given), model.transform(X))
    assert other.n_features_in_ == N_WORDS


def test_column_names_come_from_frames_and_vocabularies_and_go_with_the_next_fit():
    model = make()
    for named in (
        pd.DataFrame(X, columns=WORDS),
        pl.DataFrame(X, WORDS),
        Corpus.from_counts(X, vocabulary=WORDS),
    ):
        assert model.fit(named).feature_names_in_.tolist() == WORDS
        assert model.feature_names_in_.dtype == object
        for nameless in (X, Corpus.from_counts(X), pd.DataFrame(X)):
            assert not hasattr(model.fit(nameless), "feature_names_in_")
            model.fit(named)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, pd.DataFrame, Corpus.from_counts])
def test_wrong_number_of_columns_is_refused(model, form):
    with pytest.raises(ValueError, match="X has 29 features, but CrispTopics is expecting 30 features"):
        model.transform(form(X[:, 1:]))


@pytest.mark.parametrize("form", [lambda names: pd.DataFrame(X, columns=names), lambda names: pl.DataFrame(X, names)])
def test_wrong_column_names_are_refused(form):
    model = make().fit(form(WORDS))
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*unseen at fit time:\n- snow"):
        model.assign(form(["snow", *WORDS[1:]]))
    with pytest.raises(ValueError, match="same order"):
        model.assign(form(WORDS[::-1]))


def test_a_corpus_with_another_vocabulary_is_refused():
    model = make().fit(Corpus.from_counts(X, vocabulary=WORDS))
    swapped = [*WORDS[:-2], WORDS[-1], WORDS[-2]]
    with pytest.raises(CorpusError, match="column 28 is 'word29' and was 'word28'; count the new documents"):
        model.transform(Corpus.from_counts(X, vocabulary=swapped))
    with pytest.raises(CorpusError, match="column 28 is 'word29' and was 'word28'"):
        make().fit(pd.DataFrame(X, columns=WORDS)).score(Corpus.from_counts(X, vocabulary=swapped))
    np.testing.assert_array_equal(model.transform(Corpus.from_counts(X)), model.transform(model_frame(WORDS)))


def model_frame(names):
    return pd.DataFrame(X, columns=names)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-1, "Negative values in data: document 0, word 1 has -1"),
        (0.5, r"Fractional count in data: document 0, word 1 has 0\.5.*not weights such as tf-idf"),
        (np.nan, "NaN in data: document 0, word 1 has nan"),
        (np.inf, "Infinite value"),
        (2.0**31, "Too large a count"),
    ],
)
@pytest.mark.parametrize("form", [np.array, pd.DataFrame, sparse.csc_array])
def test_what_is_no_count_is_refused(model, value, message, form):
    counts = X.astype(np.float64)
    counts[0, 1] = value
    with pytest.raises(CorpusError, match=message):
        make().fit(form(counts))
    with pytest.raises(CorpusError, match=message):
        model.transform(form(counts))


def test_a_corpus_too_small_to_fit_is_refused():
    with pytest.raises(CorpusError, match=r"X has no tokens \(Corpus\(2 documents, 3 words, 0 tokens\)\)"):
        make().fit(np.zeros((2, 3)))
    with pytest.raises(CorpusError, match="n_components=3 is more than the 2 tokens of X"):
        make().fit([[1, 0], [0, 1]])
    assert make().fit([[1, 1], [0, 1]]).topic_word_counts_.sum() == 3


# Assignments, shares and score


def test_assignments_are_what_assign_gives_and_shares_follow_from_them(model):
    again = model.assign(X)
    assert again.has_canonical_format
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(again, part), getattr(model.assignments_, part))
    structure = sparse.csr_array(X)
    np.testing.assert_array_equal(model.assignments_.indices, structure.indices)
    np.testing.assert_array_equal(model.assignments_.indptr, structure.indptr)
    shares = model.transform(X)
    np.testing.assert_allclose(shares, shares_by_hand(X, model.assignments_, N_TOPICS), rtol=1e-15)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-15)
    np.testing.assert_array_equal(make().fit_transform(X), shares)


def test_documents_are_assigned_each_by_itself(model):
    new = planted(9, seed=5)
    np.testing.assert_array_equal(np.vstack([model.transform(row[None]) for row in new]), model.transform(new))


def test_planted_topics_are_found(model):
    blocks = model.topic_word_counts_.reshape(N_TOPICS, N_TOPICS, 10).sum(axis=2)
    assert sorted(blocks.argmax(axis=1)) == [0, 1, 2]
    main = model.transform(X).argmax(axis=1)
    assert all(len(set(main[first::N_TOPICS])) == 1 for first in range(N_TOPICS))


def test_documents_without_a_known_word_have_no_topic():
    model = make(n_components=2, penalty=1.0).fit([[3, 1, 0], [1, 2, 0]])
    new = [[0, 0, 0], [0, 0, 7], [2, 0, 1]]
    topics = model.assign(new)
    assert topics.indptr.tolist() == [0, 0, 1, 3]
    assert topics.indices.tolist() == [2, 0, 2]
    assert topics.data[[0, 2]].tolist() == [-1, -1]
    assert topics.data[1] in (0, 1)
    np.testing.assert_array_equal(model.transform(new).sum(axis=1), [0, 0, 1])
    np.testing.assert_array_equal(model.transform(new)[:2], 0)


def test_sparse_output(model):
    shares = make(sparse_output=True).fit(X).transform(X)
    assert isinstance(shares, sparse.csr_array)
    np.testing.assert_array_equal(shares.toarray(), model.transform(X))


def test_score_by_hand():
    # Topic 0 has the word 0 twice, topic 1 the word 1 three times; word 2 never occurs but has its smoothing.
    model = CrispTopics(2, penalty=1.0, algorithm="word", init=[0, 1], smoothing=0.5).fit([[2, 0, 0], [0, 3, 0]])
    first, second = np.log(2.5 / 3.5), np.log(3.5 / 4.5)
    assert model.score([[2, 0, 0], [0, 3, 0]]) == pytest.approx((2 * first + 3 * second) / 5, rel=1e-15)
    assert model.score([[1, 0, 9]]) == pytest.approx(first, rel=1e-15)
    # Together in topic 1, as a second topic costs 1: log(0.5 / 4.5) is about -2.2, log(0.5 / 3.5) about -1.9.
    assert model.score([[1, 9, 0]]) == pytest.approx((first + 9 * second) / 10, rel=1e-15)
    assert model.score([[0, 0, 1]]) == 0.0


# Fitted attributes


def test_counts_topics_and_objective(model):
    counts = model.topic_word_counts_
    assert counts.dtype.kind == "i"
    assert counts.shape == (N_TOPICS, N_WORDS)
    np.testing.assert_array_equal(counts.sum(axis=0), X.sum(axis=0))
    np.testing.assert_allclose(model.components_, counts / counts.sum(axis=1, keepdims=True), rtol=1e-15)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1.0, rtol=1e-12)
    assert model.n_iter_ == len(model.history_)
    assert (model.penalty_, model.n_components_) == (4.0, N_TOPICS)


def test_an_empty_topic_is_uniform():
    topics = np.arange(np.count_nonzero(X)) % 2
    model = make(algorithm="word", init=topics).fit(X)
    assert model.topic_word_counts_.sum(axis=1)[2] == 0
    np.testing.assert_array_equal(model.components_[2], np.full(N_WORDS, 1 / N_WORDS))
    np.testing.assert_allclose(model.components_.sum(axis=1), 1.0, rtol=1e-12)
    assert model.top_words()[2] == []
    assert not model.transform(X)[:, 2].any()


@pytest.mark.parametrize("algorithm", ["word+refine", "word", "basic"])
def test_history_falls_to_the_objective(large, algorithm):
    model = make(n_components=8, algorithm=algorithm, tol=0.0).fit(large)
    objectives = np.array([record.objective for record in model.history_])
    assert len(objectives) > 2
    assert np.diff(objectives).max() <= 0
    assert model.objective_ == objectives[-1]
    assert {record.stage for record in model.history_} == {algorithm}
    assert {record.penalty for record in model.history_} == {4.0}
    assert all(1 <= record.topics_per_document <= 8 and record.seconds > 0 for record in model.history_)


@pytest.mark.parametrize("n_jobs", [2, 7, None, -1])
@pytest.mark.parametrize("algorithm", ["word+refine", "basic"])
def test_threads_change_no_bit(large, n_jobs, algorithm):
    parameters = {"n_components": 20, "algorithm": algorithm, "max_iter": 3}
    one, other = (make(**parameters, n_jobs=jobs).fit(large) for jobs in (1, n_jobs))
    assert_same_fit(other, one)
    np.testing.assert_array_equal(other.transform(large), one.transform(large))
    assert other.score(large) == one.score(large)


def test_random_state(large):
    def fit(random_state):
        return make(n_components=5, max_iter=1, random_state=random_state).fit(large)

    one = fit(7)
    assert_same_fit(fit(7), one)
    state = np.random.RandomState(7)
    assert_same_fit(fit(state), one)
    others = [fit(state), fit(8), fit(None), fit(None)]
    assert len({model.objective_ for model in [one, *others]}) == 5


# Starts


def test_start_from_topics():
    init = np.repeat(np.eye(N_TOPICS)[[2, 0, 1]], 10, axis=1)
    model = make(init=init, max_iter=1).fit(X)
    blocks = model.topic_word_counts_.reshape(N_TOPICS, N_TOPICS, 10).sum(axis=2)
    assert blocks.argmax(axis=1).tolist() == [1, 2, 0]
    assert_same_fit(make(init=init.tolist(), max_iter=1).fit(X), model)


def test_start_from_entry_topics(model):
    start = make(max_iter=1).fit(X)
    onwards = make(init=start.assignments_).fit(X)
    assert onwards.objective_ <= start.objective_
    assert_same_fit(make(init=start.assignments_.data).fit(X), onwards)
    unsorted = start.assignments_[:, ::-1][:, ::-1]
    flipped = sparse.csr_array(X[:, ::-1])
    flipped.data = start.assignments_.toarray()[:, ::-1][flipped.nonzero()]
    flipped = sparse.csr_array((flipped.data, N_WORDS - 1 - flipped.indices, flipped.indptr), shape=X.shape)
    assert not flipped.has_sorted_indices
    assert unsorted.nnz == flipped.nnz
    assert_same_fit(make(init=flipped).fit(X), onwards)
    assert not flipped.has_sorted_indices


@pytest.mark.parametrize("names", [None, WORDS])
def test_seed_words_lead_their_topic(names):
    given = X if names is None else pd.DataFrame(X, columns=names)
    prefix = "w" if names is None else "word"
    chosen = {2: [f"{prefix}{n}" for n in range(5)], 0: [f"{prefix}10", f"{prefix}11", f"{prefix}12"]}
    for seed in range(3):
        top = make(seed_words=chosen, random_state=seed).fit(given).top_words(10)
        assert all(set(words) <= set(top[topic]) for topic, words in chosen.items())


# How a fit ends


def test_stop_reasons(large):
    assert make().fit(X).stop_reason_ == "converged"
    model = make(max_iter=1).fit(X)
    assert (model.stop_reason_, model.n_iter_) == ("max_iter", 1)
    model = make(callback=lambda _: False, max_iter=2, tol=0.0).fit(large)
    assert (model.stop_reason_, model.n_iter_) == ("max_iter", 2)


def test_a_callback_sees_each_iteration_and_can_stop(large):
    seen = []

    def stop(record):
        seen.append(record)
        return len(seen) == 2

    model = make(callback=stop, tol=0.0).fit(large)
    assert (model.stop_reason_, model.n_iter_) == ("callback", 2)
    assert seen == model.history_
    assert_same_fit(model, make(max_iter=2).fit(large))


def test_an_error_in_a_callback_passes_through():
    with pytest.raises(ZeroDivisionError):
        make(callback=lambda _: 1 // 0).fit(X)


def test_an_interrupt_between_iterations_leaves_a_usable_model(large):
    def interrupt(record):
        seen.append(record)
        if len(seen) == 3:
            raise KeyboardInterrupt

    seen = []
    model = make(callback=interrupt, tol=0.0).fit(large)
    assert (model.stop_reason_, model.n_iter_) == ("interrupted", 3)
    assert_same_fit(model, make(max_iter=3, tol=0.0).fit(large))


def test_an_interrupt_within_an_iteration_leaves_the_last_whole_one(large, monkeypatch):
    refine_step, calls = solve.refine_step, []

    def interrupted(state, order):
        refine_step(state, order)
        calls.append(state.objective)
        if len(calls) == 3:
            raise KeyboardInterrupt

    expected = make(max_iter=2, tol=0.0).fit(large)
    monkeypatch.setattr(solve, "refine_step", interrupted)
    model = make(tol=0.0).fit(large)
    assert calls[2] < calls[1]
    assert model.stop_reason_ == "interrupted"
    assert_same_fit(model, expected)


def test_an_interrupt_in_the_first_iteration_leaves_the_start(monkeypatch, tmp_path):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(solve, "iterate", interrupted)
    model = make(n_components=2, init=[0, 1, 1]).fit([[4, 2], [0, 3]])
    assert (model.stop_reason_, model.n_iter_, model.history_) == ("interrupted", 0, [])
    assert model.topic_word_counts_.tolist() == [[4, 0], [0, 5]]
    assert model.objective_ == 3 * 4.0
    model.save(tmp_path / "m.crisp")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_a_long_fit_at_once(n_jobs):
    counts = datasets.synth_a(20_000, random_state=0).counts
    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    def start_timer(_):
        if not timers:
            timers.append(threading.Timer(0.3, send))
            timers[0].start()

    timers = []
    model = make(n_components=20, max_iter=10_000, tol=0.0, n_jobs=n_jobs, callback=start_timer).fit(counts)
    assert time.monotonic() - sent[0] < 2
    assert model.stop_reason_ == "interrupted"
    assert model.topic_word_counts_.sum() == counts.sum()
    assert model.objective_ == model.history_[-1].objective


# The rest


def test_a_pickled_model_is_the_same(model):
    copy = pickle.loads(pickle.dumps(model))
    assert_same_fit(copy, model)
    np.testing.assert_array_equal(copy.transform(X), model.transform(X))
    assert copy.history_ == model.history_


@pytest.mark.parametrize(
    "use",
    [
        lambda model: model.transform(X),
        lambda model: model.assign(X),
        lambda model: model.score(X),
        lambda model: model.save("never.crisp"),
        lambda model: model.topics_frame(),
        lambda model: model.top_words(),
        lambda model: model.documents_frame(X),
        lambda model: model.words_frame(X),
        lambda model: model.get_feature_names_out(),
    ],
)
def test_nothing_works_before_fit(use):
    with pytest.raises(NotFittedError, match="This CrispTopics instance is not fitted yet"):
        use(make())


@pytest.mark.parametrize("attribute", ["components_", "topic_word_counts_"])
def test_no_topics_before_fit(attribute):
    with pytest.raises(AttributeError, match="this CrispTopics is not fitted yet; call fit first"):
        getattr(make(), attribute)
    assert not hasattr(make(), attribute)
