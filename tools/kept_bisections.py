"""Bisections in processes of their own, whose results are kept: for the scripts that make tables of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedBisection:
    """What to bisect, as ``backdate bisect`` takes it."""

    shown: str
    source: str
    old: str
    new: str
    arguments: tuple[str, ...] = ()


def bisect_kept(wanted: WantedBisection, kept: Path, failed: Path, minutes: float, *, retry: bool) -> None:
    """Leave the result in ``kept``, or in ``failed`` why there is none; what is there is not made again.

    After ``minutes`` it is interrupted; what it learned is in the cache, so that ``retry`` goes on there.
    """
    if kept.exists() or (failed.exists() and not retry):
        return
    # A process that a shell put into the background ignores SIGINT, and so do its children.
    command = ["env", "--default-signal=INT", sys.executable, "-m", "backdate", "bisect", wanted.source]
    command += [
        "--from",
        wanted.old,
        "--to",
        wanted.new,
        "--as",
        "lifted",
        "--move-python",
        "--json",
        str(kept),
        *wanted.arguments,
    ]
    started = time.monotonic()
    print(f"== {wanted.shown}", flush=True)
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=minutes * 60)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            said, _ = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
        said += f"\nno answer within {minutes:g} minutes"
    print(f"{said}\n({time.monotonic() - started:.0f} s)", flush=True)
    failed.unlink(missing_ok=True)
    if "no space left" in said:  # says nothing of the project, nor of those after it
        raise SystemExit(f"the disk is full: stopped at {wanted.shown}")
    if not kept.exists():
        failed.write_text(said[-4000:], encoding="utf-8")
