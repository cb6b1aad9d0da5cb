"""The paper's table of example topics: those of the Gibbs sampler beside those of Word+Refine that match them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from crisptopics.experiments.cells import Cell, Results
from crisptopics.experiments.likelihood import pair_cell
from crisptopics.experiments.presets import Preset
from crisptopics.experiments.real import Real
from crisptopics.experiments.tables import Entry, Table

BETA, SEED = 0.01, 0
PLACES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)  # from the pair that matches best to the worst
SHOWN = 10
ENGINES = ("CGS", "Word+Refine")

PAPER = (
    (
        "art, artist, painting, museum, century, show, collection, history, french, exhibition",
        "painting, exhibition, portrait, drawing, object, photograph, gallery, flag, artist",
    ),
    (
        "plane, flight, airport, passenger, pilot, aircraft, crew, planes, air, jet",
        "flight, plane, passenger, airport, pilot, airline, aircraft, jet, planes, airlines",
    ),
    (
        "money, million, fund, donation, pay, dollar, contribution, donor, raising, financial",
        "fund, raising, contribution, donation, raised, donor, soft, raise, finance, foundation",
    ),
    (
        "car, driver, truck, vehicles, vehicle, zzz_ford, seat, wheel, driving, drive",
        "car, driver, vehicles, vehicle, truck, wheel, fuel, engine, drive, zzz_ford",
    ),
)


def cells(corpora: Sequence[Real], preset: Preset) -> list[Cell]:
    """Return what must be computed: cells that the table of likelihoods has, too."""
    return [pair_cell(real, BETA, SEED, preset) for real in corpora]


def tables(corpora: Sequence[Real], preset: Preset, results: Results) -> list[Table]:
    """Return a table for each corpus."""
    return [_table(real, preset, results) for real in corpora]


def matched(first: list[list[str]], second: list[list[str]]) -> list[tuple[int, int, float]]:
    """Pair topics so that they share most of their top words; the pairs with their Jaccard index, the best first.

    Examples
    --------
    >>> matched([["sun", "rain"], ["goal", "team"]], [["team", "goal"], ["rain", "snow"]])
    [(1, 0, 1.0), (0, 1, 0.3333333333333333)]
    """
    alike = np.array([[len(set(a) & set(b)) / len(set(a) | set(b)) for b in second] for a in first])
    rows, columns = linear_sum_assignment(-alike)
    return sorted(
        ((int(row), int(column), float(alike[row, column])) for row, column in zip(rows, columns, strict=True)),
        key=lambda pair: -pair[2],
    )


def _table(real: Real, preset: Preset, results: Results) -> Table:
    record = results.get(pair_cell(real, BETA, SEED, preset))
    rows: list[tuple[str, list[list[Entry] | str]]] = []
    if record is not None:
        lists = [record[engine]["top_words"] for engine in ENGINES]
        pairs = matched(*lists)
        for place in PLACES:
            rank = round(place * (len(pairs) - 1))
            one, other, index = pairs[rank]
            words = [", ".join(lists[side][topic][:SHOWN]) for side, topic in ((0, one), (1, other))]
            rows.append((f"{rank + 1} of {len(pairs)}", [*words, [Entry("jaccard", (index,), None, 2)]]))
    if real.name == "NYTimes":
        rows += [("the paper's", [*words, ""]) for words in PAPER]
    notes = [
        f"{real.name} ({real.source}), {preset.real_topics} topics, beta {BETA}. Topics are matched so that their "
        "first 30 words agree most (Jaccard index); shown are the best match, the worst, and four in equal steps "
        "between, not chosen by hand.",
    ]
    return Table(f"pairs-{real.slug}", f"Matched topics, {real.name}", ("match", *ENGINES, "Jaccard"), rows, notes)
