"""How good an answer is: agreement of labels, quality of topics, the paper's objective, likelihood of new documents."""

from crisptopics.metrics.labels import adjusted_rand, nmi, purity, variation_of_information
from crisptopics.metrics.likelihood import hard_log_likelihood, predictive_log_likelihood
from crisptopics.metrics.objective import integrated_likelihood, objective
from crisptopics.metrics.topics import diversity, npmi, stability, symmetric_kl, topic_l1

__all__ = [
    "adjusted_rand",
    "diversity",
    "hard_log_likelihood",
    "integrated_likelihood",
    "nmi",
    "npmi",
    "objective",
    "predictive_log_likelihood",
    "purity",
    "stability",
    "symmetric_kl",
    "topic_l1",
    "variation_of_information",
]
