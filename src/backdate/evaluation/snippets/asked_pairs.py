"""What both environments of snippets say of names, asked once for all snippets between the same two."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from backdate.advising.environment_pair import EnvironmentPair
from backdate.diagnosis.api import (
    LIMITS,
    ApiDifference,
    ApiProbe,
    AskedPython,
    Member,
    ProbeRun,
    ask_both,
    compare_members,
)
from backdate.environments.environment import Environment
from backdate.sandboxes.interface import Sandbox

_MOST_NAMES = 200
_PATIENT = replace(LIMITS, wall_s=900.0)
"""An answer is a figure here: it must not depend on how busy the machine is."""


class AskedPairs:
    """Remembers what each pair of environments answered: importing a library may take many seconds."""

    def __init__(self, sandbox: Sandbox, *, by: ProbeRun | None = None) -> None:
        """``sandbox``: where environments are asked; ``by``: what asks them, else a process each time."""
        self._sandbox = sandbox
        self._by = by
        self._pairs: dict[tuple[str, str], EnvironmentPair] = {}
        self._guard = threading.Lock()
        self._guards: defaultdict[tuple[str, str], threading.Lock] = defaultdict(threading.Lock)

    def of(self, old: Environment | None, new: Environment | None) -> EnvironmentPair | None:
        """The pair of two environments, with all that they answered; None where one is not there."""
        if old is None or new is None:
            return None
        with self._guard:
            return self._pairs.setdefault(
                (old.key, new.key),
                EnvironmentPair(sandbox=self._sandbox, old=old, new=new, limits=_PATIENT, by=self._by),
            )

    def differences(
        self, old: AskedPython, new: AskedPython, names: Sequence[str], *, places: bool = True
    ) -> tuple[ApiDifference, ...]:
        """What changed about each of ``names``, as ``ask_both`` tells.

        Where a name is now is searched where its own definition does not tell, and without ``places`` never,
        as that takes minutes in a large library. Raises SandboxUnavailable.
        """
        some = names[:_MOST_NAMES]
        if not isinstance(old, Environment) or not isinstance(new, Environment):
            return ask_both(
                self._sandbox, old, new, some, limits=_PATIENT
            )  # an interpreter alone, which starts at once
        pair = self.of(old, new)
        assert pair is not None
        with self._guards[old.key, new.key]:
            return _differences(pair, some, places=places)


def _differences(pair: EnvironmentPair, names: Sequence[str], *, places: bool) -> tuple[ApiDifference, ...]:
    before = pair.ask_old(names)
    there = [member for member in before.values() if member.present]
    homes = [member.home for member in there if member.home]
    after = pair.ask_new([*names, *homes])
    tops = tuple(dict.fromkeys(home.partition(".")[0] for home in homes))
    lost = [member.name for member in there if places and _is_lost(member, after)]
    pair.search_at_once(lost, tops)
    found = {name: replace(after[name], candidates=pair.search_new(name, tops)) for name in lost}
    differences = compare_members(
        ApiProbe(members=tuple(before.values())), ApiProbe(members=tuple({**after, **found}.values()))
    )
    asked = set(names)
    return tuple(difference for difference in differences if difference.name in asked)


def _is_lost(member: Member, after: dict[str, Member]) -> bool:
    """Whether an object of the old environment is neither by its name nor where it was defined."""
    new = after.get(member.name)
    home = after.get(member.home)
    return new is not None and not new.present and (home is None or not home.present)
