"""What the project's files import and nothing declares: the source of last resort."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

from backdate.editing.python_source import parsed_or_none
from backdate.knowledge import modules
from backdate.recipes.actions import DeclaredJob
from backdate.recipes.files import Files
from backdate.recipes.recipe import InstallStep, Provenance

_RULE = "import scan"
_MOST_FILES = 1_000
_SKIPPED = {
    "node_modules",
    "__pycache__",
    "site-packages",
    "build",
    "dist",
    "venv",
    "env",
    "docs",
    "examples",
}
_FROM_THE_SUITE = {"pytest", "unittest", "setuptools", "pip", "test", "tests", "conftest"}


def read_imports(files: Files) -> tuple[DeclaredJob, ...]:
    """The distributions of everything imported that is neither Python's own nor the project's."""
    imported: dict[str, tuple[str, int]] = {}
    local: set[str] = set()
    parsed: list[tuple[str, ast.Module]] = []
    for relative in _python_files(files.root):
        parts = relative.removesuffix(".py").split("/")
        local |= set(parts)
        text = files.text(relative)
        if text is not None:
            tree = parsed_or_none(text)
            if tree is not None:  # the imports of Python 2 cannot be told, and its tests cannot run here
                parsed.append((relative, tree))
    for relative, tree in parsed:
        for name, line in _imports(tree):
            top = name.split(".")[0]
            if top not in local | _FROM_THE_SUITE and not modules.in_standard_library(top):
                imported.setdefault(modules.to_install(name), (relative, line))
    steps = tuple(
        InstallStep(
            kind="packages",
            packages=(distribution,),
            provenance=Provenance(rule="imported, and no file declares it", file=file, line=line),
        )
        for distribution, (file, line) in sorted(imported.items())
        if distribution.isascii()
    )
    where = Provenance(rule=_RULE)
    job = DeclaredJob(
        kind=_RULE, name="what the files import", actions=steps, installs_only=True, provenance=where
    )
    return (job,) if steps else ()


def _python_files(root: Path) -> Iterator[str]:
    seen = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        for name in sorted(names):
            if name.endswith(".py"):
                seen += 1
                if seen > _MOST_FILES:
                    return
                yield Path(folder, name).relative_to(root).as_posix()


def _imports(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Absolute imports; those inside ``try`` are optional and left out."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module, node.lineno
        elif not isinstance(node, ast.Try | ast.expr):
            waiting += ast.iter_child_nodes(node)
