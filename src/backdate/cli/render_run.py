"""What a run of a solver says of itself: a line a task, and a summary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backdate.solvers.records import RunRecord


class TaskLines:
    """One line a finished task, on standard error."""

    def __init__(self, total: int) -> None:
        import threading

        self._lock = threading.Lock()
        self._total, self._count = total, 0

    def started(self, instance: str) -> None:
        """Nothing: a line comes when it is finished."""

    def finished(self, record: RunRecord, *, now: bool) -> None:
        """Say how the task ended."""
        from backdate.cli.terminal import printable, tell

        with self._lock:
            self._count += 1
            again = "" if now else " (before)"
            detail = f": {record.detail}" if record.detail else ""
            calls = f", {record.calls} calls, {record.tests} test runs" if record.calls else ""
            tell(
                printable(
                    f"[{self._count}/{self._total}] {record.instance_id}: {record.ending}{detail}"
                    f"{calls}, {record.duration_s:.0f} s{again}"
                )
            )


def run_summary(records: tuple[RunRecord, ...], dataset: Path, folder: Path) -> str:
    """How many tasks ended how, and what to do next."""
    from collections import Counter

    counts = Counter(record.ending.value for record in records)
    words = ", ".join(f"{count} {ending}" for ending, count in counts.most_common())
    return f"{len(records)} tasks: {words}\nScore the run with: backdate score {dataset} {folder}"
