"""What finds topics, behind one function each: one more engine is one more entry of `ENGINES`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics import solve
from crisptopics.baselines import AnchorTopics, GibbsLDA, KLMeans, VariationalLDA
from crisptopics.blocks import Workers
from crisptopics.chain import Chain
from crisptopics.corpus import Corpus
from crisptopics.estimator import CrispTopics
from crisptopics.experiments.presets import Preset
from crisptopics.start import random_topics
from crisptopics.stop import Stopping

Matrix = npt.NDArray[np.float64]
Topics = npt.NDArray[np.uint16]

REFINE = "Word+Refine"
ITERATIONS = {"basic": 20, "word": 20, "word+refine": 10}  # the paper's; it gives none for Basic


@dataclass(frozen=True)
class Problem:
    """A corpus, and what an engine is told about it."""

    corpus: Corpus
    n_topics: int
    alpha: float
    beta: float
    seed: int
    preset: Preset  # how many iterations
    penalty: float = 10.0


@dataclass(frozen=True, eq=False)
class Answer:
    """Topics, and what an engine knows beside them.

    Parameters
    ----------
    components
        The topics: each row sums to 1.
    counts
        Tokens of each word in each topic, whole numbers; None where words have no topics.
    states
        Topic of each token (documents in order, words by columns), one array or, of a sampler, several.
    objective
        What the engine minimised, if it is the paper's objective.
    """

    components: Matrix
    counts: sparse.csr_array | None
    states: tuple[Topics, ...]
    objective: float | None = None


@dataclass(frozen=True)
class Engine:
    """A way to find topics.

    Parameters
    ----------
    name
        What tables call it.
    find
        Solves a problem.
    settings
        Says, in short, how long it runs under a preset; part of the key of its cells.
    nanoseconds
        About how long it takes for a token at 50 topics, in each of its rounds.
    rounds
        How many rounds those are.
    has_penalty
        Whether the penalty matters to it.
    in_paper
        What the paper's tables call it, where that is not its name.
    """

    name: str
    find: Callable[[Problem], Answer]
    settings: Callable[[Preset], str]
    nanoseconds: float
    rounds: Callable[[Preset], int] = lambda _: 1
    has_penalty: bool = False
    in_paper: str = ""

    @property
    def paper_name(self) -> str:
        """What the paper's tables call it."""
        return self.in_paper or self.name

    def seconds(self, n_tokens: int, n_topics: int, preset: Preset) -> float:
        """Estimate how long it takes."""
        return 1e-9 * self.nanoseconds * n_tokens * self.rounds(preset) * (15 + n_topics) / 65 + 0.05


def crisp(problem: Problem, algorithm: solve.Algorithm, start: Topics | None = None, n_iter: int = 0) -> solve.Solution:
    """Run one of the paper's algorithms, from random topics unless told otherwise; no iterations for the paper's.

    Examples
    --------
    >>> from crisptopics.datasets import synth_a
    >>> from crisptopics.experiments.presets import QUICK
    >>> problem = Problem(Corpus.from_counts(synth_a(50, random_state=0).counts), 20, 0.04, 0.05, 0, QUICK)
    >>> len(crisp(problem, "word", n_iter=3).history)
    3
    """
    if start is None:
        start = random_topics(problem.corpus.n_entries, problem.n_topics, problem.seed)
    stopping = Stopping(n_iter or ITERATIONS[algorithm], 0.0)
    with Workers(1) as workers:
        return solve.solve(
            problem.corpus, start, problem.n_topics, problem.penalty, algorithm, stopping, problem.seed, workers
        )


def crisp_answer(problem: Problem, solution: solve.Solution) -> Answer:
    """Return a solution of one of the paper's algorithms as an answer."""
    counts = solution.counts.to_matrix()
    tokens = np.repeat(solution.topics, problem.corpus.counts)
    return Answer(shares(counts.toarray()), counts, (tokens,), solution.objective)


def shares(counts: npt.NDArray[Any], smoothing: float = 0.0) -> Matrix:
    """Return rows of counts as rows that sum to 1; a row of zeros becomes uniform.

    Examples
    --------
    >>> shares(np.array([[3, 1], [0, 0]])).tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    rows: Matrix = counts + float(smoothing)
    rows[rows.sum(axis=1) == 0] = 1.0
    rows /= rows.sum(axis=1, keepdims=True)
    return rows


def count_tokens(corpus: Corpus, tokens: Topics, n_topics: int) -> sparse.csr_array:
    """Count the tokens of each word in each topic.

    Examples
    --------
    >>> count_tokens(Corpus.from_counts([[2, 1]]), np.array([0, 1, 1], dtype=np.uint16), 2).toarray()
    array([[1, 0],
           [1, 1]])
    """
    words = np.repeat(corpus.words, corpus.counts)
    entries = np.ones(len(words), dtype=np.int64), (tokens.astype(np.int64), words)
    return sparse.csr_array(sparse.coo_array(entries, shape=(n_topics, corpus.n_words)))


def topics_per_document(corpus: Corpus, tokens: Topics) -> float:
    """Return how many topics a document's tokens have, on average over the documents with words.

    Examples
    --------
    >>> topics_per_document(Corpus.from_counts([[2, 1], [0, 3]]), np.array([0, 1, 1, 4, 4, 4], dtype=np.uint16))
    1.5
    """
    lengths = np.bincount(corpus.document_of, corpus.counts, len(corpus))
    documents = np.repeat(np.arange(len(corpus)), lengths.astype(np.int64))
    pairs = np.unique(documents * 2**16 + tokens)
    return len(pairs) / max(1, int(np.count_nonzero(lengths)))


def document_topics(corpus: Corpus, n_topics: int, seed: int) -> Topics:
    """Return a random topic for each document, which all its entries share.

    Examples
    --------
    >>> topics = document_topics(Corpus.from_counts([[2, 1, 1], [0, 3, 0]]), 5, seed=0)
    >>> topics[0] == topics[1] == topics[2]
    np.True_
    """
    topics: Topics = np.repeat(random_topics(len(corpus), n_topics, seed), np.diff(corpus.indptr))
    return topics


def _paper(algorithm: solve.Algorithm) -> Callable[[Problem], Answer]:
    return lambda problem: crisp_answer(problem, crisp(problem, algorithm))


def _from_documents(problem: Problem) -> Answer:
    start = document_topics(problem.corpus, problem.n_topics, problem.seed)
    return crisp_answer(problem, crisp(problem, "word+refine", start))


def _search(problem: Problem) -> Answer:
    return _searched(problem, problem.penalty)


def _auto(problem: Problem) -> Answer:
    return _searched(problem, "auto")


def _searched(problem: Problem, penalty: float | Literal["auto"]) -> Answer:
    model = CrispTopics(problem.n_topics, penalty=penalty, init="search", n_jobs=1, random_state=problem.seed).fit(
        problem.corpus
    )
    tokens = np.repeat(model.assignments_.data, problem.corpus.counts).astype(np.uint16)
    return Answer(model.components_, sparse.csr_array(model.topic_word_counts_), (tokens,), model.objective_)


def _gibbs(problem: Problem) -> Answer:
    states: list[Topics] = []
    sampling = problem.preset.sampling

    def keep(chain: Chain) -> None:
        after = chain.iteration - sampling.burn_in
        if after > 0 and after % sampling.thin == 0:
            states.append(chain.token_topics)

    model = GibbsLDA(
        problem.n_topics,
        alpha=problem.alpha,
        beta=problem.beta,
        n_iter=sampling.n_iter,
        n_samples=sampling.n_samples,
        thin=sampling.thin,
        n_jobs=1,
        random_state=problem.seed,
        callback=keep,
    ).fit(problem.corpus)
    return Answer(model.components_, sparse.csr_array(model.topic_word_counts_), tuple(states))


def _variational(problem: Problem) -> Answer:
    model = VariationalLDA(
        problem.n_topics,
        alpha=problem.alpha,
        beta=problem.beta,
        max_iter=problem.preset.variational,
        random_state=problem.seed,
        n_jobs=1,
    ).fit(problem.corpus)
    expected = np.rint(np.maximum(model.model_.components_ - problem.beta, 0.0)).astype(np.int64)
    return Answer(model.components_, sparse.csr_array(expected), ())


def _anchor(problem: Problem) -> Answer:
    model = AnchorTopics(problem.n_topics, random_state=problem.seed, n_jobs=1).fit(problem.corpus)
    return Answer(model.components_, None, ())


def _kmeans(problem: Problem) -> Answer:
    model = KLMeans(problem.n_topics, random_state=problem.seed, n_jobs=1).fit(problem.corpus)
    lengths = np.diff(np.concatenate([[0], np.cumsum(problem.corpus.counts)])[problem.corpus.indptr])
    tokens = np.repeat(np.maximum(model.labels_, 0), lengths).astype(np.uint16)
    return Answer(model.components_, count_tokens(problem.corpus, tokens, problem.n_topics), (tokens,))


def tomotopy_model(problem: Problem) -> Any:
    """Return a model of tomotopy that has the documents with words, and is not trained yet."""
    with warnings.catch_warnings():  # one while it is imported, where warnings are errors, makes it unimportable
        warnings.simplefilter("ignore")
        import tomotopy

    model = tomotopy.LDAModel(k=problem.n_topics, alpha=problem.alpha, eta=problem.beta, seed=problem.seed + 1)
    for words in _documents(problem.corpus):
        model.add_doc([str(word) for word in words])
    return model


def _tomotopy(problem: Problem) -> Answer:
    corpus, model = problem.corpus, tomotopy_model(problem)
    model.train(problem.preset.tomotopy, workers=1, show_progress=False)
    columns = np.array([int(word) for word in model.used_vocabs])
    components = np.zeros((problem.n_topics, corpus.n_words))
    components[:, columns] = [model.get_topic_word_dist(topic) for topic in range(problem.n_topics)]
    tokens = np.concatenate([np.asarray(document.topics, dtype=np.uint16) for document in model.docs])
    return Answer(components, count_tokens(corpus, tokens, problem.n_topics), (tokens,))


def _documents(corpus: Corpus) -> Iterator[npt.NDArray[np.int32]]:
    """Yield the tokens of each document with words."""
    for first, last in zip(corpus.indptr[:-1], corpus.indptr[1:], strict=True):
        if last > first:
            yield np.repeat(corpus.words[first:last], corpus.counts[first:last])


def _once(_: Preset) -> str:
    return "once"


ENGINES = {
    engine.name: engine
    for engine in (
        Engine("Basic", _paper("basic"), lambda _: str(ITERATIONS["basic"]), 300.0, has_penalty=True),
        Engine("Word", _paper("word"), lambda _: str(ITERATIONS["word"]), 2000.0, has_penalty=True),
        Engine(REFINE, _paper("word+refine"), lambda _: str(ITERATIONS["word+refine"]), 1100.0, has_penalty=True),
        Engine(
            "Word+Refine from documents",
            _from_documents,
            lambda _: str(ITERATIONS["word+refine"]),
            1100.0,
            has_penalty=True,
            in_paper="Word+Refine",
        ),
        Engine("Search", _search, _once, 4000.0, has_penalty=True),
        Engine("Search, penalty auto", _auto, _once, 12_000.0),
        Engine("CGS", _gibbs, lambda preset: str(preset.sampling), 47.0, lambda preset: preset.sampling.n_iter),
        Engine("VB", _variational, lambda preset: str(preset.variational), 1850.0, lambda preset: preset.variational),
        Engine("Anchor", _anchor, _once, 900.0),
        Engine("KMeans", _kmeans, _once, 200.0),
        Engine("tomotopy", _tomotopy, lambda preset: str(preset.tomotopy), 60.0, lambda preset: preset.tomotopy),
    )
}


def available(names: tuple[str, ...]) -> list[Engine]:
    """Return the engines that can run here: tomotopy only where it is installed.

    Examples
    --------
    >>> [engine.name for engine in available(("CGS", "Word"))]
    ['CGS', 'Word']
    """
    return [ENGINES[name] for name in names if name != "tomotopy" or find_spec("tomotopy")]
