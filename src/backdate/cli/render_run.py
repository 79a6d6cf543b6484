"""The summary of a run of a solver."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backdate.solvers.records import RunRecord


def run_summary(records: tuple[RunRecord, ...], dataset: Path, folder: Path) -> str:
    """How many tasks ended how, and what to do next."""
    from collections import Counter

    counts = Counter(record.ending.value for record in records)
    endings = ", ".join(f"{count} {ending}" for ending, count in counts.most_common())
    return f"{len(records)} tasks: {endings}\nScore the run with: backdate score {dataset} {folder}"
