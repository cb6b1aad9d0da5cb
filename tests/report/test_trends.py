"""Periods and labels."""

import numpy as np
import pytest
from scipy import sparse
from studies import fitted, planted

from crisptopics import Corpus
from crisptopics.report.study import Study
from crisptopics.report.trends import topics_by_label, topics_over_time


def study_of(n_documents):
    """Give one topic, and documents of 1, 2, 3 ... words."""
    corpus = Corpus.from_counts(np.arange(1, n_documents + 1)[:, np.newaxis], vocabulary=["rain"])
    return Study(sparse.csr_array([[9]]), corpus, np.zeros(n_documents, np.int32), ("rain",), penalty=1.0)


@pytest.mark.parametrize(
    ("dates", "unit", "periods"),
    [
        (["2024-02-28", "2024-03-01"], "day", ["2024-02-28", "2024-02-29", "2024-03-01"]),
        (["2023-02-27", "2023-02-31"], "day", ["2023-02-27", "2023-02-28", "2023-03-01", "2023-03-02", "2023-03-03"]),
        (["2023-12", "2024-02-09"], "month", ["2023-12", "2024-01", "2024-02"]),
        (["2023-12", "2024"], "year", ["2023", "2024"]),
        (["1999-13", "2001-00-07"], "year", ["1999", "2000", "2001"]),
        (["1990", "2031"], "5 years", ["1990", "1995", "2000", "2005", "2010", "2015", "2020", "2025", "2030"]),
        (["1790", "2021"], "decade", [str(year) for year in range(1790, 2030, 10)]),
        (["0001", "2021"], "century", [f"{year:04}" for year in range(0, 2100, 100)]),
        (["0001", "9999"], "century", [f"{year:04}" for year in range(0, 10000, 100)]),
    ],
)
def test_periods(dates, unit, periods):
    found = topics_over_time(study_of(len(dates)), dates)
    assert (found["unit"], found["periods"]) == (unit, periods)
    assert np.array(found["tokens"]).sum() == sum(range(len(dates) + 1))
    assert found["undated"] == 0


def test_what_is_not_a_date_is_counted_as_undated():
    found = topics_over_time(study_of(5), ["", "soon", "2001", "٢٠٠١", "20x1"])
    assert found == {"unit": "year", "periods": ["2001"], "tokens": [[3]], "undated": 4}
    assert topics_over_time(study_of(1), ["never"]) is None


def test_labels_in_the_order_of_the_alphabet_or_of_time():
    labels = ["b", "a", "", "b", "c"]
    found = topics_by_label(study_of(5), labels)
    assert found == {
        "labels": ["a", "b", "c"], "documents": [1, 2, 1], "tokens": [[2], [5], [5]], "n_labels": 3,
        "unlabelled": 1, "purity": 0.5,
    }  # fmt: skip
    dated = topics_by_label(study_of(5), labels, ["2000", "2020", "", "2010", "1990"])
    assert dated["labels"] == ["c", "b", "a"]
    assert topics_by_label(study_of(5), labels, ["", "2020", "", "", ""])["labels"] == ["a", "b", "c"]
    assert topics_by_label(study_of(1), [""]) is None


def test_the_labels_with_most_documents_are_kept():
    labels = [f"l{number % 50:02}" for number in range(90)]
    found = topics_by_label(study_of(90), labels)
    assert found["labels"] == [f"l{number:02}" for number in range(40)]
    assert found["n_labels"] == 50


def test_sums_are_those_of_the_documents():
    corpus = planted(60, seed=4)
    model = fitted(corpus, 6)
    study = Study.of(model, corpus)
    by_label = topics_by_label(study, corpus.details.labels)
    weights = corpus.counts_matrix().sum(axis=1)[:, np.newaxis]
    shares = model.transform(corpus) * weights
    for label, row in zip(by_label["labels"], by_label["tokens"], strict=True):
        mask = [name == label for name in corpus.details.labels]
        np.testing.assert_allclose(shares[mask].sum(axis=0), row, atol=1e-6)
