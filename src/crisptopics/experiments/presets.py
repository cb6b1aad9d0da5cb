"""How large the experiments are: the full run, and one of minutes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sampling:
    """How long a Gibbs sampler runs: sweeps thrown away, then samples some sweeps apart.

    Examples
    --------
    >>> Sampling(3000, 10, 30).n_iter
    3300
    """

    burn_in: int
    n_samples: int
    thin: int

    @property
    def n_iter(self) -> int:
        """All sweeps."""
        return self.burn_in + self.n_samples * self.thin

    def __str__(self) -> str:
        return f"{self.burn_in}+{self.n_samples}x{self.thin}"


@dataclass(frozen=True)
class Preset:
    """Sizes, iterations and seeds of a run.

    Examples
    --------
    >>> FULL.sampling.n_iter, QUICK.n_seeds
    (3300, 1)
    """

    n_seeds: int
    n_documents: int  # of SynthA and SynthB where the paper has 5,000
    sizes: tuple[int, ...]  # of SynthB for the reconstruction
    sampling: Sampling
    variational: int  # iterations
    variational_seeds: int
    tomotopy: int  # iterations
    timed_sizes: tuple[int, ...]
    trace_sweeps: int  # of the Gibbs sampler from different starts
    real_documents: tuple[int, int, int]  # kept of Enron, NYTimes and State of the Union
    real_words: tuple[int, int, int]
    held_out: int
    real_topics: int
    real_seeds: int
    real_sampling: Sampling
    real_variational: int


FULL = Preset(
    n_seeds=3,
    n_documents=5000,
    sizes=(6000, 8000, 10_000, 20_000),
    sampling=Sampling(3000, 10, 30),
    variational=30,
    variational_seeds=1,
    tomotopy=300,
    timed_sizes=(5000, 10_000, 50_000, 100_000, 500_000, 1_000_000),
    trace_sweeps=300,
    real_documents=(8000, 15_000, 8000),
    real_words=(5000, 7000, 5000),
    held_out=1000,
    real_topics=100,
    real_seeds=1,
    real_sampling=Sampling(199, 1, 1),
    real_variational=10,
)
QUICK = Preset(
    n_seeds=1,
    n_documents=500,
    sizes=(500, 1000),
    sampling=Sampling(150, 5, 10),
    variational=10,
    variational_seeds=1,
    tomotopy=200,
    timed_sizes=(500, 1000, 2000),
    trace_sweeps=150,
    real_documents=(1000, 1000, 1000),
    real_words=(1000, 1000, 1000),
    held_out=100,
    real_topics=20,
    real_seeds=1,
    real_sampling=Sampling(99, 1, 1),
    real_variational=5,
)
