"""Reading the funnel of a data set or of a build."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from backdate.construction.build import build_folder
from backdate.construction.funnel import Funnel
from backdate.construction.kinds.choose import stages_of
from backdate.construction.ledger_view import ExcludedEntry, read_ledger
from backdate.construction.publish import FunnelFile, funnel_of, read_funnel_file
from backdate.errors import UsageError


def read_funnel(path: Path) -> Funnel:
    """The funnel of the data set at ``path``, or of a build that is under way there. Raises UsageError."""
    published = _published(path)
    if published is not None:
        return published.funnel
    with read_ledger(require_ledger(path)) as ledger:
        return funnel_of(ledger)


def require_ledger(path: Path) -> Path:
    """The folder of the ledger of the build at ``path``, or of the data set there. Raises UsageError."""
    folder = _ledger_of(path)
    if not (folder / "ledger.sqlite").is_file():
        raise _unbuilt(path)
    return folder


def read_left(path: Path, stage: str | None) -> Iterator[ExcludedEntry]:
    """Every excluded entry, of one stage or of all; with details when the ledger is available.

    Raises UsageError for an unknown stage.
    """
    folder = _ledger_of(path)
    if (folder / "ledger.sqlite").is_file():
        with read_ledger(folder) as ledger:
            _require_stage(stage, [rule.name for rule in stages_of(ledger.task_kind)])
            yield from ledger.left(stage)
        return
    published = _published(path)
    if published is None:
        raise _unbuilt(path)
    _require_stage(stage, [known.name for known in published.funnel.stages])
    for entry in published.excluded:
        if stage is None or entry.stage == stage:
            yield ExcludedEntry(
                name=entry.name,
                revision=entry.revision,
                stage=entry.stage,
                kind=entry.kind,
                reason=entry.reason,
                detail="",
            )


def _require_stage(stage: str | None, names: list[str]) -> None:
    if stage is not None and stage not in names:
        raise UsageError(f"there is no stage {stage!r}; the stages are {', '.join(names)}")


def _unbuilt(path: Path) -> UsageError:
    return UsageError(
        f"{path} is neither a data set with the folder of its build beside it nor the folder of a build: "
        "there is no ledger to read"
    )


def _ledger_of(path: Path) -> Path:
    return path if (path / "ledger.sqlite").is_file() else build_folder(path)


def _published(path: Path) -> FunnelFile | None:
    file = path / "funnel.json"
    return read_funnel_file(file) if file.is_file() else None
