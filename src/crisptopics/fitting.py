"""A whole fit: choose penalty and number of topics, search, solve, soften."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics.assign import Assigner
from crisptopics.blocks import Workers
from crisptopics.choose import Candidate, Choice, choose
from crisptopics.corpus import Corpus
from crisptopics.metrics import integrated_likelihood
from crisptopics.parameters import is_auto, numbers_of_topics
from crisptopics.search import Search, Watch
from crisptopics.soften import SoftTopics, soften
from crisptopics.solve import Solution, solve
from crisptopics.start import seed_columns, starting_topics
from crisptopics.stop import Stopping


@dataclass(frozen=True, eq=False)
class Fit:
    """What a fit finds.

    Parameters
    ----------
    penalty
        The penalty that was given or chosen.
    solution
        The best assignment and how it came about.
    counts
        Its tokens of each word in each topic.
    assignments
        Topic of each entry by a last Word pass, as new documents get them.
    icl
        Integrated likelihood of the solution, per token.
    soft
        Topics of a mixture, if they were asked for.
    path
        The penalties and numbers of topics that were tried.
    """

    penalty: float
    solution: Solution
    counts: sparse.csr_array
    assignments: npt.NDArray[np.uint16]
    icl: float
    soft: SoftTopics | None
    path: list[Candidate]


def fit_corpus(
    corpus: Corpus, parameters: dict[str, Any], words: Sequence[str], seed: int, workers: Workers, watch: Watch
) -> Fit:
    """Fit topics by the parameters of `CrispTopics`, checked before; `words` are the names of the columns.

    Examples
    --------
    >>> from crisptopics import CrispTopics
    >>> corpus = Corpus.from_counts([[4, 2, 0], [0, 0, 5]])
    >>> with Workers(1) as workers:
    ...     fit = fit_corpus(corpus, CrispTopics(2, penalty=2.0).get_params(), "abc", 0, workers, lambda _: None)
    >>> fit.solution.objective < 20
    True
    """
    choice = _choose(corpus, parameters, seed, workers, watch)
    solution = _solve(corpus, parameters, choice, words, seed, workers, watch)
    counts = solution.counts.to_matrix()
    assignments = Assigner(counts, choice.penalty, parameters["smoothing"]).assign(corpus, workers)
    soft = None
    if parameters["soften"] and solution.stop_reason != "interrupted":
        beta, n_iter = float(parameters["smoothing"]), int(parameters["soften"])
        try:
            soft = soften(corpus, solution.topics, choice.n_topics, beta, n_iter, seed, workers)
        except KeyboardInterrupt:
            solution = replace(solution, stop_reason="interrupted")
    icl = integrated_likelihood(corpus, solution.topics, choice.n_topics) / corpus.n_tokens
    return Fit(choice.penalty, solution, counts, assignments, icl, soft, choice.path)


def _choose(corpus: Corpus, parameters: dict[str, Any], seed: int, workers: Workers, watch: Watch) -> Choice:
    """Return what is given, and choose what is not."""
    numbers, penalty = numbers_of_topics(parameters["n_components"]), parameters["penalty"]
    if numbers is not None and len(numbers) == 1 and not is_auto(penalty):
        return Choice(int(numbers[0]), float(penalty), [], None, None)
    return choose(corpus, numbers, None if is_auto(penalty) else float(penalty), seed, workers, watch)


def _solve(
    corpus: Corpus,
    parameters: dict[str, Any],
    choice: Choice,
    words: Sequence[str],
    seed: int,
    workers: Workers,
    watch: Watch,
) -> Solution:
    n_topics, penalty, init, reason = choice.n_topics, choice.penalty, parameters["init"], choice.stop_reason
    seeds = seed_columns(parameters["seed_words"], words, n_topics)
    start = starting_topics(corpus, init, n_topics, seed, seeds, penalty, workers)
    if choice.topics is not None:
        start = choice.topics
    elif isinstance(init, str) and init == "search":
        search = Search(penalty, seed, workers, seeds, watch)
        start, reason = search.run(corpus, start, n_topics), search.stop_reason
    stopping = Stopping(parameters["max_iter"], parameters["tol"])
    algorithm = parameters["algorithm"]
    return solve(corpus, start, n_topics, penalty, algorithm, stopping, seed, workers, watch, reason)
