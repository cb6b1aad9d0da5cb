"""CrispTopics, the scikit-learn estimator: checks what it is given, calls the solver, keeps the answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from crisptopics import exports, frames, kernels
from crisptopics.assign import Assigner, entry_matrix, topic_shares
from crisptopics.blocks import Workers, thread_count
from crisptopics.corpus import Corpus
from crisptopics.details import Details
from crisptopics.errors import ModelFileError
from crisptopics.fitted import pack, unpack
from crisptopics.fitting import Fit, fit_corpus
from crisptopics.frames import FrameKind
from crisptopics.parameters import check_number, check_parameters, check_size, numbers_of_topics
from crisptopics.progress import progress
from crisptopics.save import load_model, save_model
from crisptopics.soften import UNIT, SoftTopics, mixture_shares
from crisptopics.solve import Algorithm, Iteration
from crisptopics.views import Views

__all__ = ["CrispTopics", "load"]


class CrispTopics(Views):
    """Topic model in which every word of every document has exactly one topic.

    The fit seeks the topics of all words that make

        sum over tokens of -log psi[topic, word]  +  penalty * sum over documents of (topics used in the document)

    least, where psi[topic, word] is the word's share of the topic's tokens (Jiang, Sra, Kulis: Combinatorial Topic
    Models using Small-Variance Asymptotics). The result depends on the data, the parameters and the seed alone, never
    on the number of threads or the kind of processor.

    Parameters
    ----------
    n_components
        Number of topics, at most 65,534; a list of numbers to choose from; or "auto" for any number. The choice is by
        how well soft topics of a sample foretell half of the words of other documents from their other half, less a
        small price for each topic: see docs/choosing.md. Topics may end up empty when there are more of them than the
        data bear.
    penalty
        Cost of one more topic in a document, in nats (lambda in the paper). The higher, the fewer topics per document.
        "auto" takes the best integrated likelihood among penalties under which documents have two topics on average,
        or fewer where they are short, and not more than five: see docs/choosing.md.
    algorithm
        "word+refine", "word" or "basic", from the best answer to the least work.
    init
        Where to start: "search" (near the optimum: a falling penalty, then merging and splitting of topics, on a sample
        first), "random" (the paper's: each word of each document in a random topic), an array (K, V) of topics, or one
        topic for each entry of the training matrix (a sparse matrix of its structure, such as `assignments_`, or a
        vector).
    max_iter
        Most iterations.
    tol
        Stop when the objective falls by no more than this part of itself.
    soften
        Most iterations of a soft ending, which shares out the words of the crisp solution among topics. `components_`
        and the words shown are then those of a mixture: fuller, and better at foretelling new documents. Assignments,
        counts and objective stay crisp. It takes 4 bytes for each document and topic, and 12 for each word and topic.
        With 0, `components_` are the shares of the crisp counts.
    smoothing
        Added to each count when documents are assigned (beta of psi), so that a new document may use a word in a topic
        that never had it.
    seed_words
        Words that start in a topic of your choice, wherever they occur: {topic number: [words]}. After a search, the
        topic that has most of them gets the number.
    sparse_output
        Whether `transform` returns a sparse array.
    n_jobs
        Threads; None or -1 for all processors, -2 for all but one. The result is the same for any number.
    random_state
        Seed of the start and of the order in which documents are refined.
    verbose
        Above 0, a progress bar is drawn when standard error is a terminal.
    callback
        Called with each iteration's record; the fit stops when it returns True or anything else that is true.

    Attributes
    ----------
    components_ : array of shape (K, V)
        The topics psi: each row sums to 1. An empty topic's row is uniform.
    topic_word_counts_ : array of shape (K, V)
        Tokens of each word in each topic, in the best solution found.
    expected_counts_ : array of shape (K, V)
        The same for a mixture, so in fractions, where the fit ended softly; `components_` are its rows' shares.
    assignments_ : sparse array of the training matrix's structure
        Topic of each word of each training document: what `assign` gives for them. It is a last Word pass under the
        final topics, so that training documents are treated just as new ones; a few words may lie elsewhere in the
        solution that the topics were counted from. Not part of a saved model.
    objective_ : float
        The objective of the solution that the topics were counted from; the last one in `history_`.
    history_ : list of Iteration
        One record for each iteration over all documents: stage, penalty, objective, moved (tokens),
        topics_per_document, seconds. The search before them is not part of it; a callback sees its records too, with
        the stage "search".
    icl_ : float
        Integrated likelihood of the solution per token, the criterion by which a penalty is chosen.
    choice_ : list of Candidate
        What was tried on a sample to choose penalty and number of topics: n_components, penalty, icl (per token),
        objective, topics_per_document, seconds since the beginning, and completion (per token of held-out documents)
        where the number of topics was judged. Empty where both were given.
    alpha_ : array or None
        Prior weight of each topic in a document, where the fit ended softly.
    stop_reason_ : str
        "converged", "max_iter", "callback" or "interrupted".
    recipe_ : dict or None
        How the words of the corpus were made, when `read_corpus` made it: `read_corpus(path, recipe=model.recipe_)`
        reads new text in the same way.
    reading_ : dict or None
        What `read_corpus` read and what it left out.
    n_iter_, penalty_, n_components_, n_features_in_, feature_names_in_
        As in scikit-learn; the last one only when the columns have names.

    Notes
    -----
    An empty topic costs nothing and is infinitely far from every word. Refining may move any mini-topic (the words of
    one document in one topic) into it, and does so only where that lowers the objective. "basic" and "word" leave an
    empty topic empty.

    Ctrl-C during a fit ends it with the best solution so far, and the reason "interrupted".

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 5, 1], [0, 1, 2, 4]]
    >>> model = CrispTopics(2, penalty=2.0, random_state=0).fit(X)
    >>> model.transform([[1, 1, 0, 0], [0, 0, 1, 1]]).argmax(axis=1).tolist() in ([0, 1], [1, 0])
    True
    """

    def __init__(
        self,
        n_components: int | Sequence[int] | Literal["auto"] = 20,
        *,
        penalty: float | Literal["auto"] = "auto",
        algorithm: Algorithm = "word+refine",
        init: Any = "search",
        max_iter: int = 50,
        tol: float = 1e-4,
        soften: int = 50,
        smoothing: float = 0.01,
        seed_words: Mapping[int, Sequence[str]] | None = None,
        sparse_output: bool = False,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        callback: Callable[[Iteration], object] | None = None,
    ) -> None:
        self.n_components = n_components
        self.penalty = penalty
        self.algorithm = algorithm
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.soften = soften
        self.smoothing = smoothing
        self.seed_words = seed_words
        self.sparse_output = sparse_output
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn passes y)
        """Find topics.

        Parameters
        ----------
        X
            Counts: sparse or dense, a data frame, or a Corpus.
        y
            Ignored.
        """
        check_parameters(self.get_params())
        corpus = self._training_corpus(X)
        check_size(corpus, max(numbers_of_topics(self.n_components) or [1]))
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        with (
            Workers(thread_count(self.n_jobs)) as workers,
            progress(self.max_iter, visible=self.verbose > 0) as draw,
        ):

            def watch(iteration: Iteration) -> object:
                draw(iteration)
                return self.callback(iteration) if self.callback else None

            fit = fit_corpus(corpus, self.get_params(), self._words(None), seed, workers, watch)
        self._keep(fit, seed)
        self._keep_reading(corpus)
        self.assignments_ = entry_matrix(corpus, fit.assignments)
        return self

    def transform(self, X: Any) -> Any:
        """Return the share of each document's tokens in each topic.

        One Word pass with the topics fixed: on the training matrix it gives the shares of `assignments_`. Rows sum to
        1; the row of a document without a word that the model knows is zero.

        Parameters
        ----------
        X
            Counts, with the columns of the training matrix.
        """
        corpus, topics = self._assign(X)
        shares = topic_shares(corpus, topics, self.n_components_)
        return shares if self.sparse_output else shares.toarray()

    def mixture(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the expected share of each document's tokens in each topic, each word shared out among topics.

        Softer than `transform`: a document has a little of many topics. Needs a model with a soft ending.

        Parameters
        ----------
        X
            Counts, with the columns of the training matrix.
        """
        corpus = self._new_corpus(X)
        if self._soft_counts is None or self.alpha_ is None:
            raise ValueError(f"soften={self.soften}: this model has no mixture; fit with soften=50, or use transform")
        soft = SoftTopics(self._soft_counts, self.alpha_)
        with Workers(thread_count(self.n_jobs)) as workers:
            return mixture_shares(corpus, self._counts, soft, self.smoothing, workers)

    def assign(self, X: Any) -> sparse.csr_array:
        """Return the topic of each word of each document.

        The result has the structure of X as a canonical CSR matrix; its data are topics, so topic 0 is a stored 0.
        A word that was in no training document has no topic: -1.

        Parameters
        ----------
        X
            Counts, with the columns of the training matrix.
        """
        return entry_matrix(*self._assign(X))

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002
        """Return the mean hard predictive log-likelihood per token: log psi (smoothed) of each word in its topic.

        Words that were in no training document do not count. Nor does the penalty: the lower it is, the better words
        are explained, so compare models of the same penalty only.

        Parameters
        ----------
        X
            Counts, with the columns of the training matrix.
        y
            Ignored.
        """
        corpus, topics = self._assign(X)
        tokens = corpus.counts[topics != kernels.NO_TOPIC].sum(dtype=np.int64)
        logs = self._assigner().log_likelihoods(corpus, topics)
        return float(corpus.counts @ logs / tokens) if tokens else 0.0

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a `.crisp` file, which holds data only; `crisptopics.load` reads it.

        The file holds the topics, the vocabulary, the parameters and how the fit went; not the training documents, so
        not `assignments_`.

        Parameters
        ----------
        path
            The file; it appears whole or not at all.
        """
        check_is_fitted(self)
        save_model(pack(self.get_params(), self.__dict__), path)

    def topics_frame(self, top: int = 10, words: Sequence[str] | None = None, kind: FrameKind = "pandas") -> Any:
        """Return the topics as a data frame for reading: one row each, the most probable words first.

        Parameters
        ----------
        top
            How many words.
        words
            Names of the columns, where the training matrix had none.
        kind
            "pandas", "polars" or "pyarrow".
        """
        lists = self.top_words(top, words)
        return frames.topics_frame(self._counts, lists, kind)

    def documents_frame(self, X: Any, kind: FrameKind = "pandas") -> Any:
        """Return one row for each document: its tokens, main topic, number of topics, and share of each topic.

        Parameters
        ----------
        X
            Counts, with the columns of the training matrix.
        kind
            "pandas", "polars" or "pyarrow".
        """
        corpus, topics = self._assign(X)
        return frames.documents_frame(corpus, topic_shares(corpus, topics, self.n_components_), kind)

    def words_frame(self, X: Any, words: Sequence[str] | None = None, kind: FrameKind = "pandas") -> Any:
        """Return one row for each word of each document: document, word, count and topic.

        Parameters
        ----------
        X
            Counts, with the columns of the training matrix.
        words
            Names of the columns, where the training matrix had none.
        kind
            "pandas", "polars" or "pyarrow".
        """
        corpus, topics = self._assign(X)
        return frames.words_frame(corpus, topics, self._words(words), kind)

    def to_pyldavis(self, X: Any) -> dict[str, Any]:
        """Return the arguments of `pyLDAvis.prepare`: `pyLDAvis.prepare(**model.to_pyldavis(X))`.

        Topics keep their numbers and their order.

        Parameters
        ----------
        X
            Counts, with the columns of the training matrix; documents without a known word are left out.
        """
        return exports.pyldavis_arguments(self, X)

    def _keep(self, fit: Fit, seed: int) -> None:
        """Set the fitted attributes, all but the assignments."""
        self._counts = fit.counts
        self._soft_counts = None if fit.soft is None else fit.soft.counts
        self._seed = seed
        self.alpha_ = None if fit.soft is None else fit.soft.alpha
        self.n_components_ = int(fit.counts.shape[0])
        self.penalty_ = fit.penalty
        self.choice_ = fit.path
        self.icl_ = fit.icl
        self.objective_ = fit.solution.objective
        self.history_ = fit.solution.history
        self.n_iter_ = len(self.history_)
        self.stop_reason_ = fit.solution.stop_reason

    def _keep_reading(self, corpus: Corpus) -> None:
        """Remember how the corpus was read, so that new text can be read in the same way."""
        details = corpus.details or Details()
        self.recipe_ = None if details.recipe is None else dict(details.recipe)
        self.reading_ = None if details.reading is None else dict(details.reading)

    @property
    def topic_word_counts_(self) -> npt.NDArray[np.int64]:
        """Tokens of each word in each topic."""
        return self._fitted_counts().toarray()  # type: ignore[no-any-return]

    @property
    def components_(self) -> npt.NDArray[np.float64]:
        """The topics: share of each word in the topic's tokens, or in the mixture's if the fit ended softly."""
        counts = self._shown_counts().toarray().astype(np.float64)
        counts[counts.sum(axis=1) == 0] = 1.0
        return counts / counts.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]

    @property
    def expected_counts_(self) -> npt.NDArray[np.float64]:
        """Tokens of each word in each topic, or what is expected of them in the mixture if the fit ended softly."""
        counts = self._shown_counts()
        return counts.toarray() / (1 if self._soft_counts is None else UNIT)  # type: ignore[no-any-return]

    def _fitted_counts(self) -> sparse.csr_array:
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"this {type(self).__name__} is not fitted yet; call fit first")
        return self._counts

    def _shown_counts(self) -> sparse.csr_array:
        """Return the counts behind the topics that people see."""
        counts = self._fitted_counts()
        return counts if self._soft_counts is None else self._soft_counts

    def _assigner(self) -> Assigner:
        check_number("smoothing", self.smoothing, 0.0, 1e6, open_below=True)  # may have been set after the fit
        return Assigner(self._counts, self.penalty_, self.smoothing)

    def __sklearn_is_fitted__(self) -> bool:
        return "_counts" in self.__dict__

    def _fitted_shape(self) -> tuple[int, int]:
        n_topics, n_words = self._counts.shape
        return int(n_topics), int(n_words)

    def _top_columns(self, top: int) -> list[list[int]]:
        return [frames.top_words(self._shown_counts(), topic, top) for topic in range(self.n_components_)]

    def _assign(self, X: Any) -> tuple[Corpus, npt.NDArray[np.uint16]]:
        corpus = self._new_corpus(X)
        with Workers(thread_count(self.n_jobs)) as workers:
            return corpus, self._assigner().assign(corpus, workers)


def load(path: str | os.PathLike[str]) -> CrispTopics:
    """Read a fitted model from a `.crisp` file.

    Parameters
    ----------
    path
        A file that `CrispTopics.save` has written.

    Returns
    -------
    The model, ready for `transform`, `assign` and the frames; without `assignments_`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> model = CrispTopics(2, penalty=2.0, random_state=0).fit([[4, 2, 0], [0, 0, 5]])
    >>> with TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/m.crisp")
    ...     load(f"{folder}/m.crisp").penalty_
    2.0
    """
    stored = load_model(path)
    try:
        parameters, attributes = unpack(stored)
        check_parameters(CrispTopics(**parameters).get_params())
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ModelFileError(
            f"{os.fspath(path)!r} does not hold what a fit leaves ({reason}); save it again"
        ) from error
    model = CrispTopics(**parameters)
    model.__dict__.update(attributes)
    return model
