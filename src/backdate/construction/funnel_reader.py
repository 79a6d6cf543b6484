"""The funnel of a data set or of a build, for whoever asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from backdate.construction.build import build_folder, funnel_of
from backdate.construction.funnel import NAMES, Funnel
from backdate.construction.ledger_view import Left, read_ledger
from backdate.construction.publish import FunnelFile
from backdate.errors import UsageError
from backdate.serial import from_json


def read_funnel(path: Path) -> Funnel:
    """The funnel of the data set at ``path``, or of a build that is under way there. Raises UsageError."""
    published = _published(path)
    if published is not None:
        return published.funnel
    folder = _ledger_of(path)
    if not (folder / "ledger.sqlite").is_file():
        raise _unbuilt(path)
    with read_ledger(folder) as ledger:
        return funnel_of(ledger)


def read_left(path: Path, stage: str | None) -> Iterator[Left]:
    """Every entry that is no task, of one stage or of all; with details where the ledger is at hand.

    Raises UsageError for a stage that there is not.
    """
    if stage is not None and stage not in NAMES:
        raise UsageError(f"there is no stage {stage!r}; the stages are {', '.join(NAMES)}")
    folder = _ledger_of(path)
    if (folder / "ledger.sqlite").is_file():
        with read_ledger(folder) as ledger:
            yield from ledger.left(stage)
        return
    published = _published(path)
    if published is None:
        raise _unbuilt(path)
    for one in published.excluded:
        if stage is None or one.stage == stage:
            yield Left(name=one.name, revision=one.revision, stage=one.stage, reason=one.reason, detail="")


def _unbuilt(path: Path) -> UsageError:
    return UsageError(
        f"{path} is neither a data set that `backdate bench build` made nor the folder of a build: "
        "there is no funnel to show"
    )


def _ledger_of(path: Path) -> Path:
    return path if (path / "ledger.sqlite").is_file() else build_folder(path)


def _published(path: Path) -> FunnelFile | None:
    file = path / "funnel.json"
    return from_json(FunnelFile, file.read_bytes(), what=str(file)) if file.is_file() else None
