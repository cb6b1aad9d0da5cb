"""The smallest run that still has everything in it."""

from crisptopics.experiments.presets import Preset, Sampling

TINY = Preset(
    n_seeds=2,
    n_documents=60,
    sizes=(60,),  # anchor words take seconds at any size
    sampling=Sampling(6, 2, 2),
    variational=2,
    variational_seeds=1,
    tomotopy=5,
    timed_sizes=(50, 80),
    trace_sweeps=5,
    real_documents=(120, 120, 120),
    real_words=(150, 150, 150),
    held_out=20,
    real_topics=5,
    real_seeds=1,
    real_sampling=Sampling(5, 1, 1),
    real_variational=2,
)
