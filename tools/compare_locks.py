"""Compares locks: uv directly at an instant, and uv through the index at the same instant.

For every task of a data set (JSON lines with ``dependency_versions``, and with the date and version of
``reproduction_target`` and ``migration_target``) the names of its dependencies are locked, unpinned and with
hashes, at both of its instants on both roads. The locks have to be the same text. Writes a table.

    python tools/compare_locks.py ../shared/data/timemachine-bench/verified-dev.jsonl
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from backdate.index.cache import DiskCache
from backdate.index.names import normalise
from backdate.index.server import SnapshotServer
from backdate.index.upstream import IndexClient
from backdate.timeline.instants import Instant, format_instant, parse_instant

BUILD_TOOLS = {"setuptools": parse_instant("2019-02-10"), "wheel": parse_instant("2019-02-14")}
"""uv's own builds want releases that are not older than these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One dependency list at one instant."""

    row: int
    repository: str
    instant: Instant
    python: str
    names: tuple[str, ...]

    @property
    def overrides(self) -> dict[str, Instant]:
        """The projects that both roads cut later."""
        return {name: until for name, until in BUILD_TOOLS.items() if until > self.instant}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a road gave."""

    lock: str | None
    message: str
    seconds: float


def read_cases(path: Path) -> Iterator[Case]:
    """Two cases a task: its old instant and its new one."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        task = json.loads(line)
        listed = re.findall(r"^([A-Za-z0-9._-]+)==", task["dependency_versions"], re.MULTILINE)
        names = tuple(sorted({normalise(name) for name in listed}))
        for kind in ("reproduction", "migration"):
            yield Case(
                row=number,
                repository=task["repo_name"],
                instant=parse_instant(task[f"{kind}_target_date"]),
                python=".".join(task[f"{kind}_target_version"].split(".")[:2]),
                names=names,
            )


def lock(case: Case, options: list[str], cache: Path) -> Outcome:
    """The lock of ``case`` on the road that ``options`` say."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("UV_", "PIP_"))}
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder, "requirements.in")
        listed.write_text("".join(f"{name}\n" for name in case.names))
        command = ["uv", "pip", "compile", "--no-config", "--no-header", "--no-annotate", "--generate-hashes"]
        command += [
            "--quiet",
            "--cache-dir",
            str(cache),
            "--python-version",
            case.python,
            *options,
            str(listed),
        ]
        started = time.monotonic()
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=400, check=False
            )
        except subprocess.TimeoutExpired:
            return Outcome(lock=None, message="timed out", seconds=400.0)
        seconds = time.monotonic() - started
    return Outcome(lock=done.stdout if done.returncode == 0 else None, message=done.stderr, seconds=seconds)


def compare(case: Case, client: IndexClient, server: SnapshotServer, caches: Path) -> dict[str, object]:
    """Both roads for one case."""
    known = [name for name in case.names if client.project_page(name, at=case.instant).before(case.instant)]
    case = Case(
        row=case.row, repository=case.repository, instant=case.instant, python=case.python, names=tuple(known)
    )
    direct_options = [
        "--default-index",
        "https://pypi.org/simple",
        "--exclude-newer",
        format_instant(case.instant),
    ]
    for name, until in case.overrides.items():
        direct_options += ["--exclude-newer-package", f"{name}={format_instant(until)}"]
    direct = lock(case, direct_options, caches / "direct")
    through = lock(case, ["--default-index", server.url(case.instant, case.overrides)], caches / "through")
    if direct.lock is not None and direct.lock == through.lock:
        verdict = "same lock"
    elif direct.lock is None and through.lock is None:
        verdict = "both fail"
    else:
        verdict = "differ"
    print(
        f"{case.row:3} {case.repository:45} {case.instant:%Y-%m-%d} {case.python:5} {len(known):3} {verdict}",
        flush=True,
    )
    return {
        "row": case.row,
        "repository": case.repository,
        "instant": format_instant(case.instant),
        "python": case.python,
        "names": len(known),
        "distributions": len(re.findall(r"^\S+==", direct.lock or "", re.MULTILINE)),
        "verdict": verdict,
        "direct_s": round(direct.seconds, 2),
        "through_s": round(through.seconds, 2),
        "direct": direct.lock or direct.message,
        "through": through.lock or through.message,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tasks", type=Path)
    parser.add_argument("--out", type=Path, default=Path("compare-locks.json"))
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        caches = Path(folder)
        with (
            IndexClient(cache=DiskCache(caches / "index")) as client,
            SnapshotServer(client) as server,
            ThreadPoolExecutor(arguments.jobs) as pool,
        ):
            cases = read_cases(arguments.tasks)
            results = list(pool.map(lambda case: compare(case, client, server, caches), cases))
    arguments.out.write_text(json.dumps(results, indent=1))
    count = Counter(result["verdict"] for result in results)
    distributions = sum(
        int(str(result["distributions"])) for result in results if result["verdict"] == "same lock"
    )
    print(f"{len(results)} locks: {dict(count)}; {distributions} distributions in those that are the same")


if __name__ == "__main__":
    main()
