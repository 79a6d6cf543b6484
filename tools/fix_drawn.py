"""Fix repositories that were drawn at random, and write docs/evidence/fixed-drawn.md: what is solved.

    python tools/fix_drawn.py NAMES SEED --clones DIR --results DIR --code TREE [--wanted 30] [--to DAY]
    python tools/fix_drawn.py --drawn DRAWN.json --results DIR --code TREE [--wanted 30] [--to DAY]
    python tools/fix_drawn.py --page DRAW_TOML…

The first form draws and runs. NAMES has one OWNER/NAME a word; they are ordered by the SHA-256 of seed and
name, and looked for at DIR/OWNER+NAME/repo. A repository is taken as of its last commit, where that is of
2018 to 2023, and where it is younger as of its last commit before a day that its name and the seed choose
between 2018-07-01 and 2023-06-30. One is dropped that has no such commit, no tests there, no stated
requirements, compiled sources, or more than 60 Python files. RESULTS gets drawn.json, with why each was
dropped, and a ``backdate fix --format json`` for each that was taken, by the command line of the environment
in TREE, so that a frozen commit can be measured. ``--limit`` ends a run after that many seconds.

The second form runs what `tools/draw_sdist_users.py` drew.

The third form writes the page of tables in tools/fix_drawn_read/SEED.toml: what a person says who read
every answer and every patch. It runs nothing. Nobody repairs a draw: a row that was not run says so.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from pathlib import Path

from backdate.evaluation.metrics import wilson
from backdate.serial import from_json, to_json, write_whole

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "evidence" / "fixed-drawn.md"
FIRST_DAY, LAST_DAY = date(2018, 7, 1), date(2023, 6, 30)
OLDEST, NEWEST = date(2018, 1, 1), date(2023, 12, 31)
MOST_FILES = 60
_TEST_FILE = re.compile(r"(^|/)(test_[^/]*|[^/]*_test|tests)\.py$")
_TEST = re.compile(r"^\s*(async def test|def test|class \w*Test)", re.MULTILINE)
_STATES = re.compile(r"(setup\.py|setup\.cfg|pyproject\.toml|requirements[^/]*\.txt|Pipfile)$")
COMPILED = (".pyx", ".c", ".cpp", ".rs")


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnRepository:
    """One repository of the draw, or one sdist."""

    name: str
    """OWNER/NAME, or ``pypi:NAME==VERSION``."""
    commit: str = ""
    """Empty for an sdist."""
    day: str = ""
    """Of the commit, or of the upload."""
    dropped: str = ""
    """Why it is not run; empty where it is."""


class DrawnOutcome(StrEnum):
    """What came of a repository, as a person sees it."""

    NO_OLD_SIDE = "no green old side"
    NO_NEW_SIDE = "no new environment"
    NO_ANSWER = "no answer in time"
    NOT_RUN = "not run"
    NOTHING_BROKE = "nothing broke"
    SOLVED = "solved"
    IN_PART = "in part"
    NOTHING = "nothing"

    @property
    def broke(self) -> bool:
        """Whether there was something to mend."""
        return self in (DrawnOutcome.SOLVED, DrawnOutcome.IN_PART, DrawnOutcome.NOTHING)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRow:
    """What a person says of one repository."""

    name: str
    outcome: DrawnOutcome
    day: str = ""
    tests: str = ""
    """Mended of broken: "3 of 4"."""
    mendable: bool = False
    """Whether an edit of code outside tests can mend all of it; only where something broke."""
    judgement: str = ""
    """Of the patch: "right", "too much" or "wrong"; empty without one."""
    sources: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    """Rules whose edit was needed here."""
    tried: tuple[str, ...] = ()
    """Rules that edited something here, and were taken back or do not suffice."""
    what: str = ""
    """What broke, and what a careful person writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDraw:
    """One draw, as a person read it."""

    seeds: str
    commit: str
    """Of the code that was measured."""
    unseen: bool
    note: str
    dropped: Mapping[str, int] = field(default_factory=dict)
    """How many were dropped, by why."""
    rows: tuple[ReadRow, ...] = ()

    @property
    def broke(self) -> tuple[ReadRow, ...]:
        """The rows in which something broke."""
        return tuple(row for row in self.rows if row.outcome.broke)


def main() -> int:
    """Draw and run, or write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="?", type=Path)
    parser.add_argument("seed", nargs="?", type=int)
    parser.add_argument("--drawn", type=Path)
    parser.add_argument("--clones", type=Path)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--code", type=Path, default=ROOT, help="a tree with .venv/bin/python in it")
    parser.add_argument("--wanted", type=int, default=30)
    parser.add_argument("--to", default="2025-07-31")
    parser.add_argument("--limit", type=int, default=600, help="seconds for each run")
    parser.add_argument("--page", nargs="+", type=Path, metavar="DRAW_TOML")
    options = parser.parse_args()
    if options.page:
        write_whole(PAGE, (page([read_draw(file) for file in options.page])).encode())
        return 0
    if not options.results:
        parser.error("give --results, or --page")
    options.results.mkdir(parents=True, exist_ok=True)
    if options.drawn:
        drawn = from_json(list[DrawnRepository], options.drawn.read_bytes(), what=str(options.drawn))
    elif options.names and options.seed is not None and options.clones:
        drawn = list(draw(options.names.read_text(encoding="utf-8").split(), options.seed, options.clones))
        write_whole(options.results / "drawn.json", to_json([asdict(one) for one in drawn], indent=1))
    else:
        parser.error("give NAMES, SEED and --clones, or --drawn")
    for one in [one for one in drawn if not one.dropped][: options.wanted]:
        print(f"{one.name}: {run_fix(one, options)}", flush=True)
    return 0


def draw(names: Sequence[str], seed: int, clones: Path) -> Iterator[DrawnRepository]:
    """Every name in the order of the draw."""
    for name in sorted(set(names), key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest()):
        clone = clones / name.replace("/", "+") / "repo"
        yield (
            dated(name, clone, day_of(name, seed))
            if clone.exists()
            else DrawnRepository(name=name, dropped="no clone")
        )


def day_of(name: str, seed: int) -> date:
    """The day that stands for a repository that is younger than the years which are asked for."""
    number = int.from_bytes(hashlib.sha256(f"day {seed} {name}".encode()).digest()[:4], "big")
    return FIRST_DAY + timedelta(days=number % (LAST_DAY - FIRST_DAY).days)


def dated(name: str, clone: Path, day: date) -> DrawnRepository:
    """The repository as of its last commit, or of ``day`` where that one is too young."""

    def git(*command: str) -> str:
        run = subprocess.run(
            ["git", "-C", str(clone), *command], capture_output=True, text=True, errors="replace", check=False
        )
        return run.stdout.strip() if run.returncode == 0 else ""

    commit = git("rev-parse", "HEAD")
    if git("log", "-1", "--format=%cs", "HEAD") > NEWEST.isoformat():
        commit = git("rev-list", "-1", f"--before={day.isoformat()}", "HEAD")
    if not commit:
        return DrawnRepository(name=name, dropped="no commit before its day")
    when = git("log", "-1", "--format=%cs", commit)
    if when < OLDEST.isoformat():
        return DrawnRepository(name=name, commit=commit, day=when, dropped="its commit is of before 2018")
    files = git("ls-tree", "-r", "--name-only", commit).splitlines()
    code = [file for file in files if file.endswith(".py")]
    tests = [file for file in code if _TEST_FILE.search(file)]
    why = ""
    if not any(_TEST.search(git("show", f"{commit}:{file}")) for file in tests):
        why = "no tests"
    elif any(file.endswith(COMPILED) for file in files):
        why = "compiled sources"
    elif len(code) > MOST_FILES:
        why = f"more than {MOST_FILES} Python files"
    elif not any(_STATES.match(file) for file in files):
        why = "it states no requirements"
    return DrawnRepository(name=name, commit=commit, day=when, dropped=why)


def run_fix(one: DrawnRepository, options: argparse.Namespace) -> str:
    """Run ``backdate fix`` where that was not done yet; a word on its end."""
    stem = one.name.replace("/", "+")
    answer = options.results / f"{stem}.json"
    if answer.exists():
        return "kept"
    after = (date.fromisoformat(one.day) + timedelta(days=1)).isoformat()
    source = f"{options.clones / stem / 'repo'}@{one.commit}" if one.commit else one.name
    command = [str(options.code / ".venv/bin/python"), "-m", "backdate", "fix", source]
    command += ["--from", after, "--to", options.to, "--move-python", "--format", "json", "-o", str(answer)]
    with (options.results / f"{stem}.log").open("w") as log:
        try:
            run = subprocess.run(
                command, stdout=log, stderr=log, timeout=options.limit, check=False, env=dict(os.environ)
            )
        except subprocess.TimeoutExpired:
            return f"no answer in {options.limit} s"
    return f"exit status {run.returncode}"


def read_draw(file: Path) -> ReadDraw:
    """A draw as a person read it."""
    return from_json(ReadDraw, to_json(tomllib.loads(file.read_text(encoding="utf-8"))), what=str(file))


def page(draws: Sequence[ReadDraw]) -> str:
    """The whole page."""
    return "\n".join(_page(draws)) + "\n"


def share(part: int, whole: int) -> str:
    """A share and its interval (Wilson, 95 %)."""
    if not whole:
        return "-"
    low, high = wilson(part / whole, whole)
    return f"{part} of {whole}, {100 * part / whole:.0f} % ({100 * low:.0f} to {100 * high:.0f})"


def _page(draws: Sequence[ReadDraw]) -> Iterator[str]:
    yield "# What `backdate fix` does for repositories drawn at random"
    yield ""
    yield (
        "Public repositories, and sdists, of 2018 to 2023, drawn by seed and not by hand, each fixed from "
        "its day to 2025-07-31 without a model and without touching tests. Every answer and patch was read "
        "by a person, and this page is written of what they say (`tools/fix_drawn_read/`) by "
        "`tools/fix_drawn.py`, which can make another draw and tells how. A draw is *unseen* for the code "
        "that ran it first, and for no later code."
    )
    for one in draws:
        yield from _draw(one)


def _draw(one: ReadDraw) -> Iterator[str]:
    broke = one.broke
    mendable = [row for row in broke if row.mendable]
    solved = [row for row in broke if row.outcome is DrawnOutcome.SOLVED]
    mended = [row for row in mendable if row in solved]
    patched = [row for row in broke if row.judgement]
    right = [row for row in patched if row.judgement == "right"]
    counts = Counter(row.outcome for row in one.rows)
    yield ""
    yield f"## {one.seeds}, at commit {one.commit}{': unseen' if one.unseen else ': seen before'}"
    yield ""
    yield " ".join(one.note.split())
    yield ""
    yield f"- Taken: {len(one.rows)}. " + ", ".join(
        f"{outcome.value} {counts[outcome]}" for outcome in DrawnOutcome if counts[outcome]
    )
    yield f"- Solved of those that broke: {share(len(solved), len(broke))}"
    yield f"- Solved of those that an edit outside tests can mend: {share(len(mended), len(mendable))}"
    yield f"- Patches that read as a careful person's, of all patches: {share(len(right), len(patched))}"
    yield f"- Rules whose edit was needed, of those with an edit that was tried: {transfer(one.rows)}"
    if one.dropped:
        told = ", ".join(f"{why} ({count})" for why, count in one.dropped.items())
        yield f"- Dropped: {sum(one.dropped.values())}: {told}"
    yield ""
    yield "| repository | as of | outcome | tests | patch | sources | what broke, and what a person writes |"
    yield "|---|---|---|--:|---|---|---|"
    for row in sorted(one.rows, key=lambda row: (not row.outcome.broke, row.outcome.value, row.name)):
        can = "" if row.mendable or not row.outcome.broke else " (not to be mended outside tests)"
        cells = (row.name, row.day, row.outcome.value + can, row.tests, row.judgement)
        yield _line(*cells, ", ".join((*row.sources, *row.rules)), row.what)


def transfer(rows: Sequence[ReadRow]) -> str:
    """Of the rules that edited something in these repositories, those whose edit was needed in one."""
    needed = {rule for row in rows for rule in row.rules}
    tried = needed | {rule for row in rows for rule in row.tried}
    return share(len(needed), len(tried))


def _line(*cells: str) -> str:
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    sys.exit(main())
