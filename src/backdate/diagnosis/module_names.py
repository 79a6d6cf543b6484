"""What modules of installed distributions held, read from their files; nothing is imported."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from backdate.diagnosis.distributions import read_bounded
from backdate.editing.python_source import parsed_or_none

_LARGEST = 2 * 1024 * 1024


def holds(folders: Iterable[Path], dotted: str) -> bool:
    """Whether a module ``dotted`` lies in one of ``folders``, or one that binds its last part at its top."""
    parts = dotted.split(".")
    if not all(part.isidentifier() for part in parts):
        return False
    for folder in folders:
        if _source(folder, parts) is not None:
            return True
        source = _source(folder, parts[:-1]) if len(parts) > 1 else None
        tree = None if source is None else parsed_or_none(source)
        if tree is not None and parts[-1] in _bound(tree.body):
            return True
    return False


def _source(folder: Path, parts: list[str]) -> str | None:
    path = folder.joinpath(*parts)
    package = read_bounded(path / "__init__.py", _LARGEST)
    return package if package is not None else read_bounded(path.with_name(f"{path.name}.py"), _LARGEST)


def _bound(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The names that statements of a module bind, those of its branches included."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (
                name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)
            )
        elif isinstance(node, ast.If | ast.Try):
            yield from _bound([*node.body, *node.orelse])
            for handler in node.handlers if isinstance(node, ast.Try) else ():
                yield from _bound(handler.body)
