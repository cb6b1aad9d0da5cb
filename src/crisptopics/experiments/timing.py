"""The paper's table of seconds per iteration: the Gibbs sampler, Word and Refine from 5,000 to a million documents."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from importlib.util import find_spec

from crisptopics import kernels, solve
from crisptopics.blocks import Workers
from crisptopics.chain import Chain
from crisptopics.corpus import Corpus
from crisptopics.experiments.cells import Cell, Record, Results
from crisptopics.experiments.charts import Chart
from crisptopics.experiments.engines import Problem, tomotopy_model
from crisptopics.experiments.planted import SYNTH_A
from crisptopics.experiments.presets import FULL, Preset
from crisptopics.experiments.tables import Entry, Table, entry, finished
from crisptopics.start import random_order, random_topics
from crisptopics.stop import Stopping

PENALTY = 10.0
# Up to so many documents: iterations before anything is timed (the first ones are not typical), then timed ones.
EFFORTS = ((200_000, 3, 9), (800_000, 3, 2), (10**9, 1, 1))
WITH_TOMOTOPY = 200_000  # documents at most; its own copy of more takes minutes to make

PAPER = {
    5000: (0.143, 0.438, 0.277),
    10_000: (0.321, 0.922, 0.533),
    50_000: (1.96, 4.88, 2.58),
    100_000: (4.31, 9.75, 5.09),
    500_000: (23.36, 50.38, 25.75),
    1_000_000: (55.69, 101.58, 52.28),
}


ROWS = (
    ("CGS (s)", "cgs"),
    ("Word (s)", "word"),
    ("Word/CGS", "word/cgs"),
    ("Refine (s)", "refine"),
    ("Refine/CGS", "refine/cgs"),
    ("tomotopy (s)", "tomotopy"),
    ("tomotopy/CGS", "tomotopy/cgs"),
)


def _of_paper(n_documents: int) -> dict[str, float]:
    if n_documents not in PAPER:
        return {}
    cgs, word, refine = PAPER[n_documents]
    return {"cgs": cgs, "word": word, "refine": refine, "word/cgs": word / cgs, "refine/cgs": refine / cgs}


def _cell(n_documents: int) -> Cell:
    _, warm_up, rounds = next(effort for effort in EFFORTS if n_documents <= effort[0])
    key: dict[str, str | int | float] = {
        "experiment": "time",
        "corpus": SYNTH_A.name,
        "documents": n_documents,
        "rounds": rounds,
    }
    return Cell.of(lambda _: timed(n_documents, warm_up, rounds), 5e-4 * n_documents, **key)


def timed(n_documents: int, warm_up: int, rounds: int) -> Record:
    """Return the seconds of one iteration of each on one thread, the least of some rounds, and their ratios.

    They take turns in each round, so that whatever else the machine does hits all alike. Whole steps are timed:
    bringing the counts and the objective up to date is part of each.

    Examples
    --------
    >>> sorted(timed(100, 1, 1))
    ['cgs', 'cgs/cgs', 'refine', 'refine/cgs', 'tomotopy', 'tomotopy/cgs', 'word', 'word/cgs']
    """
    corpus = Corpus.from_counts(SYNTH_A.draw(n_documents, 0).counts)
    with_peer = n_documents <= WITH_TOMOTOPY and find_spec("tomotopy") is not None
    with Workers(1) as workers:
        steps = {**_crisp_steps(corpus, warm_up, workers), "cgs": _gibbs_step(corpus, warm_up, workers)}
        if with_peer:
            steps["tomotopy"] = _tomotopy_step(corpus, warm_up)
        taken = [{name: _seconds(step) for name, step in steps.items()} for _ in range(rounds)]
    seconds: dict[str, float | None] = {name: min(one[name] for one in taken) for name in steps}
    seconds.setdefault("tomotopy", None)
    cgs = min(one["cgs"] for one in taken)
    ratios = {f"{name}/cgs": None if value is None else value / cgs for name, value in seconds.items()}
    return {**seconds, **ratios}


def _gibbs_step(corpus: Corpus, warm_up: int, workers: Workers) -> Callable[[], object]:
    chain = Chain(corpus, SYNTH_A.n_topics, SYNTH_A.alpha, SYNTH_A.beta, seed=0)
    for _ in range(warm_up):
        chain.sweep(workers)
    return lambda: chain.sweep(workers)


def _tomotopy_step(corpus: Corpus, warm_up: int) -> Callable[[], object]:
    model = tomotopy_model(Problem(corpus, SYNTH_A.n_topics, SYNTH_A.alpha, SYNTH_A.beta, 0, FULL))
    model.train(warm_up, workers=1)
    return lambda: model.train(1, workers=1)


def _crisp_steps(corpus: Corpus, warm_up: int, workers: Workers) -> dict[str, Callable[[], object]]:
    """Return Word and Refine, to be called by turns, from the state after the first few iterations."""
    start = random_topics(corpus.n_entries, SYNTH_A.n_topics, seed=0)
    warm = solve.solve(corpus, start, SYNTH_A.n_topics, PENALTY, "word+refine", Stopping(warm_up, 0.0), 0, workers)
    state = solve.State(corpus, warm.topics, warm.counts, kernels.fixed_penalty(PENALTY), workers)
    orders = (random_order(len(corpus), seed=0, iteration=iteration) for iteration in itertools.count(warm_up))
    return {
        "word": lambda: state.adopt(solve.word_step(state)),
        "refine": lambda: solve.refine_step(state, next(orders)),
    }


def _seconds(step: Callable[[], object]) -> float:
    began = time.perf_counter()
    step()
    return time.perf_counter() - began


def cells(preset: Preset) -> list[Cell]:
    """Return what must be computed."""
    return [_cell(size) for size in preset.timed_sizes]


def tables(preset: Preset, results: Results) -> list[Table]:
    """Return the paper's table, its seconds from another machine and time."""
    rows = []
    for label, measure in ROWS:
        columns: list[list[Entry] | str] = []
        for size in preset.timed_sizes:
            done = finished(results, [_cell(size)])
            known = not done or done[0][measure] is not None
            columns.append([entry(results, [_cell(size)], measure, _of_paper(size).get(measure))] if known else "")
        rows.append((label, columns))
    notes = [
        f"Seconds of one iteration, one thread, SynthA: the least of {EFFORTS[0][2]} after {EFFORTS[0][1]} others, of "
        f"{EFFORTS[1][2]} after {EFFORTS[1][1]} from {EFFORTS[0][0]:,} documents on, of {EFFORTS[2][2]} after "
        f"{EFFORTS[2][1]} from {EFFORTS[1][0]:,} on. In brackets the paper's, whose machine is not named: compare the "
        "ratios. CGS is our sampler, the paper's a MATLAB toolbox's.",
    ]
    columns_of = ("documents", *(f"{size:,}" for size in preset.timed_sizes))
    return [Table("time", "Seconds per iteration", columns_of, rows, notes)]


def charts(preset: Preset, results: Results) -> list[Chart]:
    """Return the ratios to the sampler by number of documents."""
    done = [(float(size), record) for size in preset.timed_sizes for record in finished(results, [_cell(size)])]
    sizes = [size for size, _ in done]
    lines = [(name, sizes, [record[name.lower()] for _, record in done]) for name in ("Word/CGS", "Refine/CGS")]
    paper = [
        (f"{name}, paper", [float(size) for size in PAPER], [_of_paper(size)[name.lower()] for size in PAPER])
        for name in ("Word/CGS", "Refine/CGS")
    ]
    title = "Time of an iteration, as a multiple of a sweep of the Gibbs sampler"
    return [Chart("time", title, "documents", "ratio", lines, log_x=True, paper=paper)]
