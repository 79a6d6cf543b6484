"""An old and a new environment that are asked what dotted names are in them, and their answers so far."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

from backdate.advising.postponed import NotAskedYet, PostponedQuestions
from backdate.diagnosis.api import LIMITS, MOST_NAMES, Member, ProbeRun, probe
from backdate.diagnosis.api_answers import ApiAnswers
from backdate.diagnosis.homes import MOST_ASKED, Homes, OwnedMember, find_homes
from backdate.environments.cache import Cache
from backdate.environments.environment import Environment
from backdate.sandboxes.interface import Limits, Sandbox

MOST_ROUNDS = 3
"""Of two hundred names each: what a project uses of one library is rarely more."""
_MOST_TRIES = 3
"""How often an environment is asked for a name that it does not answer for."""
_MOST_POSTPONED = 8
"""Rounds of questions that are asked together: an answer may lead to another question."""


Side = Literal["old", "new"]
SIDES: tuple[Side, ...] = ("old", "new")


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
    postponed: list[PostponedQuestions | None] = field(default_factory=list, repr=False, compare=False)
    """Where questions are noted that wait for others; the last one counts, and None is for asking now."""

    def ask_together(self, works: Sequence[Callable[[], object]]) -> None:
        """Ask together for what ``works`` want to know, so that they find it answered when they are done.

        They are done here for their questions alone, several times, and must change nothing. What they want
        of names that were asked for in vain is left to them. Raises SandboxUnavailable.
        """
        waiting = list(works)
        for _ in range(_MOST_POSTPONED):
            questions = PostponedQuestions()
            with self._noting(questions):
                waiting = [work for work in waiting if not _is_done(work)]
            if not questions:
                return
            self._ask_postponed(questions)

    def asking_now(self) -> AbstractContextManager[None]:
        """Within, nothing is postponed: for what takes long to do again."""
        return self._noting(None)

    @contextmanager
    def _noting(self, questions: PostponedQuestions | None) -> Iterator[None]:
        self.postponed.append(questions)
        try:
            yield
        finally:
            self.postponed.pop()

    def _ask_postponed(self, questions: PostponedQuestions) -> None:
        most = MOST_ROUNDS * MOST_NAMES
        for ask, names, size in (
            (self.ask_old, questions.old, most),
            (self.ask_new, questions.new, most),
            (self.homes_of, questions.homes, MOST_ASKED),
        ):
            wanted = tuple(names)
            for start in range(0, len(wanted), size):
                ask(wanted[start : start + size])
        for side in SIDES:
            owners = tuple(questions.owners.get(side, ()))
            for start in range(0, len(owners), MOST_ASKED):
                self._ask_members(owners[start : start + MOST_ASKED], side)
        for also, names in questions.searches.items():
            self.search_at_once(names, also)

    def _note(
        self, what: str, names: Iterable[str], noted: Callable[[PostponedQuestions], dict[str, None]]
    ) -> None:
        """Where questions are postponed, note those that were never asked. Raises NotAskedYet for any."""
        questions = self.postponed[-1] if self.postponed else None
        never = [name for name in names if (what, name) not in self.tries] if questions is not None else []
        if questions is not None and never:
            noted(questions).update(dict.fromkeys(never))
            raise NotAskedYet

    def ask_old(self, names: Iterable[str]) -> dict[str, Member]:
        """What ``names`` are in the old environment; without those that it does not answer for.

        Missing ones are not searched: see ``search_new``. Raises SandboxUnavailable.
        """
        return self._ask(self.old, self.known_old, names)

    def ask_new(self, names: Iterable[str]) -> dict[str, Member]:
        """What ``names`` are in the new environment, in the same way."""
        return self._ask(self.new, self.known_new, names)

    def homes_of(self, names: Iterable[str]) -> Homes:
        """The other names, the documentation and the definitions of ``names`` in the old environment."""
        wanted = tuple(dict.fromkeys(names))

        def ask(names: Sequence[str]) -> set[str]:
            found = find_homes(self.sandbox, self.old, names=names, limits=self.limits, by=self.by)
            self.homes.update((("old", name), found) for name in names if name in found.aliases)
            return set(found.aliases)

        unknown = [name for name in wanted if ("old", name) not in self.homes]
        self._note("homes", unknown, lambda questions: questions.homes)
        self._until_answered("homes", unknown, ask)
        of_names = [(name, self.homes["old", name]) for name in wanted if ("old", name) in self.homes]
        return Homes(
            aliases={name: homes.aliases.get(name, ()) for name, homes in of_names},
            documents={name: homes.documents.get(name, "") for name, homes in of_names},
            members={},
            delegates={name: homes.delegates.get(name, "") for name, homes in of_names},
            delegate_homes={name: homes.delegate_homes.get(name, "") for name, homes in of_names},
            definitions={n: h.definitions[n] for n, h in of_names if n in h.definitions},
        )

    def members_of(self, owner: str, side: Side) -> tuple[OwnedMember, ...]:
        """The public members of a module or class in one of the environments; none where it has none."""
        key = (f"members, {side}", owner)
        if key not in self.homes:
            self._note(key[0], (owner,), lambda questions: questions.owners.setdefault(side, {}))
            self._ask_members((owner,), side)
        return self.homes[key].members.get(owner, ()) if key in self.homes else ()

    def _ask_members(self, owners: Sequence[str], side: Side) -> None:
        what = f"members, {side}"
        environment = self.old if side == "old" else self.new

        def ask(asked: Sequence[str]) -> set[str]:
            found = find_homes(self.sandbox, environment, owners=asked, limits=self.limits, by=self.by)
            self.homes.update(((what, owner), found) for owner in asked if owner in found.members)
            return set(found.members)

        self._until_answered(what, owners, ask)

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
        self._note("search", unknown, lambda questions: questions.searches.setdefault(tuple(also), {}))
        for start in range(0, len(unknown), MOST_NAMES):
            self._until_answered("search", unknown[start : start + MOST_NAMES], ask)

    def _ask(
        self, environment: Environment, known: dict[str, Member], names: Iterable[str]
    ) -> dict[str, Member]:
        wanted = tuple(dict.fromkeys(names))
        side: Side = "old" if environment is self.old else "new"
        unknown = [name for name in wanted if name not in known]
        self._note(side, unknown, lambda questions: questions.old if side == "old" else questions.new)
        answers = ApiAnswers(self.sandbox, self.cache, candidates=False, limits=self.limits, by=self.by)

        def ask(asked: Sequence[str]) -> set[str]:
            members = answers.probe(environment, asked).members
            known.update((member.name, member) for member in members)
            return {member.name for member in members}

        for start in range(0, min(len(unknown), MOST_ROUNDS * MOST_NAMES), MOST_NAMES):
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


def _is_done(work: Callable[[], object]) -> bool:
    """Do it; whether nothing that it wants to know is still to be asked."""
    with suppress(NotAskedYet):
        work()
        return True
    return False
