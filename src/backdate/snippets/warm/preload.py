"""What a process imports before it is forked, and which programs may share it.

Nothing is imported for a program that it does not import itself: ``import scipy`` alone does not make
``scipy.stats`` an attribute, and a sibling that imports that must not make it one. So programs share a
process that import the same libraries, and only what all of them import is imported ahead.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from backdate.editing.python_source import parsed_or_none
from backdate.knowledge.modules import in_standard_library
from backdate.snippets.runs import SnippetProgram

MOST_PRELOADED = 20


def groups_of(
    programs: Sequence[SnippetProgram],
) -> tuple[tuple[tuple[str, ...], tuple[SnippetProgram, ...]], ...]:
    """The programs that share a process, with the modules that it imports first."""
    groups: dict[frozenset[str], list[tuple[frozenset[str], SnippetProgram]]] = {}
    for program in programs:
        modules = imported_modules(program)
        libraries = frozenset(name.partition(".")[0] for name in modules)
        groups.setdefault(libraries, []).append((modules, program))
    made = []
    for members in groups.values():
        common = frozenset.intersection(*(modules for modules, _ in members))
        made.append((tuple(sorted(common)[:MOST_PRELOADED]), tuple(program for _, program in members)))
    return tuple(made)


def imported_modules(program: SnippetProgram) -> frozenset[str]:
    """The modules outside of the standard library that a program imports first, and the packages around."""
    found: set[str] = set()
    for source in (program.harness.before, program.code, program.harness.script):
        tree = parsed_or_none(source)
        if tree is None:
            continue  # it says so when it is run; code for Python 2 imports its libraries by itself
        for node in tree.body:
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module)
    if program.harness.module:  # which is the code itself; pytest runs its tests
        found = {name for name in found if name.partition(".")[0] != program.harness.module} | {"pytest"}
    outside = {name for name in found if not in_standard_library(name)}
    return frozenset(outside | {name.partition(".")[0] for name in outside})
