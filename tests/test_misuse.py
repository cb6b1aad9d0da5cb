"""What callers may do that nobody meant: each has a stated end, and none of them is a crash."""

import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from crisptopics import Corpus, CrispTopics
from crisptopics.blocks import Workers

X = np.array([[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 5, 1], [0, 1, 2, 4]])


def test_transform_after_a_refused_refit_does_not_crash():
    code = (
        "import numpy as np\n"
        "from crisptopics import CrispTopics\n"
        "m = CrispTopics(2, penalty=2.0).fit(np.ones((4, 4), dtype=int)).set_params(n_components=1000)\n"
        "try: m.fit(np.ones((3, 60), dtype=int))\n"
        "except ValueError: pass\n"
        "try: m.transform(np.ones((3, 60), dtype=int))\n"
        "except ValueError: pass\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_refused_first_fit_leaves_the_model_not_fitted():
    model = CrispTopics(1000)
    with pytest.raises(ValueError, match="more than"):
        model.fit(X)
    with pytest.raises(NotFittedError):
        model.transform(X)


def test_an_interrupt_while_tasks_are_handed_out_leaves_none_running():
    done = []

    def items():
        yield from (0, 1)
        raise KeyboardInterrupt  # as Ctrl-C in the list of submits would

    with Workers(2) as workers:
        with pytest.raises(KeyboardInterrupt):
            workers.map(lambda item: (time.sleep(0.1), done.append(item)), items())
        before = list(done)
        time.sleep(0.3)
        assert done == before


@pytest.mark.parametrize("name", ["penalty", "tol", "smoothing"])
def test_a_huge_whole_number_is_refused_like_any_other(name):
    with pytest.raises(ValueError, match=f"{name}=1000"):
        CrispTopics(2, **{name: 10**400}).fit(X)


def test_one_string_is_no_list_of_seed_words():
    with pytest.raises(ValueError, match="seed_words"):
        CrispTopics(2, seed_words={0: "ab"}).fit(Corpus.from_counts(X, vocabulary=list("abcd")))


def test_seed_words_that_are_no_mapping():
    with pytest.raises(ValueError, match="seed_words"):
        CrispTopics(2, seed_words=["w0"]).fit(X)


def test_a_seed_word_in_two_topics():
    with pytest.raises(ValueError, match="seed_words"):
        CrispTopics(2, seed_words={0: ["w0"], 1: ["w0"]}).fit(X)


@pytest.mark.parametrize("top", [-1, 0, 2.5, "x"])
def test_top_is_a_whole_number(top):
    with pytest.raises(ValueError, match="top="):
        CrispTopics(2, penalty=2.0, random_state=0).fit(X).top_words(top)


def test_smoothing_is_checked_when_used():
    with pytest.raises(ValueError, match="smoothing"):
        CrispTopics(2, penalty=2.0, random_state=0).fit(X).set_params(smoothing=-1.0).score(X)


def test_verbose_is_checked():
    with pytest.raises(ValueError, match="verbose"):
        CrispTopics(2, verbose="yes").fit(X)


def test_a_callback_may_return_numpys_true():
    model = CrispTopics(2, penalty=2.0, random_state=0, callback=lambda _: np.float64(1) < 2).fit(X)
    assert model.stop_reason_ == "callback"


def test_assignments_are_ordinary_sparse_arrays():
    model = CrispTopics(2, penalty=2.0, random_state=0).fit(Corpus.from_counts(X))
    model.assignments_.data += 1
    model.assignments_.eliminate_zeros()
    assert model.assignments_.indices.dtype == np.int32


def test_frames_and_sparse_output_exclude_each_other():
    model = CrispTopics(2, penalty=2.0, random_state=0, sparse_output=True).set_output(transform="pandas").fit(X)
    with pytest.raises(ValueError, match="outputs a scipy sparse matrix"):
        model.transform(X)


def test_twice_the_documents_is_twice_the_counts_at_twice_the_penalty():
    start = (np.arange(np.count_nonzero(X)) % 2).astype(np.uint16)
    twice = CrispTopics(2, penalty=2.0, algorithm="word", init=np.tile(start, 2)).fit(np.vstack([X, X]))
    doubled = CrispTopics(2, penalty=4.0, algorithm="word", init=start).fit(2 * X)
    np.testing.assert_array_equal(twice.topic_word_counts_, doubled.topic_word_counts_)
    np.testing.assert_array_equal(twice.assign(X).data, doubled.assign(2 * X).data)


def test_weights_near_the_largest_float_are_weights():
    start = [[1e308, 1e308, 0, 0], [0, 0, 1e308, 1e308]]
    small = [[1, 1, 0, 0], [0, 0, 1, 1]]
    huge, ordinary = (CrispTopics(2, penalty=2.0, random_state=0, init=init).fit(X) for init in (start, small))
    np.testing.assert_array_equal(huge.topic_word_counts_, ordinary.topic_word_counts_)
