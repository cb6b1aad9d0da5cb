"""Corpus: the same counts in any form give the same corpus, and each documented refusal happens."""

import copy
import doctest
import pickle
import tracemalloc
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

import crisptopics.corpus
from crisptopics import Corpus
from crisptopics.errors import CorpusError

# an empty document, a word that never occurs
DENSE = np.array([[2, 0, 0, 1], [0, 0, 0, 0], [0, 3, 0, 1]])
WORDS = ("ant", "bee", "cat", "dog")
SPARSE_FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]

tables = hnp.arrays(
    np.int64,
    hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6),
    elements=st.integers(0, 3),
)


@st.composite
def messy_csr(draw):
    """Draw CSR arrays with unsorted and repeated words and explicit zeros, and the number of words."""
    n_words = draw(st.integers(1, 5))
    entry = st.tuples(st.integers(0, n_words - 1), st.integers(0, 3))
    documents = draw(st.lists(st.lists(entry, max_size=6), max_size=5))
    indptr = np.cumsum([0] + [len(document) for document in documents])
    entries = np.array([entry for document in documents for entry in document], dtype=np.int64).reshape(-1, 2)
    return indptr, entries[:, 0].copy(), entries[:, 1].copy(), n_words


def assert_same(left, right):
    assert left.shape == right.shape
    for name in ("indptr", "words", "counts"):
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name), strict=True)
    assert left.vocabulary == right.vocabulary
    assert left.names == right.names


def assert_dense(corpus, dense):
    np.testing.assert_array_equal(corpus.counts_matrix().toarray(), dense)


def with_entry(value, dtype=float):
    dense = DENSE.astype(dtype)
    dense[2, 1] = value
    return dense


# What a corpus is


def test_arrays_are_canonical_typed_and_read_only():
    corpus = Corpus.from_counts(DENSE)
    assert corpus.indptr.tolist() == [0, 2, 2, 4]
    assert corpus.words.tolist() == [0, 3, 1, 3]
    assert corpus.counts.tolist() == [2, 1, 3, 1]
    assert [a.dtype for a in (corpus.indptr, corpus.words, corpus.counts)] == [np.int64, np.int32, np.int32]
    for array in (corpus.indptr, corpus.words, corpus.counts):
        assert array.flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_fields_cannot_be_replaced():
    with pytest.raises(AttributeError, match="n_words"):
        Corpus.from_counts(DENSE).n_words = 3


def test_sizes():
    corpus = Corpus.from_counts(DENSE)
    assert (corpus.n_documents, corpus.n_entries, corpus.n_tokens, corpus.shape) == (3, 4, 7, (3, 4))
    assert len(corpus) == 3
    assert type(corpus.n_tokens) is int


def test_repr_groups_thousands():
    assert repr(Corpus.from_counts([[1000, 234]])) == "Corpus(1 documents, 2 words, 1,234 tokens)"


def test_word_names_are_the_vocabulary_or_numbered():
    assert Corpus.from_counts(DENSE, WORDS).word_names == WORDS
    assert Corpus.from_counts(DENSE).word_names == ("w0", "w1", "w2", "w3")


def test_counts_matrix_shares_memory():
    corpus = Corpus.from_counts(DENSE)
    matrix = corpus.counts_matrix()
    assert isinstance(matrix, sparse.csr_array)
    assert np.shares_memory(matrix.data, corpus.counts)
    assert np.shares_memory(matrix.indices, corpus.words)
    assert matrix.has_canonical_format


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))])
def test_copies_are_equal_and_read_only(duplicate):
    corpus = Corpus.from_counts(DENSE, WORDS, ["x", "y", "z"])
    again = duplicate(corpus)
    assert_same(again, corpus)
    assert not again.counts.flags.writeable


def test_total_beyond_int32_is_a_python_int():
    corpus = Corpus.from_counts([[2**31 - 1, 2**31 - 1], [5, 0]])
    assert corpus.n_tokens == 2**32 + 3
    assert corpus.counts.max() == 2**31 - 1


def test_examples_run():
    assert doctest.testmod(crisptopics.corpus).failed == 0


# The same counts in any form


@given(tables)
def test_dense_comes_back(dense):
    assert_dense(Corpus.from_counts(dense), dense)


@settings(max_examples=40)
@given(tables)
def test_every_form_gives_the_same_corpus(dense):
    expected = Corpus.from_counts(sparse.csr_array(dense))
    for form in SPARSE_FORMATS:
        assert_same(Corpus.from_counts(sparse.csr_array(dense).asformat(form)), expected)
    for form in (dense.tolist(), np.asfortranarray(dense), dense.astype(object), pd.DataFrame(dense)):
        assert_same(Corpus.from_counts(form), expected)

    words = [f"w{column}" for column in range(dense.shape[1])]
    expected = Corpus.from_counts(dense, words)
    columns = dict(zip(words, dense.T, strict=True))
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        assert_same(Corpus.from_counts(frame), expected)
    assert_same(Corpus.from_counts(pd.DataFrame.sparse.from_spmatrix(sparse.csr_array(dense), columns=words)), expected)
    tokens = ([word for word, count in zip(words, row, strict=True) for _ in range(count)] for row in dense)
    assert_same(Corpus.from_tokens(tokens, words), expected)
    assert_same(Corpus.from_bow((list(enumerate(row)) for row in dense), words), expected)


@given(messy_csr())
def test_messy_csr_equals_scipys_canonical_form(arrays):
    indptr, indices, data, n_words = arrays
    shape = (len(indptr) - 1, n_words)
    expected = sparse.csr_array((data, indices, indptr), shape=shape, copy=True)
    expected.sum_duplicates()
    expected.eliminate_zeros()
    given_matrix = sparse.csr_array((data, indices, indptr), shape=shape)
    rows = np.repeat(np.arange(shape[0]), np.diff(indptr))
    as_coo = sparse.coo_array((data, (rows, indices)), shape=shape)
    as_csc = given_matrix.tocsc()
    for corpus in [
        Corpus(indptr, indices, data, n_words),
        *(Corpus.from_counts(matrix) for matrix in (given_matrix, as_coo, as_csc)),
    ]:
        np.testing.assert_array_equal(corpus.indptr, expected.indptr)
        np.testing.assert_array_equal(corpus.words, expected.indices)
        np.testing.assert_array_equal(corpus.counts, expected.data)


@given(messy_csr())
def test_order_of_stored_entries_does_not_matter(arrays):
    indptr, indices, data, n_words = arrays
    reverse = np.concatenate([np.arange(a, b)[::-1] for a, b in pairwise(indptr)] or [[]])
    reverse = reverse.astype(int)
    assert_same(Corpus(indptr, indices, data, n_words), Corpus(indptr, indices[reverse], data[reverse], n_words))


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, np.uint64, np.float16, np.float32, np.longdouble])
def test_number_types(dtype):
    dense = DENSE.astype(dtype)
    assert_dense(Corpus.from_counts(dense), dense.astype(int))
    if dtype != np.float16:  # SciPy has none
        assert_dense(Corpus.from_counts(sparse.csc_array(dense)), dense.astype(int))


@pytest.mark.parametrize("one", [1, 1.0, True, np.int8(1), np.float32(1), np.bool_(True), Decimal(1), Fraction(1)])
def test_objects_that_are_numbers(one):
    assert_dense(Corpus.from_counts(np.array([[0, one]], dtype=object)), [[0, 1]])


def test_wide_ids_and_offsets():
    matrix = sparse.csr_array(DENSE)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    assert_same(Corpus.from_counts(matrix), Corpus.from_counts(DENSE))
    assert_same(
        Corpus(matrix.indptr.astype(np.uint64), matrix.indices.astype(np.uint32), matrix.data, 4),
        Corpus.from_counts(DENSE),
    )


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_unused_room_in_a_sparse_matrix_is_ignored(form):
    matrix = sparse.csr_array(DENSE).asformat(form)
    matrix.data, matrix.indices = np.append(matrix.data, [-7, 9]), np.append(matrix.indices, [77, 0])
    assert_same(Corpus.from_counts(matrix), Corpus.from_counts(DENSE))


def test_explicit_zeros_are_dropped():
    assert Corpus([0, 2], [0, 1], [0, 4], 2).words.tolist() == [1]


def test_repeated_small_types_are_summed_wide():
    counts = np.array([100, 100, 100], np.int8)
    for matrix in (
        sparse.coo_array((counts, ([0, 0, 0], [1, 1, 1])), shape=(1, 2)),
        sparse.csr_array((counts, [1, 1, 1], [0, 3]), shape=(1, 2)),
        sparse.csc_array((counts, [0, 0, 0], [0, 0, 3]), shape=(1, 2)),
    ):
        assert_dense(Corpus.from_counts(matrix), [[0, 300]])


@pytest.mark.parametrize(
    "no_documents", [np.empty((0, 3)), sparse.csc_array((0, 3)), pl.DataFrame({"a": [], "b": [], "c": []})]
)
def test_no_documents(no_documents):
    corpus = Corpus.from_counts(no_documents)
    assert corpus.shape == (0, 3)
    assert corpus.n_tokens == 0
    assert corpus.select([]).shape == (0, 3)


def test_no_documents_of_words_or_pairs():
    assert Corpus.from_tokens([], ["a"]).shape == (0, 1)
    assert Corpus.from_bow([], n_words=2).shape == (0, 2)


def test_one_word_and_only_empty_documents():
    assert_dense(Corpus.from_counts([[3]]), [[3]])
    assert_dense(Corpus.from_counts([[0], [0]]), [[0], [0]])


def test_a_corpus_is_given_back():
    corpus = Corpus.from_counts(DENSE)
    assert Corpus.from_counts(corpus) is corpus
    with pytest.raises(CorpusError, match="must be None when counts is a Corpus"):
        Corpus.from_counts(corpus, names=["a", "b", "c"])
    with pytest.raises(CorpusError, match="must be None when counts is a Corpus"):
        Corpus.from_counts(corpus, vocabulary=WORDS)


# The caller's arrays


def test_canonical_input_is_shared_and_stays_writeable():
    # each document starts with a smaller word than the one before ends with
    matrix = sparse.csr_array(np.array([[0, 2, 1, 5], [0, 0, 0, 0], [1, 0, 0, 0]], np.int32))
    corpus = Corpus.from_counts(matrix)
    assert np.shares_memory(corpus.words, matrix.indices)
    assert np.shares_memory(corpus.counts, matrix.data)
    indptr = matrix.indptr.astype(np.int64)
    assert np.shares_memory(Corpus(indptr, matrix.indices, matrix.data, 4).indptr, indptr)
    assert all(array.flags.writeable for array in (matrix.indptr, matrix.indices, matrix.data, indptr))


@given(messy_csr())
def test_inputs_are_not_changed(arrays):
    *parts, n_words = arrays
    before = [part.copy() for part in parts]
    indptr, indices, data = parts
    matrix = sparse.csr_array((data, indices, indptr), shape=(len(indptr) - 1, n_words))
    stored = (matrix.indptr, matrix.indices, matrix.data)
    for array in stored:
        array.flags.writeable = False
    for form in (matrix, matrix.tocsc(), matrix.tocoo()):
        Corpus.from_counts(form)
    assert matrix.indices is stored[1]
    for array, original in zip(stored, before, strict=True):
        np.testing.assert_array_equal(array, original)


def test_dense_input_is_not_changed():
    dense = DENSE.astype(float)
    dense.flags.writeable = False
    Corpus.from_counts(dense)
    np.testing.assert_array_equal(dense, DENSE)


# Frames


def test_frame_gives_vocabulary_and_names():
    frame = pd.DataFrame(DENSE, columns=WORDS, index=["x", "y", "z"])
    corpus = Corpus.from_counts(frame)
    assert corpus.vocabulary == WORDS
    assert corpus.names == ("x", "y", "z")
    renamed = Corpus.from_counts(frame, vocabulary=["a", "b", "c", "d"], names=[1, 2, 3])
    assert renamed.vocabulary == ("a", "b", "c", "d")
    assert renamed.names == ("1", "2", "3")


def test_frame_without_string_columns_has_no_vocabulary():
    assert Corpus.from_counts(pd.DataFrame([[1, 2]])).vocabulary is None
    assert Corpus.from_counts(pd.DataFrame([[1, 2]], columns=["a", 1])).vocabulary is None


def test_numbered_rows_give_no_names_but_chosen_rows_do():
    frame = pd.DataFrame(DENSE, columns=WORDS)
    assert Corpus.from_counts(frame).names is None
    assert Corpus.from_counts(frame.iloc[[2, 0, 1]]).names == ("2", "0", "1")


def test_frame_with_mixed_columns():
    frame = pd.DataFrame(
        {
            "i": pd.array([1, 0], dtype="Int64"),
            "f": [2.0, 0.0],
            "b": [False, True],
            "s": pd.arrays.SparseArray([0, 3]),
            "t": pd.arrays.SparseArray([5, 4], fill_value=5),
        }
    )
    assert_dense(Corpus.from_counts(frame), [[1, 2, 0, 0, 5], [0, 0, 1, 3, 4]])


def test_sparse_frame_is_not_densified():
    n_documents, n_words = 4000, 400
    matrix = sparse.csc_array(
        (np.ones(n_words, np.int64), (np.arange(n_words), np.arange(n_words))), (n_documents, n_words)
    )
    frame = pd.DataFrame.sparse.from_spmatrix(matrix)
    Corpus.from_counts(frame.iloc[:5])  # imports are not counted below
    tracemalloc.start()
    Corpus.from_counts(frame)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.2 * n_documents * n_words * 8


@pytest.mark.parametrize(
    "frame", [pl.DataFrame({"a": [1, None]}), pa.table({"a": [1, None]}), pd.DataFrame({"a": [1, None]})]
)
def test_missing_counts_in_a_frame_are_refused(frame):
    with pytest.raises(CorpusError, match=r"NaN in data: document 1, word 0 \('a'\)"):
        Corpus.from_counts(frame)


@pytest.mark.parametrize("frame", [pl.DataFrame, pa.table, pd.DataFrame])
def test_text_in_a_frame_is_refused(frame):
    with pytest.raises(CorpusError, match=r"column 'b' of dtype .*: received 'hello' \(str\) at row 0.*only numbers"):
        Corpus.from_counts(frame({"a": [1, 2], "b": ["hello", "you"]}))


def test_repeated_columns_are_refused():
    with pytest.raises(CorpusError, match="columns of a frame must differ"):
        Corpus.from_counts(pd.DataFrame([[1, 2]], columns=["a", "a"]))


# Lists of words, and of (word, count)


def test_words_are_sorted_whatever_the_order_of_documents():
    documents = [["dog", "ant", "dog"], [], ["bee"]]
    corpus = Corpus.from_tokens(iter(documents))
    assert corpus.vocabulary == ("ant", "bee", "dog")
    assert_dense(corpus, [[1, 0, 2], [0, 0, 0], [0, 1, 0]])
    assert_same(Corpus.from_tokens(documents[::-1]), Corpus.from_tokens(documents).select([2, 1, 0]))


def test_given_vocabulary_keeps_its_order_and_drops_other_words():
    corpus = Corpus.from_tokens([["dog", "emu", "ant"]], vocabulary=np.array(["dog", "ant", "cat"]))
    assert corpus.vocabulary == ("dog", "ant", "cat")
    assert type(corpus.vocabulary[0]) is str
    assert_dense(corpus, [[1, 1, 0]])


def test_tokens_agree_with_a_vectorizer():
    texts = ["the cat sat", "the dog the dog", ""]
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(texts)
    expected = Corpus.from_counts(counts, vectorizer.get_feature_names_out())
    assert_same(Corpus.from_tokens(text.split() for text in texts), expected)


@pytest.mark.parametrize("documents", [["a text"], [["a"], "b"], "abc", [b"bytes"]])
def test_plain_text_is_refused_as_a_list_of_words(documents):
    with pytest.raises(CorpusError, match=r"document [01] is the text b?'.*accepted is a list of words; divide"):
        Corpus.from_tokens(documents)


@pytest.mark.parametrize("document", [7, None, [["a"]]])
def test_other_things_are_refused_as_a_list_of_words(document):
    with pytest.raises(CorpusError, match="document 1 is not a list of words"):
        Corpus.from_tokens([["a"], document])


def test_tokens_that_are_not_strings_are_refused():
    with pytest.raises(CorpusError, match=r"every word must be a string; word 1 is 3 \(int\)"):
        Corpus.from_tokens([["a", 3]])


def test_pairs_default_to_the_largest_id():
    corpus = Corpus.from_bow(iter([[(4, 1), (0, 2), (4, 1)], iter([])]))
    assert_dense(corpus, [[2, 0, 0, 0, 2], [0, 0, 0, 0, 0]])
    assert Corpus.from_bow([[(0, 1)]], n_words=3).shape == (1, 3)


def test_mapping_from_id_to_word_in_any_order():
    corpus = Corpus.from_bow([[(1, 2), (0, 1)]], {1: "ant", 2: "bee", 0: "dog"})
    assert_same(corpus, Corpus.from_counts([[1, 2, 0]], ["dog", "ant", "bee"]))


def test_object_with_items_as_gensims_dictionary_has():
    class Dictionary:
        def items(self):
            return zip(range(2), ["ant", "bee"], strict=True)

    assert Corpus.from_bow([[(0, 1)]], Dictionary()).vocabulary == ("ant", "bee")


@pytest.mark.parametrize("document", [[3], [(1, 2, 3)], ["ab"], [(0, "x")], [(0.5, 1)], [(2**70, 1)], 5, "ab"])
def test_what_is_not_pairs_is_refused(document):
    with pytest.raises(CorpusError, match=r"document 1 is not a list of \(word id, count\) pairs: .*accepted is"):
        Corpus.from_bow([[(0, 1)], document])


def test_pairs_with_unusable_numbers_are_refused():
    with pytest.raises(CorpusError, match="document 0 has word -1; accepted are 0 to 2"):
        Corpus.from_bow([[(-1, 1)]], n_words=3)
    with pytest.raises(CorpusError, match="document 1 has word 3; accepted are 0 to 2"):
        Corpus.from_bow([[(0, 1)], [(3, 1)]], vocabulary=["a", "b", "c"])
    with pytest.raises(CorpusError, match=r"Fractional count in data: document 0, word 1 \('b'\) has 0.5"):
        Corpus.from_bow([[(1, 0.5)]], vocabulary=["a", "b"])


@pytest.mark.parametrize("vocabulary", [{0: "a", 2: "c"}, {"a": 0, "b": 1}])
def test_mapping_with_gaps_or_turned_round_is_refused(vocabulary):
    with pytest.raises(CorpusError, match=r"must map the ids 0 to 1 to words; received no word for id [01]"):
        Corpus.from_bow([[(0, 1)]], vocabulary)


# Choosing documents


@settings(max_examples=50)
@given(tables, st.data())
def test_select_equals_numpy(dense, data):
    corpus = Corpus.from_counts(dense, names=range(len(dense)))
    rows = data.draw(st.lists(st.integers(0, len(dense) - 1), max_size=8))
    chosen = corpus.select(rows)
    assert_dense(chosen, dense[np.array(rows, dtype=int)])
    assert chosen.names == tuple(map(str, rows))
    mask = data.draw(hnp.arrays(bool, len(dense)))
    assert_dense(corpus.select(mask), dense[mask])


@pytest.mark.parametrize("rows", [[0.5], [[0]], 1, ["a"], [True, False], slice(2)])
def test_rows_of_another_form_are_refused(rows):
    with pytest.raises(CorpusError, match="rows must be a list of document numbers, or of 3 bools; received"):
        Corpus.from_counts(DENSE).select(rows)


@pytest.mark.parametrize("row", [3, -1])
def test_documents_that_do_not_exist_are_refused(row):
    with pytest.raises(CorpusError, match=f"document {row} was asked for; accepted are 0 to 2"):
        Corpus.from_counts(DENSE).select([0, row])


# Counts that are refused

BAD_COUNTS = [
    (-1.0, "Negative values in data"),
    (np.nan, "NaN in data"),
    (np.inf, r"Infinite value \(inf\) in data"),
    (-np.inf, r"Infinite value \(inf\) in data"),
    (0.5, "Fractional count in data"),
    (2.0**31, "Too large a count in data"),
]


@pytest.mark.parametrize(("value", "problem"), BAD_COUNTS)
@pytest.mark.parametrize("form", [np.asarray, *(getattr(sparse, f"{form}_array") for form in SPARSE_FORMATS)])
def test_unusable_counts_are_refused_in_one_line(form, value, problem):
    expected = rf"^{problem}: document 2, word 1 has {value}; accepted are whole numbers from 0 to 2147483647; [^\n]+$"
    with pytest.raises(CorpusError, match=expected):
        Corpus.from_counts(form(with_entry(value)))


def test_refusal_names_word_and_document():
    with pytest.raises(CorpusError, match=r"document 2 \('z'\), word 1 \('bee'\) has -4"):
        Corpus.from_counts(with_entry(-4, int), WORDS, ["x", "y", "z"])


def test_the_first_of_several_is_named_also_by_columns():
    dense = np.array([[0, 0], [0, -2], [-3, 0]])
    with pytest.raises(CorpusError, match="document 1, word 1 has -2"):
        Corpus.from_counts(sparse.csc_array(dense))


def test_bad_values_that_sum_to_a_good_one_are_refused():
    for values in ([0.5, 0.5], [-1, 2]):
        matrix = sparse.coo_array((values, ([0, 0], [0, 0])), shape=(1, 1))
        with pytest.raises(CorpusError, match="document 0, word 0"):
            Corpus.from_counts(matrix)


@pytest.mark.parametrize("dtype", [np.int64, np.uint32, np.uint64, np.float32, object])
def test_one_count_beyond_int32_is_refused(dtype):
    with pytest.raises(
        CorpusError, match=r"Too large a count in data: document 2, word 1 has 4294967296|has 2147483648"
    ):
        Corpus.from_counts(with_entry(2**31 if dtype == np.uint32 else 2**32, dtype))


def test_sum_of_repeats_beyond_int32_is_refused():
    with pytest.raises(CorpusError, match="Too large a count in data: document 1, word 2 has 2147483648"):
        Corpus([0, 1, 4], [0, 2, 1, 2], np.array([1, 2**31 - 1, 1, 1], np.int32), 3)


def test_complex_counts_are_refused():
    with pytest.raises(CorpusError, match="Complex data not supported"):
        Corpus.from_counts(DENSE.astype(complex))
    with pytest.raises(CorpusError, match="Complex data not supported"):
        Corpus.from_counts(sparse.csr_array(DENSE.astype(complex)))


@pytest.mark.parametrize("thing", [{"foo": "bar"}, "3", b"3", 1 + 2j, [1]])
def test_objects_that_are_not_numbers_are_refused(thing):
    dense = DENSE.astype(object)
    dense[1, 2] = thing
    with pytest.raises(CorpusError, match=r"row 1, column 2; the argument must be .* string.* number") as caught:
        Corpus.from_counts(dense)
    assert isinstance(caught.value, TypeError)


def test_none_among_objects_is_nan():
    with pytest.raises(CorpusError, match="NaN in data: document 0, word 1"):
        Corpus.from_counts([[1, None]])


@pytest.mark.parametrize("table", [[["a", "b"]], np.array([["2020-01-01"]], dtype="M8[D]"), np.ones((1, 1), "m8[s]")])
def test_text_and_times_are_refused(table):
    with pytest.raises(CorpusError, match=r"at row 0, column 0.*only numbers"):
        Corpus.from_counts(table)


@pytest.mark.parametrize("table", [[1, 2], ["a text"], "text", 5, None, np.ones((1, 1, 1)), sparse.coo_array([1, 2])])
def test_other_dimensions_are_refused(table):
    with pytest.raises(CorpusError, match=r"table of counts with 2 dimensions; received .*Reshape your data"):
        Corpus.from_counts(table)


def test_ragged_lists_are_refused():
    with pytest.raises(CorpusError, match=r"counts are not a table: .*accepted are rows of one length"):
        Corpus.from_counts([[1, 2], [3]])


@pytest.mark.parametrize(
    "make",
    [
        lambda: Corpus.from_counts(np.empty((3, 0))),
        lambda: Corpus.from_counts(sparse.csc_array((3, 0))),
        lambda: Corpus.from_counts(pd.DataFrame(index=range(3))),
        lambda: Corpus.from_tokens([[], [], []]),
        lambda: Corpus.from_bow([[], [], []]),
    ],
)
def test_no_words_are_refused(make):
    with pytest.raises(CorpusError, match=r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"):
        make()


# Broken matrices


@pytest.mark.parametrize(
    ("indptr", "words", "counts", "problem"),
    [
        ([0, 2, 1, 3], [0, 1, 2], [1, 1, 1], "indptr falls from 2 to 1 at document 1"),
        ([0, 9, 3], [0, 1, 2], [1, 1, 1], "indptr falls from 9 to 3 at document 1"),
        ([0, 2], [0, 3], [1, 1], "document 0 has word 3; accepted are 0 to 2"),
        ([0, 0, 2], [0, -1], [1, 1], "document 1 has word -1; accepted are 0 to 2"),
        ([0, 1], [2**32], [1], "document 0 has word 4294967296"),
        ([1, 2], [0, 1], [1, 1], "indptr goes from 1 to 2; it must go from 0 to 2"),
        ([0, 1], [0, 1], [1, 1], "indptr goes from 0 to 1; it must go from 0 to 2"),
        ([], [], [], "indptr is empty"),
        ([0, 2], [0, 1], [1], "there are 1 counts for 2 indices"),
        ([0, 2], [0.0, 1.0], [1, 1], "indices has 1 dimensions and dtype float64"),
        ([0.0, 2.0], [0, 1], [1, 1], "indptr has 1 dimensions and dtype float64"),
        ([0, 2], [[0, 1]], [1, 1], "indices has 2 dimensions and dtype int64"),
        (2, [0, 1], [1, 1], "indptr has 0 dimensions and dtype int64"),
    ],
)
def test_broken_arrays_are_refused(indptr, words, counts, problem):
    with pytest.raises(CorpusError, match=problem):
        Corpus(indptr, words, counts, 3)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize(
    ("indptr", "indices", "problem"), [([0, 5, 2], [0, 1], "indptr falls from 5 to 2"), ([0, 1, 2], [0, 7], "has .* 7")]
)
def test_broken_scipy_matrices_are_refused(form, indptr, indices, problem):
    matrix = form((2, 2), dtype=np.int64)
    matrix.data, matrix.indices, matrix.indptr = np.ones(2, np.int64), np.array(indices), np.array(indptr)
    with pytest.raises(CorpusError, match=problem):
        Corpus.from_counts(matrix)


@pytest.mark.parametrize("n_words", [-1, 2.0, "3", None, 2**31])
def test_unusable_numbers_of_words_are_refused(n_words):
    with pytest.raises(CorpusError, match="n_words must be a whole number from 1 to 2147483647; received"):
        Corpus([0, 1], [0], [1], n_words)


# Vocabulary and names


@pytest.mark.parametrize(
    ("vocabulary", "problem"),
    [
        (["a", "b", "c"], "vocabulary must have 4 items, one for each word; received 3"),
        (["a", "b", "a", "d"], "words of the vocabulary must differ; received 'a' 2 times"),
        (["a", "b", 3, "d"], r"every word must be a string; word 2 is 3 \(int\)"),
        (["a", "b", None, "d"], r"every word must be a string; word 2 is None"),
        ("abcd", "words in the order of the columns; received a str"),
        ({"a": 0, "b": 1, "c": 2, "d": 3}, "received a dict; .*get_feature_names_out"),
        ({"a", "b", "c", "d"}, "received a set"),
        (7, "received a int"),
    ],
)
def test_unusable_vocabularies_are_refused(vocabulary, problem):
    with pytest.raises(CorpusError, match=problem):
        Corpus.from_counts(DENSE, vocabulary)


def test_unusable_vocabulary_is_refused_before_tokens_are_read():
    with pytest.raises(CorpusError, match="received 'a' 2 times"):
        Corpus.from_tokens([["a"]], ["a", "a"])


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["x", "y"], "names must have 3 items, one for each document; received 2"),
        ("xyz", "names must be a list of 3 strings; received 'xyz'"),
        (5, "names must be a list of 3 strings; received 5"),
    ],
)
def test_unusable_names_are_refused(names, problem):
    with pytest.raises(CorpusError, match=problem):
        Corpus.from_counts(DENSE, names=names)


def test_names_may_repeat_and_become_strings():
    assert Corpus.from_counts(DENSE, names=np.array([1, 1, 2])).names == ("1", "1", "2")
