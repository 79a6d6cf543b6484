"""What the environments of sides say of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from backdate.diagnosis.api import MOST_NAMES, Member, probe
from backdate.diagnosis.api_answers import ApiAnswers
from backdate.environments.cache import Cache
from backdate.environments.environment import Environment
from backdate.sandboxes.interface import Sandbox
from backdate.snippets.snippet import SnippetSide
from backdate.snippets.warm.runner import EnvironmentSource, NoSnippetEnvironment

_BUILTINS = {"2": "__builtin__", "3": "builtins"}


class NameAsker(Protocol):
    """Asks the environments of sides for names."""

    def ask(self, side: SnippetSide, names: Iterable[str]) -> Mapping[str, Member]:
        """What each dotted name is there; those of no answer are left out. Raises SandboxUnavailable."""
        ...


class EnvironmentNames:
    """Asks by importing, in the sandbox; what finished environments answered is kept.

    Where a missing name is by now is not searched.
    """

    def __init__(self, sandbox: Sandbox, environments: EnvironmentSource, cache: Cache | None = None) -> None:
        """``cache``: None to keep nothing."""
        self._sandbox = sandbox
        self._environments = environments
        self._answers = ApiAnswers(sandbox, cache, candidates=False)

    def ask(self, side: SnippetSide, names: Iterable[str]) -> Mapping[str, Member]:
        """See ``NameAsker``. A name without a dot is one of Python's own."""
        python = self._environments.of(side)
        if isinstance(python, NoSnippetEnvironment):
            return {}
        own = _BUILTINS.get(side.python[:1], "builtins")
        full = {(name if "." in name else f"{own}.{name}"): name for name in sorted(set(names)) if name}
        asked = list(full)
        found: dict[str, Member] = {}
        for start in range(0, len(asked), MOST_NAMES):
            some = asked[start : start + MOST_NAMES]
            if isinstance(python, Environment):
                answers = self._answers.probe(python, some)
            else:
                answers = probe(self._sandbox, python, some, searched=())
            found.update((full[member.name], member) for member in answers.members if member.name in full)
        return found
