"""Fix small programs that updates broke, each by ``backdate fix``, and print what came of each.

    python tools/fix_programs.py tools/fix_programs.txt --results DIR [--only NAME …] [--jobs 2] [--limit 420]

A program in the list is a block that begins with ``=== NAME``, a line ``requires:`` with the distributions
that it imports, and its files, each behind ``--- FILE``. Its tests pass with the newest releases of --from,
on the Python of that day, and fail with those of --to. What is kept in --results is not run again.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

_OUTCOME = re.compile(
    r"^(?:FIXED|PARTLY FIXED|NOT FIXED|NOTHING BROKE|CANNOT TELL).*", re.MULTILINE | re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A small project."""

    name: str
    requires: tuple[str, ...]
    files: tuple[tuple[str, str], ...]

    def write(self, folder: Path) -> None:
        """The project's files, in a folder of its own."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "requirements.txt").write_text("\n".join((*self.requires, "pytest", "")))
        for name, text in self.files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)


def read_programs(text: str) -> Iterator[Program]:
    """The programs of a list, in its order."""
    for block in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        head, *parts = re.split(r"^--- ", block, flags=re.MULTILINE)
        name, _, rest = head.partition("\n")
        required = re.search(r"^requires:(.*)$", rest, re.MULTILINE)
        named = required[1].split(",") if required else []
        files = (part.partition("\n") for part in parts)
        yield Program(
            name=name.strip(),
            requires=tuple(one.strip() for one in named if one.strip()),
            files=tuple((file.strip(), f"{code.rstrip()}\n") for file, _, code in files),
        )


def fixed(program: Program, arguments: argparse.Namespace) -> str:
    """The line in which ``backdate fix`` tells what came of the program."""
    told: Path = arguments.results / f"{program.name}.out"
    if not told.exists():
        folder = arguments.results / "projects" / program.name
        program.write(folder)
        command = (
            *(sys.executable, "-m", "backdate", "fix", str(folder), "--as", "declared", "--no-store"),
            *("--move-python", "--from", arguments.start, "--to", arguments.end),
            *("--patch", str(told.with_suffix(".patch"))),
        )
        try:
            said = subprocess.run(
                command, capture_output=True, text=True, timeout=arguments.limit, check=False
            )
        except subprocess.TimeoutExpired:
            return "no answer in time"
        told.write_text(said.stdout or said.stderr)
    found = _OUTCOME.search(told.read_text())
    return found[0] if found else "no answer"


def main() -> None:
    """Run the list."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("list", type=Path, help="the programs")
    parser.add_argument("--results", type=Path, required=True, help="a folder for the answers, kept")
    parser.add_argument(
        "--only", nargs="*", default=[], help="only programs whose names contain one of these"
    )
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument("--limit", type=float, default=420.0, help="seconds for each")
    parser.add_argument("--from", dest="start", default="2020-01-20")
    parser.add_argument("--to", dest="end", default="2025-07-31")
    arguments = parser.parse_args()
    arguments.results = arguments.results.resolve()
    arguments.results.mkdir(parents=True, exist_ok=True)
    programs = [
        program
        for program in read_programs(arguments.list.read_text())
        if not arguments.only or any(word in program.name for word in arguments.only)
    ]
    whole = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for program, outcome in zip(
            programs, pool.map(lambda one: fixed(one, arguments), programs), strict=True
        ):
            whole += outcome.startswith("FIXED")
            print(f"{program.name:28} {outcome}", flush=True)
    print(f"{whole} of {len(programs)} are fixed whole")


if __name__ == "__main__":
    main()
