"""What environments answered about their names, kept: a finished environment answers the same each time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backdate.diagnosis.api import LIMITS, PROBES, ApiProbe, ProbeRun, probe
from backdate.environments.cache import Cache
from backdate.environments.environment import Environment
from backdate.sandboxes.interface import Limits, Sandbox
from backdate.serial import digest

_FORMAT = 1
"""Part of every key: raise it when what is recorded of the same answers changes."""
_ROOM = "api-answers"


def _programs() -> str:
    """What asks, of which an answer is a function."""
    return digest(*(file.read_bytes().hex() for file in sorted(PROBES.glob("*.py"))))


@dataclass(frozen=True, slots=True)
class ApiAnswers:
    """Asks environments; what those that ``cache`` holds answer in full is kept there."""

    sandbox: Sandbox
    cache: Cache | None = None
    """None to keep nothing."""
    candidates: bool = True
    """Whether places of missing names are searched; see ``api.probe``."""
    limits: Limits = LIMITS
    """Of one run; no part of what is kept, as an answer that a limit cut off is not."""
    by: ProbeRun | None = None
    """What runs the probe, which must answer as a process of its own would; see ``api.probe``."""

    def probe(self, environment: Environment, names: Sequence[str]) -> ApiProbe:
        """What each of ``names`` is in ``environment``; see ``api.probe``. Raises SandboxUnavailable.

        What the environment's own code made of its answer reaches nobody but who asks the same environment.
        """
        if self.cache is None or not self.cache.has("records", environment.key):
            return self._asked(environment, names)
        key = digest(
            "api answers",
            *(_FORMAT, _programs(), self.sandbox.name, environment.key, self.candidates),
            *dict.fromkeys(names),
        )
        kept = self.cache.read(ApiProbe, _ROOM, key)
        if kept is None:
            kept = self._asked(environment, names)
            if not kept.trouble:
                self.cache.write(_ROOM, key, kept)
        return kept

    def _asked(self, environment: Environment, names: Sequence[str]) -> ApiProbe:
        searched = None if self.candidates else ()
        return probe(self.sandbox, environment, names, searched=searched, limits=self.limits, by=self.by)
