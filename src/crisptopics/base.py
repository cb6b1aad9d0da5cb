"""What all our estimators share: checks of their input, and names of words and topics."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from crisptopics.corpus import Corpus
from crisptopics.parameters import check_vocabulary, check_whole


class TopicEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators; a subclass adds `fit` and `transform`, and says what it has fitted.

    Examples
    --------
    >>> from crisptopics import CrispTopics
    >>> isinstance(CrispTopics(), TopicEstimator)
    True
    """

    n_features_in_: int

    @abstractmethod
    def _fitted_shape(self) -> tuple[int, int]:
        """Return the numbers of topics and of words."""

    @abstractmethod
    def _top_columns(self, top: int) -> list[list[int]]:
        """Return the columns of each topic's most probable words; among equals the first columns."""

    def top_words(self, top: int = 10, words: Sequence[str] | None = None) -> list[list[str]]:
        """Return the most probable words of each topic.

        Parameters
        ----------
        top
            How many words.
        words
            Names of the columns, where the training matrix had none: `vectorizer.get_feature_names_out()`, say.
        """
        check_is_fitted(self)
        check_whole("top", top, 1)
        names = self._words(words)
        return [[names[column] for column in columns] for columns in self._top_columns(top)]

    @property
    def _n_features_out(self) -> int:
        return self._fitted_shape()[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True  # whole numbers: the only tag that says so
        return tags

    def _training_corpus(self, X: Any) -> Corpus:
        """Check the documents of a fit, and remember their columns."""
        if not isinstance(X, Corpus):
            return self._checked(X, reset=True)
        self.n_features_in_ = X.n_words
        self.__dict__.pop("feature_names_in_", None)
        if X.vocabulary is not None:
            self.feature_names_in_ = np.array(X.vocabulary, dtype=object)
        return X

    def _new_corpus(self, X: Any) -> Corpus:
        """Check documents that a fitted model is to see."""
        check_is_fitted(self)
        corpus = X if isinstance(X, Corpus) else self._checked(X, reset=False)
        n_words = self._fitted_shape()[1]  # not n_features_in_, which a refused refit may have changed
        if corpus.n_words != n_words:
            raise ValueError(
                f"X has {corpus.n_words} features, but {type(self).__name__} is expecting {n_words} features as input"
            )
        if X is corpus and X.vocabulary is not None and hasattr(self, "feature_names_in_"):
            check_vocabulary(X.vocabulary, self._words(None))
        return corpus

    def _checked(self, X: Any, *, reset: bool) -> Corpus:
        checked = validate_data(self, X, reset=reset, accept_sparse=True, dtype=None, ensure_all_finite=False)
        return Corpus.from_counts(X if hasattr(X, "columns") else checked)  # a frame's rows may have names

    def _words(self, words: Sequence[str] | None) -> Sequence[str]:
        """Return the names of the columns."""
        if words is not None:
            if len(words) != self.n_features_in_:
                raise ValueError(
                    f"words has {len(words)} names, but the model has {self.n_features_in_} columns; name each column"
                )
            return words
        if hasattr(self, "feature_names_in_"):
            return list(self.feature_names_in_)
        return [f"w{column}" for column in range(self.n_features_in_)]
