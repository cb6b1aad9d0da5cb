"""Topics over time and by label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crisptopics.metrics import purity
from crisptopics.report.study import Study

PERIODS = 40  # more than this are not readable beside each other
LABELS = 40
YEARS = {"year": 1, "5 years": 5, "decade": 10, "25 years": 25, "50 years": 50, "century": 100}


def topics_over_time(study: Study, dates: Sequence[str]) -> dict[str, Any] | None:
    """Count the tokens of each topic in each period; None where no document has a date.

    The period is the shortest unit with at most forty periods, and no shorter than the dates are exact.

    Examples
    --------
    >>> from crisptopics import Corpus, CrispTopics
    >>> corpus = Corpus.from_tokens([["rain"], ["rain", "rain"]])
    >>> study = Study.of(CrispTopics(1, penalty=1.0, random_state=0).fit(corpus), corpus)
    >>> topics_over_time(study, ["1790-01-08", "1791"])
    {'unit': 'year', 'periods': ['1790', '1791'], 'tokens': [[1], [2]], 'undated': 0}
    """
    numbers, exact = _parts(dates)
    known = exact >= 1
    if not known.any():
        return None
    unit, codes = _codes(numbers[known], int(exact[known].min()))
    first, n_periods = int(codes.min()), int(np.ptp(codes)) + 1
    return {
        "unit": unit,
        "periods": [_period(unit, first + step) for step in range(n_periods)],
        "tokens": _sums(study, np.flatnonzero(known), codes - first, n_periods).tolist(),
        "undated": int((~known).sum()),
    }


def topics_by_label(study: Study, labels: Sequence[str], dates: Sequence[str] | None = None) -> dict[str, Any] | None:
    """Count the tokens of each topic in the documents of each label; None where no document has a label.

    The labels are in the order of their documents' mean year where there are dates, else of the alphabet.

    Examples
    --------
    >>> from crisptopics import Corpus, CrispTopics
    >>> corpus = Corpus.from_tokens([["rain"], ["rain", "rain"]])
    >>> study = Study.of(CrispTopics(1, penalty=1.0, random_state=0).fit(corpus), corpus)
    >>> topics_by_label(study, ["wet", "wet"])["tokens"]
    [[3]]
    """
    names = np.array(labels, dtype=object)
    known = names != ""
    if not known.any():
        return None
    values, codes = np.unique(names[known], return_inverse=True)
    rows = np.flatnonzero(known)
    documents = np.bincount(codes)
    shown = np.sort(np.argsort(-documents, kind="stable")[:LABELS])
    shown = shown[np.argsort(_mean_years(dates, rows, codes)[shown], kind="stable")] if dates else shown
    tokens = _sums(study, rows, codes, len(values))
    main, has_topic = _main_topics(study)
    judged = known & has_topic
    return {
        "labels": [str(value) for value in values[shown]],
        "documents": documents[shown].tolist(),
        "tokens": tokens[shown].tolist(),
        "n_labels": len(values),
        "unlabelled": int((~known).sum()),
        "purity": round(purity(list(names[judged]), main[judged]), 4) if judged.any() else None,
    }


def _sums(
    study: Study, rows: npt.NDArray[np.int64], codes: npt.NDArray[np.int64], n_codes: int
) -> npt.NDArray[np.int64]:
    """Sum the topic counts of the documents of each code: shape (codes, K)."""
    shape = (n_codes, len(study.corpus))
    members = sparse.coo_array((np.ones(len(rows), np.int64), (codes, rows)), shape=shape)
    return np.asarray((sparse.csr_array(members) @ study.document_tokens).toarray(), dtype=np.int64)


def _mean_years(
    dates: Sequence[str], rows: npt.NDArray[np.int64], codes: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Average the years of each code's documents; the last for codes without a date."""
    numbers, exact = _parts(dates)
    known = exact[rows] >= 1
    n_codes = int(codes.max()) + 1
    years = np.bincount(codes[known], weights=numbers[rows[known], 0], minlength=n_codes)
    dated = np.bincount(codes[known], minlength=n_codes)
    return np.where(dated > 0, years / np.maximum(dated, 1), np.inf)


def _main_topics(study: Study) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Give the topic with most of each document's tokens, and which documents have one."""
    main = np.asarray(study.document_tokens.argmax(axis=1), dtype=np.int64).ravel()
    return main, np.diff(study.document_tokens.indptr) > 0


def _parts(dates: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Read years, months and days, and how many of the three each date has; 0 for what is not a date."""
    texts = np.array(dates, dtype="U10")
    signs = texts.view(np.uint32).reshape(len(texts), 10).astype(np.int64) - ord("0")
    digits = (signs >= 0) & (signs <= 9)
    dash = signs == ord("-") - ord("0")
    years, months, days = signs[:, :4] @ [1000, 100, 10, 1], signs[:, 5:7] @ [10, 1], signs[:, 8:] @ [10, 1]
    has_year = digits[:, :4].all(axis=1)
    has_month = has_year & dash[:, 4] & digits[:, 5:7].all(axis=1) & (months >= 1) & (months <= 12)
    has_day = has_month & dash[:, 7] & digits[:, 8:].all(axis=1) & (days >= 1) & (days <= 31)
    return np.stack([years, months, days], axis=1), has_year + has_month.astype(np.int64) + has_day


def _codes(numbers: npt.NDArray[np.int64], exact: int) -> tuple[str, npt.NDArray[np.int64]]:
    """Choose the period and number it; neighbouring periods have neighbouring numbers."""
    years, months, days = numbers.T
    month_codes = years * 12 + months - 1
    if exact == 3:
        starts = (month_codes - 1970 * 12).astype("datetime64[M]").astype("datetime64[D]")
        day_codes = starts.astype(np.int64) + days - 1
        if np.ptp(day_codes) < PERIODS:
            return "day", day_codes
    if exact >= 2 and np.ptp(month_codes) < PERIODS:
        return "month", month_codes
    fitting = [unit for unit, length in YEARS.items() if np.ptp(years // length) < PERIODS]
    unit = (fitting or ["century"])[0]
    return unit, years // YEARS[unit]


def _period(unit: str, code: int) -> str:
    """Name a period by its first day, month or year, as ISO 8601 does."""
    if unit == "day":
        return str(np.datetime64(code, "D"))
    if unit == "month":
        return f"{code // 12:04}-{code % 12 + 1:02}"
    return f"{code * YEARS[unit]:04}"
