"""Our library beside its peers: `python benchmarks/run.py [--quick]`, or `make bench`.

Each run is a fresh process of its own, with the same counts from the same file. Three questions are asked: seconds per
iteration, seconds to a given quality, bytes of memory for each entry. Results go to a JSON file; `show.py` makes the
table and the plots of it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from contestants import CONTESTANTS, mallet, now
from scipy import sparse

SYNTHETIC = {"SynthA": ("synth_a", 20), "SynthB": ("synth_b", 50)}
MARKS = {"tomotopy": (100, 300, 1000), "lda": (100,), "gensim": (1, 3), "crisptopics, random start": (3, 10, 20)}
MARKS |= {"scikit-learn batch": (5,), "scikit-learn online": (1, 3), "mallet": (100, 300, 1000)}
PRIORS = (0.02, 0.05, 0.1, 0.3)  # of the topics of a held-out document: the best counts, for all alike
HELD_OUT = 10  # one document of so many
WARM_UP = 8  # iterations before seconds are taken: early ones are not typical


def main() -> None:
    """Run what was asked for, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", nargs="*", default=["speed", "quality"], help="speed, quality; memory is part")
    parser.add_argument("--quick", action="store_true", help="small sizes: a minute or two")
    parser.add_argument("--documents", type=int, nargs="*", help="sizes of SynthA, for speed")
    parser.add_argument("--corpus", help="an .npz of counts, for speed by number of topics")
    parser.add_argument("--every", type=int, default=10, help="take one of so many documents of that corpus")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--topics", type=int, nargs="*", default=[20, 100, 500, 1000])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--mallet", help="folder with MALLET's classes, and its lib folder")
    parser.add_argument("--on", nargs="*", default=list(SYNTHETIC), help="synthetic corpora, for quality")
    parser.add_argument("--only", nargs="*", help="names of contestants")
    parser.add_argument("-o", "--output", type=Path, default=Path("benchmarks/results/results.json"))
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(json.loads(options.one))))
        return
    results = json.loads(options.output.read_text())["runs"] if options.output.exists() else []
    with tempfile.TemporaryDirectory() as folder:
        for task in tasks(options, Path(folder)):
            results = [run for run in results if any(run.get(key) != task[key] for key in task if key != "file")]
            results.append(apart(task))
            print({key: value for key, value in results[-1].items() if key != "file"}, flush=True)
            options.output.parent.mkdir(parents=True, exist_ok=True)
            options.output.write_text(json.dumps({"machine": machine(), "runs": results}, indent=1) + "\n")


def tasks(options: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    """List the runs: which contestant, on which counts, with how many topics and threads."""
    found: list[dict[str, Any]] = []
    default = [] if options.corpus else [1000] if options.quick else [5_000, 50_000, 200_000]
    sizes = options.documents or default
    names = [name for name in CONTESTANTS if not options.only or name in options.only]
    names += ["mallet"] if options.mallet else []
    if "speed" in options.questions:
        for size in sizes:
            file = synthetic("SynthA", size, folder)
            samplers = [name for name in names if size <= sizes[0] or name in ("crisptopics", "tomotopy")]
            found += [
                {"question": "speed", "who": who, "corpus": f"SynthA {size}", "k": 20, "threads": threads, "file": file}
                for who in samplers
                for threads in options.threads
                if who != "crisptopics, random start" and (threads == 1 or not who.startswith("scikit-learn"))
            ]
        for k in options.topics if options.corpus else ():
            file, name = part(Path(options.corpus), options.every, folder)
            common = {"question": "speed", "corpus": name, "k": k, "file": file}
            pairs = [
                (who, threads) for who in names if who in ("crisptopics", "tomotopy") for threads in options.threads
            ]
            found += [{**common, "who": who, "threads": threads} for who, threads in pairs]
    if "quality" in options.questions:
        for name in options.on:
            size = 1000 if options.quick else 5000
            common = {"question": "quality", "corpus": f"{name} {size}", "k": SYNTHETIC[name][1], "threads": 2}
            file = synthetic(name, size, folder)
            for who in names:
                if who == "lda" and options.quick:
                    continue
                found += [{**common, "who": who, "seed": seed, "file": file} for seed in range(options.seeds)]
    return [task | ({"classes": options.mallet} if task["who"] == "mallet" else {}) for task in found]


def synthetic(name: str, size: int, folder: Path) -> str:
    """Draw a corpus of the paper's and put its counts and topics into a file."""
    from crisptopics import datasets

    file = folder / f"{name}-{size}.npz"
    if not file.exists():
        data = getattr(datasets, SYNTHETIC[name][0])(size, random_state=1)
        sparse.save_npz(file, data.counts, compressed=False)
        np.save(file.with_suffix(".psi.npy"), data.psi)
    return str(file)


def part(corpus: Path, every: int, folder: Path) -> tuple[str, str]:
    """Put one of so many documents of a corpus into a file; return it and a name for the table."""
    file = folder / f"part-{every}.npz"
    if not file.exists():
        counts = sparse.csr_array(sparse.load_npz(corpus))[::every]
        counts = counts[:, np.flatnonzero(counts.sum(axis=0))]
        sparse.save_npz(file, counts, compressed=False)
    return str(file), f"{corpus.parent.name} 1/{every}"


def apart(task: dict[str, Any]) -> dict[str, Any]:
    """Do one run in a fresh process, limited to as many processors as threads."""
    load = os.getloadavg()[0]
    command = [sys.executable, __file__, "--one", json.dumps(task)]
    environment = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(f"{task['who']} failed: {done.stderr[-2000:]}")
    kept = {key: value for key, value in task.items() if key not in ("file", "classes")}
    return kept | json.loads(done.stdout.splitlines()[-1]) | {"load_before": round(load, 2)}


def one(task: dict[str, Any]) -> dict[str, Any]:
    """Answer one question about one contestant, in this process."""
    counts = sparse.csr_array(sparse.load_npz(task["file"]))
    answer = seconds_per_step(counts, task) if task["question"] == "speed" else quality_in_time(counts, task)
    return answer | {"entries": int(counts.nnz), "tokens": int(counts.sum()), "documents": counts.shape[0]}


def contestant(task: dict[str, Any]) -> Any:
    """Find the contestant; MALLET's needs a folder."""
    return mallet(task["classes"]) if task["who"] == "mallet" else CONTESTANTS[task["who"]]


def seconds_per_step(counts: sparse.csr_array, task: dict[str, Any]) -> dict[str, Any]:
    """Return seconds per iteration and peak memory beyond what importing and the counts take."""
    if task["who"] == "crisptopics":
        return our_steps(counts, task["k"], task["threads"])
    before = present_bytes()
    short, longer = (WARM_UP, 2 * WARM_UP) if task["who"] in ("tomotopy", "lda", "mallet") else (1, 3)
    marks = (short, longer) if task["who"] == "tomotopy" else (short, short, longer)  # the first may start helpers
    times = [seconds for seconds, _ in contestant(task)(counts, task["k"], task["threads"], 1, marks)]
    seconds, processors = (times[-1] - times[-2]) / (longer - short)
    return {"seconds": seconds, "processors": processors, "bytes": peak_bytes() - before}


def our_steps(counts: sparse.csr_array, k: int, threads: int) -> dict[str, Any]:
    """Return the median seconds of whole Word and Refine steps after a few iterations from a random start."""
    from crisptopics import kernels, solve
    from crisptopics.blocks import Workers
    from crisptopics.corpus import Corpus
    from crisptopics.start import random_order, random_topics

    corpus = Corpus.from_counts(counts)
    before = present_bytes()
    room = np.bincount(corpus.words, minlength=corpus.n_words)
    word, refine = [], []
    with Workers(threads) as workers:
        start = random_topics(corpus.n_entries, k, 0)
        state = solve.State(corpus, start, kernels.TopicCounts.empty(k, room), kernels.fixed_penalty(10.0), workers)
        for iteration in range(WARM_UP + 5):
            order = random_order(len(corpus), 0, iteration)
            began = now()
            state.adopt(solve.word_step(state))
            middle = now()
            solve.refine_step(state, order)
            word.append(middle - began)
            refine.append(now() - middle)
    medians = {"word": np.median(word[WARM_UP:], axis=0), "refine": np.median(refine[WARM_UP:], axis=0)}
    seconds, processors = medians["word"] + medians["refine"]
    steps = {name: step.tolist() for name, step in medians.items()}
    return {"seconds": seconds, "processors": processors, **steps, "bytes": peak_bytes() - before}


def quality_in_time(counts: sparse.csr_array, task: dict[str, Any]) -> dict[str, Any]:
    """Return (seconds, completion of held-out documents, L1 error of the topics) at each checkpoint."""
    from crisptopics.metrics import predictive_log_likelihood, topic_l1

    held_out = np.arange(counts.shape[0]) % HELD_OUT == 0
    train, test = counts[~held_out], counts[held_out]
    truth = Path(task["file"]).with_suffix(".psi.npy")
    marks = MARKS.get(task["who"], ())
    points = []
    for seconds, topics in contestant(task)(train, task["k"], task["threads"], task["seed"] + 1, marks):
        weights = sparse.csr_array(topics)
        scores = [predictive_log_likelihood(test, weights, alpha, random_state=0, completion=True) for alpha in PRIORS]
        dense = np.asarray(weights.todense(), dtype=float)
        shares = dense / np.maximum(dense.sum(axis=1, keepdims=True), 1e-300)
        error = float(topic_l1(shares, np.load(truth))) if truth.exists() else None
        points.append({"seconds": seconds[0], "processors": seconds[1], "completion": max(scores), "l1": error})
    return {"marks": list(marks), "points": points}


def present_bytes() -> int:
    """Return the memory of this process now, and begin to look for its peak anew."""
    Path("/proc/self/clear_refs").write_text("5")
    return memory("VmRSS")


def peak_bytes() -> int:
    """Return the greatest memory of this process since then, or, if that is larger, of a child that has ended."""
    return max(memory("VmHWM"), 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)


def memory(what: str) -> int:
    """Return a number of bytes that Linux keeps of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(what))


def machine() -> dict[str, Any]:
    """Say where and with what the results were had."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    with Path("/proc/cpuinfo").open() as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "")
    packages = ("tomotopy", "lda", "gensim", "scikit-learn", "numpy")
    versions = {package: metadata.version(package) for package in packages}
    return {
        "processor": model or platform.processor(),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "commit": commit,
        "versions": versions,
    }


if __name__ == "__main__":
    main()
