"""Model files: exact round trips, one-line refusal of any other file, never half a file.

Longer than the house's 400 lines, because a file format is as safe as its list of hostile files is long.
"""

import hashlib
import io
import itertools
import json
import os
import pickle
import random
import signal
import stat
import struct
import time
import tracemalloc
import warnings
import zipfile
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import crisptopics
from crisptopics import save
from crisptopics.corpus import Corpus
from crisptopics.errors import ModelFileError
from crisptopics.model import Model
from crisptopics.save import load_model, save_model, write_atomically
from crisptopics.solve import Iteration

GOLDEN = Path(__file__).parent / "golden"
WORDS = ("sun", "größe", "雨", "🌦", "e\u0301te\u0301")

PARAMETERS = {
    "n_components": 3,
    "penalty": 6.5,
    "algorithm": "word+refine",
    "max_iter": 50,
    "tol": 1e-4,
    "smoothing": 0.01,
}


def make_model(counts=((4, 0, 1, 0, 2), (0, 0, 0, 0, 0), (0, 7, 0, 300, 0)), vocabulary=WORDS, **fit):
    return Model(csr_array(np.array(counts, dtype=np.int64)), vocabulary, dict(PARAMETERS), fit)


def golden_model():
    """The model in golden/v1.crisp, which was written once, by crisptopics 0.1.0, and is never written again.

    cd tests && python -c "import test_save as t; t.save_model(t.golden_model(), 'golden/v1.crisp')"
    """
    line = {"stage": "word+refine", "penalty": 6.5, "moved": 9, "topics_per_document": 1.5, "seconds": 0.25}
    history = [line | {"objective": 40.5}, line | {"objective": 31.25, "moved": 0}]
    return make_model(seed=7, penalty=6.5, objective=31.25, stop_reason="converged", history=history)


def assert_same(found, expected):
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(
            getattr(found.topic_word_counts, part), getattr(expected.topic_word_counts, part), strict=True
        )
    assert found.topic_word_counts.shape == expected.topic_word_counts.shape
    assert found.vocabulary == expected.vocabulary
    assert (found.parameters, found.fit) == (expected.parameters, expected.fit)


def refusal(path):
    """The message of the refusal, or None when the file loads; any other error is the test's failure."""
    try:
        load_model(path)
        message = None
    except ModelFileError as error:
        message = str(error)
    assert message is None or (message.startswith(repr(str(path))) and len(message.splitlines()) == 1)
    return message


def seal(data):
    return data[:-64] + hashlib.sha256(data[:-64]).hexdigest().encode()


def forge(members, compression=zipfile.ZIP_STORED):
    """A zip with these (name, bytes) and a seal that fits: what only somebody with intent can make."""
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", compression) as archive:
        warnings.simplefilter("ignore")  # duplicate names
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, compress_type=compression)
        archive.comment = b"crisptopics sha256 " + b"0" * 64
    return seal(file.getvalue())


def npy(array, version=(1, 0)):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=version)
    return file.getvalue()


def forge_model(arrays=None, manifest=None, entry=None, raw=None):
    """A forged model file: other arrays (with fitting entries), manifest fields, entry fields, or member bytes."""
    with np.load(GOLDEN / "v1.crisp") as members:
        original = {name: members[name] for name in members if name != "manifest.json"}
        text = json.loads(members["manifest.json"])
    changed = {name: array for name, array in (original | (arrays or {})).items() if array is not None}
    data = {name: npy(array) for name, array in changed.items()} | (raw or {})
    text["arrays"] = {
        name: {
            "dtype": changed[name].dtype.str,
            "shape": list(changed[name].shape),
            "bytes": len(data[name]),
            "sha256": hashlib.sha256(data[name]).hexdigest(),
        }
        for name in changed
    }
    text["arrays"]["counts_data"] |= entry or {}
    text = {key: value for key, value in (text | (manifest or {})).items() if value != "absent"}
    return forge([("manifest.json", json.dumps(text)), *((f"{name}.npy", data[name]) for name in changed)])


def unsynced():
    """Saving without fsync: that is slow, and matters to power cuts only."""
    return mock.patch("os.fsync", return_value=None)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.crisp"


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(make_model(), id="unicode"),
        pytest.param(make_model(vocabulary=None), id="no vocabulary"),
        pytest.param(make_model([[1, 0, 2]], ("", "a\nb", "\0")), id="one topic"),
        pytest.param(make_model([[0, 0], [0, 0]], ("a", "b")), id="no tokens"),
        pytest.param(make_model([[1]], ("a",)), id="one word"),
        pytest.param(make_model([[0, 2**62]], ("a", "b"), objective=1e308, note="'\udcff"), id="extremes"),
    ],
)
def test_round_trip_is_exact(model, path):
    save_model(model, path)
    assert_same(load_model(path), model)
    assert_same(load_model(str(path)), model)


plain_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda values: st.lists(values) | st.dictionaries(st.text(), values),
    max_leaves=8,
)


@st.composite
def models(draw):
    n_topics, n_words = draw(st.tuples(st.integers(1, 5), st.integers(1, 8)))
    cells = st.lists(st.just(0) | st.integers(0, 2**63 - 1), min_size=n_words, max_size=n_words)
    counts = draw(st.lists(cells, min_size=n_topics, max_size=n_topics))
    words = draw(st.none() | st.lists(st.text(), min_size=n_words, max_size=n_words, unique=True).map(tuple))
    plain = st.dictionaries(st.text(), plain_values, max_size=4)
    return Model(csr_array(np.array(counts, dtype=np.int64)), words, draw(plain), draw(plain))


@given(models())
def test_round_trip_of_any_model(tmp_path_factory, model):
    path = tmp_path_factory.getbasetemp() / "any.crisp"
    with unsynced():
        save_model(model, path)
    assert_same(load_model(path), model)


def test_loaded_counts_can_be_written_to(path):
    save_model(make_model(), path)
    assert load_model(path).topic_word_counts.data.flags.writeable


def test_numpy_reads_the_file(path):
    model = make_model()
    save_model(model, path)
    with np.load(path, allow_pickle=False) as members:
        assert members.files[0] == "manifest.json"
        manifest = json.loads(members["manifest.json"])
        for part in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(members[f"counts_{part}"], getattr(model.topic_word_counts, part))
        assert bytes(members["vocabulary_bytes"]).decode() == "".join(WORDS)
        assert {name: str(members[name].dtype) for name in members.files[1:]} == {
            "counts_indptr": "int64",
            "counts_indices": "int32",
            "counts_data": "int64",
            "vocabulary_bytes": "uint8",
            "vocabulary_offsets": "int64",
        }
    assert (manifest["format"], manifest["format_version"]) == ("crisptopics model", 1)
    assert (manifest["n_topics"], manifest["n_words"]) == (3, 5)
    assert manifest["parameters"] == model.parameters


def test_members_are_as_numpy_writes_them(path):
    save_model(make_model(), path)
    with zipfile.ZipFile(path) as archive, np.load(path) as arrays:
        for name in archive.namelist()[1:]:
            assert archive.read(name) == npy(arrays[name.removesuffix(".npy")])


def test_same_model_gives_same_bytes(tmp_path):
    first, second = make_model(a=1, b=2), make_model(b=2, a=1)
    save_model(first, tmp_path / "first")
    save_model(second, tmp_path / "second")
    save_model(load_model(tmp_path / "first"), tmp_path / "third")
    with mock.patch("sys.platform", "win32"):
        save_model(first, tmp_path / "fourth")
    assert len({(tmp_path / name).read_bytes() for name in ("first", "second", "third", "fourth")}) == 1


def test_golden_file_loads_as_it_was_saved():
    model = load_model(GOLDEN / "v1.crisp")
    assert_same(model, golden_model())
    np.testing.assert_array_equal(
        model.topic_word_counts.toarray(), [[4, 0, 1, 0, 2], [0, 0, 0, 0, 0], [0, 7, 0, 300, 0]]
    )
    assert model.vocabulary == ("sun", "größe", "雨", "🌦", "e\u0301te\u0301")
    assert model.parameters == PARAMETERS
    assert model.fit["history"][1]["moved"] == 0


def test_golden_file_is_a_fitted_model():
    model = crisptopics.load(GOLDEN / "v1.crisp")
    assert model.stop_reason_ == "converged"
    assert model.history_[0] == Iteration("word+refine", 6.5, 40.5, 9, 1.5, 0.25)
    assert model.top_words(2) == [["sun", "e\u0301te\u0301"], [], ["🌦", "größe"]]
    corpus = Corpus.from_counts([[1, 0, 0, 0, 1], [0, 1, 0, 1, 0]], WORDS)
    np.testing.assert_array_equal(model.transform(corpus), [[1, 0, 0], [0, 0, 1]])


def test_golden_model_is_still_written_the_same(path, monkeypatch):
    monkeypatch.setattr(save, "__version__", "0.1.0")
    save_model(golden_model(), path)
    with zipfile.ZipFile(path) as new, zipfile.ZipFile(GOLDEN / "v1.crisp") as old:
        assert new.namelist() == old.namelist()
        assert [new.read(name) for name in new.namelist()] == [old.read(name) for name in old.namelist()]


def test_every_flipped_bit_is_refused(path):
    data = (GOLDEN / "v1.crisp").read_bytes()
    path.write_bytes(data)
    accepted = []
    with path.open("r+b", buffering=0) as file:
        for bit in range(8 * len(data)):
            position = bit // 8
            os.pwrite(file.fileno(), bytes([data[position] ^ 1 << bit % 8]), position)
            if refusal(path) is None:
                accepted.append(bit)
            os.pwrite(file.fileno(), data[position : position + 1], position)
    assert accepted == []
    assert refusal(path) is None


def test_flips_under_a_new_seal_are_refused_or_harmless(path):
    data = (GOLDEN / "v1.crisp").read_bytes()
    bits = random.Random(0)
    refused = 0
    for position in range(len(data) - 64):
        flipped = data[:position] + bytes([data[position] ^ 1 << bits.randrange(8)]) + data[position + 1 :]
        path.write_bytes(seal(flipped))
        if refusal(path) is None:  # dates, rights, version hints: fields that carry nothing of the model
            assert_same(load_model(path), golden_model())
        else:
            refused += 1
    assert refused > 0.85 * len(data)


def test_every_cut_and_any_addition_is_refused(path):
    data = (GOLDEN / "v1.crisp").read_bytes()
    accepted = []
    for size in range(len(data)):
        path.write_bytes(data[:size])
        if refusal(path) is None:
            accepted.append(size)
    assert accepted == []
    for junk in (b"\0", b"\n", b"x" * 64, data[-83:], data):
        path.write_bytes(data + junk)
        assert refusal(path)
        path.write_bytes(junk + data)
        assert refusal(path)


class Trap:
    def __reduce__(self):
        return (os.abort, ())


def plain_npz():
    file = io.BytesIO()
    np.savez(file, counts=np.arange(3))
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "match"),
    [
        pytest.param(b"", "no zip archive", id="empty"),
        pytest.param(b"sun rain\n", "no zip archive", id="text"),
        pytest.param(pickle.dumps(Trap()), "no zip archive", id="pickle"),
        pytest.param(plain_npz(), "checksum at its end is missing", id="npz"),
        pytest.param(seal(plain_npz()), "checksum at its end is missing", id="npz with a hash"),
        pytest.param(b"PK\3\4", "checksum at its end is missing", id="four bytes"),
        pytest.param(seal(b"PK\3\4crisptopics sha256 " + b"0" * 64), "BadZipFile", id="no directory"),
        pytest.param(forge([]), "no zip archive", id="empty zip"),
        pytest.param(forge([("counts.npy", npy(np.arange(3)))]), "begins with 'counts.npy'", id="no manifest"),
        pytest.param(forge([("manifest.json", "[]")]), "manifest without the format", id="list"),
        pytest.param(forge([("manifest.json", '{"format": "x"}')]), "manifest without the format", id="other format"),
        pytest.param(forge([("manifest.json", '{"a": -Infinity}')]), "the number -Infinity", id="infinity"),
        pytest.param(forge([("manifest.json", "{")]), "JSONDecodeError", id="no JSON"),
        pytest.param(forge([("manifest.json", b'{"\xe9": 1}')]), "UnicodeDecodeError", id="no ASCII"),
        pytest.param(forge([("manifest.json", "[" * 100_000)]), "RecursionError", id="deep"),
        pytest.param(forge([("manifest.json", "9" * 5000)]), "ValueError", id="long number"),
        pytest.param(forge([("manifest.json", "{}")], zipfile.ZIP_DEFLATED), "compressed or encrypted", id="deflated"),
    ],
)
def test_foreign_files_are_refused(path, data, match):
    path.write_bytes(data)
    assert match in refusal(path)


@pytest.mark.parametrize(
    ("manifest", "match"),
    [
        ({"format_version": 2, "library_version": "9.0"}, "newer version, crisptopics '9.0' with format 2.*upgrade"),
        ({"format_version": 2, "arrays": "absent", "library_version": "absent"}, "newer version, crisptopics None"),
        ({"format_version": 0}, "mistyped fields"),
        ({"format_version": True}, "mistyped fields"),
        ({"format_version": "1"}, "mistyped fields"),
        ({"n_topics": "absent"}, "mistyped fields"),
        ({"n_topics": 3.0}, "mistyped fields"),
        ({"fit": []}, "mistyped fields"),
        ({"extra": 1}, "mistyped fields"),
        ({"n_topics": 2}, "into 2 parts"),
        ({"n_topics": -1}, "into -1 parts"),
        ({"n_words": 4}, "into 4 parts"),
        ({"n_words": 6}, "into 6 parts"),
        ({"n_words": 0}, "into 0 parts"),
        ({"arrays": {}}, "instead of .'counts_indptr.npy'"),
        ({"arrays": dict.fromkeys(["counts_indptr", "vocabulary_bytes"])}, "instead of .'counts_data'"),
        ({"arrays": dict.fromkeys(save.COUNT_ARRAYS | save.VOCABULARY_ARRAYS)}, "unlike its manifest"),
        ({"fit": {"objective": float("nan")}}, "the number NaN"),
    ],
)
def test_forged_manifests_are_refused(path, manifest, match):
    path.write_bytes(forge_model(manifest=manifest))
    with pytest.raises(ModelFileError, match=match):
        load_model(path)


def ints(*values):
    return np.array(values, dtype=np.int64)


@pytest.mark.parametrize(
    ("arrays", "match"),
    [
        ({"counts_indptr": ints(1, 3, 3, 5)}, "counts whose offsets do not cut 5 entries into 3 parts"),
        ({"counts_indptr": ints(0, 4, 3, 5)}, "counts whose offsets"),
        ({"counts_indptr": ints(0, 2**32, 3, 5)}, "counts whose offsets"),
        ({"counts_indptr": ints(0, 3, 3, 4)}, "counts whose offsets"),
        ({"counts_indptr": ints(0, 3, 5)}, "counts whose offsets"),
        ({"counts_indptr": ints()}, "counts whose offsets"),
        ({"counts_indices": np.array([0, 2, 5, 1, 3], np.int32)}, "ValueError"),
        ({"counts_indices": np.array([0, -1, 4, 1, 3], np.int32)}, "ValueError"),
        ({"counts_indices": np.array([0, 4, 2, 1, 3], np.int32)}, "repeated or unsorted"),
        ({"counts_indices": np.array([0, 2, 2, 1, 3], np.int32)}, "repeated or unsorted"),
        ({"counts_data": ints(4, 1, 0, 7, 300)}, "stores the count 0"),
        ({"counts_data": ints(4, 1, -2, 7, 300)}, "stores the count -2"),
        ({"counts_data": ints(4, 1, 2, 7)}, "ValueError"),
        ({"counts_data": np.arange(1, 6, dtype=np.int32)}, "is not 2 numbers|multiple of element size"),
        ({"counts_data": np.arange(1.0, 6.0)}, "is not 5 numbers <i8"),
        ({"counts_data": ints(4, 1, 2, 7, 300).astype(">i8")}, "is not 5 numbers <i8"),
        ({"counts_data": ints(4, 1, 2, 7, 300).reshape(1, 5)}, "is not 5 numbers <i8"),
        ({"counts_data": np.array([Trap()], dtype=object)}, "is not .* numbers <i8|multiple of element size"),
        ({"vocabulary_bytes": np.frombuffer(b"\xff" * 24, np.uint8)}, "not a valid model file .UnicodeDecodeError"),
        (
            {"vocabulary_bytes": np.frombuffer(b"abcdefg", np.uint8)},
            "vocabulary whose offsets do not cut 7 entries into 5 parts",
        ),
        ({"vocabulary_offsets": ints(0, 3, 2, 13, 17, 24)}, "vocabulary whose offsets"),
        ({"vocabulary_offsets": ints(1, 3, 10, 13, 17, 24)}, "vocabulary whose offsets"),
        ({"vocabulary_offsets": ints()}, "vocabulary whose offsets"),
        ({"vocabulary_offsets": None}, "instead of"),
        ({"vocabulary_bytes": None}, "instead of"),
        ({"other": ints(1)}, "instead of"),
        ({"../x": ints(1)}, "instead of"),
    ],
)
def test_forged_arrays_are_refused(path, arrays, match):
    path.write_bytes(forge_model(arrays))
    with pytest.raises(ModelFileError, match=match):
        load_model(path)


@pytest.mark.parametrize(("n_words", "match"), [(3, "ValueError"), (2**40, "2147483647 words"), (10**30, "Error")])
def test_forged_widths_without_vocabulary_are_refused(path, n_words, match):
    no_words = {"vocabulary_bytes": None, "vocabulary_offsets": None}
    path.write_bytes(forge_model(no_words, {"n_words": n_words}))
    with pytest.raises(ModelFileError, match=match):
        load_model(path)


def test_forged_words_are_refused(path):
    repeated = {"vocabulary_bytes": np.frombuffer(b"abcaa", np.uint8), "vocabulary_offsets": np.arange(6)}
    path.write_bytes(forge_model(repeated))
    assert "2 repeated words" in refusal(path)


@pytest.mark.parametrize(
    ("entry", "match"),
    [
        ({"sha256": "0" * 64}, "another type, shape or hash"),
        ({"dtype": "|O"}, "another type, shape or hash"),
        ({"shape": [2**60]}, "another type, shape or hash"),
        ({"extra": 1}, "another type, shape or hash"),
        ({"bytes": 2**60}, "unlike its manifest"),
    ],
)
def test_forged_entries_are_refused(path, entry, match):
    path.write_bytes(forge_model(entry=entry))
    with pytest.raises(ModelFileError, match=match):
        load_model(path)


def test_npy_headers_that_differ_are_refused(path):
    data = npy(ints(4, 1, 2, 7, 300))
    huge = data.replace(b"(5,), }             ", b"(5000000000000,), } ")
    fortran = data.replace(b"False,", b"True, ")
    for changed in (huge, fortran, npy(ints(4, 1, 2, 7, 300), version=(2, 0)), data[:64], b"", data[:-1]):
        assert changed != data
        path.write_bytes(forge_model(raw={"counts_data": changed}))
        assert refusal(path)


def test_forged_member_lists_are_refused(path):
    with zipfile.ZipFile(GOLDEN / "v1.crisp") as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    path.write_bytes(forge(members))
    assert refusal(path) is None
    swapped = [members[0], members[2], members[1], *members[3:]]
    for changed in (swapped, members[:-1], [*members, members[-1]], [*members, ("../x", b"")], members[1:]):
        path.write_bytes(forge(changed))
        assert refusal(path)


def test_claimed_sizes_allocate_nothing(path):
    data = bytearray((GOLDEN / "v1.crisp").read_bytes())
    for record in [found for found in range(len(data)) if data[found : found + 4] == b"PK\1\2"]:
        struct.pack_into("<LL", data, record + 20, 2**31 - 2, 2**31 - 2)
    path.write_bytes(seal(bytes(data)))
    tracemalloc.start()
    message = refusal(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "claims 2147483646 bytes" in message
    assert peak < 2**22


def test_a_manifest_beyond_the_limit_is_refused_both_ways(path, monkeypatch):
    save_model(make_model(), path)
    monkeypatch.setattr(save, "MANIFEST_LIMIT", 1000)
    assert "claims" in refusal(path)
    with pytest.raises(ValueError, match="a model file allows 1000: shorten them"):
        save_model(make_model(), path)


@pytest.mark.parametrize(
    ("value", "match"),
    [
        ({"penalty": float("nan")}, "cannot save fit .*nan.* pass a dict of None"),
        ({"penalty": np.int64(3)}, "int64 is not JSON serializable"),
        ({"seed_words": ("sun",)}, "reads back changed"),
        ({3: "sun"}, "reads back changed"),
        ({3: 1, "3": 2}, "cannot save fit"),
        ([], "reads back changed"),
    ],
)
def test_values_that_json_would_change_are_refused(path, value, match):
    model = make_model([[1]], None)
    object.__setattr__(model, "fit", value)
    with pytest.raises(ValueError, match=match):
        save_model(model, path)
    assert list(path.parent.iterdir()) == []


def test_values_that_contain_themselves_are_refused(path):
    with pytest.raises(ValueError, match=r"cannot save fit .*Circular"):
        save_model(make_model(loop=[loop := [], loop.append(loop)]), path)


COUNTS = csr_array(np.array([[0, 2], [3, 4]]))


@pytest.mark.parametrize(
    ("counts", "vocabulary", "error", "match"),
    [
        (COUNTS.toarray(), None, TypeError, "ndarray of int64; pass a two-dimensional"),
        (COUNTS.astype(np.int32), None, TypeError, "csr_array of int32"),
        (COUNTS.tocsc(), None, TypeError, "csc_array of int64"),
        (csr_array((2, 0), dtype=np.int64), None, ValueError, r"shape \(2, 0\)"),
        (csr_array(([1, 1], [1, 0], [0, 2]), shape=(1, 2)), None, ValueError, "sum_duplicates"),
        (csr_array(([1, 1], [0, 0], [0, 2]), shape=(1, 2)), None, ValueError, "sum_duplicates"),
        (csr_array(([1, 0], [0, 1], [0, 2]), shape=(1, 2)), None, ValueError, "count 0; .* eliminate_zeros"),
        (COUNTS, ["sun", "rain"], TypeError, "vocabulary is a list; pass a tuple"),
        (COUNTS, ("sun", 1), TypeError, "pass a tuple of str"),
        (COUNTS, ("sun",), ValueError, "1 words for 2 columns"),
        (COUNTS, ("sun", "sun"), ValueError, "1 repeated words"),
        (COUNTS, ("sun", "\ud800"), ValueError, r"holds '\\ud800'; pass words that UTF-8 can encode"),
    ],
)
def test_a_model_that_could_not_be_read_back_is_refused(counts, vocabulary, error, match):
    with pytest.raises(error, match=match):
        Model(counts, vocabulary, {}, {})


def test_a_model_shows_its_size_only():
    assert repr(make_model()) == "Model(n_topics=3, n_words=5)"


def test_missing_files_and_folders_keep_their_errors(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.crisp"):
        load_model(tmp_path / "none.crisp")
    with pytest.raises(IsADirectoryError):
        load_model(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"no such folder; make it first: .*/none'"):
        save_model(make_model(), tmp_path / "none" / "m.crisp")
    with pytest.raises(IsADirectoryError, match="choose the name of a file"):
        save_model(make_model(), tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileExistsError, match="a device or a pipe; choose the name of a file"):
        save_model(make_model(), tmp_path / "pipe")


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("failing", ["os.fsync", "pathlib.Path.replace"])
def test_a_failing_write_leaves_the_old_file_and_no_other(path, failing, error):
    save_model(make_model(), path)
    with mock.patch(failing, side_effect=error), pytest.raises(type(error)):
        save_model(make_model([[1]], None), path)
    assert_same(load_model(path), make_model())
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_cannot_be_synced_is_no_failure(path):
    with mock.patch("os.open", side_effect=PermissionError):  # as on Windows
        save_model(make_model(), path)
    assert_same(load_model(path), make_model())


def test_rights_and_links_are_those_of_a_file_written_in_place(path):
    umask = os.umask(0o027)
    try:
        save_model(make_model(), path)
    finally:
        os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o600)
    link = path.with_name("link")
    link.symlink_to(path.name)
    write_atomically(link, lambda file: file.write(b"new"))
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def save_until_killed(models, path):
    """Fork a child that saves one model after the other over the same file; return once it has begun."""
    ready, begun = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # fork beside NumPy's threads: the child uses none of them
        child = os.fork()
    if child == 0:
        try:
            with unsynced():
                for turn in itertools.count():
                    save_model(models[turn % 2], path)
                    os.write(begun, b"." if turn == 0 else b"")
        finally:
            os._exit(1)
    os.close(begun)
    os.read(ready, 1)
    os.close(ready)
    return child


def test_two_hundred_kills_leave_one_model_or_the_other(path):
    rng = random.Random(0)
    models = [make_model(np.full((10, 500), count), None, count=count) for count in (1, 2)]
    found = []
    for _ in range(200):
        child = save_until_killed(models, path)
        time.sleep(rng.uniform(0.0, 0.01))
        os.kill(child, signal.SIGKILL)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1])  # an error of its own would have ended it before
        model = load_model(path)
        found.append(model.fit["count"])
        assert_same(model, models[found[-1] - 1])
    assert set(found) == {1, 2}
    assert len(list(path.parent.iterdir())) > 5  # so many kills fell into the writing, and what they left did no harm
