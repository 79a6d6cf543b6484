"""A program runner over bare interpreters of this machine, for snippets of the standard library."""

from __future__ import annotations

from diagnosis_environments import find_interpreter
from small_runner import bubblewrap

from backdate.diagnosis.api import AskedPython
from backdate.mining.prove_standard_library import InstalledPython
from backdate.snippets.snippet import SnippetSide
from backdate.snippets.warm.runner import NoSnippetEnvironment, WarmRunner


class BareInterpreters:
    """The interpreter of a side's Python stands for its environment."""

    def of(self, side: SnippetSide) -> AskedPython | NoSnippetEnvironment:
        if side.not_had:
            return NoSnippetEnvironment(why=side.not_had)
        python = find_interpreter(side.python)
        return InstalledPython(python=python.resolve(), root=python.parent.parent)


def bare_runner() -> WarmRunner:
    """Skips where there is no bubblewrap."""
    return WarmRunner(bubblewrap(), BareInterpreters())


def side(python: str) -> SnippetSide:
    """A version of the standard library."""
    return SnippetSide(version=python, python=python)
