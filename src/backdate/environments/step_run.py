"""How a build step ended."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from backdate.environments.build_network import refusals
from backdate.environments.references.supply import notes_text
from backdate.sandboxes.interface import RunResult


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRun:
    """How a build step ended."""

    run: RunResult
    refused: tuple[str, ...] = ()
    """Hosts and ports that it wanted and was not let through to."""
    notes: tuple[str, ...] = ()
    """What requirements name by address and could not be had."""

    @property
    def ok(self) -> bool:
        """Whether the step ended by itself with status 0."""
        return self.run.ok

    def note_refusals(self, log: Path) -> None:
        """Write into the log what the step wanted and could not have."""
        told = [text for text in (refusals(self.refused), notes_text(self.notes)) if text]
        if told:
            with log.open("a", encoding="utf-8") as file:
                file.writelines(f"\nbackdate: {text}\n" for text in told)
