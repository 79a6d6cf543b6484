"""Which names of a library the code of an archive uses: what two environments are asked about."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from backdate.construction.snippet.module_code import ModuleCode, bindings_of, resolve
from backdate.knowledge.modules import in_standard_library
from backdate.snippets.versions import STANDARD_LIBRARY


def is_of_library(dotted: str, library: str) -> bool:
    """Whether a dotted name is below the package ``library``; or of the standard library."""
    top, dot, _ = dotted.partition(".")
    return bool(dot) and (in_standard_library(top) if library == STANDARD_LIBRARY else top == library)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedNames:
    """What code uses, the most used first."""

    dotted: tuple[str, ...]
    attributes: tuple[str, ...]
    """Of objects that are no module and nothing imported: "append"."""


def names_used(modules: Iterable[ModuleCode], library: str) -> UsedNames:
    """Dotted public names below ``library`` (of "python" the standard library's), and attributes."""
    found: Counter[str] = Counter()
    attributes: Counter[str] = Counter()
    for module in modules:
        imports = dict(module.imports)
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                imports.update(bindings_of(node))
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                dotted = resolve(node, imports)
                if is_of_library(dotted, library) and not any(
                    part.startswith("_") or part == "tests" for part in dotted.split(".")
                ):
                    found[dotted] += 1
                elif isinstance(node, ast.Attribute) and not dotted and not node.attr.startswith("_"):
                    attributes[node.attr] += 1
    return UsedNames(dotted=_by_count(found), attributes=_by_count(attributes))


def _by_count(found: Counter[str]) -> tuple[str, ...]:
    return tuple(name for name, _ in sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))
