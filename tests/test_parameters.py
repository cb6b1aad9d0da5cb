"""What CrispTopics refuses, and the starts that it accepts."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from crisptopics import Corpus, CrispTopics
from crisptopics.errors import CorpusError

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
    return CrispTopics(**({"n_components": N_TOPICS, "penalty": 4.0, "random_state": 0} | parameters))


def assert_same_fit(one, other):
    assert one.history_[-1].objective == one.objective_ == other.objective_
    assert [record.moved for record in one.history_] == [record.moved for record in other.history_]
    np.testing.assert_array_equal(one.topic_word_counts_, other.topic_word_counts_)
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(one.assignments_, part), getattr(other.assignments_, part))


# Parameters


def parameters(name, message, *values):
    return [pytest.param(name, value, message, id=f"{name}={value!r:.20}") for value in values]


NAN, INF = float("nan"), float("inf")
REFUSED = [
    *parameters("n_components", "give a whole number from 1 to 65534$", 0, -1, 65535, 2.0, True, "2", None, NAN),
    *parameters("max_iter", "give a whole number of at least 1$", 0, -1, 1.0, True, "1", None, NAN, INF),
    *parameters("penalty", r"give a number above 0 and at most 1e\+12$", 0, -1.0, 1e13, True, "1", None, NAN, INF),
    *parameters("tol", "give a number from 0 to 1$", -1e-9, 1.001, True, "0", None, NAN, INF),
    *parameters("smoothing", r"give a number above 0 and at most 1e\+06$", 0, -1.0, 1e7, True, "1", None, NAN, INF),
    *parameters("n_jobs", "give 1 to 1024, or None for all processors$", 0, 1.0, True, "1", NAN),
    *parameters("algorithm", r"choose one of 'basic', 'word', 'word\+refine'$", "Word", "", None, True, 1, ["word"]),
    *parameters("callback", "pass a function of one record, or None$", True, 1, "print", []),
    *parameters(
        "init", "use 'search', 'random', an array of topics, or a topic for each entry$", "", "Random", "k-means++"
    ),
]


@pytest.mark.parametrize(("name", "value", "message"), REFUSED)
def test_parameter_is_refused_by_name_with_the_value_received(name, value, message):
    with pytest.raises(ValueError, match=message) as refusal:
        make(**{name: value}).fit(X)
    assert str(refusal.value).startswith(f"{name}={value!r} ")


@pytest.mark.parametrize("value", ["a", 1.5, -1])
def test_random_state_is_refused(value):
    with pytest.raises(ValueError, match=r"cannot be used to seed|Seed must be between"):
        make(random_state=value).fit(X)


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_components": np.int32(2), "max_iter": np.uint8(3), "n_jobs": np.int64(1)},
        {"penalty": 1, "tol": 0, "smoothing": np.float32(1)},
        {"penalty": 1e12, "tol": 1.0, "smoothing": 1e6},
        {"penalty": 1e-300, "tol": 1e-300, "smoothing": 1e-3},
        {"n_jobs": -2},
        {"n_jobs": -100},
        {"seed_words": {}},
        {"seed_words": {np.int64(1): ()}},
    ],
)
def test_any_number_of_the_right_kind_will_do(parameters):
    model = make(**parameters).fit(X)
    assert model.topic_word_counts_.sum() == X.sum()


def test_a_refused_fit_changes_nothing():
    model = make().fit(X)
    before = model.topic_word_counts_
    with pytest.raises(ValueError, match="penalty=0 is not accepted"):
        model.set_params(penalty=0).fit(X)
    np.testing.assert_array_equal(model.topic_word_counts_, before)
    assert model.penalty_ == 4.0


# Starts


N_ENTRIES = np.count_nonzero(X)


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (np.ones((N_TOPICS + 1, N_WORDS)), r"init has shape \(4, 30\); topics for X have shape \(3, 30\)$"),
        (np.ones((N_TOPICS, N_WORDS - 1)), r"init has shape \(3, 29\); topics for X have shape \(3, 30\)$"),
        (np.ones((1, N_TOPICS, N_WORDS)), r"init has shape \(1, 3, 30\)"),
        (None, "init has the type object; give an array of numbers$"),
        (-np.ones((N_TOPICS, N_WORDS)), "give rows of non-negative numbers$"),
        (np.eye(N_TOPICS, N_WORDS) - np.eye(N_TOPICS, N_WORDS)[::-1] / 2, "give rows of non-negative numbers$"),
        (np.eye(N_TOPICS, N_WORDS) * [[1], [0], [1]], "a topic with negative, infinite or no weights"),
        (np.where(np.eye(N_TOPICS, N_WORDS), NAN, 1), "a topic with negative, infinite or no weights"),
        (np.where(np.eye(N_TOPICS, N_WORDS), INF, 1), "a topic with negative, infinite or no weights"),
        (np.full((N_TOPICS, N_WORDS), "a"), "init has the type <U1; give an array of numbers$"),
        (
            np.zeros(N_ENTRIES - 1, dtype=int),
            rf"init has shape \({N_ENTRIES - 1},\).*X needs {N_ENTRIES} whole numbers$",
        ),
        (np.zeros(N_ENTRIES), f"type float64; X needs {N_ENTRIES} whole numbers$"),
        (np.full(N_ENTRIES, NAN), f"type float64; X needs {N_ENTRIES} whole numbers$"),
        (np.zeros(N_ENTRIES, dtype=bool), f"type bool; X needs {N_ENTRIES} whole numbers$"),
        (np.arange(N_ENTRIES) % 4, "init has topics from 0 to 3; give 0 to 2$"),
        (np.arange(N_ENTRIES) % 2 - 1, "init has topics from -1 to 0; give 0 to 2$"),
        (np.full(N_ENTRIES, 2**16), "init has topics from 65536 to 65536; give 0 to 2$"),
        (sparse.csr_array(X > 1), "init has another structure than X; give a topic for each stored entry of X$"),
        (sparse.csr_array(X[1:]), "init has another structure than X"),
        (sparse.csr_array(X[:, ::-1]), "init has another structure than X"),
        (sparse.csr_array(X) * 1.0, f"type float64; X needs {N_ENTRIES} whole numbers$"),
        (sparse.csr_array(X) * 3, "give 0 to 2$"),
    ],
)
def test_init_is_refused(init, message):
    with pytest.raises(ValueError, match=message):
        make(init=init).fit(X)


@pytest.mark.parametrize(
    ("seed_words", "message"),
    [
        (
            {0: ["w0", "snow"]},
            "seed_words of topic 0: 'snow' is not a column of X",
        ),
        ({N_TOPICS: ["w0"]}, "a topic of seed_words=3 is not accepted; give a whole number from 0 to 2$"),
        ({-1: ["w0"]}, "a topic of seed_words=-1 is not accepted"),
        ({True: ["w0"]}, "a topic of seed_words=True is not accepted"),
        ({"0": ["w0"]}, "a topic of seed_words='0' is not accepted"),
        ({0.0: ["w0"]}, "a topic of seed_words=0.0 is not accepted"),
    ],
)
def test_seed_words_are_refused(seed_words, message):
    with pytest.raises(ValueError, match=message):
        make(seed_words=seed_words).fit(X)


def test_seed_words_are_looked_up_among_the_names_of_the_columns():
    with pytest.raises(ValueError, match="'w0' is not a column of X"):
        make(seed_words={0: ["w0"]}).fit(pd.DataFrame(X, columns=WORDS))


def test_start_from_topics():
    init = np.repeat(np.eye(N_TOPICS)[[2, 0, 1]], 10, axis=1)
    model = make(init=init, max_iter=1).fit(X)
    blocks = model.topic_word_counts_.reshape(N_TOPICS, N_TOPICS, 10).sum(axis=2)
    assert blocks.argmax(axis=1).tolist() == [2, 0, 1]
    assert_same_fit(make(init=init.tolist(), max_iter=1).fit(X), model)


def test_start_from_entry_topics():
    start = make(max_iter=1).fit(X)
    onwards = make(init=start.assignments_).fit(X)
    assert onwards.objective_ <= start.objective_
    assert_same_fit(make(init=start.assignments_.data).fit(X), onwards)
    backwards = [row[::-1] for row in np.split(np.arange(start.assignments_.nnz), start.assignments_.indptr[1:-1])]
    parts = [part[np.concatenate(backwards)] for part in (start.assignments_.data, start.assignments_.indices)]
    unsorted = sparse.csr_array((*parts, start.assignments_.indptr), shape=X.shape)
    assert_same_fit(make(init=unsorted).fit(X), onwards)
    assert not unsorted.has_sorted_indices


@pytest.mark.parametrize("names", [None, WORDS])
def test_seed_words_lead_their_topic(names):
    given = X if names is None else pd.DataFrame(X, columns=names)
    prefix = "w" if names is None else "word"
    chosen = {2: [f"{prefix}{n}" for n in range(5)], 0: [f"{prefix}10", f"{prefix}11", f"{prefix}12"]}
    for seed in range(3):
        top = make(seed_words=chosen, random_state=seed).fit(given).top_words(10)
        assert all(set(words) <= set(top[topic]) for topic, words in chosen.items())


# Columns


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, pd.DataFrame, Corpus.from_counts])
def test_wrong_number_of_columns_is_refused(form):
    with pytest.raises(ValueError, match="X has 29 features, but CrispTopics is expecting 30 features"):
        make().fit(X).transform(form(X[:, 1:]))


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
    np.testing.assert_array_equal(
        model.transform(Corpus.from_counts(X)), model.transform(pd.DataFrame(X, columns=WORDS))
    )


# Counts


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
def test_what_is_no_count_is_refused(value, message, form):
    counts = X.astype(np.float64)
    counts[0, 1] = value
    with pytest.raises(CorpusError, match=message):
        make().fit(form(counts))
    with pytest.raises(CorpusError, match=message):
        make().fit(X).transform(form(counts))


def test_a_corpus_too_small_to_fit_is_refused():
    with pytest.raises(CorpusError, match=r"X has no tokens \(Corpus\(2 documents, 3 words, 0 tokens\)\)"):
        make().fit(np.zeros((2, 3)))
    with pytest.raises(CorpusError, match="n_components=3 is more than the 2 tokens of X"):
        make().fit([[1, 0], [0, 1]])
    assert make().fit([[1, 1], [0, 1]]).topic_word_counts_.sum() == 3


# Before fit


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
