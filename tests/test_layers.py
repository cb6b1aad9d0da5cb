"""Arrows never turn back: which of our modules each module may import."""

import ast
from importlib.util import find_spec
from pathlib import Path

PACKAGE = Path(find_spec("crisptopics").origin).parent
LAYERS = [  # a module imports only from lines above its own
    {"errors"},
    {"kernels", "blocks", "stop", "mapped", "model", "tables"},
    {"details", "save"},
    {"corpus"},
    {"parameters", "read"},
    {"assign", "datasets", "frames"},
    {"start", "metrics", "base", "exports"},
    {"solve", "chain"},
    {"split_merge"},
    {"search"},
    {"soften"},
    {"choose"},
    {"fitting"},
    {"progress", "fitted", "report", "plots"},
    {"views"},
    {"estimator"},
    {"baselines", "sweeping"},
    {"experiments"},
    {"cli"},
]


def imported_modules(path):
    """Return the top-level modules of ours that a file imports, also where it does so inside a function."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    parts = [name.split(".") for name in names if name.startswith("crisptopics.")]
    return {part[1] for part in parts} - {"__version__"}


def test_modules_import_only_from_lower_layers():
    below = set()
    for layer in LAYERS:
        for module in layer:
            folder = PACKAGE / module
            files = folder.rglob("*.py") if folder.is_dir() else [PACKAGE / f"{module}.py"]
            for file in files:
                assert imported_modules(file) - {module} <= below, f"{file.name} imports from its own layer or above"
        below |= layer


def test_every_module_has_a_layer():
    modules = {path.stem for path in PACKAGE.glob("*.py")} | {
        path.parent.name for path in PACKAGE.glob("*/__init__.py")
    }
    assert modules - {"__init__"} == set.union(*LAYERS)
