"""What `evaluate` and `compare` measure alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from crisptopics.base import TopicEstimator
    from crisptopics.corpus import Corpus

TOP = 10  # words of a topic that count


def word_scores(model: TopicEstimator, reference: Corpus) -> dict[str, float]:
    """Return NPMI in the reference documents and diversity, of each topic's most probable words.

    Examples
    --------
    >>> from crisptopics import Corpus, CrispTopics
    >>> corpus = Corpus.from_counts([[2, 1, 0], [1, 1, 0], [0, 0, 3]])
    >>> word_scores(CrispTopics(1, penalty=2.0).fit(corpus), corpus)["diversity"]
    1.0
    """
    from crisptopics.metrics import diversity, npmi

    names = [str(column) for column in range(reference.n_words)]
    top_words = [[int(name) for name in words] for words in model.top_words(TOP, words=names)]
    return {"npmi": npmi(top_words, reference), "diversity": diversity(top_words)}


def label_scores(shares: npt.NDArray[np.float64], labels: tuple[str, ...] | None) -> dict[str, float]:
    """Return purity and NMI of documents' main topics; nothing without labels, NaN if no document has both.

    Examples
    --------
    >>> import numpy as np
    >>> label_scores(np.array([[0.9, 0.1], [0.2, 0.8], [0.0, 0.0]]), ("sport", "news", "news"))
    {'purity': 1.0, 'nmi': 1.0}
    """
    from crisptopics.metrics import nmi, purity

    if labels is None:
        return {}
    rows = [row for row, label in enumerate(labels) if label and shares[row].any()]
    if not rows:
        return {"purity": math.nan, "nmi": math.nan}
    main, given = shares[rows].argmax(axis=1), [labels[row] for row in rows]
    return {"purity": purity(given, main), "nmi": nmi(given, main)}
