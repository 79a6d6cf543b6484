"""Set real projects up without help and write docs/evidence/setups.md: which were proven, which not.

    python tools/compare_setups.py RESULTS [--tasks FILE.jsonl --repos DIR] [--sdists] [--only NAME …]
    python tools/compare_setups.py RESULTS --commits FILE.tsv --repos DIR [--first FOLDER]
    python tools/compare_setups.py RESULTS --drawn FILE.json [--repos DIR] [--first FOLDER]

RESULTS keeps one JSON file for each project, so that a second run goes on where the first was. Git
repositories are rows of a file in the form of TimeMachine-bench v1, each as of its old instant; their clones
are looked for at DIR/OWNER+NAME/repo. Sdists come from the package index: well-known packages of the kind
that SetupAgent (arXiv 2503.07701) is measured on, each as of its upload. No recipe of another commit is used.
Lines of FILE.tsv are OWNER/NAME, commit and date, of repositories never seen before; FILE.json is what
``tools/draw_projects.py`` drew at random. ``--first`` names the RESULTS of their first run, which are read
and never written. The page's other sections stay.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.checking.settings import Settings, SetupOptions
from backdate.checking.setup_class import SetupClass
from backdate.checking.setup_result import SetupResult
from backdate.errors import BackdateError, UsageError
from backdate.evaluation.metrics import wilson
from backdate.serial import from_json, to_json, write_whole
from backdate.session import set_up
from backdate.timeline.instants import Instant, format_day, parse_instant

SDISTS = (
    *("attrs==22.1.0", "tablib==3.3.0", "deepdiff==6.2.1", "pyflakes==3.0.1", "jsonpickle==3.0.1"),
    *("parso==0.8.3", "marshmallow==3.19.0", "jsonschema==4.17.3", "voluptuous==0.13.1"),
    *("sqlparse==0.4.3", "more-itertools==9.0.0", "toolz==0.12.0"),
    *("pyparsing==3.0.9", "humanize==4.4.0", "arrow==1.2.3", "click==8.1.3", "Jinja2==3.1.2"),
    *("Werkzeug==2.2.2", "Flask==2.2.2", "itsdangerous==2.1.2", "Markdown==3.4.1", "mistune==2.0.4"),
    *("Pygments==2.13.0", "docutils==0.19", "beautifulsoup4==4.11.1", "networkx==2.8.8", "tomlkit==0.11.6"),
    *("cachetools==5.2.0", "WTForms==3.0.1", "requests==2.28.1", "urllib3==1.26.13", "httpx==0.23.1"),
    *("pydantic==1.10.2", "simplejson==3.18.0", "xmltodict==0.13.0"),
    *("loguru==0.6.0", "dnspython==2.2.1", "Babel==2.11.0", "astroid==2.12.13", "pycodestyle==2.10.0"),
    *("coverage==6.5.0", "tqdm==4.64.1", "pyrsistent==0.19.2", "glom==22.1.0", "blinker==1.5"),
)
"""Each as of its upload, in 2022 or 2023."""
OLDER = (
    *("schema==0.7.5", "pendulum==2.1.2", "python-dateutil==2.8.2", "pluggy==1.0.0", "WebOb==1.8.7"),
    *("sortedcontainers==2.4.0", "funcy==1.17", "Cerberus==1.3.4", "pexpect==4.8.0"),
)
"""Latest releases of that day, which is their instant."""
AT = "2023-01-01"
PACKAGES = "Well-known packages"
UNSEEN = "Repositories never seen before"
KNOWN_OTHERWISE = (
    *("marshmallow-code/webargs", "keleshev/schema", "lepture/mistune", "martinblech/xmltodict"),
)
"""Of which sdists of another release are among those that backdate was developed with."""
HEAD = """# Set-ups of real projects

What `backdate setup` does without a model and without help from other commits. *Proven* means that at least
95 % of the tests that ran pass, or 90 % where all others want the network or a service; *weak* that less than
half of the tests that a project defines ran (see setup.md). The first is the criterion of SetupAgent, which
reports 28.6 % and 21.6 % of repositories. Made by `tools/compare_setups.py` (its head says how to run it), on
two cores shared with much other work: the times are upper bounds. The second time is that of some rows only,
on a quieter machine; some environments had been removed by then and were made again. Sdists without tests
are not in the list."""
_PLACES = re.compile(r"/[^\s'\"()]*/lib/python3\.\d+/|/work/[0-9a-f]{16}/[^\s/]+/|/\S*/(?=[^/\s]+/repo\b)")
"""Where interpreters, environments and trees lie on the machine that made the page."""
PAGE = Path(__file__).parent.parent / "docs" / "evidence" / "setups.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One project to set up."""

    group: str
    source: str
    shown: str
    at: Instant | None
    unseen: bool = False
    """Whether nothing was developed with it, so that the first run is told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What came of one project, as it is kept."""

    group: str
    shown: str
    at: str = ""
    python: str = ""
    proven: bool = False
    setup_class: str = ""
    """How far it is proven; empty in results of before there were classes."""
    passed: int = 0
    ran: int = 0
    candidate: str = ""
    attempts: int = 0
    repairs: tuple[str, ...] = ()
    error: str = ""
    """Its class, when it is not proven."""
    reason: str = ""
    duration_s: float = 0.0
    again_s: float = 0.0
    """The same a second time, with everything in the caches."""


def main() -> int:
    """Set everything up that is not in RESULTS yet, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path)
    parser.add_argument("--tasks", type=Path, help="rows in the form of TimeMachine-bench v1")
    parser.add_argument("--repos", type=Path, help="where clones of the rows' repositories are")
    parser.add_argument(
        "--commits", type=Path, help="lines of OWNER/NAME, commit and date, with tabs between"
    )
    parser.add_argument("--drawn", type=Path, help="what tools/draw_projects.py drew")
    parser.add_argument("--first", type=Path, help="the results of the first run of --commits or --drawn")
    parser.add_argument("--sdists", action="store_true", help="also the sdists of this script")
    parser.add_argument(
        "--within",
        type=float,
        default=SetupOptions().begin_within_s,
        help="seconds after which no further recipe of a project is begun",
    )
    parser.add_argument("--only", nargs="*", help="only projects that contain one of these words")
    parser.add_argument("--failed-again", action="store_true", help="try anew what was not proven")
    parser.add_argument("--warm", action="store_true", help="measure what is proven a second time")
    parser.add_argument("--kept-only", action="store_true", help="set nothing up: write what RESULTS holds")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    rows: list[Row] = []
    listed = [*git_rows(options.tasks, options.repos), *commits(options.commits, options.repos)]
    listed += drawn(options.drawn, options.repos)
    first = [
        from_json(Row, (options.first / file_of(wanted)).read_bytes())
        for wanted in listed
        if options.first is not None and wanted.unseen
    ]
    for wanted in [*listed, *(sdists() if options.sdists else ())]:
        if options.only and not any(word.lower() in wanted.shown.lower() for word in options.only):
            continue
        kept = options.results / file_of(wanted)
        row = from_json(Row, kept.read_bytes()) if kept.exists() else None
        if row is not None and options.failed_again and not row.proven:
            row = None
        if row is None and not options.kept_only:
            row = set_up_one(wanted, options.results / "full", options.within)
            write_whole(kept, to_json(row, indent=2))
        if row is not None and options.warm and row.proven and not row.again_s:
            row = replace(row, again_s=taken_again(wanted))
            write_whole(kept, to_json(row, indent=2))
        if row is not None:
            rows.append(row)
            before = options.page.read_text(encoding="utf-8") if options.page.exists() else ""
            options.page.write_text(page(rows, first, before), encoding="utf-8")
    return 0


def git_rows(tasks: Path | None, repos: Path | None) -> Iterator[Wanted]:
    """The rows of a data set."""
    if tasks is None or repos is None:
        return
    for line in tasks.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        folder = repos / row["repo_name"].replace("/", "+") / "repo"
        yield Wanted(
            group="TimeMachine-bench, verified, development half",
            source=f"{folder}@{row['commit_hash']}",
            shown=f"{row['repo_name']}@{row['commit_hash'][:8]}",
            at=parse_instant(row["reproduction_target_date"]),
        )


def commits(lines: Path | None, repos: Path | None) -> Iterator[Wanted]:
    """The commits of a list."""
    if lines is None or repos is None:
        return
    for line in lines.read_text(encoding="utf-8").splitlines():
        name, commit, day = line.split("\t")
        folder = repos / name.replace("/", "+") / "repo"
        source, shown = f"{folder}@{commit}", f"{name}@{commit[:8]}"
        yield Wanted(group=UNSEEN, source=source, shown=shown, at=parse_instant(day), unseen=True)


def drawn(file: Path | None, repos: Path | None) -> Iterator[Wanted]:
    """What was drawn and not dropped, each as of the day of the draw."""
    if file is None:
        return
    whole = json.loads(file.read_bytes())
    group = f"{whole['kind'].capitalize()} drawn with seed {whole['seed']} as of {whole['day']}"
    for draw in whole["draws"]:
        release = draw["release"]
        if release["dropped"]:
            continue
        source, shown = f"pypi:{draw['name']}=={release['version']}", f"{draw['name']}=={release['version']}"
        if whole["kind"] == "repositories":
            if repos is None or not release["commit"]:
                raise UsageError("repositories are set up from clones: draw with --clones, and name --repos")
            name = "/".join(release["repository"].split("/")[-2:])
            source = f"{repos / name.replace('/', '+') / 'repo'}@{release['commit']}"
            shown = f"{name}@{release['commit'][:8]}"
        yield Wanted(group=group, source=source, shown=shown, at=parse_instant(whole["day"]), unseen=True)


def sdists() -> Iterator[Wanted]:
    """The sdists of this script."""
    for name in SDISTS:
        yield Wanted(group=PACKAGES, source=f"pypi:{name}", shown=name, at=None)
    for name in OLDER:
        yield Wanted(group=PACKAGES, source=f"pypi:{name}", shown=name, at=parse_instant(AT))


def file_of(wanted: Wanted) -> str:
    """Under which name a project's result is kept."""
    return f"{wanted.shown.replace('/', '__')}.json"


def set_up_one(wanted: Wanted, full: Path, within_s: float) -> Row:
    """Set one project up; what came of it."""
    started = time.monotonic()
    try:
        result = one_run(wanted, within_s)
    except BackdateError as error:
        print(f"== {wanted.shown}: {error}", file=sys.stderr, flush=True)
        return Row(
            group=wanted.group, shown=wanted.shown, error="no answer", reason=str(error).splitlines()[0]
        )
    write_whole(full / file_of(wanted), to_json(result, indent=1))
    last = next((one for one in reversed(result.attempts) if one.recipe == result.recipe), None)
    row = Row(
        group=wanted.group,
        shown=wanted.shown,
        at=format_day(result.instant),
        python=result.choice.interpreter.version if result.choice is not None else "",
        proven=result.proven,
        setup_class=result.setup_class,
        passed=result.counts.passed,
        ran=result.counts.ran,
        candidate=last.source if last is not None else "",
        attempts=len(result.attempts),
        repairs=result.repairs,
        error=str(result.error or ""),
        reason=result.reason,
        duration_s=time.monotonic() - started,
    )
    print(f"== {row.shown}: {row.proven} {row.reason} ({row.duration_s:.0f} s)", flush=True)
    return row


def taken_again(wanted: Wanted) -> float:
    """Seconds of a second set-up, with everything in the caches."""
    started = time.monotonic()
    one_run(wanted)
    taken = time.monotonic() - started
    print(f"== {wanted.shown} again: {taken:.1f} s", flush=True)
    return taken


def one_run(wanted: Wanted, within_s: float = SetupOptions().begin_within_s) -> SetupResult:
    """One set-up without help from other commits."""
    options = SetupOptions(begin_within_s=within_s)
    return set_up(wanted.source, instant=wanted.at, options=options, settings=Settings(store=False))


def page(rows: list[Row], first: list[Row], before: str = "") -> str:
    """The whole page: sections of ``rows``, and those that ``before`` has besides.

    ``first``: the first run of what nothing was developed with.
    """
    sections = {part.splitlines()[0]: part for part in before.split("\n## ")[1:]}
    for group in dict.fromkeys(row.group for row in rows):
        own = [row for row in rows if row.group == group]
        seen = [row for row in first if row.group == group]
        if group == UNSEEN and seen:
            body = [*twice(seen, own)]
        elif " drawn with seed " in group:
            body = [*of_draw(seen, own)]
        else:
            body = [*summary(own), "", *table(own)]
        sections[group] = "\n".join([f"{group}\n", *body]) + "\n"
    return "\n## ".join([f"{HEAD}\n", *sections.values()])


def twice(first: list[Row], rows: list[Row]) -> Iterator[str]:
    """The two shares of repositories that nothing was developed with, and their table."""
    others = [row for row in first if row.shown.partition("@")[0] not in KNOWN_OTHERWISE]
    yield f"**At first sight {share_of(first)} proven**, each set up once, by a program that was never tried"
    yield "on any of them before; without those that other tables have as sdists of another release"
    yield f"{share_of(others)}. The machine reaches the package index and nothing else of the network; five"
    yield "minutes after the first recipe of a project no further one was begun."
    yield from summary(first)
    yield ""
    yield f"**After mending {share_of(rows)} proven.** General rules were mended because of what failed; then"
    yield "all were set up again. By then they were no longer unknown: the first share tells what to"
    yield "expect elsewhere."
    before = {row.shown: row for row in first}
    again = [row.duration_s for row in rows if row.proven and before[row.shown].proven]
    if again:
        yield f"Median of this second time, with everything cached, {statistics.median(again):.1f} s."
    yield ""
    yield from table([timed(row, before[row.shown]) for row in rows], before)


def of_draw(first: list[Row], rows: list[Row]) -> Iterator[str]:
    """The shares of what was drawn at random, with their intervals, and the table."""
    seen = first or rows
    low, high = wilson(sum(row.proven for row in seen) / max(len(seen), 1), len(seen))
    yield f"**At first sight {share_of(seen)} proven**, 95 % interval {low:.0%} to {high:.0%}"
    yield "(Wilson): each set up once, by a program that was never tried on any of them before."
    yield from summary(first or rows)
    if first:
        again = "what had failed was set up again; the other rows are those of the first run."
        rest = again if any(row in first for row in rows) else "then all were set up again."
        yield f"\n**After mending {share_of(rows)} proven**: general rules were mended after what failed, and"
        yield rest
    yield ""
    before = {row.shown: row for row in first}
    yield from table([timed(row, before[row.shown]) if first else row for row in rows], before)


def share_of(rows: list[Row]) -> str:
    """How many are proven."""
    proven = sum(row.proven for row in rows)
    return f"{proven} of {len(rows)} ({proven / len(rows):.1%})"


def timed(row: Row, first: Row) -> Row:
    """``row`` with the time of the first run as its time, and its own as that of a second one, where it has
    one."""
    warm = row.duration_s if row.proven and first.proven and row != first else 0.0
    return replace(row, duration_s=first.duration_s, again_s=warm)


def summary(rows: list[Row]) -> Iterator[str]:
    """The share and the times of one group."""
    proven = [row for row in rows if row.proven]
    first = sum(row.attempts == 1 for row in proven)
    times = [row.duration_s for row in rows if row.duration_s]
    warm = [row.again_s for row in rows if row.again_s]
    yield (
        f"{len(proven)} of {len(rows)} proven ({len(proven) / len(rows):.1%}), {first} of them by the first "
        f"candidate as it is, {sum(bool(row.repairs) for row in proven)} after repairs."
    )
    if times:
        again = f"; a second time, with everything cached, {statistics.median(warm):.1f} s" if warm else ""
        yield f"Median {statistics.median(times):.0f} s a project, downloads and builds included{again}."
    classes = Counter(row.error for row in rows if not row.proven)
    if classes:
        yield "\nNot proven: " + ", ".join(f"{number} {name}" for name, number in classes.most_common()) + "."


def table(rows: list[Row], first: Mapping[str, Row] | None = None) -> Iterator[str]:
    """One line for each project; the failed ones with their class and what was said.

    ``first``: the first run of each, by project.
    """
    heads = ("project", "as of", "Python", *(("first sight", "mended") if first else ("proven",)))
    heads = (*heads, "tests", "candidate", "attempts")
    heads = (*heads, "repairs, or why not", "s", "warm s")
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for row in rows:
        why = "; ".join(row.repairs) if row.proven else f"**{row.error}** {row.reason}"
        cells = [
            *(row.shown, row.at, row.python),
            *((sight(first[row.shown]),) if first else ()),
            *(_shown_class(row), f"{row.passed}/{row.ran}"),
            *(
                row.candidate,
                str(row.attempts),
                shortened(why),
                f"{row.duration_s:.0f}",
                f"{row.again_s:.1f}" if row.again_s else "",
            ),
        ]
        yield f"| {' | '.join(cells)} |"


def _shown_class(row: Row) -> str:
    """ "yes", "no", or what lies between."""
    between = {SetupClass.PROVEN_BUT_OUTSIDE: "yes, but for the network", SetupClass.WEAK: "weak"}
    usual = "yes" if row.proven else "no"
    return next((shown for name, shown in between.items() if name == row.setup_class), usual)


def sight(row: Row) -> str:
    """What came of the first run, for a cell."""
    return "yes" if row.proven else f"no: {row.error}"


def shortened(text: str) -> str:
    """``text`` for a cell: one line, no places of this machine, not too long."""
    text = _PLACES.sub("", " ".join(text.split())).replace("|", "\\|")
    return text if len(text) <= 220 else f"{text[:219]}…"


if __name__ == "__main__":
    sys.exit(main())
