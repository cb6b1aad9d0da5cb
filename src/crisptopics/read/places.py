"""Where the words that are kept stand in the texts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from crisptopics.details import Spans
from crisptopics.read.counting import Tokens


def spans_of(blocks: list[Tokens], columns: npt.NDArray[np.int32], n_columns: int) -> Spans:
    """Give the places of tokens as entries of their documents, whose words are in the order of the columns.

    Parameters
    ----------
    blocks
        Tokens of all documents, with their places.
    columns
        Column of each word, -1 for words that are left out.
    n_columns
        Number of columns.

    Examples
    --------
    >>> from crisptopics.read.dividing import Divider, Division
    >>> blocks = [Divider(Division(output="places"))(["the dog, the cat"])]
    >>> spans_of(blocks, np.array([-1, 1, 0]), 2).entries
    array([1, 0], dtype=int32)
    """
    lengths, entries, starts, ends = [], [], [], []
    for block in blocks:
        assert block.starts is not None
        assert block.ends is not None
        placed = columns[block.ids] >= 0 if len(columns) else block.ids >= 0
        found = block.only(placed & (block.ends > block.starts))
        keys = found.documents * n_columns + columns[found.ids]
        # The entries of a document are all words that it has, also those that stand nowhere.
        every = block.only(placed)
        different = np.unique(every.documents * n_columns + columns[every.ids])
        firsts = np.searchsorted(different, found.documents * n_columns)
        entries.append(np.searchsorted(different, keys) - firsts)
        lengths.append(np.diff(found.indptr))
        starts.append(found.starts)
        ends.append(found.ends)
    indptr = np.cumsum(np.concatenate([[0], *lengths]), dtype=np.int64)
    return Spans(indptr, *(np.concatenate([[], *parts]).astype(np.int32) for parts in (entries, starts, ends)))
