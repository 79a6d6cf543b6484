"""Which names of a library the code of an archive uses: what two environments are asked about."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

from backdate.construction.snippet.module_code import ModuleCode, bindings_of, resolve


def names_used(modules: Iterable[ModuleCode], library: str) -> tuple[str, ...]:
    """Dotted public names below ``library``, the most used first."""
    found: Counter[str] = Counter()
    for module in modules:
        imports = dict(module.imports)
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                imports.update(bindings_of(node))
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                dotted = resolve(node, imports)
                if dotted.startswith(f"{library}.") and not any(
                    part.startswith("_") or part == "tests" for part in dotted.split(".")
                ):
                    found[dotted] += 1
    return tuple(name for name, _ in sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))
