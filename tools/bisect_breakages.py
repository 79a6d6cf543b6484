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
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import msgspec
from kept_bisections import WantedBisection, bisect_kept
from packaging.utils import canonicalize_name
from packaging.version import Version

from backdate.bisection.result import BisectResult, Culprit, Finding, read_bisect_result

ROOT = Path(__file__).parent.parent
LIST = Path(__file__).parent / "breakages.toml"
PAGE = ROOT / "docs" / "evidence" / "breakages.md"
Answer = Literal["right", "wrong", "partly"]
Part = Literal["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_COST = re.compile(r"(\d+), (\d+)")
_CELLS = 12
"""Of a row of the page, the empty ones at both ends counted."""
PARTS: tuple[Part, ...] = get_args(Part)


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
    instead: str = ""
    """What the library says is written instead of what went, and where; written before the row was tried."""
    hand: Literal["", "right", "wrong", "nothing breaks", "not visible", "no answer"] = ""
    """What a person found of the culprits. "nothing breaks": the suite passes with the expected release, as
    the answer says. "not visible": the suite cannot show it (no tests, no good old side, a network). "no
    answer": it was ended before it had one."""
    missed: str = ""
    """The breakages of the window that the answer does not tell, by a person; "" where it tells all."""
    read: Literal["", "right", "wrong", "nothing named"] = ""
    """What a person thinks of the advice; "nothing named" where the library names no replacement."""
    false: str = ""
    """A line of the advice that is not true."""
    why: str = ""
    """Of ``read``, and of an answer that is not the expected one."""
    again: str = ""
    """What a person says of the answer after mending."""
    commit: str = ""
    """Where the row was tried first; "" for the first list."""
    part: Part = "first"
    """The list, and the part of the page, that it is in."""

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
    parser.add_argument("--again", type=Path, help="results of rows that were tried again after mending")
    parser.add_argument("--part", choices=PARTS, default="first", help="the list, and its part of the page")
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


SECOND = "\n## A second list\n"
THIRD = "\n## A third list\n"
FOURTH = "\n## A fourth list\n"
FIFTH = "\n## A fifth list\n"
SIXTH = "\n## A sixth list\n"
SEVENTH = "\n## A seventh list\n"
EIGHTH = "\n## An eighth list\n"
NINTH = "\n## A ninth list\n"
TENTH = "\n## A tenth list\n"
UNSEEN = "\n## All unseen rows\n"
LATER: tuple[tuple[Part, str], ...] = (
    ("second", SECOND),
    ("third", THIRD),
    ("fourth", FOURTH),
    ("fifth", FIFTH),
    ("sixth", SIXTH),
    ("seventh", SEVENTH),
    ("eighth", EIGHTH),
    ("ninth", NINTH),
    ("tenth", TENTH),
)
"""The later lists in the order of the page, with the line at which each one's part begins."""


def write(path: Path, rows: Sequence[Judged], again: Sequence[Judged] = (), *, part: Part) -> None:
    """Write one list's part of the page, and leave the others' as they are."""
    rest = path.read_text(encoding="utf-8") if path.exists() else ""
    rest, found, totals = rest.partition(UNSEEN)
    totals = found + totals
    kept: dict[Part, str] = {}
    for later, heading in reversed(LATER):
        rest, found, text = rest.partition(heading)
        kept[later] = found + text
    if part == "first":
        rest = page(rows, again)
    for later, heading in LATER:
        if later == part:
            kept[later] = heading + later_list(later, INTRODUCTIONS[later], rows, again)
        rest += kept[later]
    path.write_text(rest + totals, encoding="utf-8")


def write_totals(path: Path, breakages: Sequence[Breakage]) -> None:
    """Write what the later lists are together, from the list and from the rows of the page."""
    rest = path.read_text(encoding="utf-8").partition(UNSEEN)[0]
    later = rest.partition(SECOND)[2]
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
The second to the tenth list together, each row at first sight: {len(tried)} were tried,
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


INTRODUCTIONS = {
    "second": """\
Ten releases of projects that nobody had tried here, with what the library's own notes say is written
instead, and rows of the first list that had not been tried. The ten were written down with their
sources before any of them ran. They are chosen ones: of some eighty sdists those that hold tests and
use a name that is known to go, eight of them of libraries for which the tables had rows: a random draw
may be harder. Each row was tried once, before anything was mended because of it ({tried}: what was
mended in between was mended because of others), and read by a person. The two cores were shared (load
between 2 and 26), and rows were ended after 12 minutes, later after 7: what had no answer by then says
nothing of culprits.""",
    "third": """\
What was left of the first list, and further releases of projects in no other list, written down with
their sources before any of them ran. They were chosen by reading sdists for tests and for a use of what
is known to go, so that more of them break than of a draw; what is right of werkzeug, Pillow and HTTPX
stands in the tables. Of twelve six were tried, then the disk was full. Each was tried once
({tried}), before anything was mended because of it, and read by a person. The two cores were shared
with much else (load between 13 and 38), and rows were ended after 20 minutes, the last ones after 5 or 6.

Of the three rows of the second list that had no answer in 7 minutes, tried again at db3a8c0 with 20:
typer and flask-restful have none; flask-sqlalchemy has SQLAlchemy 2.0.0 (68 tests, sqlalchemy.__all__
is gone) and behind it Flask 2.2.0 (1 test), both right and confirmed both ways; nothing takes the place
of __all__. They are in no count.""",
    "fourth": """\
Releases of projects that nobody had tried here, of libraries wide apart, written down before any of them
ran. They were chosen by reading sdists for tests and for a use of what is known to go, so that more of them
break than of a draw; what is cited was read in the sdist of the release that it names, Python's own pages
excepted. For the libraries, too, most have tables here. Each row was tried once ({tried}), in the order
of the list, by code that did not change meanwhile, and read by a person. The two cores were shared with much
else (load between 12 and 43), and rows were ended after 15 minutes. What is listed and not below was not
tried, or stopped after two minutes: time was up.""",
    "fifth": """\
Releases of projects that are in no test, no example of a table and no earlier list here, written down with
their sources before any of them ran, in the order of names. Of some ninety sdists those were kept that hold
tests and use a name that a release drops, whose library says what is written instead; what is cited was
read in that library's sdist, the pages of Python, pandas and setuptools excepted. More of them break than of
a draw; of trio and flake8 the tables have nothing. Each row was tried once ({tried}), by code that did
not change meanwhile, and read by a person. The two cores were shared with much else (load between 20
and 86), and rows were ended after 8 minutes; gpxpy and flask-session, which that cut off near their end, were
taken up again by the same code, with 15 (their costs here are those of the second part). The rows of d6a4cc3
were tried later, with 15 minutes each, at a load of 20 to 50. Those that had no answer in their time were run
from an empty cache at a6ff32a, one at a time at a load of 3 to 22, with up to 25 minutes, by code that did
not change meanwhile: no answer of theirs had been seen, and what was mended in between was mended for
others.""",
    "sixth": """\
Releases of projects that are in no test, no example of a table and no earlier list here, written down with
their sources before any of them ran. Of some sixty sdists those were kept that hold tests and use a name that
a release drops, whose library says what is written instead (pytest-lazy-fixture's excepted). More of them
break than of a draw. Each row was tried once ({tried}), by code that did not change meanwhile, and read by a
person. Several ran beside one another, and the two cores were shared with much else (load between 30 and 50),
so that no row had an answer when it was ended, after 15 minutes. Mizani and pytest-lazy-fixture were taken up
again by the same code, with another 15 (their costs here are those of the second part). The others, and those
that had not been begun, were run from an empty cache at a6ff32a, mostly one at a time at a load of 3 to 22,
with up to 25 minutes, by code that did not change meanwhile: no answer of theirs had been seen, and what was
mended in between was mended for others.""",
    "seventh": """\
Releases of projects that are in no test, no page, no example of a table and no earlier list here, written
down with their sources before any of them ran. Of some two hundred sdists those were kept that hold tests and
a quick suite, and use a name that a release drops, nearly all of libraries that say what is written instead;
for six of the libraries (anyio, arrow, PyPDF2, pyramid, sybil, typeguard) the tables have nothing. More of
them break than of a draw. Each row was tried once ({tried}), in the order of the list, one at a time, by code
that did not change meanwhile, and read by a person before anything was mended because of it.""",
    "eighth": """\
Releases of projects that are in no test, no example of a table and no earlier list here, written down with
their sources before any of them ran, by two people: names from a to m, and from n to z. They were chosen by
reading sdists for tests and for a use of what a release drops or changes, so that more of them break than of
a draw; culprits are mixed on purpose. Each row was tried once ({tried}), with 12 minutes, two at a time for
each half while other work shared the two cores (load between 16 and 22), by code that did not change
meanwhile, and read by a person before anything was mended because of it. The names of these commits are no
longer in the history: with others, what they held was committed anew as 20ddca60, 306ef43f and 69f1c536.""",
    "ninth": """\
Releases of projects that are in no test, no page, no example of a table and no earlier list here, written
down with their sources before any of them ran, by two people, one for projects of the web, serialization,
command lines and tests, the other for science, data, Python itself and packaging. Of some two hundred sdists
those were chosen that hold tests and a use of what a release drops, mostly of libraries that say what is
written instead, so that more of them break than of a draw; nobody had run them. Flask-Injector's row was
added when others had run, before it ran itself; keyring and pytest-trio are named in tests here of other
matters (credentials of an index, plugins). Each row was tried once ({tried}), with 10 minutes, two at a time
while other work shared the two cores (load between 6 and 12), by code that did not change meanwhile, and read
by a person before anything was mended because of it. What is listed and not below was not tried: time was
up. The commit is one of those that were committed anew, see the eighth list.""",
    "tenth": """\
Releases of projects that are in no test, no page, no example of a table and no earlier list here, written
down with their sources before any of them ran, by two people, one for projects of the web, serialization,
command lines and tests, the other for science, data, Python itself and packaging: what issues and changelogs
of projects say that a release of a library broke, mostly libraries of which the tables know nothing. They
were chosen by reading sdists for tests and for a use of what changed, so that more of them break than of a
draw; nobody had run them. Each row was tried once ({tried}), with 12 minutes, two at a time while other
work shared the two cores (load between 4 and 12), by code that did not change meanwhile, and read by a person
before anything was mended because of it.""",
}


def later_list(part: Part, introduction: str, rows: Sequence[Judged], again: Sequence[Judged] = ()) -> str:
    """The part of the page on the rows of a later list, which name the commit at which they were tried."""
    commits = Counter(row.breakage.commit for row in rows)
    tried = ", ".join(f"{count} at {commit}" for commit, count in commits.items())
    text = f"""
{introduction.format(tried=tried)}

{counted(rows)}

{_cost(rows)}

{_table(rows)}"""
    if not again:
        return text
    return f"""{text}
### The {part} list after mending

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


def _is_release(culprit: Culprit, release: str) -> bool:
    """Whether the culprit's first bad version is ``release`` or the first of its series that was had."""
    if culprit.new is None:
        return False
    wanted, found = Version(release), Version(culprit.new)
    return found.release[: len(wanted.release)] == wanted.release or found == wanted


if __name__ == "__main__":
    sys.exit(main())
