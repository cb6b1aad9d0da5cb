"""Every example in a docstring and in the README runs and gives what it says."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import crisptopics

ROOT = Path(__file__).parents[1]
MODULES = ["crisptopics"] + [
    module.name
    for module in pkgutil.walk_packages(crisptopics.__path__, "crisptopics.")
    if "_kernels" not in module.name
]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_package_under_test_is_the_installed_one():
    assert ROOT / "src" not in Path(crisptopics.__file__).parents


def test_readme(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.S)
    assert blocks
    for number, code in enumerate(blocks):
        script = tmp_path / f"readme{number}.py"
        script.write_text(code, encoding="utf-8")
        done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_public_names():
    for name in crisptopics.__all__:
        assert getattr(crisptopics, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = crisptopics.nonsense
    assert set(crisptopics.__all__) == set(dir(crisptopics))


def test_importing_is_light():
    heavy = {"numpy", "scipy", "sklearn", "pandas", "click", "rich"}
    code = f"import sys, crisptopics; print({heavy!r} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
