"""A limit on all that one call keeps on the disk at a time: trees, environments, what builds download."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.errors import DiskFull
from backdate.sandboxes.interface import Limits

GIB = 1024 * 1024 * 1024
DEFAULT_BUDGET_BYTES = 50 * GIB


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskBudget:
    """What may lie below ``folder``."""

    folder: Path
    limit_bytes: int = DEFAULT_BUDGET_BYTES

    def used(self) -> int:
        """Bytes on the disk now; files that two names share count once."""
        command = ["du", "--summarize", "--block-size=1", "--one-file-system", "--", str(self.folder)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        number = done.stdout.split(b"\t", 1)[0]  # what vanishes meanwhile is complained of and not counted
        return int(number) if number.isdigit() else 0

    def check(self) -> None:
        """Raise DiskFull when it is used up."""
        used = self.used()
        if used > self.limit_bytes:
            raise self.exceeded(used)

    def exceeded(self, used: int) -> DiskFull:
        """What is raised when ``used`` bytes are too many, or a build had too few left."""
        return DiskFull(
            f"what is kept at a time in {self.folder} takes {used / GIB:.1f} GiB, and the disk budget is "
            f"{self.limit_bytes / GIB:.1f} GiB; allow more with --disk-budget, or fewer --jobs"
        )

    def limits(self, limits: Limits) -> Limits:
        """``limits`` with no more disk than is left."""
        left = max(1, self.limit_bytes - self.used())
        most = left if limits.disk_bytes is None else min(left, limits.disk_bytes)
        return replace(limits, disk_bytes=most)
