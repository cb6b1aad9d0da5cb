import time

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats

from crisptopics import datasets
from crisptopics.datasets import DOCUMENTS_PER_BLOCK, load_sotu, make_lda_corpus, split_paragraphs, synth_a, synth_b

SMALL = {"n_docs": 30, "n_topics": 4, "n_words": 25, "doc_length": 12, "alpha": 0.1, "beta": 0.1}


class FixedStream:
    """Stands for a random generator where a test needs the rarest of draws."""

    def __init__(self, uniforms):
        self.uniforms = np.asarray(uniforms)

    def random(self, size):
        assert size == self.uniforms.size
        return self.uniforms


@pytest.fixture(scope="module")
def drawn_a():
    return synth_a(2000, random_state=3)


@pytest.fixture(scope="module")
def sotu():
    return load_sotu()


def assert_same(one, other):
    assert_array_equal(one.psi, other.psi)
    assert_array_equal(one.words, other.words)
    assert_array_equal(one.topics, other.topics)
    assert (one.counts != other.counts).nnz == 0


def test_shapes_and_types():
    drawn = make_lda_corpus(**SMALL, random_state=0)
    assert (drawn.words.shape, drawn.words.dtype) == ((360,), np.int32)
    assert (drawn.topics.shape, drawn.topics.dtype) == ((360,), np.uint16)
    assert (drawn.psi.shape, drawn.psi.dtype) == ((4, 25), np.float64)
    assert isinstance(drawn.counts, sparse.csr_array)
    assert (drawn.counts.shape, drawn.counts.dtype) == ((30, 25), np.int32)
    assert drawn.counts.indices.dtype == np.int32
    assert_array_equal(drawn.indptr, np.arange(31) * 12)
    assert drawn.indptr.dtype == np.int64


def test_counts_are_those_of_the_words_in_canonical_form():
    drawn = make_lda_corpus(**SMALL | {"n_docs": DOCUMENTS_PER_BLOCK + 3}, random_state=0)
    expected = [np.bincount(words, minlength=25) for words in drawn.words.reshape(-1, 12)]
    assert_array_equal(drawn.counts.toarray(), expected)
    fresh = sparse.csr_array((drawn.counts.data, drawn.counts.indices, drawn.counts.indptr), shape=drawn.counts.shape)
    assert fresh.has_canonical_format
    assert drawn.counts.data.min() > 0


def test_psi_rows_are_distributions(drawn_a):
    assert drawn_a.psi.min() >= 0.0
    assert_allclose(drawn_a.psi.sum(axis=1), 1.0, rtol=1e-12)


def test_presets_are_the_papers(drawn_a):
    assert (drawn_a.psi.shape, drawn_a.doc_length) == ((20, 2000), 150)
    drawn_b = synth_b(10, random_state=0)
    assert (drawn_b.psi.shape, drawn_b.doc_length) == ((50, 3000), 200)


def test_same_seed_same_bits():
    assert_same(make_lda_corpus(**SMALL, random_state=5), make_lda_corpus(**SMALL, random_state=5))
    by_state = make_lda_corpus(**SMALL, random_state=np.random.RandomState(5))
    assert_same(make_lda_corpus(**SMALL, random_state=5), by_state)


def test_other_seed_other_documents():
    one, other = (make_lda_corpus(**SMALL, random_state=seed) for seed in (0, 1))
    assert (one.words != other.words).any()
    assert (one.psi != other.psi).any()


def test_no_seed_draws_anew():
    assert (make_lda_corpus(**SMALL).words != make_lda_corpus(**SMALL).words).any()


@pytest.mark.parametrize("n_docs", [1, 7, DOCUMENTS_PER_BLOCK, DOCUMENTS_PER_BLOCK + 1, 2 * DOCUMENTS_PER_BLOCK])
def test_a_smaller_corpus_is_the_start_of_a_larger_one(n_docs):
    sizes = SMALL | {"n_docs": 2 * DOCUMENTS_PER_BLOCK + 5}
    larger = make_lda_corpus(**sizes, random_state=2)
    smaller = make_lda_corpus(**sizes | {"n_docs": n_docs}, random_state=2)
    assert_array_equal(smaller.psi, larger.psi)
    assert_array_equal(smaller.words, larger.words[: n_docs * 12])
    assert_array_equal(smaller.topics, larger.topics[: n_docs * 12])
    assert (smaller.counts != larger.counts[:n_docs]).nnz == 0


def test_blocks_are_not_copies_of_each_other():
    drawn = make_lda_corpus(**SMALL | {"n_docs": 2 * DOCUMENTS_PER_BLOCK}, random_state=0)
    first, second = np.split(drawn.words, 2)
    assert (first != second).mean() > 0.5


def test_words_follow_psi(drawn_a):
    for topic, psi in enumerate(drawn_a.psi):
        of_topic = drawn_a.words[drawn_a.topics == topic]
        expected = psi * of_topic.size
        common = expected >= 5.0
        assert common.sum() > 30
        observed = np.bincount(of_topic, minlength=psi.size)[common]
        both = (
            np.append(observed, of_topic.size - observed.sum()),
            np.append(expected[common], of_topic.size - expected[common].sum()),
        )
        assert stats.chisquare(both[0], both[1]).pvalue > 1e-4


def test_topics_of_a_document_follow_the_dirichlet():
    drawn = make_lda_corpus(20_000, n_topics=5, n_words=3, doc_length=2, alpha=0.3, beta=1.0, random_state=0)
    assert_allclose(np.bincount(drawn.topics) / drawn.topics.size, 0.2, atol=0.01)
    first, second = drawn.topics.reshape(-1, 2).T
    # Two tokens share a topic with probability sum_k E[theta_k^2] = (alpha + 1) / (n_topics * alpha + 1).
    assert_allclose((first == second).mean(), 1.3 / 2.5, atol=0.015)


def test_psi_has_the_spread_of_its_dirichlet():
    drawn = make_lda_corpus(1, n_topics=3000, n_words=40, doc_length=1, alpha=1.0, beta=0.05, random_state=0)
    assert_allclose((drawn.psi**2).sum(axis=1).mean(), 1.05 / 3.0, atol=0.01)
    assert_allclose(drawn.psi.mean(axis=0), 1 / 40, atol=0.01)


@pytest.mark.parametrize("concentration", [1e-300, 1e-3, 1e300])
def test_extreme_concentrations_give_distributions(concentration):
    drawn = make_lda_corpus(**SMALL | {"alpha": concentration, "beta": concentration}, random_state=0)
    assert_allclose(drawn.psi.sum(axis=1), 1.0, rtol=1e-12)
    assert (drawn.psi[drawn.topics, drawn.words] > 0.0).all()
    topics_per_document = [len(np.unique(topics)) for topics in drawn.topics.reshape(-1, 12)]
    assert (np.mean(topics_per_document) < 1.2) == (concentration < 1.0)


def test_words_of_probability_zero_are_never_drawn():
    drawn = make_lda_corpus(500, n_topics=300, n_words=200, doc_length=50, alpha=1.0, beta=1e-3, random_state=0)
    assert (drawn.psi == 0.0).sum() > 1000
    assert drawn.topics.max() > 255
    assert (drawn.psi[drawn.topics, drawn.words] > 0.0).all()


@pytest.mark.parametrize("row", [0, 1, 1023, 65_534])
def test_the_least_and_the_greatest_uniform_stay_in_their_row_and_on_its_words(row):
    probabilities = np.tile([0.0, 0.25, 0.0, 0.75, 0.0], (row + 2, 1))
    rows = np.full(4, row)
    stream = FixedStream([0.0, 0.2499, 0.2501, np.nextafter(1.0, 0.0)])
    columns = datasets._draw_columns(datasets._stacked_cumulative(probabilities), rows, stream)
    assert_array_equal(columns, [1, 1, 3, 3])


def test_wide_numbers_stay_whole():
    one_word = make_lda_corpus(2, n_topics=1, n_words=1, doc_length=70_000, alpha=1.0, beta=1.0, random_state=0)
    assert_array_equal(one_word.counts.data, [70_000, 70_000])
    many_topics = make_lda_corpus(3, n_topics=65_535, n_words=2, doc_length=2000, alpha=1.0, beta=1.0, random_state=0)
    assert many_topics.topics.max() > 60_000
    many_words = make_lda_corpus(3, n_topics=1, n_words=200_000, doc_length=2000, alpha=1.0, beta=1.0, random_state=0)
    assert many_words.words.max() > 100_000
    assert many_words.counts.indices.max() == many_words.words.max()


@pytest.mark.parametrize("sparse_form", [True, False])
def test_token_topics_spread_entry_topics_in_token_order(sparse_form):
    drawn = make_lda_corpus(**SMALL | {"n_docs": DOCUMENTS_PER_BLOCK + 9}, random_state=0)
    documents = np.repeat(np.arange(drawn.counts.shape[0]), np.diff(drawn.counts.indptr))
    entry_topics = (documents * 31 + drawn.counts.indices) % 300
    given = entry_topics
    if sparse_form:
        given = sparse.csr_array((entry_topics, drawn.counts.indices, drawn.counts.indptr), shape=drawn.counts.shape)
    spread = drawn.token_topics(given)
    assert spread.dtype == np.uint16
    assert_array_equal(spread, (np.repeat(np.arange(drawn.counts.shape[0]), 12) * 31 + drawn.words) % 300)


def test_token_topics_refuses_what_is_no_topic_per_entry():
    drawn = make_lda_corpus(**SMALL, random_state=0)
    n_entries = drawn.counts.nnz
    with pytest.raises(ValueError, match=r"one integer per entry of counts.* got int64 of shape \(3,\)"):
        drawn.token_topics(np.zeros(3, dtype=np.int64))
    with pytest.raises(ValueError, match=r"one integer per entry of counts.* got float64"):
        drawn.token_topics(np.zeros(n_entries))
    with pytest.raises(ValueError, match="from 0 to 65535, got -1 to -1"):
        drawn.token_topics(np.full(n_entries, -1))
    with pytest.raises(ValueError, match="from 0 to 65535, got 65536 to 65536"):
        drawn.token_topics(np.full(n_entries, 65_536))
    with pytest.raises(ValueError, match=r"must have the entries of counts.* got shape \(29, 25\)"):
        drawn.token_topics(drawn.counts[1:])
    with pytest.raises(ValueError, match="must have the entries of counts"):
        drawn.token_topics(drawn.counts[::-1])


@pytest.mark.parametrize("name", ["n_docs", "n_topics", "n_words", "doc_length"])
@pytest.mark.parametrize("size", [0, -3, 2.0, True, "7", 2**31])
def test_bad_sizes_are_refused(name, size):
    with pytest.raises(ValueError, match=f"^{name} must be an integer from 1 to [0-9]+, got {size!r}: "):
        make_lda_corpus(**SMALL | {name: size})


def test_more_topics_than_their_type_holds_are_refused():
    with pytest.raises(ValueError, match="n_topics must be an integer from 1 to 65535, got 65536"):
        make_lda_corpus(**SMALL | {"n_topics": 65_536})


@pytest.mark.parametrize("name", ["alpha", "beta"])
@pytest.mark.parametrize("value", [0, -0.1, float("nan"), float("inf"), 1e-310, "low", True])
def test_bad_concentrations_are_refused(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be a finite number above 0, got {value!r}: "):
        make_lda_corpus(**SMALL | {name: value})


@pytest.mark.parametrize(
    ("text", "paragraphs"),
    [
        ("", []),
        (" \n", []),
        ("No end", ["No end"]),
        ("One. Two. Three.", ["One. Two. Three."]),
        ("One two three four. Five.", ["One two three four. Five."]),
        ("One two three four. Five six seven eight.", ["One two three four.", "Five six seven eight."]),
        ("One two three four. Five six seven eight. Nine.", ["One two three four.", "Five six seven eight. Nine."]),
        ('He said "one two!"  Then (three four.) No', ['He said "one two!"', "Then (three four.) No"]),
        (
            "He said \u201cone two.\u201d Then three four five.\n",
            ["He said \u201cone two.\u201d", "Then three four five."],
        ),
        ("It cost 1.5 dollars today. So it did today", ["It cost 1.5 dollars today.", "So it did today"]),
    ],
)
def test_split_paragraphs(text, paragraphs):
    assert split_paragraphs(text, n_words=4) == paragraphs


def test_split_paragraphs_loses_no_word():
    text = "".join(f"w{i}{'. ' if i % 7 == 0 else ' '}" for i in range(1000))
    paragraphs = split_paragraphs(text, n_words=30)
    assert " ".join(paragraphs).split() == text.split()
    assert all(30 <= len(paragraph.split()) < 67 for paragraph in paragraphs)
    assert all(paragraph.endswith(".") for paragraph in paragraphs[:-1])


def test_split_paragraphs_refuses_a_bad_size():
    with pytest.raises(ValueError, match=r"n_words must be an integer from 1 to .* got 0"):
        split_paragraphs("One.", n_words=0)


def test_sotu_covers_every_address(sotu):
    assert sotu.n_documents > 10_000
    addresses = [name.rsplit(":", 1)[0] for name in sotu.names]
    assert len(set(addresses)) == 233
    assert (addresses[0], addresses[-1]) == ("1790_george_washington_n", "2021_joseph_r_biden_d")
    assert sotu.names[:2] == ("1790_george_washington_n:1", "1790_george_washington_n:2")
    assert len(set(sotu.names)) == sotu.n_documents


def test_sotu_has_no_empty_document_and_no_unused_word(sotu):
    matrix = sotu.counts_matrix()
    assert matrix.sum(axis=1).min() > 0
    documents_of_word = np.bincount(sotu.words, minlength=sotu.n_words)
    assert documents_of_word.min() >= 10
    assert documents_of_word.max() <= 0.1 * sotu.n_documents


def test_sotu_vocabulary_has_subjects_and_no_filler(sotu):
    words = set(sotu.vocabulary)
    assert len(words) == sotu.n_words > 5000
    assert {"treaty", "slavery", "silver", "soviet", "nuclear", "iraq"} <= words
    assert not {"the", "of", "and", "congress", "government"} & words


def test_sotu_loads_quickly_and_always_the_same(sotu):
    start = time.process_time()
    again = load_sotu()
    assert time.process_time() - start < 5.0
    assert again.names == sotu.names
    assert_array_equal(again.counts, sotu.counts)
