"""An old and a new environment that are asked what dotted names are in them, and their answers so far."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from backdate.diagnosis.api import LIMITS, MOST_NAMES, Member, ProbeRun, probe
from backdate.diagnosis.api_answers import ApiAnswers
from backdate.diagnosis.homes import Homes, OwnedMember, find_homes
from backdate.environments.cache import Cache
from backdate.environments.environment import Environment
from backdate.sandboxes.interface import Limits, Sandbox

MOST_ROUNDS = 3
"""Of two hundred names each: what a project uses of one library is rarely more."""
_MOST_TRIES = 3
"""How often an environment is asked for a name that it does not answer for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentPair:
    """The environments that are asked, and how. Of one name each is asked once, and again while it does not
    answer: a machine with too much to do cuts an answer off, which says nothing of the name."""

    sandbox: Sandbox
    cache: Cache | None = None
    """Where answers are kept; None to keep none."""
    old: Environment
    new: Environment
    known_old: dict[str, Member] = field(default_factory=dict, repr=False, compare=False)
    """What the old environment answered so far."""
    known_new: dict[str, Member] = field(default_factory=dict, repr=False, compare=False)
    homes: dict[tuple[str, str], Homes] = field(default_factory=dict, repr=False, compare=False)
    """What ``homes_of`` and ``members_of`` were told, by side and name."""
    searches: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )
    """What ``search_new`` found, by what it was asked."""
    tries: dict[tuple[str, str], int] = field(default_factory=dict, repr=False, compare=False)
    """How often each name was asked for without an answer, by what was asked."""
    limits: Limits = LIMITS
    """Of one run in an environment."""
    by: ProbeRun | None = field(default=None, repr=False, compare=False)
    """What asks the environments; None for a process of its own each time."""

    def ask_old(self, names: Iterable[str]) -> dict[str, Member]:
        """What ``names`` are in the old environment; without those that it does not answer for.

        Missing ones are not searched: see ``search_new``. Raises SandboxUnavailable.
        """
        return self._ask(self.old, self.known_old, names)

    def ask_new(self, names: Iterable[str]) -> dict[str, Member]:
        """What ``names`` are in the new environment, in the same way."""
        return self._ask(self.new, self.known_new, names)

    def homes_of(self, names: Iterable[str]) -> Homes:
        """The other names and the documentation of ``names`` in the old environment."""
        wanted = tuple(dict.fromkeys(names))

        def ask(names: Sequence[str]) -> set[str]:
            found = find_homes(self.sandbox, self.old, names=names, limits=self.limits, by=self.by)
            self.homes.update((("old", name), found) for name in names if name in found.aliases)
            return set(found.aliases)

        self._until_answered("homes", [name for name in wanted if ("old", name) not in self.homes], ask)
        of_names = [(name, self.homes["old", name]) for name in wanted if ("old", name) in self.homes]
        return Homes(
            aliases={name: homes.aliases.get(name, ()) for name, homes in of_names},
            documents={name: homes.documents.get(name, "") for name, homes in of_names},
            members={},
        )

    def members_of(self, owner: str, side: Literal["old", "new"]) -> tuple[OwnedMember, ...]:
        """The public members of a module or class in one of the environments; none where it has none."""
        key = (f"members, {side}", owner)
        environment = self.old if side == "old" else self.new

        def ask(owners: Sequence[str]) -> set[str]:
            found = find_homes(self.sandbox, environment, owners=owners, limits=self.limits, by=self.by)
            if owner in found.members:
                self.homes[key] = found
            return set(found.members)

        if key not in self.homes:
            self._until_answered(key[0], (owner,), ask)
        return self.homes[key].members.get(owner, ()) if key in self.homes else ()

    def search_new(self, name: str, also: Sequence[str]) -> tuple[str, ...]:
        """Names with the same last part in the new environment, in its own package and in ``also``.

        None where it has the name itself. Raises SandboxUnavailable.
        """
        self.search_at_once((name,), also)
        return self.searches.get((name, tuple(also)), ())

    def search_at_once(self, names: Iterable[str], also: Sequence[str] = ()) -> None:
        """Search for all of ``names`` in one run, which imports the libraries once.

        It looks into every module of them: only for what nothing else finds. Raises SandboxUnavailable.
        """

        def ask(asked: Sequence[str]) -> set[str]:
            if also:
                answer = probe(self.sandbox, self.new, asked, also=also, limits=self.limits, by=self.by)
            else:
                answers = ApiAnswers(self.sandbox, self.cache, limits=self.limits, by=self.by)
                answer = answers.probe(self.new, asked)
            self.searches.update(((one.name, tuple(also)), one.candidates) for one in answer.members)
            return {member.name for member in answer.members}

        unknown = [name for name in dict.fromkeys(names) if (name, tuple(also)) not in self.searches]
        for start in range(0, len(unknown), MOST_NAMES):
            self._until_answered("search", unknown[start : start + MOST_NAMES], ask)

    def _ask(
        self, environment: Environment, known: dict[str, Member], names: Iterable[str]
    ) -> dict[str, Member]:
        wanted = tuple(dict.fromkeys(names))
        unknown = [name for name in wanted if name not in known]
        answers = ApiAnswers(self.sandbox, self.cache, candidates=False, limits=self.limits, by=self.by)

        def ask(asked: Sequence[str]) -> set[str]:
            members = answers.probe(environment, asked).members
            known.update((member.name, member) for member in members)
            return {member.name for member in members}

        for start in range(0, min(len(unknown), MOST_ROUNDS * MOST_NAMES), MOST_NAMES):
            side = "old" if environment is self.old else "new"
            self._until_answered(side, unknown[start : start + MOST_NAMES], ask)
        return {name: known[name] for name in wanted if name in known}

    def _until_answered(
        self, what: str, names: Sequence[str], ask: Callable[[Sequence[str]], Collection[str]]
    ) -> None:
        """Ask for ``names``, and again for those without an answer; for each at most three times in all."""
        for _ in range(2):
            asked = [name for name in names if self.tries.get((what, name), 0) < _MOST_TRIES]
            if not asked:
                return
            answered = ask(asked)
            left = [name for name in asked if name not in answered]
            for name in asked:
                if name in answered:
                    self.tries.pop((what, name), None)
                else:
                    self.tries[what, name] = self.tries.get((what, name), 0) + 1
            # the first that was not answered may have ended the process: the others go before it
            names = [*left[1:], *left[:1]]

    @property
    def unanswered(self) -> tuple[str, ...]:
        """The names of which one of the environments never said what they are: neither there nor gone."""
        return tuple(dict.fromkeys(name for _, name in self.tries))
