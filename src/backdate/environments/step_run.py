"""How a build step ended, and what to say of what it could not have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

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


def refusals(refused: Sequence[str]) -> str:
    """What to say of hosts that were not let through; empty for none."""
    if not refused:
        return ""
    return (
        f"Not let through to the network while building: {', '.join(refused)}. Builds reach the package "
        "index and nothing else; --build-network opens the whole network to the code that runs in them."
    )


def with_refusals(message: str, refused: Sequence[str], notes: Sequence[str] = ()) -> str:
    """Why a build failed, which hosts it was not let through to, and what it could not have by address."""
    return "\n\n".join(filter(None, (message, refusals(refused), notes_text(notes))))
