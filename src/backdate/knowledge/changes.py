"""What releases dropped and added, as patterns of the messages by which programs notice."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from backdate.knowledge import load
from backdate.knowledge.change_rows import ChangeRow

PYTHON = "python"
"""The name under which the language and its standard library have rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePattern:
    """A row of ``tables/changes``, ready to be looked for."""

    distribution: str
    row: ChangeRow

    @property
    def pattern(self) -> re.Pattern[str]:
        """Of one line: an exception's type and message, or a line of a log; compiled when first asked for."""
        return pattern_of(self.row)

    def pattern_for(self, text: str) -> re.Pattern[str] | None:
        """What of ``pattern`` has to be looked for in ``text``; None where nothing can match.

        What words the row's names needs one of them. Few rows do, and compiling all takes long.
        """
        leaves = (name.rpartition(".")[2] for name in self.row.names)
        if not self.row.names or any(leaf in text for leaf in leaves):
            return self.pattern
        return _compiled("|".join(self.row.says)) if self.row.says else None

    @property
    def pin(self) -> str:
        """The requirement that helps: releases before what was dropped, or from what was added on."""
        operator = ">=" if self.row.added else "<"
        return self.row.pin or f"{self.distribution}{operator}{self.row.since}"

    @property
    def releases(self) -> SpecifierSet:
        """The releases that ``pin`` allows."""
        return SpecifierSet(self.pin.removeprefix(self.distribution))


@functools.cache
def python_changes() -> tuple[ChangePattern, ...]:
    """What Python dropped and added, of 3.1 and later, in the order in which they count.

    What a requirement gives in another interpreter's place (``distutils``) is not here if it was dropped.
    """
    rows = load.python_changes()
    return tuple(
        ChangePattern(distribution=PYTHON, row=row)
        for row in rows
        if row.since != "3.0" and not (row.install and not row.added)
    )


@functools.cache
def library_changes() -> tuple[ChangePattern, ...]:
    """What releases of libraries dropped and added, for the environment in which a program runs.

    Without rows whose words any program may say (``of_culprit``).
    """
    rows = (change for change in _all_of_libraries() if not change.row.of_builds)
    return tuple(change for change in rows if not change.row.of_culprit)


@functools.cache
def build_tool_changes() -> tuple[ChangePattern, ...]:
    """What releases of build tools dropped, for isolated builds."""
    return tuple(change for change in _all_of_libraries() if change.row.of_builds)


def library_changes_of(distribution: str) -> Iterator[ChangePattern]:
    """Those of ``library_changes`` of one distribution, with the rows that are ``of_culprit``."""
    name = canonicalize_name(distribution)
    if name != PYTHON and name in load.distributions_with_changes():
        yield from (change for change in _of_library(name) if not change.row.of_builds)


def library_changes_for(text: str) -> Iterator[ChangePattern]:
    """``library_changes``, of the distributions that ``text`` names first; each is read when it is reached.

    For who looks for one that fits: reading them all takes long.
    """
    for distribution in sorted(load.distributions_with_changes(), key=lambda name: name not in text):
        found = library_changes_of(distribution)
        yield from (change for change in found if not change.row.of_culprit)


def _all_of_libraries() -> Iterator[ChangePattern]:
    for distribution in load.distributions_with_changes():
        if distribution != PYTHON:
            yield from _of_library(distribution)


@functools.cache
def _of_library(distribution: str) -> tuple[ChangePattern, ...]:
    file = load.change_file(distribution)
    return tuple(ChangePattern(distribution=file.distribution, row=row) for row in file.change)


@functools.cache
def gone_modules() -> frozenset[str]:
    """Modules of the standard library that not every Python from 2.7 on has (PEP 594, PEP 632, PEP 3108)."""
    return frozenset(
        name for row in load.python_changes() if row.kind == "module" and not row.added for name in row.names
    )


@functools.cache
def replaced_modules() -> dict[str, str]:
    """Modules of Python that a requirement gives where an interpreter lacks them."""
    return {name: row.install for row in load.python_changes() if row.install for name in row.names}


_NOTHING = r"(?!)"
_PATTERNS: dict[int, tuple[ChangeRow, re.Pattern[str]]] = {}
"""By identity, each with its row, which keeps it: rows of hundreds of names are asked for by each of them."""


def pattern_of(row: ChangeRow) -> re.Pattern[str]:
    """What the messages of a program that meets the change look like; nothing where no message tells."""
    known = _PATTERNS.get(id(row))
    if known is None:
        known = _PATTERNS[id(row)] = (row, re.compile("|".join((*_worded(row), *row.says)) or _NOTHING))
    return known[1]


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)  # Python's own cache holds fewer than there are rows


def _worded(row: ChangeRow) -> Iterator[str]:
    """How the interpreter words it, by the kind of the change."""
    if not row.names:
        return
    names = _any_of(row.names)
    if row.kind == "name":
        module = re.escape(row.module)
        yield rf"cannot import name '?{names}'? from '?{module}\b"
        yield rf"module '{module}' has no attribute '{names}'"
    elif row.kind == "module":
        yield rf"No module named '?{names}(?![\w.])"
        for parent, _, leaf in (name.rpartition(".") for name in row.names if "." in name):
            yield rf"cannot import name '?{re.escape(leaf)}'? from '?{re.escape(parent)}(?![\w.])"
    elif row.kind == "method":
        owners = _any_of(row.owners)
        yield rf"'(?:[\w.]{{1,80}}\.)?{owners}' object has no attribute '{names}'"
        yield rf"type object '{owners}' has no attribute '{names}'"
    elif row.kind == "argument":
        yield rf"(?<!\w){_any_of(row.owners)}\(\) got an unexpected keyword argument '{names}'"


def _any_of(names: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, names))})"
