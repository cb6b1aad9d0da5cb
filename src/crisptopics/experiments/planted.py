"""Cells on SynthA and SynthB, where the topic that made each token is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from crisptopics import datasets, metrics
from crisptopics.corpus import Corpus
from crisptopics.experiments.cells import Cell, Record
from crisptopics.experiments.engines import Answer, Engine, Problem, topics_per_document
from crisptopics.experiments.presets import Preset


@dataclass(frozen=True)
class Planted:
    """One of the paper's two kinds of synthetic corpora."""

    name: str
    draw: Callable[[int, int], datasets.LDACorpus]
    n_topics: int
    n_words: int
    doc_length: int
    alpha: float
    beta: float


SYNTH_A = Planted("SynthA", datasets.synth_a, 20, 2000, 150, 0.04, 0.05)
SYNTH_B = Planted("SynthB", datasets.synth_b, 50, 3000, 200, 0.02, 0.01)


@lru_cache(maxsize=2)
def drawn(kind: Planted, n_documents: int, seed: int) -> tuple[datasets.LDACorpus, Corpus]:
    """Draw a corpus; each seed has its own, and cells of one corpus follow each other.

    Examples
    --------
    >>> drawn(SYNTH_A, 10, 0)[1]
    Corpus(10 documents, 2,000 words, 1,500 tokens)
    """
    data = kind.draw(n_documents, seed)
    return data, Corpus.from_counts(data.counts)


def true_topics(data: datasets.LDACorpus) -> npt.NDArray[np.uint16]:
    """Return the topic that made each token, in the order of a corpus: documents in order, words by columns.

    Examples
    --------
    >>> true_topics(datasets.synth_a(10, random_state=0)).shape
    (1500,)
    """
    documents = np.repeat(np.arange(data.counts.shape[0]), data.doc_length)
    return data.topics[np.lexsort((data.words, documents))]


def planted_cell(kind: Planted, n_documents: int, engine: Engine, preset: Preset, seed: int, penalty: float) -> Cell:
    """Return the cell of one engine on one corpus; the penalty counts only for engines that have one.

    Examples
    --------
    >>> from crisptopics.experiments.engines import ENGINES
    >>> from crisptopics.experiments.presets import QUICK
    >>> planted_cell(SYNTH_A, 500, ENGINES["Word"], QUICK, 0, 10.0).file_name
    'synth-a_500_word_20_10.0_0.json'
    """

    def run(_: object) -> Record:
        data, corpus = drawn(kind, n_documents, seed)
        problem = Problem(corpus, kind.n_topics, kind.alpha, kind.beta, seed, preset, penalty)
        return measured(data, corpus, engine.find(problem))

    own = {"penalty": penalty} if engine.has_penalty else {}
    seconds = engine.seconds(n_documents * kind.doc_length, kind.n_topics, preset)
    key: dict[str, str | int | float] = {
        "corpus": kind.name,
        "documents": n_documents,
        "engine": engine.name,
        "settings": engine.settings(preset),
    }
    return Cell.of(run, seconds, **key, **own, seed=seed)


def measured(data: datasets.LDACorpus, corpus: Corpus, answer: Answer) -> Record:
    """Compare an answer with the truth; of several samples the best by NMI counts, as in the paper.

    Examples
    --------
    >>> from crisptopics.experiments.engines import ENGINES
    >>> from crisptopics.experiments.presets import QUICK
    >>> data, corpus = drawn(SYNTH_A, 50, 0)
    >>> record = measured(data, corpus, ENGINES["Anchor"].find(Problem(corpus, 20, 0.04, 0.05, 0, QUICK)))
    >>> record["nmi"] is None, record["l1"] > 0
    (True, True)
    """
    truth = true_topics(data)
    scores = [(metrics.nmi(truth, state), metrics.adjusted_rand(truth, state)) for state in answer.states]
    nmi, ari = max(scores, default=(None, None))
    used = topics_per_document(corpus, answer.states[-1]) if answer.states else None
    return {
        "nmi": nmi,
        "ari": ari,
        "l1": metrics.topic_l1(answer.components, data.psi),
        "objective": answer.objective,
        "topics_per_document": used,
    }
