"""Corpora with everything that a report can show, and their models."""

import re
import unicodedata
from collections import Counter

import numpy as np

from crisptopics import Corpus, CrispTopics
from crisptopics.details import Details, Spans

THEMES = [
    ["rain", "cloud", "storm", "wind", "snow", "sky", "sun", "frost"],
    ["goal", "team", "match", "league", "coach", "ball", "score", "fans"],
    ["bank", "market", "price", "trade", "money", "loan", "stock", "tax"],
    ["doctor", "nurse", "health", "drug", "patient", "ward", "fever", "pulse"],
    ["court", "judge", "law", "trial", "jury", "appeal", "guilty", "clerk"],
    ["piano", "violin", "song", "choir", "opera", "melody", "drum", "flute"],
]
EVERYWHERE = ["people", "day", "year", "work"]
LABELS = ["weather", "sport", "money", "health", "law", "music"]


def corpus_of(texts, pattern=r"\w+", **details):
    """Read texts as a reader does: words, and where they stand."""
    texts = [unicodedata.normalize("NFC", text) for text in texts]
    found = [list(re.finditer(pattern, text)) for text in texts]
    corpus = Corpus.from_tokens([[match.group().lower() for match in row] for row in found])
    columns = {word: column for column, word in enumerate(corpus.vocabulary)}
    entries, starts, ends = [], [], []
    for row, matches in enumerate(found):
        words = corpus.words[corpus.indptr[row] : corpus.indptr[row + 1]]
        entries += np.searchsorted(words, [columns[match.group().lower()] for match in matches]).tolist()
        starts += [match.start() for match in matches]
        ends += [match.end() for match in matches]
    spans = Spans(np.cumsum([0, *map(len, found)]), entries, starts, ends)
    names = details.pop("names", None)
    about = Details(texts=tuple(texts), spans=spans, **details)
    return Corpus(corpus.indptr, corpus.words, corpus.counts, corpus.n_words, corpus.vocabulary, names, about)


def planted(n_documents=240, seed=0):
    """Give texts of two themes each, with names, labels, dates and an account of the reading."""
    random = np.random.default_rng(seed)
    texts, labels, dates = [], [], []
    for number in range(n_documents):
        main, other = random.choice(len(THEMES), 2, replace=False)
        words = [*random.choice(THEMES[main], 24), *random.choice(THEMES[other], 9), *random.choice(EVERYWHERE, 4)]
        random.shuffle(words)
        texts.append(" ".join(words).capitalize() + ".")
        labels.append(LABELS[main])
        dates.append(f"{1990 + number % 30}")
    return corpus_of(
        texts,
        names=[f"text {number}" for number in range(n_documents)],
        labels=tuple(labels),
        dates=tuple(dates),
        reading={"source": ["texts.csv"], "rows": {"used": n_documents, "bad": 0}},
    )


def fitted(corpus, n_topics, penalty=6.0, **parameters):
    """Fit quickly."""
    return CrispTopics(n_topics, penalty=penalty, random_state=3, **parameters).fit(corpus)


def counted(corpus):
    """Count a corpus's words in each document."""
    return Counter(dict(zip(corpus.vocabulary, corpus.counts_matrix().sum(axis=0).tolist(), strict=True)))
