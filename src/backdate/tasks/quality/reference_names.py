"""What a reference patch invents: names, modules and literals that its lines bring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from backdate.editing.encodings import NotText, decode_source
from backdate.editing.patch import FilePatch
from backdate.editing.python_source import parsed_or_none
from backdate.errors import ConfigurationError
from backdate.projects.hostile import read_beneath
from backdate.tasks.quality.patch_lines import PatchLine, added_lines
from backdate.tasks.quality.python_tree import Literal, definitions, literals
from backdate.tasks.quality.tree_words import TreeWords, module_names

_LARGEST_FILE = 4 * 1024 * 1024
_LEAST_NUMBER = 100
"""Smaller whole numbers are in every program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceNames:
    """What the reference patch brings that the base does not have."""

    attributes: frozenset[str] = frozenset()
    """Functions, classes, modules, attributes and variables of modules and classes."""
    parameters: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    """Dotted names of new modules."""
    literals: tuple[Literal, ...] = ()
    """Strings and numbers on added lines."""

    @property
    def names(self) -> frozenset[str]:
        """All names."""
        return self.attributes | self.parameters


def reference_names(tree: Path, reference: Sequence[FilePatch], base: TreeWords) -> ReferenceNames:
    """What the patch ``reference``, which lies on ``tree``, brings beside ``base``."""
    attributes: set[str] = set()
    parameters: set[str] = set()
    modules: set[str] = set()
    constants: list[Literal] = []
    for file in reference:
        if not file.path.endswith((".py", ".pyi")):
            continue
        if file.kind == "create":
            path = PurePosixPath(file.path)
            attributes.add(path.parent.name if path.stem == "__init__" else path.stem)
            modules |= module_names(path)
        lines = {line.number for line in placed_lines(tree, file)}
        module = parsed_or_none(_text(tree, file.path))
        if module is None or not lines:
            continue
        for definition in definitions(module):
            if definition.line in lines:
                (parameters if definition.callable_name else attributes).add(definition.name)
        constants += [literal for literal in literals(module) if literal.line in lines]
    return ReferenceNames(
        attributes=frozenset(name for name in attributes if name and not base.has_name(name)),
        parameters=frozenset(name for name in parameters if not base.has_name(name)),
        literals=tuple(
            literal for literal in constants if _is_telling(literal) and not _known(literal, base)
        ),
    )


def placed_lines(tree: Path, file: FilePatch) -> tuple[PatchLine, ...]:
    """The added lines of ``file`` that stand in ``tree`` where it says; GNU patch may have moved some."""
    lines = _text(tree, file.path).split("\n")
    return tuple(
        line
        for line in added_lines(file)
        if 0 < line.number <= len(lines) and lines[line.number - 1].removesuffix("\r") == line.text
    )


def _text(tree: Path, path: str) -> str:
    try:
        data = read_beneath(tree, path, limit=_LARGEST_FILE)
        return decode_source(data, is_python=True).content if data is not None else ""
    except (ConfigurationError, NotText):
        return ""


def _is_telling(literal: Literal) -> bool:
    if isinstance(literal.value, str):
        return len(literal.value) >= 4 and any(map(str.isalnum, literal.value))
    return isinstance(literal.value, float) or abs(literal.value) >= _LEAST_NUMBER


def _known(literal: Literal, base: TreeWords) -> bool:
    return base.has_text(literal.value if isinstance(literal.value, str) else str(literal.value))
