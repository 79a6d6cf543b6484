"""What verifying a task found, as it is kept in the task's folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backdate.errors import StoredDataError
from backdate.migrations import Migration, read_stored
from backdate.serial import to_json, write_whole
from backdate.tasks.notes import NoteKind
from backdate.tasks.task import Proof, TaskTest
from backdate.tasks.verify_task import Verification

FILE = "verification.json"
RECORD_FORMAT = 2
"""Format 1 had no number, and notes without a kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationRecord:
    """A verification as it is kept in the task's folder."""

    format: int = RECORD_FORMAT
    key: str
    """Of all that the verification depends on."""
    verification: Verification
    """Without the runs: their outcomes are in ``tests``."""
    tests: tuple[TaskTest, ...]
    proof: Proof | None

    @property
    def asserts_nothing(self) -> tuple[str, ...]:
        """Test functions ("FILE: FUNCTION") that pass whatever their last assertion says."""
        judge = self.proof.judge if self.proof is not None else None
        return judge.asserts_nothing if judge is not None else ()


def read_verification(folder: Path) -> VerificationRecord | None:
    """The record in a task's folder; None without one that this version can read: it can be made again."""
    try:
        return read_stored(
            VerificationRecord,
            (folder / FILE).read_bytes(),
            current=RECORD_FORMAT,
            migrations=_MIGRATIONS,
            what="a verification",
        )
    except (FileNotFoundError, StoredDataError):
        return None


def write_verification(folder: Path, record: VerificationRecord) -> None:
    """Keep ``record`` in a task's folder."""
    write_whole(folder / FILE, to_json(record, indent=1))


def _with_kinds_of_notes(document: dict[str, Any]) -> dict[str, Any]:
    """Format 1 had the texts of notes alone."""
    verification = document.get("verification")
    stages = verification.get("stages") if isinstance(verification, dict) else None
    for stage in stages if isinstance(stages, list) else ():
        if isinstance(stage, dict) and isinstance(stage.get("notes"), list):
            stage["notes"] = [
                {"kind": _kind_of_old_note(note), "text": note} if isinstance(note, str) else note
                for note in stage["notes"]
            ]
    return document


def _kind_of_old_note(text: str) -> NoteKind:
    return next((kind for start, kind in _OLD_NOTES if re.match(start, text)), NoteKind.INSTALLER)


_OLD_NOTES = (
    (r"not tried without --apt: ", NoteKind.UNTRIED_PACKAGES),
    (r"from apt, |asked for from ", NoteKind.SYSTEM_PACKAGES),
    (r"\S+ is cut later: ", NoteKind.CUTOFF),
    (r"what was uploaded on ", NoteKind.LATER_DAY),
    (r"the time limit ended", NoteKind.RETRIED),
    (r"\S+ (stands in for|is outside of|was released on) |the release calendar ", NoteKind.INTERPRETER),
    (r".*\bnetwork\b", NoteKind.NETWORK),
)
"""How format 1 worded each kind."""
_MIGRATIONS = (Migration(to_format=2, change=_with_kinds_of_notes),)
