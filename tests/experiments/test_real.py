"""Real corpora: cut as the paper cuts them, and refused in one line where they cannot be."""

import gzip
from dataclasses import replace

import numpy as np
import pytest
from tiny import TINY

from crisptopics import cli
from crisptopics.experiments.real import real_corpora

COUNTS = np.random.default_rng(4).poisson(0.7, size=(220, 40)) + np.eye(220, 40, dtype=int)


def write_uci(folder, counts=COUNTS, n_words=None):
    documents, words = np.nonzero(counts)
    lines = [*counts.shape, len(words)]
    lines += [f"{d + 1} {w + 1} {counts[d, w]}" for d, w in zip(documents, words, strict=True)]
    folder.mkdir(exist_ok=True)
    with gzip.open(folder / "docword.enron.txt.gz", "wt") as file:
        file.write("\n".join(map(str, lines)) + "\n")
    names = [f"word{word}" for word in range(n_words or counts.shape[1])]
    (folder / "vocab.enron.txt").write_text("\n".join(names) + "\n")
    return folder


def test_the_corpus_that_ships_is_cut():
    (real,) = real_corpora(TINY, {})
    assert (len(real.train), len(real.held_out), real.train.n_words) == (100, 20, 150)
    assert real.train.vocabulary == real.held_out.vocabulary
    assert not set(real.train.names or ()) & set(real.held_out.names or ())
    assert (np.bincount(real.train.words, minlength=150) > 0).all()
    again, other = real_corpora(TINY, {})[0], real_corpora(replace(TINY, held_out=10), {})[0]
    assert real.digest == again.digest != other.digest


@pytest.mark.parametrize("as_folder", [True, False])
def test_a_uci_file_with_its_vocabulary(tmp_path, as_folder):
    folder = write_uci(tmp_path / "enron")
    path = folder if as_folder else folder / "docword.enron.txt.gz"
    real = real_corpora(TINY, {"Enron": path})[0]
    assert real.name == "Enron"
    assert real.source == "not the UCI file: 220 documents, 40 words"
    assert (len(real.train), len(real.held_out), real.train.n_words) == (100, 20, 40)
    assert real.train.vocabulary[0] == "word0"


def run(capsys, *arguments):
    status = cli.main(["reproduce", *map(str, arguments)])
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.strip().count("\n") == 0
    return status, shown.err


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "docword.enron.txt.gz").unlink(), "has 0 docword files; give a folder with one"),
        (lambda folder: write_uci(folder, n_words=39), "vocab.enron.txt has 39 words for the 40 columns"),
        (lambda folder: cut_short(folder / "docword.enron.txt.gz"), "docword.enron.txt.gz is cut short"),
        (lambda folder: write_uci(folder, COUNTS[:, :12]), "Enron has 12 words, fewer than the 20 topics asked for"),
        (lambda folder: write_uci(folder, COUNTS[:50]), "Enron has 50 documents with words, too few to hold 100 out"),
    ],
)
def test_bad_files_end_in_one_line_and_leave_finished_cells(tmp_path, capsys, spoil, message):
    folder, out = write_uci(tmp_path / "enron"), tmp_path / "out"
    (out / "cells").mkdir(parents=True)
    (out / "cells" / "one.json").write_text("finished")
    spoil(folder)
    status, said = run(capsys, "likelihood", "--quick", "--enron", folder, "-o", out)
    assert status == 1
    assert said.startswith("crisptopics: ")
    assert message in said
    assert [path.read_text() for path in (out / "cells").iterdir()] == ["finished"]


def test_a_missing_file_ends_in_one_line(tmp_path, capsys):
    status, said = run(capsys, "likelihood", "--nytimes", tmp_path / "none.txt", "-o", tmp_path / "out")
    assert status == 1
    assert "No such file or directory" in said
    assert "none.txt" in said
    assert not (tmp_path / "out").exists()


def cut_short(path):
    path.write_bytes(path.read_bytes()[:-200])
