"""Bring ``timeline/cpython_releases.csv`` up to date from clones that you have on disk.

    git clone --depth 1 https://github.com/python/peps
    git clone --depth 1 https://github.com/endoflife-date/release-data
    python tools/refresh_calendar.py --peps peps --release-data release-data

``python/peps`` holds every release with its date and whether it is "actual" or "expected"
(``release_management/python-releases.toml``); only actual ones are taken. ``release-data`` (dates
of the tags of CPython) knows a security release some days earlier than the PEPs do. Either may be
left out. A date that the calendar has already is never changed: a difference is printed, and a
person decides. The calendar is complete until the older of the clones' last commits.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from datetime import UTC, date, datetime
from pathlib import Path

CALENDAR = Path(__file__).resolve().parents[1] / "src/backdate/timeline/cpython_releases.csv"
RECALLED = {"3.9.3": "recalled two days later for an ABI break (PEP 596)"}
OLDEST_TAKEN = (3, 6)

Dates = dict[str, date]


def from_peps(clone: Path) -> Dates:
    """Final releases that a clone of python/peps calls actual."""
    path = clone / "release_management" / "python-releases.toml"
    dates: Dates = {}
    for releases in tomllib.loads(path.read_text("utf-8"))["release"].values():
        for release in releases:
            match = re.fullmatch(r"(\d+\.\d+)(\.\d+)?(?: final)?", release["stage"])
            if match and release["state"] == "actual":
                dates[match[1] + (match[2] or ".0")] = release["date"]
    return dates


def from_release_data(clone: Path) -> Dates:
    """Final releases that a clone of endoflife-date/release-data knows."""
    data = json.loads((clone / "releases" / "python.json").read_text("utf-8"))
    return {
        version: date.fromisoformat(entry["date"])
        for version, entry in data["versions"].items()
        if re.fullmatch(r"\d+\.\d+\.\d+", version)
    }


def last_commit(clone: Path) -> date:
    """The UTC day of the clone's last commit."""
    command = ["git", "-C", str(clone), "log", "-1", "--format=%ct"]
    seconds = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return datetime.fromtimestamp(seconds, UTC).date()


def read_calendar(text: str) -> Dates:
    """The dates that the calendar has."""
    rows = [line.split(",") for line in text.splitlines() if line and line[0].isdigit()]
    return {version: date.fromisoformat(day) for version, day in rows}


def version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def merge(known: Dates, found: Dates) -> tuple[Dates, list[str]]:
    """``known`` plus what is new in ``found``, and one line for every disagreement."""
    merged, notes = dict(known), []
    for version, day in found.items():
        if version_key(version)[:2] < OLDEST_TAKEN or version in RECALLED:
            continue
        if version not in merged:
            merged[version] = day
            notes.append(f"new: {version} on {day}")
        elif merged[version] != day:
            notes.append(f"kept: {version} on {merged[version]}, though a source says {day}")
    return merged, notes


def render(dates: Dates, complete_until: date) -> str:
    """The calendar's text."""
    lines = [
        "# Final releases of CPython and the day (UTC) of each. How to refresh: docs/reference/calendar.md",
        f"# complete-until: {complete_until}",
        "version,released",
        *(f"{version},{dates[version]}" for version in sorted(dates, key=version_key)),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peps", type=Path, help="a clone of https://github.com/python/peps")
    parser.add_argument("--release-data", type=Path, help="a clone of endoflife-date/release-data")
    parser.add_argument("--calendar", type=Path, default=CALENDAR)
    arguments = parser.parse_args()
    readers = ((arguments.peps, from_peps), (arguments.release_data, from_release_data))
    clones = [clone for clone, _ in readers if clone is not None]
    if not clones:
        parser.error("give --peps or --release-data (or both)")
    dates = read_calendar(arguments.calendar.read_text("utf-8")) if arguments.calendar.exists() else {}
    for clone, read in readers:
        if clone is not None:
            dates, notes = merge(dates, read(clone))
            print("\n".join(notes))
    complete_until = min(last_commit(clone) for clone in clones)
    arguments.calendar.write_text(render(dates, complete_until), "utf-8")
    print(f"{len(dates)} releases, complete until {complete_until}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
