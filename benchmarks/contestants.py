"""The libraries that are compared, each as a generator of (seconds of training, topic-word weights).

All get the same counts, number of topics, threads and seed, and the settings that their documentation recommends for
speed. Bringing the counts into a library's own form is not timed.
"""

from __future__ import annotations

import logging
import os
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Seconds = npt.NDArray[np.float64]  # by the clock, and of processors
Checkpoints = Iterator[tuple[Seconds, Any]]
Contestant = Callable[[sparse.csr_array, int, int, int, Sequence[int]], Checkpoints]
BETA = 0.01


def now() -> Seconds:
    """Return the clock, and what processors have spent on this process and its children that have ended."""
    times = os.times()
    return np.array([time.perf_counter(), time.process_time() + times.children_user + times.children_system])


def crisp(counts: sparse.csr_array, k: int, threads: int, seed: int, _: Sequence[int]) -> Checkpoints:
    """Our estimator with its defaults: it stops by itself, so that there is one checkpoint."""
    from crisptopics import CrispTopics

    model = CrispTopics(k, n_jobs=threads, random_state=seed)
    began = now()
    model.fit(counts)
    yield now() - began, model.topic_word_counts_


def crisp_random(counts: sparse.csr_array, k: int, threads: int, seed: int, marks: Sequence[int]) -> Checkpoints:
    """Word+Refine from a random start, as in the paper; a mark is a number of iterations."""
    from crisptopics import kernels, solve
    from crisptopics.blocks import Workers
    from crisptopics.corpus import Corpus
    from crisptopics.start import random_order, random_topics

    corpus = Corpus.from_counts(counts)
    start = random_topics(corpus.n_entries, k, seed)
    room = np.bincount(corpus.words, minlength=corpus.n_words)
    seconds, done = np.zeros(2), 0
    with Workers(threads) as workers:
        state = solve.State(corpus, start, kernels.TopicCounts.empty(k, room), kernels.fixed_penalty(10.0), workers)
        for mark in marks:
            began = now()
            for iteration in range(done, mark):
                solve.iterate(state, "word+refine", random_order(len(corpus), seed, iteration))
            seconds, done = seconds + now() - began, mark
            yield seconds, state.counts.to_matrix()


def tomotopy(counts: sparse.csr_array, k: int, threads: int, seed: int, marks: Sequence[int]) -> Checkpoints:
    """Run the collapsed Gibbs sampler of tomotopy, with the prior optimised from iteration 20."""
    import tomotopy as tp

    model = tp.LDAModel(k=k, alpha=0.1, eta=BETA, seed=seed)
    for first, last in zip(counts.indptr[:-1], counts.indptr[1:], strict=True):
        model.add_doc(np.repeat(counts.indices[first:last], counts.data[first:last]).astype(str).tolist())
    model.optim_interval = 10
    model.burn_in = 20
    seconds, done = np.zeros(2), 0
    with warnings.catch_warnings():  # it warns that several workers are not reproducible
        warnings.simplefilter("ignore", RuntimeWarning)
        model.train(0)
        order = np.array([int(word) for word in model.used_vocabs])
        for mark in marks:
            began = now()
            model.train(mark - done, workers=threads)
            seconds, done = seconds + now() - began, mark
            totals = model.get_count_by_topics()
            topics = np.zeros((k, counts.shape[1]))
            for topic in range(k):
                topics[topic, order] = model.get_topic_word_dist(topic) * max(1, totals[topic])
            yield seconds, topics


def lda(counts: sparse.csr_array, k: int, _: int, seed: int, marks: Sequence[int]) -> Checkpoints:
    """Run the collapsed Gibbs sampler of `lda`, which has one thread and starts anew for each mark."""
    import lda as package

    logging.getLogger("lda").setLevel(logging.ERROR)
    for mark in marks:
        model = package.LDA(k, n_iter=mark, alpha=0.1, eta=BETA, random_state=seed, refresh=10**9)
        began = now()
        model.fit(counts)
        yield now() - began, model.nzw_


def gensim(counts: sparse.csr_array, k: int, threads: int, seed: int, marks: Sequence[int]) -> Checkpoints:
    """LdaMulticore of gensim; a mark is a number of passes. It has one process beside its workers."""
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaModel, LdaMulticore

    documents = Sparse2Corpus(counts, documents_columns=False)
    names = {word: str(word) for word in range(counts.shape[1])}
    for mark in marks:
        options = {"num_topics": k, "id2word": names, "passes": mark, "random_state": seed, "eval_every": None}
        began = now()
        model = LdaModel(documents, **options) if threads == 1 else LdaMulticore(documents, workers=threads, **options)
        yield now() - began, model.state.get_lambda()


def sklearn_batch(counts: sparse.csr_array, k: int, _: int, seed: int, marks: Sequence[int]) -> Checkpoints:
    """Run the variational Bayes of scikit-learn over all documents at once."""
    yield from _variational("batch", counts, k, seed, marks)


def sklearn_online(counts: sparse.csr_array, k: int, _: int, seed: int, marks: Sequence[int]) -> Checkpoints:
    """Run it over small batches; a mark is a number of passes."""
    yield from _variational("online", counts, k, seed, marks)


def _variational(method: str, counts: sparse.csr_array, k: int, seed: int, marks: Sequence[int]) -> Checkpoints:
    from sklearn.decomposition import LatentDirichletAllocation

    for mark in marks:
        model = LatentDirichletAllocation(  # one process: what its helpers spend could not be seen
            k, learning_method=method, max_iter=mark, n_jobs=1, random_state=seed, batch_size=1024
        )
        began = now()
        model.fit(counts)
        yield now() - began, model.components_


def mallet(classes: str) -> Contestant:
    """MALLET's sampler, run from a folder with its classes; starting Java is part of its seconds."""

    def run(counts: sparse.csr_array, k: int, threads: int, seed: int, marks: Sequence[int]) -> Checkpoints:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            rows = zip(counts.indptr[:-1], counts.indptr[1:], strict=True)
            with (folder / "in.txt").open("w") as file:
                for number, (first, last) in enumerate(rows):
                    words = np.repeat(counts.indices[first:last], counts.data[first:last])
                    file.write(f"{number} x {' '.join(f'w{word}' for word in words)}\n")
            java = ["java", "-Xmx8g", "-cp", f"{classes}:{classes}/lib/*"]
            read = ["cc.mallet.classify.tui.Csv2Vectors", "--keep-sequence", "--token-regex", r"\S+"]
            files = ["--input", str(folder / "in.txt"), "--output", str(folder / "in.mallet")]
            subprocess.run([*java, *read, *files], check=True, capture_output=True)
            train = ["cc.mallet.topics.tui.TopicTrainer", "--input", str(folder / "in.mallet"), "--beta", str(BETA)]
            train += ["--num-topics", str(k), "--num-threads", str(threads), "--random-seed", str(seed)]
            train += ["--optimize-interval", "10", "--word-topic-counts-file", str(folder / "counts.txt")]
            for mark in marks:
                began = now()
                command = [*java, *train, "--num-iterations", str(mark)]
                subprocess.run(command, check=True, capture_output=True)
                seconds = now() - began
                topics = np.zeros((k, counts.shape[1]))
                for line in (folder / "counts.txt").read_text().splitlines():
                    _, word, *pairs = line.split()
                    for pair in pairs:
                        topic, number = map(int, pair.split(":"))
                        topics[topic, int(word[1:])] = number
                yield seconds, topics

    return run


CONTESTANTS: dict[str, Contestant] = {
    "crisptopics": crisp,
    "crisptopics, random start": crisp_random,
    "tomotopy": tomotopy,
    "lda": lda,
    "gensim": gensim,
    "scikit-learn batch": sklearn_batch,
    "scikit-learn online": sklearn_online,
}
