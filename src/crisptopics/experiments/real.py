"""Real corpora for the likelihood of new documents: the paper's two, cut as in the paper, and the one that ships."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from crisptopics.corpus import Corpus
from crisptopics.datasets import load_sotu
from crisptopics.errors import CorpusError
from crisptopics.experiments.presets import Preset
from crisptopics.read import counts
from crisptopics.read.sources import open_source

UCI_SHAPES = {"Enron": (39_861, 28_102), "NYTimes": (300_000, 102_660)}
SHIPPED = "State of the Union"
NAMES = (*UCI_SHAPES, SHIPPED)


@dataclass(frozen=True, eq=False)
class Real:
    """A real corpus, cut as the paper cuts it.

    Parameters
    ----------
    name
        "Enron", "NYTimes" or "State of the Union".
    train, held_out
        The documents.
    source
        What they were taken from, in words.
    digest
        Tells corpora apart, so that cells of another file are not taken for cells of this one.
    """

    name: str
    train: Corpus
    held_out: Corpus
    source: str
    digest: str

    @property
    def slug(self) -> str:
        """The name in names of files."""
        return self.name.lower().replace(" ", "-")


def real_corpora(preset: Preset, files: Mapping[str, Path]) -> tuple[Real, ...]:
    """Read the corpora that there are files for, and the one that ships.

    Parameters
    ----------
    preset
        How much of them is kept.
    files
        For "Enron" and "NYTimes", a UCI docword file, or a folder with one and its vocabulary.

    Examples
    --------
    >>> from crisptopics.experiments.presets import QUICK
    >>> [real.train.n_words for real in real_corpora(QUICK, {})]
    [1000]
    """
    found = []
    for name, n_documents, n_words in zip(NAMES, preset.real_documents, preset.real_words, strict=True):
        if name == SHIPPED:
            whole = load_sotu()
            source = f"the corpus that ships, {len(whole):,} paragraphs"
        elif name in files:
            whole = read_counts(files[name])
            uci = "the UCI file" if whole.shape == UCI_SHAPES[name] else "not the UCI file"
            source = f"{uci}: {len(whole):,} documents, {whole.n_words:,} words"
        else:
            continue
        found.append(_cut(name, whole, source, n_documents, n_words, preset))
    return tuple(found)


def _cut(name: str, whole: Corpus, source: str, n_documents: int, n_words: int, preset: Preset) -> Real:
    """Draw documents and hold some out; keep the words that the others have most of."""
    filled = np.flatnonzero(np.diff(whole.indptr))
    if min(whole.n_words, n_words) < preset.real_topics:
        raise CorpusError(
            f"{name} has {whole.n_words} words, fewer than the {preset.real_topics} topics asked for; give a corpus "
            "with more words"
        )
    if len(filled) < 2 * preset.held_out:
        raise CorpusError(
            f"{name} has {len(filled)} documents with words, too few to hold {preset.held_out} out; give a corpus of "
            f"at least {2 * preset.held_out}"
        )
    chosen = np.random.default_rng(0).permutation(filled)[:n_documents]
    held_out, train = whole.select(np.sort(chosen[: preset.held_out])), whole.select(np.sort(chosen[preset.held_out :]))
    frequencies = np.bincount(train.words, weights=train.counts, minlength=whole.n_words)
    words = np.sort(np.argsort(-frequencies, kind="stable")[:n_words])
    words = words[frequencies[words] > 0]
    parts = [_with_words(part, words) for part in (train, held_out)]
    digest = hashlib.sha256()
    for array in (array for part in parts for array in (part.indptr, part.words, part.counts)):
        digest.update(np.ascontiguousarray(array).tobytes())
    return Real(name, parts[0], parts[1], source, digest.hexdigest()[:12])


def _with_words(corpus: Corpus, words: npt.NDArray[np.intp]) -> Corpus:
    names = corpus.word_names
    return Corpus.from_counts(corpus.counts_matrix()[:, words], [names[word] for word in words])


def read_counts(path: Path) -> Corpus:
    r"""Read a UCI docword file, or the one in a folder, with the vocabulary beside it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "docword.a.txt").write_text("1\n2\n1\n1 2 5\n")
    ...     _ = Path(folder, "vocab.a.txt").write_text("cat\ndog\n")
    ...     read_counts(Path(folder)).vocabulary
    ('cat', 'dog')
    """
    if path.is_dir():
        found = sorted(path.glob("docword*"))
        if len(found) != 1:
            raise CorpusError(f"{path} has {len(found)} docword files; give a folder with one, or the file itself")
        path = found[0]
    with open_source(path) as source:
        return counts.read_counts(source, "uci")
