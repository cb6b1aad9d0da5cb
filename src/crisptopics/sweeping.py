"""Whole fits over numbers of topics and penalties, side by side."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from typing import Any

from crisptopics.corpus import Corpus
from crisptopics.estimator import CrispTopics
from crisptopics.frames import FrameKind, make_frame
from crisptopics.metrics import stability
from crisptopics.parameters import check_whole

COLUMNS = ("n_components", "penalty", "icl", "objective", "topics_per_document", "stability", "seconds")
TOP_WORDS = 20  # of a topic, whose overlap is the stability


def sweep(
    X: Any,
    n_components: Sequence[int],
    penalty: Sequence[Any] = ("auto",),
    *,
    n_seeds: int = 2,
    random_state: int = 0,
    n_jobs: int | None = None,
    kind: FrameKind = "pandas",
) -> Any:
    """Fit each number of topics with each penalty, from several seeds, and compare the fits.

    Parameters
    ----------
    X
        Counts: anything that `CrispTopics.fit` takes.
    n_components
        Numbers of topics.
    penalty
        Penalties; "auto" is the one that a fit would choose.
    n_seeds
        Fits of each kind, at least 2.
    random_state
        Seed of the first; the others follow it.
    n_jobs
        Threads.
    kind
        "pandas", "polars" or "pyarrow".

    Returns
    -------
    A data frame with a row for each pair: n_components, penalty, icl (integrated likelihood per token), objective and
    topics_per_document of the fit with the least objective, stability (how alike the top words are from seed to seed,
    from 0 to 1) and seconds of all its fits.

    Examples
    --------
    >>> from crisptopics.datasets import synth_a
    >>> table = sweep(synth_a(200, random_state=0).counts, n_components=[2, 3], penalty=[10.0])
    >>> table["n_components"].tolist()
    [2, 3]
    """
    check_whole("n_seeds", n_seeds, 2)
    check_whole("random_state", random_state, 0)
    corpus = X if isinstance(X, Corpus) else Corpus.from_counts(X)
    rows = [
        compare_seeds(corpus, number, cost, range(random_state, random_state + n_seeds), n_jobs)
        for number, cost in itertools.product(n_components, penalty)
    ]
    return make_frame({name: [row[name] for row in rows] for name in COLUMNS}, kind)


def compare_seeds(
    corpus: Corpus, n_components: int, penalty: Any, seeds: Sequence[int], n_jobs: int | None
) -> dict[str, Any]:
    """Fit one number of topics with one penalty from several seeds, and return the row of a sweep.

    Examples
    --------
    >>> corpus = Corpus.from_counts([[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 5, 1], [0, 0, 2, 4]])
    >>> compare_seeds(corpus, 2, 2.0, seeds=[0, 1], n_jobs=1)["stability"]
    1.0
    """
    began = time.perf_counter()
    models = [
        CrispTopics(n_components, penalty=penalty, random_state=seed, n_jobs=n_jobs).fit(corpus) for seed in seeds
    ]
    pairs = list(itertools.combinations([model.top_words(TOP_WORDS) for model in models], 2))
    best = min(models, key=lambda model: model.objective_)
    alike = sum(stability(one, other) for one, other in pairs) / len(pairs)
    used = best.history_[-1].topics_per_document
    seconds = time.perf_counter() - began
    row = best.n_components_, best.penalty_, best.icl_, best.objective_, used, alike, seconds
    return dict(zip(COLUMNS, row, strict=True))
