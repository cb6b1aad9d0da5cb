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
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for number, cost in itertools.product(n_components, penalty):
        began = time.perf_counter()
        models = [
            CrispTopics(number, penalty=cost, random_state=random_state + seed, n_jobs=n_jobs).fit(corpus)
            for seed in range(n_seeds)
        ]
        pairs = list(itertools.combinations([model.top_words(TOP_WORDS) for model in models], 2))
        best = min(models, key=lambda model: model.objective_)
        alike = sum(stability(one, other) for one, other in pairs) / len(pairs)
        used = best.history_[-1].topics_per_document
        seconds = time.perf_counter() - began
        row = best.n_components_, best.penalty_, best.icl_, best.objective_, used, alike, seconds
        for name, value in zip(COLUMNS, row, strict=True):
            columns[name].append(value)
    return make_frame(columns, kind)
