"""Make the table and the plots of `run.py`'s results: `python benchmarks/show.py [results.json]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

mpl.use("svg")
mpl.rcParams["svg.hashsalt"] = "crisptopics"  # the same file for the same results
Run = dict[str, Any]
TARGETS = (100, 300, 1000)  # iterations of tomotopy whose quality is to be reached


def main() -> None:
    """Write table.md, speed.svg and quality.svg beside the results."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "benchmarks/results/results.json")
    results = json.loads(path.read_text())
    speed = [run for run in results["runs"] if run["question"] == "speed"]
    quality = [run for run in results["runs"] if run["question"] == "quality"]
    parts = [heading(results["machine"], results["runs"])]
    if speed:
        parts += ["## Seconds per iteration, and memory", speed_table(speed)]
        if len({(run["corpus"], run["k"]) for run in speed}) > 1:
            plot_speed(speed, path.with_name("speed.svg"))
    if quality:
        parts += ["## Seconds to a given quality", quality_table(quality)]
        plot_quality(quality, path.with_name("quality.svg"))
    path.with_name("table.md").write_text("\n\n".join(parts) + "\n")


def heading(machine: Run, runs: list[Run]) -> str:
    """Say where the results are from."""
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    loads = [run["load_before"] for run in runs]
    return (
        f"# Beside other libraries\n\n{machine['processor']}, {machine['processors']} processors, Python"
        f" {machine['python']}, {versions}; commit {machine['commit']}. Each run had a process of its own; the"
        f" machine's load before a run was {min(loads):.1f} to {max(loads):.1f}. Above 1, other programs ran"
        " beside it: so times are processor time, of all threads together; the clock is in the JSON file."
    )


def speed_table(runs: list[Run]) -> str:
    """Return a markdown table of milliseconds per iteration and bytes per entry, with ratios to tomotopy."""
    lines = [
        "Ours is one Word and one Refine step, from the ninth iteration after a random start on. In brackets the ratio"
        " to an iteration of tomotopy. Memory is the peak beyond the counts as a library holds them before it fits.\n",
        "| corpus | K | threads | library | ms per iteration | Word, Refine | ns per entry | bytes per entry |",
        "| --- " * 8 + "|",
    ]
    base = {key(run): run["processors"] for run in runs if run["who"] == "tomotopy"}
    for run in sorted(runs, key=lambda run: (run["corpus"].split()[0], run["entries"], run["k"], run["threads"])):
        own, seconds = base.get(key(run)), run["processors"]
        steps = ", ".join(against(run[step][1], own) for step in ("word", "refine") if step in run)
        lines.append(
            f"| {run['corpus']} | {run['k']} | {run['threads']} | {run['who']} | {against(seconds, own)} | {steps} |"
            f" {1e9 * seconds / run['entries']:.0f} | {run['bytes'] / run['entries']:.0f} |"
        )
    return "\n".join(lines)


def against(seconds: float, base: float | None) -> str:
    """Return milliseconds, and how many times the base they are."""
    return f"{1e3 * seconds:,.1f}" + ("" if base is None else f" ({seconds / base:.2f})")


def key(run: Run) -> tuple[Any, ...]:
    """Return what must be equal for two runs to be compared."""
    return run["corpus"], run["k"], run["threads"]


def quality_table(runs: list[Run]) -> str:
    """Return a markdown table: seconds, quality, and the ratio of times to what tomotopy needed for that quality."""
    lines = [
        "Completion is the mean log-likelihood per token of the second halves of held-out documents, topics inferred"
        " from the first halves by the same code for all; L1 is the mean error of a topic. Means over seeds. The last"
        " columns are processor seconds as a part of those that tomotopy took to its completion after so many"
        " iterations, where that was reached.\n",
        "| corpus | K | library | iterations | processor seconds | completion | L1 |"
        + "".join(f" to {target} iterations |" for target in TARGETS),
        "| --- " * 10 + "|",
    ]
    for corpus in sorted({run["corpus"] for run in runs}):
        here = [run for run in runs if run["corpus"] == corpus]
        base = dict(zip(TARGETS, means(here, "tomotopy"), strict=False))
        for who in dict.fromkeys(run["who"] for run in here):
            marks = next(run["marks"] for run in here if run["who"] == who) or ["until it stops"]
            for mark, (_, seconds, completion, error) in zip(marks, means(here, who), strict=True):
                ratios = [
                    f"{seconds / base[t][1]:.2f}" if t in base and completion >= base[t][2] else "-" for t in TARGETS
                ]
                lines.append(
                    f"| {corpus} | {here[0]['k']} | {who} | {mark} | {seconds:.2f} | {completion:.4f} |"
                    f" {error:.3f} | " + " | ".join(ratios) + " |"
                )
    return "\n".join(lines)


def means(runs: list[Run], who: str) -> list[tuple[float, ...]]:
    """Return mean seconds, processor seconds, completion and L1 error over seeds, one for each checkpoint."""
    points = [run["points"] for run in runs if run["who"] == who]
    names = ("seconds", "processors", "completion", "l1")
    return [tuple(float(np.mean([p[name] for p in at])) for name in names) for at in zip(*points, strict=True)]


def plot_speed(runs: list[Run], path: Path) -> None:
    """Draw processor seconds per iteration against documents and against topics, one thread."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    single = [run for run in runs if run["threads"] == 1]
    panels = (("documents", "SynthA"), ("k", None))
    for axis, (what, corpus) in zip(axes, panels, strict=True):
        chosen = [run for run in single if run["corpus"].startswith("SynthA") == (corpus is not None)]
        for who in dict.fromkeys(run["who"] for run in chosen):
            points = sorted((run[what], run["processors"]) for run in chosen if run["who"] == who)
            axis.loglog(*zip(*points, strict=True), marker="o", label=who)
        axis.set_xlabel("documents (SynthA, 20 topics)" if corpus else "topics (real text)")
        axis.set_ylabel("processor seconds per iteration")
        if chosen:
            axis.legend(fontsize=7)
    save(figure, path)


def plot_quality(runs: list[Run], path: Path) -> None:
    """Draw held-out completion against seconds of training, one panel for each corpus."""
    corpora = sorted({run["corpus"] for run in runs})
    figure, axes = plt.subplots(1, len(corpora), figsize=(4.5 * len(corpora), 3.6), layout="constrained", squeeze=False)
    for axis, corpus in zip(axes[0], corpora, strict=True):
        here = [run for run in runs if run["corpus"] == corpus]
        for who in dict.fromkeys(run["who"] for run in here):
            _, seconds, completion, _ = zip(*means(here, who), strict=True)
            axis.semilogx(seconds, completion, marker="o", label=who)
        axis.set_title(corpus, fontsize=9)
        axis.set_xlabel("processor seconds of training")
        axis.set_ylabel("held-out completion, nats per token")
        axis.legend(fontsize=7)
    save(figure, path)


def save(figure: Any, path: Path) -> None:
    """Write a figure without its date."""
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
