"""`crisptopics evaluate`."""

from __future__ import annotations

from typing import Any

import click

from crisptopics.cli.measures import label_scores, word_scores
from crisptopics.cli.options import Command, input_argument, jobs_option, model_argument
from crisptopics.cli.reading import read_like, source_options
from crisptopics.cli.show import format_option, show_facts


@click.command(
    cls=Command,
    short_help="Measure how well a model fits documents.",
    examples=(
        "crisptopics evaluate reviews.crisp held-out.csv",
        "crisptopics evaluate reviews.crisp held-out.csv --label stars --format json",
    ),
)
@model_argument
@input_argument
@format_option
@jobs_option
@source_options
def evaluate(model: str, source: str, form: str, jobs: int | None, read: dict[str, Any]) -> None:
    """Measure how well MODEL fits the documents of INPUT, best ones that it was not fitted to.

    hard log-likelihood: mean log probability of a word in the topic that it is given. NPMI: whether a topic's 10 most
    frequent words meet in documents of INPUT, from -1 to 1. Diversity: share of different words among all topics'
    10. Purity and NMI: agreement of the documents' main topics with their labels.
    """
    from crisptopics.estimator import load
    from crisptopics.metrics import hard_log_likelihood

    fitted = load(model).set_params(n_jobs=jobs)
    corpus = read_like(fitted, source, **read)
    topics = fitted.assign(corpus).data
    shares = fitted.set_params(sparse_output=True).transform(corpus)
    counts, smoothing = fitted.topic_word_counts_, fitted.smoothing
    facts = {
        "documents": len(corpus),
        "tokens": corpus.n_tokens,
        "known_tokens": int(corpus.counts[topics >= 0].sum()),
        "topics_per_document": shares.nnz / max(1, len(corpus)),
        "hard_log_likelihood": hard_log_likelihood(corpus, counts, fitted.penalty_, smoothing),
    }
    labels = None if corpus.details is None else corpus.details.labels
    show_facts(facts | word_scores(fitted, corpus) | label_scores(shares.toarray(), labels), form)
