"""`crisptopics compare`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from crisptopics.cli.measures import label_scores, word_scores
from crisptopics.cli.options import (
    PENALTY,
    TOPIC_NUMBER,
    Command,
    input_argument,
    jobs_option,
    option,
    seed_option,
)
from crisptopics.cli.reading import check_topics, read_input, reading_options
from crisptopics.cli.show import format_option, show, status
from crisptopics.errors import CorpusError, CrispTopicsError

if TYPE_CHECKING:
    import numpy.typing as npt

    from crisptopics.base import TopicEstimator
    from crisptopics.corpus import Corpus

ENGINES = ("crisp", "gibbs", "vb", "anchor", "klmeans")
HELD_OUT = 10  # every tenth document is
PENALTY_OF_OTHERS = 12.0  # for hard likelihoods where crisp is not asked for


class Engines(click.ParamType[list[str]]):
    """Names of engines, separated by commas."""

    name = "ENGINE[,ENGINE...]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """Return the different names, in their order."""
        names = value if isinstance(value, list) else [name.strip() for name in value.split(",")]
        if unknown := [name for name in names if name not in ENGINES]:
            self.fail(f"{unknown[0]!r} is unknown; choose from {', '.join(ENGINES)}.", param, ctx)
        return list(dict.fromkeys(names))


@click.command(
    cls=Command,
    short_help="Compare this with other topic models.",
    examples=(
        "crisptopics compare reviews.csv -k 20",
        "crisptopics compare reviews.csv -k 50 --engines crisp,gibbs --label stars",
    ),
)
@input_argument
@option(
    "-k", "n_components", metavar="N", type=TOPIC_NUMBER, default=20, show_default=True, help="Topics of each engine."
)
@option(
    "--penalty",
    type=PENALTY(several=False),
    default="auto",
    show_default=True,
    help="Cost of one more topic in a document, of crisp.",
)
@option(
    "--engines", type=Engines(), default=",".join(ENGINES), show_default=True, help="What to compare, in this order."
)
@seed_option
@format_option
@jobs_option
@reading_options
def compare(
    source: str,
    n_components: int,
    penalty: Any,
    engines: list[str],
    seed: int,
    form: str,
    jobs: int | None,
    read: dict[str, Any],
) -> None:
    """Fit INPUT with several engines, and compare how long they take and what comes of it.

    crisp is this library's own, gibbs collapsed Gibbs sampling of LDA with 1,000 sweeps, vb variational Bayes, anchor
    anchor words, klmeans k-means of documents. Engines see nine documents of ten. In the others, hard is the mean log
    probability of a word in the one topic that crisp's assignment gives it under the engine's topics, and completion
    that of one half of the words in the mixture of topics that the other half tells. npmi is counted in all documents;
    purity and nmi compare the documents' main topics with their labels, if there are any.
    """
    corpus = read_input(source, **read)
    check_topics(n_components, corpus, source)
    if len(corpus) < HELD_OUT:
        raise CorpusError(
            f"{source!r} has {len(corpus)} documents; compare holds out one of {HELD_OUT}, so it needs {HELD_OUT} at"
            " least; pass more, or --split them"
        )
    held_out = [row % HELD_OUT == HELD_OUT - 1 for row in range(len(corpus))]
    training, others = corpus.select([not held for held in held_out]), corpus.select(held_out)
    fitted, seconds = {}, {}
    for name in engines:
        engine = make_engine(name, n_components, penalty, seed, jobs)
        began = time.perf_counter()
        with status(f"fitting {name}"):
            try:
                fitted[name] = engine.fit(training)
            except ValueError as error:  # what an engine says of documents that it cannot use
                raise CrispTopicsError(f"{name}: {error}") from error
        seconds[name] = time.perf_counter() - began
    given = PENALTY_OF_OTHERS if penalty == "auto" else penalty
    common = fitted["crisp"].penalty_ if "crisp" in fitted else given
    with status("measuring"):
        rows = [
            {"engine": name, "seconds": seconds[name]} | measures(model, training, others, corpus, common, seed)
            for name, model in fitted.items()
        ]
    show(rows, form)


def make_engine(name: str, n_components: int, penalty: Any, seed: int, jobs: int | None) -> TopicEstimator:
    """Return an engine that is not fitted yet.

    Examples
    --------
    >>> make_engine("gibbs", 20, "auto", seed=0, jobs=1).n_components
    20
    """
    from crisptopics import baselines
    from crisptopics.estimator import CrispTopics

    if name == "crisp":
        return CrispTopics(n_components, penalty=penalty, random_state=seed, n_jobs=jobs)
    kinds = {
        "gibbs": baselines.GibbsLDA,
        "vb": baselines.VariationalLDA,
        "anchor": baselines.AnchorTopics,
        "klmeans": baselines.KLMeans,
    }
    engine: TopicEstimator = kinds[name](n_components, random_state=seed, n_jobs=jobs)
    return engine


def measures(
    model: TopicEstimator, training: Corpus, others: Corpus, corpus: Corpus, penalty: float, seed: int
) -> dict[str, float]:
    """Return what is measured of a fitted engine, in the documents that it has not seen and in all.

    Examples
    --------
    >>> from crisptopics import Corpus
    >>> corpus = Corpus.from_counts([[4, 2, 0], [0, 0, 5]])
    >>> model = make_engine("klmeans", 2, 9.0, seed=0, jobs=1).fit(corpus)
    >>> list(measures(model, corpus, corpus, corpus, penalty=9.0, seed=0))
    ['npmi', 'diversity', 'hard', 'completion']
    """
    from crisptopics.metrics import hard_log_likelihood, predictive_log_likelihood

    counts = topic_word_counts(model, training)
    labels = None if corpus.details is None else corpus.details.labels
    return {
        **word_scores(model, corpus),
        "hard": hard_log_likelihood(others, counts, penalty),
        "completion": predictive_log_likelihood(others, counts, random_state=seed, completion=True),
        **label_scores(model.transform(corpus), labels),
    }


def topic_word_counts(model: TopicEstimator, training: Corpus) -> npt.NDArray[Any]:
    """Return tokens of each word in each topic; of engines that do not count them, the expected ones."""
    import numpy as np

    counts: npt.NDArray[Any] | None = getattr(model, "topic_word_counts_", None)
    if counts is None:
        lengths = np.asarray(training.counts_matrix().sum(axis=1))
        tokens = lengths @ model.transform(training)
        counts = np.rint(model.components_ * tokens[:, np.newaxis]).astype(np.int64)
    return counts
