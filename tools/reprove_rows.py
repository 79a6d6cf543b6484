"""Draw published ids of SWE-bench-Live whose repositories are at hand, and write what was found of them.

    python tools/reprove_rows.py draw IDS.jsonl --repos CLONES -o ROWS.jsonl [--count 20] [--seed 20261122]
                                                [--published TASKS.json]
    backdate bench import ROWS.jsonl -o DATASET --with-sources --repos CLONES
    backdate bench verify DATASET --proof-only
    python tools/reprove_rows.py table DATASET --drawn ROWS.drawn.json [--light DATASET]
                                                                       [--page docs/evidence/reproved.md]

IDS.jsonl is the list that the leaderboard's site publishes: instance_id, repo, created_at. The rows
themselves (patches, texts, lists of tests) are not in it, so each is made again from the pull request that
its id names, in a clone: base and head by the project's history, code and tests by what its runner collects.
Ids are drawn in the order of the seed; those of which the clone holds no such change are recorded and passed
over. TASKS.json (``task_metadata.json`` of the distribution swebench-live-cube 0.1.0) says the base commit of
every published row: it becomes the row's, where the clone has it. Neither ids nor rows are kept in this
repository.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from backdate.changes.change import Change
from backdate.changes.history import HistorySource
from backdate.changes.interface import ChangeRange, ReadRepository
from backdate.changes.split import SplitChange, split_change
from backdate.editing.patch import as_git_patch
from backdate.projects.sources.git import commit_date, find_git_dir
from backdate.tasks.dataset import Dataset
from backdate.tasks.trees import find_clone
from backdate.tasks.verification_record import read_verification
from backdate.tasks.verify_task import Verification

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "evidence" / "reproved.md"
_MOST_CHANGES = 10_000
_HEAD = """\
# Instances of others, proven again

`python tools/reprove_rows.py` writes this page; its docstring says how.

Ids, repositories and dates are those of SWE-bench-Live's list; the data set itself could not be had. Each row
was made again from the pull request that its id names, on the base commit that is published for it (a
distribution of tasks, swebench-live-cube 0.1.0, names them), without lists of tests: agreement is whether a
published, verified instance has tests here that fail before its change and pass after it, in an environment
that our own recipe gave the base commit, as of the later of its date and the pull request's creation, each
side run once. No container is used. Of one row (`amoffat__sh-744`) base and patches are published with that
data set's tools: they make the same change.
"""


_LIGHT = """\
## Rows of repositories with small suites

Rows of the same list, made in the same way, of repositories whose suites take a minute and not ten: all
that their clones tell, but those above. They were chosen for their size, so they stand apart.
"""
_BY_HAND = "## Rows with their lists"


class PublishedId(msgspec.Struct, kw_only=True, frozen=True):
    """A line of the published list."""

    instance_id: str
    repo: str
    created_at: str

    @property
    def number(self) -> int:
        """Of the pull request."""
        return int(self.instance_id.rpartition("-")[2])


class PublishedBase(msgspec.Struct, kw_only=True, frozen=True):
    """What TASKS.json says of a row."""

    id: str
    base_commit: str


class Drawn(msgspec.Struct, kw_only=True, frozen=True):
    """What was drawn, kept beside the rows."""

    seed: int
    listed: int
    """Ids of the list."""
    at_hand: int
    """How many of them are of repositories that are at hand."""
    passed_over: dict[str, str]
    """Ids that came before the last row and gave none, and why."""
    rows: tuple[str, ...]
    told_bases: dict[str, str] = {}
    """The base commit that the clone's history tells, of rows whose published base is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clone:
    """A clone and the changes that it tells, by the number of their pull request."""

    git_dir: Path
    changes: dict[int, Change]


def draw(
    file: Path, clones: Path, output: Path, *, count: int, seed: int, published: Path | None = None
) -> None:
    """Write ``count`` rows to ``output``, and what was drawn beside it."""
    bases = {} if published is None else _published_bases(published)
    told: dict[str, str] = {}
    listed = msgspec.json.Decoder(PublishedId).decode_lines(file.read_bytes())
    here = (each for each in listed if find_clone(each.repo, clones) is not None)
    ids = sorted(here, key=lambda each: each.instance_id)
    random.Random(seed).shuffle(ids)
    known: dict[str, Clone] = {}
    rows: list[dict[str, object]] = []
    passed_over: dict[str, str] = {}
    for each in ids:
        if len(rows) == count:
            break
        if each.repo not in known:
            known[each.repo] = _read_clone(each.repo, clones)
        row = _row_of(each, known[each.repo])
        if isinstance(row, str):
            passed_over[each.instance_id] = row
            continue
        base = bases.get(each.instance_id)
        if base is not None and commit_date(known[each.repo].git_dir, base) is not None:
            told[each.instance_id] = str(row["base_commit"])
            row["base_commit"] = base
        rows.append(row)
    output.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    drawn = Drawn(
        seed=seed,
        listed=len(listed),
        at_hand=len(ids),
        passed_over=passed_over,
        rows=tuple(str(row["instance_id"]) for row in rows),
        told_bases=told,
    )
    output.with_suffix(".drawn.json").write_bytes(msgspec.json.format(msgspec.json.encode(drawn)))


def _published_bases(file: Path) -> dict[str, str]:
    listed = msgspec.json.decode(file.read_bytes(), type=list[PublishedBase])
    return {each.id: each.base_commit for each in listed}


def _read_clone(name: str, clones: Path) -> Clone:
    folder = find_clone(name, clones)
    git_dir = find_git_dir(folder) if folder is not None else None
    assert git_dir is not None  # only ids with a clone are drawn
    source = HistorySource().changes(
        ReadRepository(name=name, git_dir=git_dir), ChangeRange(most=_MOST_CHANGES)
    )
    changes: dict[int, Change] = {}
    for change in source:
        if isinstance(change, Change) and change.number is not None:
            changes.setdefault(change.number, change)
    return Clone(git_dir=git_dir, changes=changes)


def _row_of(published: PublishedId, clone: Clone) -> dict[str, object] | str:
    """The row in SWE-bench-Live's columns, or why there is none."""
    change = clone.changes.get(published.number)
    if change is None:
        return "the clone's history tells no such change"
    split = split_change(clone.git_dir, change)
    if not isinstance(split, SplitChange):
        return f"it cannot be split: {split.detail}"
    if not split.code or not split.test:
        return "it changes no code, or no tests"
    return {
        "repo": published.repo,
        "pull_number": str(published.number),
        "instance_id": published.instance_id,
        "issue_numbers": [],
        "base_commit": change.base,
        "patch": as_git_patch(split.code),
        "test_patch": as_git_patch(split.test),
        "problem_statement": f"{change.title}\n{change.body}",
        "hints_text": "",
        "created_at": published.created_at,
        "commit_urls": [],
        "test_cmds": [],
        "log_parser": "pytest",
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsTable:
    """The rows of one data set."""

    lines: tuple[str, ...]
    tried: int
    agreeing: int

    @property
    def said(self) -> str:
        """How many agree."""
        differing = self.tried - self.agreeing
        return (
            f"{self.tried} were tried in the time that there was: {self.agreeing} agree, {differing} do not."
        )


def table_of_rows(dataset: Dataset) -> RowsTable:
    """What became of each row."""
    lines = [
        "| instance | base | Python | before | after | turn | agrees |",
        "|---|---|---|---|---|---:|---|",
    ]
    agreeing = tried = 0
    for task in dataset.tasks:
        record = read_verification(dataset.folder_of(task))
        if record is None:
            lines.append(f"| {task.instance_id} | {task.source.revision[:12]} | | | | | not tried |")
            continue
        tried += 1
        agreeing += record.verification.verified
        turning = sum(test.role == "fail-to-pass" for test in record.tests)
        cells = " | ".join(_cell(record.verification, name) for name in ("start", "reference"))
        verdict = "yes" if record.verification.verified else f"no: {_short(record.verification.reason)}"
        lines.append(
            f"| {task.instance_id} | {task.source.revision[:12]} | {task.environment.python} | {cells} "
            f"| {turning} | {verdict} |"
        )
    return RowsTable(lines=tuple(lines), tried=tried, agreeing=agreeing)


def table(dataset: Dataset, drawn: Drawn, light: Dataset | None = None) -> str:
    """The page. ``light``: rows of repositories with small suites, which were drawn apart."""
    drawn_table = table_of_rows(dataset)
    passed_over = len(drawn.passed_over)
    same = sum(task.source.revision == drawn.told_bases.get(task.instance_id) for task in dataset.tasks)
    rows = f"{len(drawn.rows)} were drawn (seed {drawn.seed}), {passed_over} before the last gave no row."
    said = [
        f"{drawn.at_hand} of the {drawn.listed:,} listed ids are of repositories that were at hand; {rows}",
        drawn_table.said,
    ]
    if drawn.told_bases:
        said.append(
            f"The base commit that the clone's history tells is the published one in {same} of "
            f"{len(drawn.told_bases)}."
        )
    said += [f"- {name}: {why}" for name, why in drawn.passed_over.items()]
    parts = [_HEAD, *said, "", *drawn_table.lines]
    if light is not None:
        further = table_of_rows(light)
        parts += ["", _LIGHT, f"Of these {len(light.tasks)}, {further.said}", "", *further.lines]
    return "\n".join(parts) + "\n"


def _by_hand(page: Path) -> str:
    """The part of the page that people write, with the blank line before it; it stays as it is."""
    if not page.exists():
        return ""
    _, heading, rest = page.read_text(encoding="utf-8").partition(_BY_HAND)
    return f"\n{heading}{rest}" if heading else ""


def _cell(verification: Verification, name: str) -> str:
    stage = next((stage for stage in verification.stages if stage.stage == name), None)
    return "" if stage is None else f"{stage.state} {stage.passed:,}/{stage.total:,}"


def _short(text: str) -> str:
    flat = " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
    return flat if len(flat) <= 160 else f"{flat[:159]}…"


def main(arguments: Sequence[str]) -> int:
    """Draw, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("ids", type=Path)
    drawing.add_argument("--repos", type=Path, required=True)
    drawing.add_argument("-o", "--output", type=Path, required=True)
    drawing.add_argument("--count", type=int, default=20)
    drawing.add_argument("--seed", type=int, default=20261122)
    drawing.add_argument("--published", type=Path)
    writing = commands.add_parser("table")
    writing.add_argument("dataset", type=Path)
    writing.add_argument("--drawn", type=Path, required=True)
    writing.add_argument("--light", type=Path)
    writing.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args(arguments)
    if given.command == "draw":
        draw(
            given.ids,
            given.repos,
            given.output,
            count=given.count,
            seed=given.seed,
            published=given.published,
        )
    else:
        drawn = msgspec.json.decode(given.drawn.read_bytes(), type=Drawn)
        light = Dataset.open(given.light) if given.light is not None else None
        page = table(Dataset.open(given.dataset), drawn, light) + _by_hand(given.page)
        given.page.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
