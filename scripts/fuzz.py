"""Feed the parsers with broken files until one crashes: `make fuzz`, or python scripts/fuzz.py TARGET SECONDS.

Whatever the bytes, a parser may give counts or raise one of our own errors; anything else ends the run, and atheris
leaves the bytes in a file crash-*.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["crisptopics"]):
    from crisptopics import CrispTopics, load
    from crisptopics.errors import CrispTopicsError
    from crisptopics.read.beside import read_word_list
    from crisptopics.read.counts import read_counts
    from crisptopics.read.sources import Source
    from crisptopics.save import MANIFEST, _write_sealed_zip

FOLDER = Path(tempfile.mkdtemp(prefix="crisptopics-fuzz-"))


def parse_counts(name: str, form: str) -> Callable[[bytes], None]:
    """Return a target that reads counts."""
    return lambda data: read_counts(Source(name, None, io.BufferedReader(io.BytesIO(data))), form) and None


def parse_vocabulary(data: bytes) -> None:
    """Read a file with a word a line."""
    path = FOLDER / "vocab.txt"
    path.write_bytes(data)
    read_word_list(path)


def model_members() -> dict[str, bytes]:
    """Give the members of a model file."""
    import zipfile

    path = FOLDER / "m.crisp"
    CrispTopics(2, penalty=2.0, random_state=0).fit([[4, 2, 0], [0, 0, 5]]).save(path)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


MEMBERS = model_members()


def parse_model(data: bytes) -> None:
    """Load a model whose manifest is these bytes, under a seal that is right."""
    path = FOLDER / "fuzzed.crisp"
    with path.open("w+b") as file:
        _write_sealed_zip(file, MEMBERS | {MANIFEST: data})
    load(path)


TARGETS: dict[str, tuple[Callable[[bytes], None], bytes]] = {
    "docword": (parse_counts("docword.a.txt", "uci"), b"2\n3\n3\n1 1 2\n1 3 1\n2 2 4\n"),
    "ldac": (parse_counts("a.ldac", "ldac"), b"2 0:2 2:1\n1 1:4\n0\n"),
    "vocabulary": (parse_vocabulary, "cat\nnaïve\n".encode()),
    "model": (parse_model, MEMBERS[MANIFEST]),
}


def run(name: str, seconds: int) -> None:
    """Fuzz one target; atheris ends the process."""
    target, seed = TARGETS[name]

    def accept(data: bytes) -> None:
        try:
            target(data)
        except CrispTopicsError as error:
            if "\n" in str(error):
                raise ValueError(f"more than one line: {error}") from error

    seeds = FOLDER / "seeds"
    seeds.mkdir()
    (seeds / "first").write_bytes(seed)
    options = [f"-max_total_time={seconds}", "-max_len=4096", "-rss_limit_mb=2048", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *options, str(seeds)], accept)
    atheris.Fuzz()


def main(seconds: int) -> int:
    """Fuzz all targets, each in a process of its own; returns how many crashed."""
    crashed = 0
    for name in TARGETS:
        done = subprocess.run([sys.executable, __file__, name, str(seconds // len(TARGETS))], check=False)
        print(f"{name}: {'crashed' if done.returncode else 'nothing found'}", flush=True)
        crashed += done.returncode != 0
    return crashed


if __name__ == "__main__":
    if len(sys.argv) == 3:
        run(sys.argv[1], int(sys.argv[2]))
    else:
        sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 600))
