"""Bisect the published migration tasks and write docs/evidence/attributions.md: which release broke each.

    python tools/bisect_tasks.py --tasks FILE.jsonl --repos DIR --results DIR [--only NAME …] [--retry]

Rows are those of a file in the form of TimeMachine-bench v1; clones are looked for at DIR/OWNER+NAME/repo,
DIR/OWNER__NAME and DIR/NAME. Each task is one ``backdate bisect`` in a process of its own, the small projects
first, and is ended after ``--minutes``: what it learned is in the cache, so that ``--retry`` goes on there.
A result that is in ``--results`` is not made again; ``--kept-only`` only writes the page.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from kept_bisections import WantedBisection, bisect_kept
from packaging.utils import canonicalize_name

from backdate.bisection.result import BisectResult, Finding
from backdate.serial import from_json

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "evidence" / "attributions.md"
EXPLAINED = Path(__file__).parent / "attributions_explained.json"
"""Why an answer differs from the published one, by repository: read by a person, written down once."""
HEAVY = ("torch", "tensorflow", "ray", "jax", "pyspark", "xgboost", "ansible", "sphinx")
"""Their environments take gigabytes, or minutes: last in the row."""
SAME = {"discord": "discord-py", "builtin": "python", "asyncio": "python"}
"""Published names that are another name, or a module of the standard library."""
_PLACES = re.compile(r"/[^\s'\"()]*/lib/python3\.\d+/|/work/[0-9a-f]{16}/[^\s/]+/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A row, and where its clone is."""

    name: str
    commit: str
    clone: Path | None
    old: str
    new: str
    published: tuple[str, ...]
    cost: float
    """Orders tasks: what is likely to take longer is larger."""


def main() -> int:
    """Bisect what is not in the results yet, and write the page after each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", type=Path, required=True, help="rows in the form of TimeMachine-bench v1")
    parser.add_argument("--repos", type=Path, required=True, help="where clones of their repositories are")
    parser.add_argument("--results", type=Path, required=True, help="a folder for the results, kept")
    parser.add_argument("--only", nargs="*", help="only names that contain one of these words")
    parser.add_argument("--minutes", type=float, default=10.0, help="wall time for each task")
    parser.add_argument("--retry", action="store_true", help="try again what gave no answer")
    parser.add_argument("--kept-only", action="store_true", help="bisect nothing: write what --results holds")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    tasks = read_tasks(options.tasks, options.repos)
    for task in sorted(tasks, key=lambda one: one.cost):
        wanted = not options.only or any(word.lower() in task.name.lower() for word in options.only)
        if wanted and not options.kept_only:
            if task.clone is not None:
                kept, failed = kept_files(task, options.results)
                source = f"{task.clone}@{task.commit}"
                wanted_one = WantedBisection(shown=task.name, source=source, old=task.old, new=task.new)
                bisect_kept(wanted_one, kept, failed, options.minutes, retry=options.retry)
            options.page.write_text(page(tasks, options.results), encoding="utf-8")
    options.page.write_text(page(tasks, options.results), encoding="utf-8")
    return 0


def read_tasks(tasks: Path, repos: Path) -> list[Task]:
    """The rows of the file at ``tasks``."""
    found = []
    for line in tasks.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        owner, name = row["repo_name"].split("/")
        places = [repos / f"{owner}+{name}" / "repo", repos / f"{owner}__{name}", repos / name]
        frozen = row["dependency_versions"].lower()
        found.append(
            Task(
                name=row["repo_name"],
                commit=row["commit_hash"],
                clone=next((place for place in places if place.exists()), None),
                old=row["reproduction_target_date"],
                new=row["migration_target_date"],
                published=tuple(
                    one.strip() for one in (row["related_modules"] or "").split(",") if one.strip()
                ),
                cost=len(frozen.splitlines())
                + row["total_loc_python"] / 1000
                + 1000 * any(f"{heavy}==" in frozen for heavy in HEAVY),
            )
        )
    return found


def kept_files(task: Task, results: Path) -> tuple[Path, Path]:
    """Where the task's result is, and why there is none."""
    name = task.name.replace("/", "__")
    return results / f"{name}.json", results / f"{name}.failed"


def agreement(task: Task, result: BisectResult) -> str:
    """ "agree", "partly" (one of those that are published) or "differ"."""
    blamed = {culprit.name for finding in result.findings for culprit in finding.culprits}
    published = published_names(task)
    if not blamed:
        return ""
    if published <= blamed:
        return "agree"
    return "partly" if published & blamed else "differ"


def published_names(task: Task) -> set[str]:
    """The published libraries as a bisection calls them."""
    return {str(canonicalize_name(SAME.get(name.lower(), name))) for name in task.published}


def proved_both_ways(task: Task, result: BisectResult) -> bool:
    """Whether a published culprit is confirmed both ways; where none is found, any culprit."""
    blamed = [(finding, {one.name for one in finding.culprits}) for finding in result.findings]
    named = [(finding, names) for finding, names in blamed if names & published_names(task)]
    return any(len(finding.confirmed) == 2 for finding, names in named or blamed if names)


def proved(finding: Finding) -> str:
    """How a finding is confirmed."""
    return {2: "both ways", 1: "one way"}.get(len(finding.confirmed), "no")


def page(tasks: list[Task], results: Path) -> str:
    """The whole page."""
    explained = json.loads(EXPLAINED.read_text(encoding="utf-8")) if EXPLAINED.exists() else {}
    rows: list[str] = []
    counts: Counter[str] = Counter()
    for task in sorted(tasks, key=lambda one: one.name.lower()):
        kept, failed = kept_files(task, results)
        head = f"| {task.name} | {', '.join(task.published)} |"
        why = explained.get(task.name, "")
        if kept.exists():
            result = from_json(BisectResult, kept.read_bytes(), what=str(kept))
            verdict = agreement(task, result)
            counts["both ways"] += proved_both_ways(task, result)
            counts["attributed"] += bool(verdict)
            counts[verdict] += 1
            rows += _task_rows(head, result, ": ".join(word for word in (verdict, why) if word))
        else:
            said = failed.read_text(encoding="utf-8").strip().splitlines() if failed.exists() else []
            reason = said[-1] if said else "no clone" if task.clone is None else "not bisected"
            counts["no answer"] += 1
            reason = reason.replace(str(task.clone), "the clone").removeprefix("backdate: ")
            rows.append(f"{head} no answer: {_shown(reason)} | | | | | {why} |")
    text = f"""# Which release broke the published tasks

What `backdate bisect` says of the tasks of TimeMachine-bench's verified half, between each one's own
instant and 2025-07-31, beside the libraries that people found to be the cause (`related_modules`;
`builtin` is the standard library, so the interpreter). A line for each cause. *Both ways*: the last good
environment with only the culprit moved fails, and the newest with the culprit held back passes.
Made by `tools/bisect_tasks.py`.

Of {len(tasks)} tasks {counts["attributed"]} are attributed, {counts["both ways"]} of them both ways.
Of those that are attributed, {counts["agree"]} name every published library, {counts["partly"]} some,
{counts["differ"]} another: the last column says why. {counts["no answer"]} have no answer here.

| task | published | culprit | released | tests | confirmed | agreement |
|---|---|---|---|---|---|---|
"""
    return text + "\n".join(rows) + "\n"


def _task_rows(head: str, result: BisectResult, agreed: str) -> list[str]:
    if not result.findings:
        reason = result.check.reason
        if result.unattributed:
            reason = f"{len(result.unattributed)} tests not attributed: {result.unattributed[0].reason}"
        elif result.notes and not result.check.broke:
            reason = result.check.reason
        return [f"{head} none: {_shown(reason)} | | {result.check.broke} | | {agreed} |"]
    rows = []
    for number, finding in enumerate(result.findings):
        names = " and ".join(
            f"{one.name} {one.old or '(absent)'} → {one.new or '(gone)'}" for one in finding.culprits
        )
        days = ", ".join(f"{one.released:%Y-%m-%d}" for one in finding.culprits if one.released)
        why = f"none: {finding.notes[-1]}" if finding.notes else "none"
        error = f"`{_shown(f'{finding.error.type}: {finding.error.message}')}`"
        row = f"{names or _shown(why)}: {error} | {days} | {len(finding.tests)} | {proved(finding)} |"
        rows.append(f"{head if not number else '| | |'} {row} {agreed if not number else ''} |")
    return rows


def _shown(text: str) -> str:
    """Without places of the machine that made the page, and fit for a table."""
    return _PLACES.sub("", text).replace("|", "\\|").replace("`", "'")[:110]


if __name__ == "__main__":
    sys.exit(main())
