"""Crisp topic models: every word of every document gets exactly one topic."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crisptopics import baselines, datasets, exports, metrics, report
    from crisptopics.corpus import Corpus
    from crisptopics.estimator import CrispTopics, load
    from crisptopics.read.corpus import read_corpus
    from crisptopics.read.words import Words
    from crisptopics.read.write import write_corpus
    from crisptopics.sweeping import sweep

__version__ = "0.1.0"
__all__ = [
    "Corpus",
    "CrispTopics",
    "Words",
    "__version__",
    "baselines",
    "datasets",
    "exports",
    "load",
    "metrics",
    "read_corpus",
    "report",
    "sweep",
    "write_corpus",
]

_HOMES = {
    "Corpus": "corpus",
    "CrispTopics": "estimator",
    "Words": "read.words",
    "load": "estimator",
    "read_corpus": "read.corpus",
    "sweep": "sweeping",
    "write_corpus": "read.write",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import crisptopics` is light."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"crisptopics.{_HOMES[name]}"), name)
    if name in __all__:
        return importlib.import_module(f"crisptopics.{name}")
    raise AttributeError(f"module 'crisptopics' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
