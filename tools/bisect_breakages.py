"""Bisect breakages whose cause the projects' own changelogs name, and write docs/evidence/breakages.md.

    python tools/bisect_breakages.py --results DIR [--only NAME …] [--minutes 20] [--retry] [--again DIR]

The list is tools/breakages.toml: a release of a project, a window of time, the release of a library that
broke it, and where that is said. Each is one ``backdate bisect`` in a process of its own, with what the
cache holds. ``hand``, ``missed`` and ``read`` in a row say how a person judged the answer: they are written
down after reading it, and before anything is mended; the page counts them. ``--kept-only`` only writes the
page. ``--again`` names the results of rows that were tried again after mending: a table of their own.
"""

from __future__ import annotations

import argparse
import math
import re
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from breakage_rows import LIST, Breakage, Judged, LaterList, judged, later_lists, read_breakages
from kept_bisections import bisect_kept

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "evidence" / "breakages.md"
_COST = re.compile(r"(\d+), (\d+)")
_CELLS = 12
"""Of a row of the page, the empty ones at both ends counted."""


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
    parser.add_argument("--again", type=Path, help="results of rows that were tried again after mending")
    parts = ("first", *(one.name for one in later_lists()))
    parser.add_argument("--part", choices=parts, default="first", help="the list, and its part of the page")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    listed = read_breakages(LIST)
    breakages = [one for one in listed if one.part == options.part]
    for breakage in breakages:
        if not options.kept_only and (
            not options.only or any(word in breakage.project for word in options.only)
        ):
            bisect_kept(
                breakage.wanted, *breakage.kept(options.results), options.minutes, retry=options.retry
            )
            write(options.page, judged(breakages, options.results), part=options.part)
    again = judged(breakages, options.again) if options.again else []
    write(options.page, judged(breakages, options.results), again, part=options.part)
    if options.part != "first":
        write_totals(options.page, listed)
    return 0


UNSEEN = "\n## All unseen rows\n"


def write(path: Path, rows: Sequence[Judged], again: Sequence[Judged] = (), *, part: str) -> None:
    """Write one list's part of the page, and leave the others' as they are."""
    rest = path.read_text(encoding="utf-8") if path.exists() else ""
    rest, found, totals = rest.partition(UNSEEN)
    totals = found + totals
    kept: dict[str, str] = {}
    for later in reversed(later_lists()):
        rest, found, text = rest.partition(later.start)
        kept[later.name] = found + text
    if part == "first":
        rest = page(rows, again)
    for later in later_lists():
        if later.name == part:
            kept[later.name] = later.start + part_of(later, rows, again)
        rest += kept[later.name]
    path.write_text(rest + totals, encoding="utf-8")


def write_totals(path: Path, breakages: Sequence[Breakage]) -> None:
    """Write what the later lists are together, from the list and from the rows of the page."""
    rest = path.read_text(encoding="utf-8").partition(UNSEEN)[0]
    later = rest.partition(later_lists()[0].start)[2]
    tried = [one for one in breakages if one.part != "first" and one.commit]
    path.write_text(f"{rest}{UNSEEN}{_totals(tried, list(_costs(later)))}", encoding="utf-8")


def _totals(tried: Sequence[Breakage], costs: Sequence[tuple[int, int]]) -> str:
    hands, advice = Counter(one.hand for one in tried), Counter(one.read for one in tried)
    breaks = hands["right"] + hands["wrong"]
    complete = sum(one.hand == "right" and not one.missed for one in tried)
    named = advice["right"] + advice["wrong"]
    built = statistics.median(cost[0] for cost in costs) if costs else 0
    runs = statistics.median(cost[1] for cost in costs) if costs else 0
    return f"""
The second to the {later_lists()[-1].name} list together, each row at first sight: {len(tried)} were tried,
{hands["nothing breaks"]} pass with the release that the list expects to break them, {hands["not visible"]}
cannot show it here, {hands["no answer"]} had no answer in their time.

| of the {breaks} whose suite breaks in the window | |
|---|---|
| the culprits are right | {_share(hands["right"], breaks)} |
| every breakage is told | {_share(complete, breaks)} |
| "Do this" is right, where the library names what takes the place | {_share(advice["right"], named)} |
| the library names nothing, so nothing is to be said | {advice["nothing named"]} |
| answers with a line of advice that is not true | {sum(bool(one.false) for one in tried)} |
| environments built beside the check, in the median | {built:g} |
| test runs, in the median | {runs:g} |
"""


def _costs(text: str) -> Iterator[tuple[int, int]]:
    """What each answer with culprits cost at first sight, from the rows of the page."""
    first_sight = True
    for line in text.splitlines():
        if line.startswith("#"):
            first_sight = "after mending" not in line
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        cost = _COST.fullmatch(cells[9]) if len(cells) == _CELLS else None
        if first_sight and cost is not None and cells[7]:
            yield int(cost[1]), int(cost[2])


MEASURED_AT = "5feb38d"
"""The commit at which the list was tried, once."""


def page(rows: Sequence[Judged], again: Sequence[Judged] = ()) -> str:
    """The whole page."""
    text = f"""# Breakages whose cause is known

What `backdate bisect` says of releases that a later release of a library broke, where the project's own
changelog says which. The list (`tools/breakages.toml`) was written from changelogs before any of its rows
was tried: releases of projects with an sdist, in whose next release the project says that it now works with a
release of a library. It is no random draw: such projects have many users and good changelogs. No
expectation was changed afterwards. Each row was tried once, at {MEASURED_AT}, by `tools/bisect_breakages.py`,
on two cores that other work shared; a person read every answer beside the sdist and the library's changelog
before anything was mended because of it. Intervals are of 95 % (Wilson).

{_not_tried(rows)}

{counted(rows)}

{_cost(rows)}

{_table(rows)}"""
    if not again:
        return text
    return f"""{text}
## After mending

Some rows again, with what was mended because of them, from a cache that held most of their environments.
These are rows that were used for mending, and say nothing of others.

{_table(again, again=True)}"""


def part_of(later: LaterList, rows: Sequence[Judged], again: Sequence[Judged] = ()) -> str:
    """The part of the page on the rows of a later list, which name the commit at which they were tried."""
    commits = Counter(row.breakage.commit for row in rows)
    tried = ", ".join(f"{count} at {commit}" for commit, count in commits.items())
    text = f"""
{later.introduction.strip().format(tried=tried)}

{counted(rows)}

{_cost(rows)}

{_table(rows)}"""
    if not again:
        return text
    return f"""{text}
### The {later.name} list after mending

Rows again, with what was mended because of them. They say nothing of others.

{_table(again, again=True)}"""


def counted(rows: Sequence[Judged]) -> str:
    """The table of counts."""
    answers = Counter(row.answer for row in rows)
    hands = Counter(row.breakage.hand for row in rows)
    told = hands["right"] + hands["wrong"]
    complete = sum(row.breakage.hand == "right" and not row.breakage.missed for row in rows)
    advice = Counter(row.breakage.read for row in rows)
    named = advice["right"] + advice["wrong"]
    both = sum(
        any(len(one.confirmed) == 2 for one in row.findings)
        for row in rows
        if row.breakage.hand in ("right", "wrong")
    )
    false = sum(bool(row.breakage.false) for row in rows)
    expected = _share(answers["right"], len(rows))
    advised = '**"Do this" is right, where the library names what takes the place**'
    nothing = hands["nothing breaks"]
    breaks = "**of those whose suite breaks in the window, the culprits are right**"
    return f"""| of the {len(rows)} rows that were tried | |
|---|---|
| the library and release that the list expects are named | {expected} |
| the library at another release | {answers["partly"]} |
| the suite passes with that release, as the answer says: the list expects too much | {nothing} |
| the suite cannot show it here | {hands["not visible"]} |
| no answer in its time | {hands["no answer"]} |
| {breaks} | {_share(hands["right"], told)} |
| … every breakage is told | {_share(complete, told)} |
| … confirmed both ways | {_share(both, told)} |
| {advised} | {_share(advice["right"], named)} |
| the library names nothing, so nothing is to be said | {advice["nothing named"]} |
| answers with a line of advice that is not true | {false} |"""


def _not_tried(rows: Sequence[Judged]) -> str:
    tried = {row.breakage.project for row in rows}
    listed = [one for one in read_breakages(LIST) if one.part == "first"]
    missing = [
        f"{one.project} ({one.why})" if one.why else one.project for one in listed if one.project not in tried
    ]
    if not missing:
        return f"All {len(listed)} rows of the list were tried."
    return (
        f"{len(rows)} of {len(listed)} rows were tried, in the order of the list; not {', '.join(missing)}."
    )


def _cost(rows: Sequence[Judged]) -> str:
    results = [row.result for row in rows if row.result is not None and row.findings]
    if not results:
        return ""
    built = [one.builds for one in results]
    middle = f"{statistics.median(built):g} environments beside its check (at most {max(built)})"
    runs = f"ran tests {statistics.median(one.runs for one in results):g} times"
    return f"In the median a bisection that found something built {middle} and {runs}."


def _share(count: int, total: int) -> str:
    """A count with its share and the 95 % interval of Wilson's score."""
    if not total:
        return "0 of 0"
    z, share = 1.959964, count / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return f"{count} of {total} ({share:.0%}; {low:.0%} to {high:.0%})"


def _table(rows: Sequence[Judged], *, again: bool = False) -> str:
    columns = (
        *("project", "window", "expected, and who says so", "culprits found", "as listed", "by hand"),
        *(
            "confirmed",
            "tests",
            "environments with both sides, runs" if again else "built, runs",
            "what to do",
        ),
    )
    head = f"{_line(*columns)}\n|{'---|' * len(columns)}\n"
    return head + "".join(f"{_row(row, again=again)}\n" for row in rows)


def _row(row: Judged, *, again: bool) -> str:
    asked = row.breakage
    expected = f"{asked.culprit} {asked.release}: {asked.said}"
    expected += f"; instead {asked.instead}" if asked.instead else ""
    words = [": ".join(filter(None, (asked.read, asked.why)))]
    words += [f"Not true: {asked.false}"] if asked.false else []
    read = asked.again if again else " ".join(words)
    hand = "" if again else asked.hand + (f"; missed: {asked.missed}" if asked.missed else "")
    window = f"{asked.old} to {asked.new}"
    if row.result is None:
        return _line(asked.project, window, expected, row.failed, "wrong", hand, "", "", "", read)
    found = Counter(
        " and ".join(
            f"{one.name} {one.old or '(absent)'} to {one.new or '(gone)'}" for one in finding.culprits
        )
        or "none"
        for finding in row.findings
    )
    ways = {{2: "both ways", 1: "one way"}.get(len(one.confirmed), "no") for one in row.findings}
    causes = "; ".join(f"{what} ({count} causes)" if count > 1 else what for what, count in found.items())
    return _line(
        asked.project,
        window,
        expected,
        causes or row.result.check.reason or row.result.verdict.value,
        row.answer,
        hand,
        ", ".join(sorted(ways)),
        ", ".join(str(len(one.tests)) for one in row.findings),
        f"{row.result.environments if again else row.result.builds}, {row.result.runs}",
        read,
    )


def _line(*cells: str) -> str:
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|')[:700] for cell in cells)} |"


if __name__ == "__main__":
    sys.exit(main())
