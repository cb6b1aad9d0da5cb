"""CrispTopics as scikit-learn users meet it: inputs, outputs, fitted attributes, ways in which a fit ends."""

import os
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
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from crisptopics import Corpus, CrispTopics, datasets, solve

N_TOPICS, N_WORDS = 3, 30
WORDS = [f"word{column}" for column in range(N_WORDS)]


def planted(n_documents=60, seed=0):
    """Documents of 40 tokens; document d has four tokens of five from topic d % 3, whose words are ten columns."""
    random = np.random.RandomState(seed)
    topics = np.tile(np.arange(n_documents)[:, None] % N_TOPICS, 40)
    stray = random.rand(*topics.shape) < 0.2
    topics[stray] = random.randint(N_TOPICS, size=np.count_nonzero(stray))
    words = topics * 10 + random.randint(10, size=topics.shape)
    return np.array([np.bincount(row, minlength=N_WORDS) for row in words])


X = planted()
X.setflags(write=False)


def make(**parameters):
    return CrispTopics(**({"n_components": N_TOPICS, "penalty": 10.0, "random_state": 0} | parameters))


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
    model = CrispTopics(2, penalty=2.0, algorithm="word", init=[0, 1], smoothing=0.5).fit([[2, 0, 0], [0, 3, 0]])
    first, second = np.log(2.5 / 3.5), np.log(3.5 / 4.5)
    assert model.score([[2, 0, 0], [0, 3, 0]]) == pytest.approx((2 * first + 3 * second) / 5, rel=1e-15)
    assert model.score([[1, 0, 9]]) == pytest.approx(first, rel=1e-15)
    # All in topic 1: word 0 costs 2.20 there, in topic 0 it costs 0.34 and the penalty of 2.
    assert model.score([[1, 9, 0]]) == pytest.approx((np.log(0.5 / 4.5) + 9 * second) / 10, rel=1e-15)
    assert model.score([[0, 0, 1]]) == 0.0


# Fitted attributes


def test_counts_topics_and_objective(model):
    counts = model.topic_word_counts_
    assert counts.dtype.kind == "i"
    assert counts.shape == (N_TOPICS, N_WORDS)
    np.testing.assert_array_equal(counts.sum(axis=0), X.sum(axis=0))
    crisp = make(soften=0).fit(X)
    np.testing.assert_array_equal(crisp.topic_word_counts_, counts)
    np.testing.assert_allclose(crisp.components_, counts / counts.sum(axis=1, keepdims=True), rtol=1e-15)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1.0, rtol=1e-12)
    assert model.n_iter_ == len(model.history_)
    assert (model.penalty_, model.n_components_) == (10.0, N_TOPICS)


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
    assert len(objectives) >= 2
    assert np.diff(objectives).max() <= 0
    assert model.objective_ == objectives[-1]
    assert {record.stage for record in model.history_} == {algorithm}
    assert {record.penalty for record in model.history_} == {10.0}
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


# How a fit ends


def test_stop_reasons(large):
    assert make().fit(X).stop_reason_ == "converged"
    model = make(init="random", max_iter=1).fit(X)
    assert (model.stop_reason_, model.n_iter_) == ("max_iter", 1)
    model = make(init="random", callback=lambda _: False, max_iter=2, tol=0.0).fit(large)
    assert (model.stop_reason_, model.n_iter_) == ("max_iter", 2)


def test_a_callback_sees_each_iteration_and_can_stop(large):
    seen = []

    def stop(record):
        seen.append(record)
        return len(seen) == 2

    model = make(init="random", callback=stop, tol=0.0).fit(large)
    assert (model.stop_reason_, model.n_iter_) == ("callback", 2)
    assert seen == model.history_
    assert_same_fit(model, make(init="random", max_iter=2).fit(large))


@pytest.mark.parametrize("stop", [True, KeyboardInterrupt])
@pytest.mark.parametrize("last", [1, 4, 7])
def test_a_search_can_be_stopped_and_leaves_a_usable_model(large, stop, last):
    def end(record):
        seen.append(record)
        if len(seen) == last and stop is KeyboardInterrupt:
            raise KeyboardInterrupt
        return len(seen) == last

    seen = []
    model = make(callback=end).fit(large)
    assert {record.stage for record in seen} == {"search"}
    assert (model.stop_reason_, model.history_) == ("callback" if stop is True else "interrupted", [])
    assert model.topic_word_counts_.sum() == large.sum()
    assert model.transform(large).sum(axis=1) == pytest.approx(1)


def test_an_error_in_a_callback_passes_through():
    with pytest.raises(ZeroDivisionError):
        make(callback=lambda _: 1 // 0).fit(X)


def test_an_interrupt_between_iterations_leaves_a_usable_model(large):
    def interrupt(record):
        seen.append(record)
        if len(seen) == 3:
            raise KeyboardInterrupt

    seen = []
    model = make(init="random", callback=interrupt, tol=0.0).fit(large)
    assert (model.stop_reason_, model.n_iter_) == ("interrupted", 3)
    assert_same_fit(model, make(init="random", max_iter=3, tol=0.0).fit(large))


def test_an_interrupt_within_an_iteration_leaves_the_last_whole_one(large, monkeypatch):
    refine_step, calls = solve.refine_step, []

    def interrupted(state, order):
        refine_step(state, order)
        calls.append(state.objective)
        if len(calls) == 3:
            raise KeyboardInterrupt

    expected = make(init="random", max_iter=2, tol=0.0).fit(large)
    monkeypatch.setattr(solve, "refine_step", interrupted)
    model = make(init="random", tol=0.0).fit(large)
    assert calls[2] < calls[1]
    assert model.stop_reason_ == "interrupted"
    assert_same_fit(model, expected)


def test_an_interrupt_in_the_first_iteration_leaves_the_start(monkeypatch, tmp_path):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(solve, "improve", interrupted)
    model = make(n_components=2, init=[0, 1, 1]).fit([[4, 2], [0, 3]])
    assert (model.stop_reason_, model.n_iter_, model.history_) == ("interrupted", 0, [])
    assert model.topic_word_counts_.tolist() == [[4, 0], [0, 5]]
    assert model.objective_ == 3 * 10.0
    model.save(tmp_path / "m.crisp")


@pytest.fixture
def interruptible():
    """Shells start jobs in the background with Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.usefixtures("interruptible")
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
    model = make(n_components=20, init="random", max_iter=10_000, tol=0.0, n_jobs=n_jobs, callback=start_timer).fit(
        counts
    )
    assert time.monotonic() - sent[0] < 2
    assert model.stop_reason_ == "interrupted"
    assert model.topic_word_counts_.sum() == counts.sum()
    assert model.objective_ == model.history_[-1].objective
