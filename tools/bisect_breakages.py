"""Bisect breakages whose cause the projects' own changelogs name, and write docs/breakages.md.

    python tools/bisect_breakages.py --results DIR [--only NAME …] [--minutes 20] [--retry]

The list is tools/breakages.toml: a release of a project, a window of time, the release of a library that
broke it, and where that is said. Each is one ``backdate bisect`` in a process of its own, with what the
cache holds. ``read`` in a row says how a person judged what the answer says to do: it is written down after
reading the answer, and before anything is mended; the page counts it. ``--kept-only`` only writes the page.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
from kept_bisections import WantedBisection, bisect_kept
from packaging.utils import canonicalize_name
from packaging.version import Version

from backdate.bisection.result import BisectResult, Culprit, Finding, read_bisect_result

ROOT = Path(__file__).parent.parent
LIST = Path(__file__).parent / "breakages.toml"
PAGE = ROOT / "docs" / "breakages.md"
Answer = Literal["right", "wrong", "partly"]


class Breakage(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A row of the list."""

    project: str
    """"NAME==VERSION", of an sdist."""
    old: str
    new: str
    culprit: str
    release: str
    """The release that broke it, or whose series did."""
    said: str
    """The project's changelog: release and words."""
    read: Literal["", "right", "wrong", "nothing named"] = ""
    """What a person thinks of the advice; "nothing named" where the library names no replacement."""
    why: str = ""
    """Of ``read``, and of an answer that is not the expected one."""

    @property
    def wanted(self) -> WantedBisection:
        return WantedBisection(shown=self.project, source=f"pypi:{self.project}", old=self.old, new=self.new)

    def kept(self, results: Path) -> tuple[Path, Path]:
        """Where the result is, and why there is none."""
        name = self.project.replace("==", "-")
        return results / f"{name}.json", results / f"{name}.failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A row with its answer; None where there is none."""

    breakage: Breakage
    result: BisectResult | None
    failed: str = ""

    @property
    def answer(self) -> Answer:
        """``partly``: the library is named, at another release."""
        culprits = [one for finding in self.findings for one in finding.culprits]
        same = [one for one in culprits if one.name == canonicalize_name(self.breakage.culprit)]
        if any(_is_release(one, self.breakage.release) for one in same):
            return "right"
        return "partly" if same else "wrong"

    @property
    def findings(self) -> tuple[Finding, ...]:
        return () if self.result is None else self.result.findings


def main() -> int:
    """Bisect what is not in the results yet, and write the page after each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, required=True, help="a folder for the results, kept")
    parser.add_argument("--only", nargs="*", help="only projects that contain one of these words")
    parser.add_argument("--minutes", type=float, default=20.0, help="wall time for each")
    parser.add_argument("--retry", action="store_true", help="try again what gave no answer")
    parser.add_argument("--kept-only", action="store_true", help="bisect nothing: write what --results holds")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    breakages = read_breakages(LIST)
    for breakage in breakages:
        if not options.kept_only and (
            not options.only or any(word in breakage.project for word in options.only)
        ):
            bisect_kept(
                breakage.wanted, *breakage.kept(options.results), options.minutes, retry=options.retry
            )
            options.page.write_text(page(judged(breakages, options.results)), encoding="utf-8")
    options.page.write_text(page(judged(breakages, options.results)), encoding="utf-8")
    return 0


def read_breakages(path: Path) -> tuple[Breakage, ...]:
    """The list. Raises msgspec.ValidationError for what is no row."""
    return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8"))["breakage"], tuple[Breakage, ...])


def judged(breakages: Sequence[Breakage], results: Path) -> list[Judged]:
    """The rows that were tried, with their answers."""
    rows = []
    for breakage in breakages:
        kept, failed = breakage.kept(results)
        if kept.exists():
            rows.append(Judged(breakage=breakage, result=read_bisect_result(kept)))
        elif failed.exists():
            said = failed.read_text(encoding="utf-8").strip().splitlines()
            rows.append(Judged(breakage=breakage, result=None, failed=said[-1] if said else "no answer"))
    return rows


def page(rows: Sequence[Judged]) -> str:
    """The whole page."""
    answers = Counter(row.answer for row in rows)
    advice = Counter(row.breakage.read for row in rows)
    named = advice["right"] + advice["wrong"]
    found = sum(bool(row.findings) for row in rows)
    both = sum(any(len(one.confirmed) == 2 for one in row.findings) for row in rows)
    built = [row.result.builds for row in rows if row.result is not None]
    runs = [row.result.runs for row in rows if row.result is not None]
    cost = f"{statistics.median(built):g} environments and {statistics.median(runs):g} runs" if built else "-"
    columns = (
        *("project", "window", "expected, and who says so", "culprits found", "answer", "confirmed"),
        *("tests", "built, runs", "what to do"),
    )
    text = f"""# Breakages whose cause is known

What `backdate bisect` says of releases that a later release of a library broke, where the project's own
changelog says which. The list was written before any of its rows was tried. Made by
`tools/bisect_breakages.py`.

Of {len(rows)} rows the culprit is right in {answers["right"]}, the library alone in {answers["partly"]};
a breakage is found in {found}, and confirmed both ways in {both}. What to do is judged by a person: right in
{advice["right"]} of {named} whose library names a replacement. In the median a bisection built {cost}
of tests beside its check.

{_line(*columns)}
|---|---|---|---|---|---|--:|--:|---|
"""
    return text + "".join(f"{_row(row)}\n" for row in rows)


def _row(row: Judged) -> str:
    asked = row.breakage
    expected = f"{asked.culprit} {asked.release}: {asked.said}"
    read = ": ".join(filter(None, (asked.read, asked.why)))
    if row.result is None:
        return _line(
            asked.project, f"{asked.old} to {asked.new}", expected, row.failed, "wrong", "", "", "", read
        )
    found = "; ".join(
        " and ".join(
            f"{one.name} {one.old or '(absent)'} to {one.new or '(gone)'}" for one in finding.culprits
        )
        or "none"
        for finding in row.findings
    )
    return _line(
        asked.project,
        f"{asked.old} to {asked.new}",
        expected,
        found or row.result.check.reason or row.result.verdict.value,
        row.answer,
        ", ".join({2: "both ways", 1: "one way"}.get(len(one.confirmed), "no") for one in row.findings),
        ", ".join(str(len(one.tests)) for one in row.findings),
        f"{row.result.builds}, {row.result.runs}",
        read,
    )


def _line(*cells: str) -> str:
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|')[:200] for cell in cells)} |"


def _is_release(culprit: Culprit, release: str) -> bool:
    """Whether the culprit's first bad version is ``release`` or the first of its series that was had."""
    if culprit.new is None:
        return False
    wanted, found = Version(release), Version(culprit.new)
    return found.release[: len(wanted.release)] == wanted.release or found == wanted


if __name__ == "__main__":
    sys.exit(main())
