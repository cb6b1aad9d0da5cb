"""What a fitted estimator keeps in a file: from its parameters and attributes to a Model of plain values, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from crisptopics.choose import Candidate
from crisptopics.model import Model
from crisptopics.parameters import check_number, check_whole, is_auto, numbers_of_topics
from crisptopics.read.recipe import read_recipe
from crisptopics.solve import Iteration
from crisptopics.stop import StopReason

SAVED_PARAMETERS: dict[str, Callable[[Any], Any]] = {
    "n_components": lambda value: value if is_auto(value) else _plain_numbers(value),
    "penalty": lambda value: value if is_auto(value) else float(value),
    "algorithm": str,
    "max_iter": int,
    "tol": float,
    "soften": int,
    "smoothing": float,
    "sparse_output": bool,
}


def pack(parameters: dict[str, Any], attributes: dict[str, Any]) -> Model:
    """Return the plain values of a fitted estimator.

    Examples
    --------
    >>> from crisptopics import CrispTopics
    >>> estimator = CrispTopics(2, penalty=2.0, random_state=0).fit([[4, 2, 0], [0, 0, 5]])
    >>> pack(estimator.get_params(), vars(estimator))
    Model(n_topics=2, n_words=3)
    """
    plain = {name: cast(parameters[name]) for name, cast in SAVED_PARAMETERS.items()}
    fit: dict[str, Any] = {
        "seed": attributes["_seed"],
        "penalty": attributes["penalty_"],
        "objective": attributes["objective_"],
        "stop_reason": attributes["stop_reason_"],
        "history": [asdict(iteration) for iteration in attributes["history_"]],
        "choice": [asdict(candidate) for candidate in attributes["choice_"]],
        "icl": attributes["icl_"],
    }
    if attributes.get("alpha_") is not None:
        fit["alpha"] = attributes["alpha_"].tolist()
    names = attributes.get("feature_names_in_")
    vocabulary = None if names is None else tuple(map(str, names))
    if attributes.get("recipe_") is not None:
        fit["recipe"] = {name: value for name, value in attributes["recipe_"].items() if name != "vocabulary"}
    if attributes.get("reading_") is not None:
        fit["reading"] = attributes["reading_"]
    return Model(attributes["_counts"], vocabulary, plain, fit, attributes["_soft_counts"])


def unpack(model: Model) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return parameters and fitted attributes; KeyError, TypeError or ValueError if these are not what a fit leaves.

    Examples
    --------
    >>> from crisptopics import CrispTopics
    >>> estimator = CrispTopics(2, penalty=2.0, random_state=0).fit([[4, 2, 0], [0, 0, 5]])
    >>> unpack(pack(estimator.get_params(), vars(estimator)))[0]["penalty"]
    2.0
    """
    fit: Any = model.fit
    if unknown := set(model.parameters) - set(SAVED_PARAMETERS):
        raise ValueError(f"unknown parameters {sorted(unknown)}")
    check_number("penalty", fit["penalty"], 0.0, 1e12, open_below=True)
    check_whole("seed", fit["seed"], 0, 2**31)
    numbers = numbers_of_topics(model.parameters["n_components"])
    if numbers is not None and model.n_topics not in numbers:
        raise ValueError(f"n_components is {model.parameters['n_components']!r}, but there are {model.n_topics} topics")
    if fit["stop_reason"] not in get_args(StopReason):
        raise ValueError(f"unknown stop reason {fit['stop_reason']!r}")
    if not isinstance(fit["history"], list):
        raise TypeError(f"history is a {type(fit['history']).__name__}, not a list")
    history = [_iteration(line) for line in fit["history"]]
    attributes = {
        "_counts": model.topic_word_counts,
        "_seed": fit["seed"],
        "n_components_": model.n_topics,
        "n_features_in_": model.n_words,
        "penalty_": float(fit["penalty"]),
        "objective_": _finite("objective", fit["objective"]),
        "stop_reason_": fit["stop_reason"],
        "history_": history,
        "n_iter_": len(history),
        "choice_": [_candidate(line) for line in fit.get("choice", [])],
        "icl_": _finite("icl", fit.get("icl", 0.0)),
        "alpha_": _alpha(fit.get("alpha"), model),
        "_soft_counts": model.soft_counts,
        "recipe_": _recipe(fit.get("recipe"), model.vocabulary),
        "reading_": _reading(fit.get("reading")),
    }
    if model.vocabulary is not None:
        attributes["feature_names_in_"] = np.array(model.vocabulary, dtype=object)
    return dict(model.parameters), attributes


def _recipe(plain: Any, vocabulary: tuple[str, ...] | None) -> dict[str, Any] | None:
    """Give back a recipe with its vocabulary, which is the model's and stored once."""
    if plain is None:
        return None
    if vocabulary is None:
        raise ValueError("there is a recipe, but no vocabulary")
    if not isinstance(plain, dict):
        raise TypeError(f"recipe is a {type(plain).__name__}, not an object")
    return read_recipe(plain | {"vocabulary": list(vocabulary)}).to_json()


def _reading(plain: Any) -> dict[str, Any] | None:
    if plain is not None and not isinstance(plain, dict):
        raise TypeError(f"reading is a {type(plain).__name__}, not an object")
    return plain


def _iteration(line: dict[str, Any]) -> Iteration:
    check_whole("moved", line["moved"], 0)
    numbers = {name: _finite(name, line[name]) for name in ("penalty", "objective", "topics_per_document", "seconds")}
    return Iteration(**(line | numbers))


def _candidate(line: dict[str, Any]) -> Candidate:
    check_whole("n_components", line["n_components"], 1)
    rest = ["penalty", "icl", "objective", "topics_per_document", "seconds"]
    if line.get("completion") is not None:
        rest.append("completion")
    return Candidate(**(line | {name: _finite(name, line[name]) for name in rest}))


def _alpha(values: Any, model: Model) -> npt.NDArray[np.float64] | None:
    if (values is None) != (model.soft_counts is None) or (values is not None and len(values) != model.n_topics):
        raise ValueError("alpha and soft counts do not belong together")
    return None if values is None else np.array([_finite("alpha", value) for value in values])


def _plain_numbers(n_components: Any) -> int | list[int]:
    return list(map(int, n_components)) if isinstance(n_components, Iterable) else int(n_components)


def _finite(name: str, value: object) -> float:
    check_number(name, value, -1e300, 1e300)
    return float(value)  # type: ignore[arg-type]
