"""Run the examples of docs/cli.md, and put what they print into it: `python scripts/cli_examples.py`."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "cli.md"
BLOCK = re.compile(r"(?<=```console\n).*?(?=```)", re.S)


def rerun(block: str, folder: str) -> str:
    """Return the commands of a block, each followed by what it prints."""
    printed = []
    for command in re.findall(r"^\$ (.*)$", block, re.M):
        done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{command}\n{done.stderr}")
        printed.append(f"$ {command}\n{done.stdout}".replace(folder, "/home/you"))
    return "".join(printed)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        page = BLOCK.sub(lambda match: rerun(match[0], folder), PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(page, encoding="utf-8")
