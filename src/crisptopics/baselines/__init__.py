"""The models that the paper compares with, behind the interface of CrispTopics."""

from crisptopics.baselines.anchor import AnchorTopics
from crisptopics.baselines.gibbs import GibbsLDA
from crisptopics.baselines.klmeans import KLMeans
from crisptopics.baselines.variational import VariationalLDA

__all__ = [
    "AnchorTopics",
    "GibbsLDA",
    "KLMeans",
    "VariationalLDA",
]
