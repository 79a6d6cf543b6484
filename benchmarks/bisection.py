"""What a bisection costs beside the check that it starts from. One command, ratios of one run.

    python benchmarks/bisection.py [--project pypi:Flask-Login==0.6.2 --from 2022-07-26] [--rounds 1]

A window of four years on a small project (its own: Flask, pytest, one name that went), each time with
empty caches (pages of the index, downloads, what uv keeps, environments): a check, then a bisection, in
turn. Wanted: less than four times the check's time. Then the bisection again, with the caches
that it left: it has to build nothing. A check works on its two sides at once: on a busy machine it gets
two shares of it, and the processor time tells more.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import backdate

FROM, TO = "2020-11-01", "2024-11-01"
FILES = {
    "requirements.txt": "flask==1.1.2\nwerkzeug==1.0.1\npytest==6.1.2\n",
    "test_small.py": """from werkzeug.urls import url_quote  # gone in 3.0.0


def test_quote():
    assert url_quote("a b") == "a%20b"
""",
}
WANTED = 4.0
SIDES: Any = {"question": backdate.Question.LIFTED, "move_python": True}
"""The project is pinned, and users have moved on to a newer interpreter."""


def main() -> int:
    """Measure and print; 1 when more was needed than is wanted."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--project", help="another one than the benchmark's own")
    parser.add_argument("--from", dest="from_", default=FROM)
    parser.add_argument("--to", default=TO)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    start, end = backdate.parse_instant(options.from_), backdate.parse_instant(options.to)
    ratios = []
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory(prefix="backdate-benchmark-") as folder:
            project = options.project or own_project(Path(folder, "small"))
            checking, bisecting = (
                backdate.Settings(cache=Path(folder, "one")),
                backdate.Settings(cache=Path(folder, "two")),
            )
            clock, used = time.monotonic(), processor_s()
            backdate.check(project, from_instant=start, to_instant=end, settings=checking, **SIDES)
            check_s, check_cpu_s = time.monotonic() - clock, processor_s() - used
            clock, used = time.monotonic(), processor_s()
            first = backdate.bisect(project, from_instant=start, to_instant=end, settings=bisecting, **SIDES)
            bisect_s, bisect_cpu_s = time.monotonic() - clock, processor_s() - used
            clock = time.monotonic()
            second = backdate.bisect(project, from_instant=start, to_instant=end, settings=bisecting, **SIDES)
            again_s = time.monotonic() - clock
        ratios.append(bisect_s / check_s)
        blamed = ", ".join(f"{one.name} {one.new}" for finding in first.findings for one in finding.culprits)
        print(
            f"check {check_s:.1f} s; bisection {bisect_s:.1f} s ({ratios[-1]:.2f} times; {blamed}; "
            f"{first.builds} environments built, {first.runs} test runs); "
            f"again {again_s:.1f} s ({second.builds} built); processor time {check_cpu_s:.1f} and "
            f"{bisect_cpu_s:.1f} s ({bisect_cpu_s / check_cpu_s:.2f} times)",
            flush=True,
        )
    print(f"median {statistics.median(ratios):.2f} times the check (less than {WANTED:g} wanted)")
    return int(statistics.median(ratios) >= WANTED)


def processor_s() -> float:
    """Processor time of this process and of those that it waited for, in seconds."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


def own_project(folder: Path, files: Mapping[str, str] = FILES) -> Path:
    """A small project, written to ``folder``."""
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


if __name__ == "__main__":
    sys.exit(main())
