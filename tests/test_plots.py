"""Figures: what is drawn is what the model says."""

import sys
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest

from crisptopics import Corpus, CrispTopics
from crisptopics.errors import MissingExtraError

mpl.use("Agg")
from matplotlib import pyplot

WORDS = ["rain", "sun", "$x^2$", "w" * 60]


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def model():
    counts = np.random.default_rng(0).poisson(1.0, size=(30, 4)) + [[3, 0, 1, 0], [0, 3, 0, 1]] * 15
    return CrispTopics(3, penalty=2.0, random_state=0).fit(Corpus.from_counts(counts, vocabulary=WORDS))


def test_bars_are_the_counts_of_the_most_frequent_words(model):
    panels = model.plot_topics(top=3)
    assert len(panels) == 3
    for topic, ax in enumerate(panels):
        widths = [bar.get_width() for bar in ax.patches]
        assert widths == sorted(model.topic_word_counts_[topic], reverse=True)[: len(widths)]
        assert ax.get_title(loc="left").startswith(f"{topic}  (")
    pyplot.gcf().canvas.draw()  # a word that looks like a formula is not one


def test_some_topics_in_the_order_asked_for(model):
    assert [ax.get_title(loc="left")[0] for ax in model.plot_topics(topics=[2, 0])] == ["2", "0"]


def test_the_largest_twenty_by_default():
    many = CrispTopics(25, penalty=1.0, random_state=0).fit(np.eye(25, dtype=int) * np.arange(1, 26))
    largest = np.sort(np.argsort(-many.topic_word_counts_.sum(axis=1), kind="stable")[:20]).tolist()
    assert [int(ax.get_title(loc="left").split()[0]) for ax in many.plot_topics()] == largest


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"topics": []}, "topics must name at least one topic; received \\[\\]"),
        ({"topics": [3]}, "topics=3 is not accepted"),
        ({"top": 0}, "top=0 is not accepted"),
    ],
)
def test_what_cannot_be_drawn_is_refused(model, arguments, message):
    with pytest.raises(ValueError, match=message):
        model.plot_topics(**arguments)


def test_history_is_the_objective_by_iteration(model):
    ax = model.plot_history()
    assert ax.lines[0].get_xdata().tolist() == list(range(1, model.n_iter_ + 1))
    assert ax.lines[0].get_ydata().tolist() == [step.objective for step in model.history_]
    assert ax.get_legend() is None


def test_a_line_for_each_penalty_on_axes_of_ones_own():
    falling = [SimpleNamespace(penalty=penalty, objective=penalty) for penalty in (16.0, 8.0, 8.0)]
    drawn, own = CrispTopics(1).fit([[1]]), pyplot.figure().add_subplot()
    drawn.history_ = falling
    assert drawn.plot_history(own) is own
    assert [len(line.get_xdata()) for line in own.lines] == [1, 2]
    assert [text.get_text() for text in own.get_legend().get_texts()] == ["16", "8"]


def test_a_search_is_drawn_by_penalty_and_by_number():
    tried = [SimpleNamespace(n_components=k, penalty=p, icl=k - p) for k in (10, 5) for p in (12.0, 6.0)]
    drawn = CrispTopics(1).fit([[1]])
    drawn.choice_ = tried
    ax = drawn.plot_sweep()
    assert ax.get_xlabel() == "penalty"
    assert [line.get_xdata().tolist() for line in ax.lines] == [[6, 12], [6, 12]]
    assert [line.get_ydata().tolist() for line in ax.lines] == [[-1, -7], [4, -2]]
    drawn.choice_ = tried[::2]
    ax = drawn.plot_sweep()
    assert ax.get_xlabel() == "number of topics"
    assert ax.lines[0].get_xdata().tolist() == [5, 10]


def test_a_model_without_a_search_says_so(model):
    with pytest.raises(ValueError, match=r"nothing was tried: .* penalty=2.0 and n_components=3; fit with 'auto'"):
        model.plot_sweep()


def test_without_matplotlib_the_error_names_the_extra(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'crisptopics\[plot\]'"):
        model.plot_history()


@pytest.mark.parametrize("method", ["plot_topics", "plot_history", "plot_sweep"])
def test_a_model_without_a_fit_is_refused(method):
    with pytest.raises(ValueError, match="not fitted"):
        getattr(CrispTopics(), method)()
