"""What limits on the share of documents leave out: stop words, and words that say something.

    python benchmarks/words.py [FILE ...]

Without files, for the State of the Union addresses, whole and cut into paragraphs.
"""

from __future__ import annotations

import sys
from importlib.resources import files

import numpy as np

from crisptopics import Corpus, Words, read_corpus
from crisptopics.read.languages import stop_words_of

SHARES = (0.5, 0.3, 0.2, 0.1, 0.05)


def show(name: str, corpus: Corpus, stop_words: frozenset[str]) -> None:
    """Print what each limit leaves out."""
    used_in = np.bincount(corpus.words, minlength=corpus.n_words)
    tokens = np.bincount(corpus.words, corpus.counts, corpus.n_words)
    is_stop = np.array([word in stop_words for word in corpus.word_names])
    default = corpus.n_entries / len(corpus)
    print(f"\n{name}: {len(corpus):,} documents, {default:.0f} different words each")
    print("share  stop words' tokens left out  other words left out, the commonest")
    for share in SHARES:
        cut = used_in > share * len(corpus)
        others = np.flatnonzero(cut & ~is_stop)
        first = ", ".join(corpus.word_names[word] for word in others[np.argsort(-tokens[others])][:5])
        print(f"{share:5}{tokens[cut & is_stop].sum() / tokens[is_stop].sum():18.0%}{len(others):22}  {first}")


def main(paths: list[str]) -> None:
    """Read the files, and show what limits leave out."""
    stop_words = stop_words_of(Words(stop_words="en"))
    everything = Words(min_documents=1, max_share=1.0)
    sotu = str(files("crisptopics") / "data" / "sotu.jsonl.xz")
    inputs = [(path, path, None) for path in paths] or [("addresses", sotu, None), ("paragraphs", sotu, 100)]
    for name, path, split in inputs:
        show(name, read_corpus(path, words=everything, split=split), stop_words)


if __name__ == "__main__":
    main(sys.argv[1:])
