"""A model in a notebook."""

import re

import numpy as np

from crisptopics import Corpus, CrispTopics


def test_a_fitted_model_shows_its_topics():
    words = ["<b>sun</b>", "rain", "sea"]
    model = CrispTopics(2, penalty=1.0, random_state=0).fit(
        Corpus.from_counts([[4, 2, 0], [0, 0, 5]], vocabulary=words)
    )
    shown = model._repr_html_()
    assert shown == model._repr_mimebundle_()["text/html"]
    assert "2 topics, penalty 1, objective" in shown
    assert shown.count("<tr>") == 3
    assert "&lt;b&gt;sun&lt;/b&gt;" in shown
    assert "<b>sun" not in shown
    shares = [float(share) for share in re.findall(r"<td>([\d.]+)%", shown)]
    assert sorted(shares) == [45.5, 54.5]


def test_many_topics_are_cut_at_twenty():
    model = CrispTopics(23, penalty=1.0, random_state=0).fit(np.eye(23, dtype=int) * 3)
    assert model._repr_html_().count("<tr>") == 21
    assert "and 3 more topics" in model._repr_html_()


def test_a_model_without_a_fit_looks_as_in_scikit_learn():
    assert "sk-" in CrispTopics()._repr_html_()
