"""Counts that are mapped from an .npz file are those that were saved."""

import gzip
import zipfile

import numpy as np
import pytest
from scipy import sparse

from crisptopics.corpus import Corpus
from crisptopics.mapped import open_npz
from crisptopics.read.corpus import read_corpus


@pytest.fixture
def counts():
    random = np.random.default_rng()
    return sparse.csr_array(random.poisson(0.3, size=(30, 40)).astype(np.int32))


def save_aligned(path, counts):
    """Store the members so that each array begins at a multiple of 64, by a field that readers skip."""
    arrays = {"format": np.array(b"csr"), "shape": np.array(counts.shape)}
    arrays |= {"indptr": counts.indptr, "indices": counts.indices, "data": counts.data}
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")
            begin = archive.fp.tell() + 30 + len(member.filename) + 4
            padding = -begin % 64
            member.extra = np.array([0xFFFF, padding], "<u2").tobytes() + bytes(padding)
            with archive.open(member, "w") as file:
                np.lib.format.write_array(file, array, version=(1, 0))


@pytest.mark.parametrize("compressed", [True, False])
def test_what_scipy_saved_comes_back(tmp_path, counts, compressed):
    sparse.save_npz(tmp_path / "a.npz", counts, compressed=compressed)
    found = open_npz(tmp_path / "a.npz")
    assert found.shape == counts.shape
    np.testing.assert_array_equal(found.toarray(), counts.toarray())


def test_other_formats_come_back_as_rows(tmp_path, counts):
    sparse.save_npz(tmp_path / "a.npz", counts.tocoo(), compressed=False)
    np.testing.assert_array_equal(open_npz(tmp_path / "a.npz").toarray(), counts.toarray())


def test_aligned_arrays_are_mapped_and_a_corpus_shares_them(tmp_path, counts):
    save_aligned(tmp_path / "a.npz", counts)
    for corpus in (Corpus.from_counts(open_npz(tmp_path / "a.npz")), read_corpus(tmp_path / "a.npz")):
        for array in (corpus.words, corpus.counts):
            mapped = array
            while isinstance(mapped, np.ndarray) and not isinstance(mapped, np.memmap):
                mapped = mapped.base
            assert isinstance(mapped, np.memmap)
        np.testing.assert_array_equal(corpus.counts_matrix().toarray(), counts.toarray())


def test_packed_files_are_read(tmp_path, counts):
    save_aligned(tmp_path / "a.npz", counts)
    (tmp_path / "b.npz.gz").write_bytes(gzip.compress((tmp_path / "a.npz").read_bytes()))
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.write(tmp_path / "a.npz", "a.npz")
    for name in ("b.npz.gz", "c.zip"):
        np.testing.assert_array_equal(read_corpus(tmp_path / name).counts_matrix().toarray(), counts.toarray())


def test_a_file_that_says_more_than_it_holds_is_refused(tmp_path, counts):
    save_aligned(tmp_path / "a.npz", counts)
    whole = (tmp_path / "a.npz").read_bytes()
    (tmp_path / "b.npz").write_bytes(
        whole.replace(b"'shape': (%d,)" % counts.nnz, b"'shape': (%d,)" % (counts.nnz + 1))
    )
    with pytest.raises((ValueError, zipfile.BadZipFile)):
        open_npz(tmp_path / "b.npz")
