"""Which interpreter a recipe means at an instant: what its source was tested with, within what is declared.

A CI file or a tox.ini names the interpreters that the tests were really run with then; the metadata say
which ones installers accept, and the rule of TimeMachine-bench (arXiv 2601.22597) picks one of those. Where
that one was tested with, it is taken; else the newest one that was tested with and is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from backdate.projects.python_constraint import PythonConstraint, wanted_release
from backdate.recipes.recipe import DeclaredPythons, Recipe
from backdate.timeline.calendar import latest_release
from backdate.timeline.instants import Instant

_VERSION = re.compile(r"(3\.\d{1,2})(?:\.(\d{1,3}))?(?:\.[x*])?(?:-dev)?\Z")


def constraint_with_recipe(
    python_constraint: PythonConstraint, recipe: Recipe, instant: Instant, obtainable: Callable[[str], bool]
) -> PythonConstraint:
    """``python_constraint`` (the metadata's), narrowed to what ``recipe`` was run with at ``instant``.

    ``obtainable`` says whether a minor ("3.8") can be had on this machine. The same constraint where the
    recipe names no interpreter, or none that was released by then, is accepted and can be had.
    """
    named = recipe.interpreter
    if named is None:
        return python_constraint
    minors = [minor for minor in _accepted(named, python_constraint, instant) if obtainable(minor)]
    if not minors:
        return python_constraint
    usual = Version(wanted_release(python_constraint, instant)[0])
    usual_minor = f"{usual.major}.{usual.minor}"
    chosen = usual_minor if usual_minor in minors else max(minors, key=Version)
    specifier = SpecifierSet(f"=={chosen}.*") & SpecifierSet(
        (python_constraint.specifier or "") if binds(python_constraint) else ""
    )
    source = named.provenance.rule
    words = f"{source} names {', '.join(named.versions)}"
    if binds(python_constraint):
        words += f", within {python_constraint.description}"
    return PythonConstraint(
        specifier=str(specifier),
        kind="pin",
        rule=words,
        file=named.provenance.file,
        line=named.provenance.line,
        unread=python_constraint.unread,
    )


def binds(python_constraint: PythonConstraint) -> bool:
    """Whether installers enforce the range: classifiers, pins and remarks give way to what was run."""
    return python_constraint.kind == "requires"


def _accepted(named: DeclaredPythons, python_constraint: PythonConstraint, instant: Instant) -> Iterator[str]:
    """The minors that are named, accepted by the metadata, and released by the instant."""
    allowed = SpecifierSet((python_constraint.specifier or "") if binds(python_constraint) else "")
    for text in named.versions:
        match = _VERSION.match(text.strip())
        if match and latest_release(SpecifierSet(f"=={match[1]}.*") & allowed, instant) is not None:
            yield match[1]
