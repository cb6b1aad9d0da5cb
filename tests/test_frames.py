"""Data frames for people: their contents by hand."""

import sys

import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from crisptopics import CrispTopics
from crisptopics.assign import topic_shares
from crisptopics.corpus import Corpus
from crisptopics.errors import MissingExtraError
from crisptopics.frames import documents_frame, top_words, topics_frame, words_frame
from crisptopics.kernels import NO_TOPIC

TOPICS = sparse.csr_array(np.array([[0, 5, 5, 9, 1], [0, 0, 0, 0, 0], [20, 0, 0, 0, 0]]))
CORPUS = Corpus.from_counts([[3, 1, 0], [0, 0, 0], [0, 0, 2], [0, 2, 2]], names=["a", "b", "c", "d"])
ENTRY_TOPICS = np.array([0, 1, NO_TOPIC, 1, 0], dtype=np.uint16)


def test_top_words_are_the_most_frequent_then_the_first():
    assert top_words(TOPICS, 0, 3) == [3, 1, 2]
    assert top_words(TOPICS, 0, 99) == [3, 1, 2, 4]
    assert top_words(TOPICS, 1, 3) == []
    assert top_words(TOPICS, 2, 1) == [0]
    assert top_words(TOPICS, 0, 0) == []


def test_topics_frame():
    expected = pd.DataFrame(
        {"tokens": [20, 0, 20], "share": [0.5, 0.0, 0.5], "words": ["law tax", "", "sun"]},
        index=pd.RangeIndex(3, name="topic"),
    )
    pd.testing.assert_frame_equal(topics_frame(TOPICS, [["law", "tax"], [], ["sun"]]), expected)


def test_topics_frame_without_tokens():
    frame = topics_frame(sparse.csr_array((2, 3), dtype=np.int64), [[], []])
    assert frame["share"].tolist() == [0.0, 0.0]


def test_documents_frame():
    expected = pd.DataFrame(
        {
            "tokens": [4, 0, 2, 4],
            "topic": [0, -1, -1, 0],  # the last one's two topics are equal: the first
            "n_topics": np.array([2, 0, 0, 2], dtype=np.int32),
            "topic0": [0.75, 0.0, 0.0, 0.5],
            "topic1": [0.25, 0.0, 0.0, 0.5],
        },
        index=pd.Index(["a", "b", "c", "d"], name="document"),
    )
    frame = documents_frame(CORPUS, topic_shares(CORPUS, ENTRY_TOPICS, n_topics=2))
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False)
    assert all(frame[column].dtype.kind == "i" for column in ("tokens", "topic", "n_topics"))


def test_words_frame():
    expected = pd.DataFrame(
        {
            "document": ["a", "a", "c", "d", "d"],
            "word": ["sun", "sea", "law", "sea", "law"],
            "count": [3, 1, 2, 2, 2],
            "topic": [0, 1, -1, 1, 0],
        }
    )
    frame = words_frame(CORPUS, ENTRY_TOPICS, ["sun", "sea", "law"])
    pd.testing.assert_frame_equal(frame.astype(object), expected.astype(object))
    assert all(frame[column].dtype.kind == "i" for column in ("count", "topic"))


def test_topics_beyond_15_bits_stay_positive():
    frame = words_frame(Corpus.from_counts([[1]]), np.array([65_533], dtype=np.uint16), ["sun"])
    assert frame["topic"].tolist() == [65_533]


def test_documents_without_names_are_numbered():
    corpus = Corpus.from_counts([[0, 0], [3, 1]])
    topics = np.array([0, 1], dtype=np.uint16)
    assert documents_frame(corpus, topic_shares(corpus, topics, 2)).index.tolist() == [0, 1]
    assert words_frame(corpus, topics, ["sun", "sea"])["document"].tolist() == [1, 1]


def test_no_documents():
    corpus = Corpus([0], [], [], n_words=3)
    none = np.array([], dtype=np.uint16)
    frame = documents_frame(corpus, topic_shares(corpus, none, 2))
    assert frame.shape == (0, 5)
    assert words_frame(corpus, none, ["sun", "sea", "law"]).shape == (0, 4)


@pytest.fixture
def model():
    vocabulary = ["sun", "sea", "tax", "law", "never"]
    counts = [[4, 2, 0, 0, 0], [0, 0, 1, 5, 0]]
    given = Corpus.from_counts(counts, vocabulary=vocabulary, names=["summer", "state"])
    init = [[1, 1, 0, 0, 0], [0, 0, 1, 1, 0]]
    return CrispTopics(2, penalty=2.0, init=init).fit(given)


def test_frames_of_a_model(model):
    assert model.top_words() == [["sun", "sea"], ["law", "tax"]]
    assert model.top_words(1) == [["sun"], ["law"]]
    assert model.topics_frame(top=1)["words"].tolist() == ["sun", "law"]
    assert model.topics_frame()["tokens"].tolist() == [6, 6]
    new = Corpus.from_counts([[1, 0, 0, 0, 2]], names=["new"])
    documents = model.documents_frame(new)
    assert documents.index.tolist() == ["new"]
    assert documents.to_numpy().tolist() == [[3, 0, 1, 1.0, 0.0]]
    assert model.words_frame(new).to_numpy().tolist() == [["new", "sun", 1, 0], ["new", "never", 2, -1]]


def test_the_rows_names_of_a_frame_stay(model):
    frame = pd.DataFrame([[1, 0, 0, 0, 2], [0, 0, 3, 0, 0]], index=["x", "y"], columns=model.feature_names_in_)
    assert model.documents_frame(frame).index.tolist() == ["x", "y"]
    assert model.words_frame(frame)["document"].tolist() == ["x", "x", "y"]


def test_names_of_columns_may_be_given_later(model):
    names = ["a", "b", "c", "d", "e"]
    assert model.top_words(words=names) == [["a", "b"], ["d", "c"]]
    assert model.topics_frame(words=np.array(names))["words"].tolist() == ["a b", "d c"]
    assert model.words_frame(Corpus.from_counts([[1, 0, 0, 0, 0]]), words=names)["word"].tolist() == ["a"]
    assert CrispTopics(1).fit([[2, 3]]).top_words() == [["w1", "w0"]]


def test_names_for_other_columns_are_refused(model):
    with pytest.raises(ValueError, match="words has 2 names, but the model has 5 columns"):
        model.topics_frame(words=["a", "b"])


@pytest.mark.parametrize(
    "use",
    [
        lambda model: model.topics_frame(),
        lambda model: model.documents_frame(Corpus.from_counts([[1, 0, 0, 0, 0]])),
        lambda model: model.words_frame(Corpus.from_counts([[1, 0, 0, 0, 0]])),
    ],
)
def test_without_pandas_the_message_names_the_extra(model, use, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"data frames need pandas; .*'crisptopics\[frames\]'"):
        use(model)
    assert model.top_words(1) == [["sun"], ["law"]]


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_other_frames_have_the_index_as_their_first_column(model, kind):
    library = {"polars": pl.DataFrame, "pyarrow": pa.Table}[kind]
    new = Corpus.from_counts([[1, 0, 0, 0, 2]], names=["new"])
    for get in (
        lambda kind: model.topics_frame(kind=kind),
        lambda kind: model.documents_frame(new, kind=kind),
        lambda kind: model.words_frame(new, kind=kind),
    ):
        frame, expected = get(kind), get("pandas")
        assert isinstance(frame, library)
        if expected.index.name is not None:
            expected = expected.reset_index()
        assert narwhals.from_native(frame).to_dict(as_series=False) == expected.to_dict("list")


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_other_frames_number_documents_without_names(model, kind):
    frame = narwhals.from_native(
        model.documents_frame(Corpus.from_counts([[1, 0, 0, 0, 0], [0, 0, 0, 2, 0]]), kind=kind)
    )
    assert frame["document"].to_list() == [0, 1]
    none = narwhals.from_native(model.words_frame(Corpus([0], [], [], n_words=5), kind=kind))
    assert none.shape == (0, 4)


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_without_the_library_of_a_frame_the_message_names_it(model, kind, monkeypatch):
    monkeypatch.setitem(sys.modules, kind, None)
    with pytest.raises(MissingExtraError, match=f"data frames need {kind}; install it with: pip install {kind}"):
        model.topics_frame(kind=kind)


def test_an_unknown_kind_of_frame_is_refused(model):
    with pytest.raises(ValueError, match="kind='spark' is no kind of data frame; choose one of 'pandas', 'polars'"):
        model.topics_frame(kind="spark")


@pytest.mark.parametrize("library", [pl.DataFrame, pa.table])
def test_polars_and_arrow_frames_are_fitted_with_their_names(library):
    counts = library({"sun": [3, 0], "rain": [1, 4]})
    fitted = CrispTopics(1, penalty=2.0, random_state=0).fit(counts)
    assert fitted.feature_names_in_.tolist() == ["sun", "rain"]
    assert fitted.words_frame(counts)["word"].tolist() == ["sun", "rain", "rain"]
