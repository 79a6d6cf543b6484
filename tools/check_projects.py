"""Check real projects and write docs/evidence/projects.md: the table of what updates broke in them.

    python tools/check_projects.py [--repos DIR] [--tasks FILE.jsonl] [--to 2025-07-31] [--only NAME …]

Sdists come from the package index. Git repositories are rows of a file in the form of
TimeMachine-bench v1 (``repo_name``, ``commit_hash``, ``reproduction_target_date``, …); their clones are
looked for at DIR/OWNER+NAME/repo, DIR/OWNER__NAME and DIR/NAME. What cannot be had is listed as such.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import backdate
from backdate.cli.render import result_lines
from backdate.errors import BackdateError

SDISTS = (
    "pypi:Flask-Login==0.6.2",
    "pypi:numpy-financial==1.0.0",
    "pypi:marshmallow-sqlalchemy==0.28.1",
    "pypi:webargs==8.2.0",
    "pypi:uncertainties==3.1.7",
    "pypi:Flask-SQLAlchemy==2.5.1",
    "pypi:apispec==6.0.0",
    "pypi:asteval==0.9.27",
)
_PLACES = re.compile(r"/[^\s'\"()]*/lib/python3\.\d+/|/work/[0-9a-f]{16}/[^\s/]+/")
"""Where interpreters, environments and trees lie on the machine that made the page."""
PAGE = Path(__file__).parent.parent / "docs" / "evidence" / "projects.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One project to check."""

    source: str
    shown: str
    from_: str | None
    published: str = ""
    """The libraries that a published data set names as the cause."""


def main() -> int:
    """Run all checks, print each report, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repos", type=Path, help="where clones of the rows' repositories are")
    parser.add_argument("--tasks", type=Path, help="rows in the form of TimeMachine-bench v1")
    parser.add_argument("--to", default="2025-07-31", help="the new instant")
    parser.add_argument("--only", nargs="*", help="only sources that contain one of these words")
    parser.add_argument("--results", type=Path, help="keep every result there, and take what is there")
    parser.add_argument("--kept-only", action="store_true", help="check nothing: write what --results holds")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    rows = []
    for wanted in [*sdists(), *git_rows(options.tasks, options.repos)]:
        if options.only and not any(word.lower() in wanted.shown.lower() for word in options.only):
            continue
        rows.append(check_one(wanted, options.to, options.results, kept_only=options.kept_only))
        options.page.write_text(page(rows, options.to), encoding="utf-8")
    return 0


def sdists() -> list[Wanted]:
    """The sdists of this script."""
    return [Wanted(source=source, shown=source, from_=None) for source in SDISTS]


def git_rows(tasks: Path | None, repos: Path | None) -> list[Wanted]:
    """The rows whose clones are there."""
    if tasks is None or repos is None:
        return []
    found = []
    for line in tasks.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        owner, name = row["repo_name"].split("/")
        places = [repos / f"{owner}+{name}" / "repo", repos / f"{owner}__{name}", repos / name]
        clone = next((place for place in places if place.exists()), None)
        if clone is not None:
            found.append(
                Wanted(
                    source=f"{clone}@{row['commit_hash']}",
                    shown=f"{row['repo_name']}@{row['commit_hash'][:8]}",
                    from_=row["reproduction_target_date"],
                    published=row.get("related_modules") or "",
                )
            )
    return found


def check_one(wanted: Wanted, to: str, results: Path | None, *, kept_only: bool) -> str:
    """Check one project; its row of the table."""
    name = wanted.shown.replace("/", "__").replace(":", "_")
    kept = results / f"{name}.json" if results is not None else None
    if kept is not None and kept.exists():
        return row_of(wanted, backdate.read_result(kept))
    if kept_only:
        return f"| {wanted.shown} | | | not checked | | {wanted.published} |"
    started = time.monotonic()
    try:
        result = backdate.check(
            wanted.source,
            from_instant=backdate.parse_instant(wanted.from_) if wanted.from_ else None,
            to_instant=backdate.parse_instant(to),
            question=backdate.Question.LIFTED,
            move_python=True,
        )
    except BackdateError as error:
        print(f"== {wanted.shown}: {error}", file=sys.stderr)
        return f"| {wanted.shown} | | | no answer | {str(error).splitlines()[0]} | {wanted.published} |"
    print(f"== {wanted.shown} ({time.monotonic() - started:.0f} s)")
    for text, _style in result_lines(result):
        print(text)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes((result.folder / "result.json").read_bytes())
    return row_of(wanted, result)


def row_of(wanted: Wanted, result: backdate.CheckResult) -> str:
    """One row of the table."""
    sides = [
        f"{side.instant:%Y-%m-%d}, {side.choice.interpreter.version}" for side in (result.old, result.new)
    ]
    finding = result.reason
    if result.comparison is not None and result.comparison.breakages:
        first = result.comparison.breakages[0]
        place = f" at {first.places[0].file}:{first.places[0].line}" if first.places else ""
        message = _PLACES.sub("", first.message).replace("|", "\\|").replace("`", "'")[:110]
        finding = f"{result.reason}: `{first.type}: {message}`{place}"
    finding = _PLACES.sub("", finding)
    return f"| {wanted.shown} | {sides[0]} | {sides[1]} | {result.verdict} | {finding} | {wanted.published} |"


def page(rows: list[str], to: str) -> str:
    """The whole page."""
    verdicts = Counter(row.split("|")[4].strip() for row in rows)
    counts = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.most_common())
    head = f"""# Real projects, checked

What `backdate check` says of real projects between their own date and {to}: sdists from the package
index that carry their tests, and repositories of published TimeMachine-bench tasks, for which the
last column gives the libraries that people found to be the cause. For each the largest group of
broken tests is shown. Made by `tools/check_projects.py` (its head says how to run it).

Of {len(rows)}: {counts}.

| project | old side | new side | verdict | finding | published cause |
|---|---|---|---|---|---|
"""
    return head + "\n".join(rows) + "\n"


if __name__ == "__main__":
    sys.exit(main())
