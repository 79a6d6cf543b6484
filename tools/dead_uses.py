"""How often published packages use what is gone by now, and whether a rule knows of it.

    python tools/dead_uses.py draw NAMES.tsv USES.json --seed dead1 --months 2018-06 2021-12 --wanted 2000
    python tools/dead_uses.py ask USES.json --results DIR [--least 3] [--most 150]
    python tools/dead_uses.py list USES.json --results DIR [--without-rule] [--page [--note TEXT]]

`draw` reads the newest sdist of packages that are drawn at random among those whose newest release is of the
months given, and counts by how many of them each dotted name, and each keyword argument of it, is used; none
of their code is run. `ask` builds, for each distribution that is used by enough of them, its environments as
of two days, and asks both for the names. `list` prints what the older one has and the newer one lacks, by how
many packages use it, with the rule that is for it; `--page` writes docs/evidence/dead-uses.md. A name that
the code itself guards is not counted, nor one of setuptools, distutils and their like, which only builds run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
from draw_issue_repositories import in_order_of_draw
from draw_users import released_within

from backdate.advising.uses import uses_in
from backdate.checking.build_environment import build_project_environment
from backdate.checking.resources import Resources
from backdate.checking.settings import Settings
from backdate.diagnosis.api import MOST_NAMES, Member, probe
from backdate.environments.environment import Environment
from backdate.errors import BackdateError, SourceError, UsageError
from backdate.index.names import normalise
from backdate.index.upstream import IndexClient
from backdate.knowledge.modules import distribution_of, in_standard_library
from backdate.knowledge.rules import rules_for
from backdate.projects.sources.listing import fetch_listing
from backdate.projects.sources.sdist import choose_sdist, fetch_sdist
from backdate.projects.sources.specification import SdistSource
from backdate.projects.sources.tree import TreeLimits
from backdate.serial import from_json, to_json, write_whole
from backdate.timeline.instants import parse_instant

OLD_DAY, OLD_PYTHON = "2020-01-20", "3.7"
NEW_DAY, NEW_PYTHON = "2025-07-31", "3.12"
PAGE = Path(__file__).parent.parent / "docs" / "evidence" / "dead-uses.md"
PYTHON = "python"
"""The distribution of the standard library, as rules call it."""
_NO_LIBRARY = "six"
"""What is installed where only the interpreter is asked."""
_OF_BUILDS = ("distutils.", "setuptools.", "numpy.distutils.", "Cython.Distutils.", "cx_Freeze.")
_INTRODUCTION = (
    "The newest sdists of {read} packages, drawn at random by seed {drawn.seed} among those whose newest "
    "release is of {months} ({drawn.dropped} more could not be had), were read, not run. What they use of "
    f"the distributions below was asked of two environments, as of {OLD_DAY} on Python {OLD_PYTHON} and of "
    f"{NEW_DAY} on Python {NEW_PYTHON}. A name is gone that only the older one has, as is a keyword argument "
    "that only the older function takes. By `tools/dead_uses.py`, which says how. Whether a rule fits is "
    "looked up, not tried; a name without one may still be found by evidence. Distributions that could not "
    "be installed on one of the days, or of which nothing is imported on the later one, are left out."
)
_MOST_SHOWN = 40
_LIMITS = TreeLimits(files=2_000, bytes=64 * 1024 * 1024)
_AT_ONCE = 4


class CountedUse(msgspec.Struct, frozen=True, kw_only=True):
    """By how many packages a dotted name is used, and by how many with each keyword argument."""

    packages: int
    keywords: dict[str, int]


class DrawnUses(msgspec.Struct, frozen=True, kw_only=True):
    """A draw: the packages that were read, and all that they use."""

    seed: str
    months: tuple[str, str]
    read: tuple[str, ...]
    dropped: int
    names: dict[str, CountedUse]


class AskedDistribution(msgspec.Struct, frozen=True, kw_only=True):
    """What the environments of one distribution say of the names, or why there is none."""

    distribution: str
    trouble: str = ""
    old_version: str = ""
    new_version: str = ""
    old: tuple[Member, ...] = ()
    new: tuple[Member, ...] = ()


class DeadUse(msgspec.Struct, frozen=True, kw_only=True):
    """A name, or a keyword argument of one, that is gone."""

    distribution: str
    name: str
    argument: str = ""
    packages: int
    rule: str = ""
    moved_to: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """As a call writes it."""
        return f"{self.name}({self.argument}=)" if self.argument else self.name


def uses_of(package: str, client: IndexClient, downloads: Path) -> Mapping[str, frozenset[str]] | None:
    """What the sdist of the newest release of ``package`` uses of others; None where it cannot be had."""
    try:
        source = SdistSource(name=package, version=None)
        choose_sdist(fetch_listing(client, package), source, None)
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "tree"
            fetch_sdist(source, root, client=client, before=None, cache=downloads, limits=_LIMITS)
            uses = uses_in(root)
            own = {path.stem for path in root.rglob("*.py")} | {path.name for path in root.rglob("*/")}
    except (SourceError, UsageError):
        return None
    return {
        name: frozenset(known.keywords)
        for name, known in uses.names.items()
        if name.partition(".")[0] not in own or in_standard_library(name)
    }


def draw(given: argparse.Namespace) -> None:
    """Read sdists until enough are read."""
    order = in_order_of_draw(released_within(given.names, *given.months), given.seed)
    settings = Settings()
    cache = settings.open_cache()
    packages: Counter[str] = Counter()
    keywords: defaultdict[str, Counter[str]] = defaultdict(Counter)
    read, dropped = [], 0
    with settings.open_index(cache) as client, ThreadPoolExecutor(_AT_ONCE) as pool:
        for start in range(0, len(order), 64):
            part = order[start : start + 64]
            for name, uses in zip(
                part, pool.map(lambda one: uses_of(one, client, cache.downloads), part), strict=True
            ):
                if uses is None:
                    dropped += 1
                    continue
                read.append(name)
                packages.update(uses.keys())
                for dotted, given_names in uses.items():
                    keywords[dotted].update(given_names)
            print(f"{len(read)} read, {dropped} not to be had", flush=True)
            if len(read) >= given.wanted:
                break
    names = {
        name: CountedUse(packages=count, keywords=dict(keywords[name])) for name, count in packages.items()
    }
    drawn = DrawnUses(
        seed=given.seed, months=tuple(given.months), read=tuple(read), dropped=dropped, names=names
    )
    write_whole(given.uses, to_json(drawn))


def by_distribution(drawn: DrawnUses, least: int) -> dict[str, dict[str, CountedUse]]:
    """The names that at least ``least`` packages use, by the distribution that has them."""
    found: defaultdict[str, dict[str, CountedUse]] = defaultdict(dict)
    for name, use in drawn.names.items():
        if use.packages >= least:
            owner = PYTHON if in_standard_library(name) else normalise(distribution_of(name))
            found[owner][name] = use
    return dict(sorted(found.items(), key=lambda item: -max(use.packages for use in item[1].values())))


def ask(given: argparse.Namespace) -> None:
    """Ask the environments of each distribution that is not in the results yet."""
    drawn = from_json(DrawnUses, given.uses.read_bytes())
    given.results.mkdir(parents=True, exist_ok=True)
    chosen = list(by_distribution(drawn, given.least).items())[: given.most]
    with Resources(Settings()) as resources:
        for distribution, names in chosen:
            file = given.results / f"{distribution}.json"
            if file.exists() or (given.only and distribution not in given.only):
                continue
            asked = asked_distribution(resources, distribution, tuple(names))
            write_whole(file, to_json(asked))
            print(f"{distribution}: {len(names)} names {asked.trouble}".rstrip(), flush=True)


def asked_distribution(resources: Resources, distribution: str, names: Sequence[str]) -> AskedDistribution:
    """What both environments say of ``names``."""
    answers: list[tuple[Member, ...]] = []
    versions = []
    for day, python in ((OLD_DAY, OLD_PYTHON), (NEW_DAY, NEW_PYTHON)):
        requirement = _NO_LIBRARY if distribution == PYTHON else distribution
        with tempfile.TemporaryDirectory(prefix="backdate-dead-uses-") as folder:
            try:
                built = build_project_environment(
                    resources,
                    "",
                    instant=parse_instant(day),
                    output=Path(folder, "environment"),
                    packages=(requirement,),
                    python=python,
                )
            except BackdateError as error:
                return AskedDistribution(distribution=distribution, trouble=f"{day}: {error}"[:200])
            if built.environment is None:
                why = built.failure.message if built.failure else ""
                return AskedDistribution(distribution=distribution, trouble=f"{day}: {why}"[:200])
            locked = built.environment.lock.distributions
            versions.append(next((one.version for one in locked if one.name == requirement), ""))
            found = _members(resources, built.environment, names, searched=())
            if answers:  # where a lost name is now takes minutes to ask in a large library
                had = {member.name for member in answers[0] if member.present}
                lost = [one.name for one in found.values() if not one.present and one.name in had]
                found |= _members(resources, built.environment, lost, searched=None)
            answers.append(tuple(found.values()))
    return AskedDistribution(
        distribution=distribution,
        old_version=versions[0],
        new_version=versions[1],
        old=answers[0],
        new=answers[1],
    )


def _members(
    resources: Resources, environment: Environment, names: Sequence[str], *, searched: tuple[()] | None
) -> dict[str, Member]:
    found: dict[str, Member] = {}
    for start in range(0, len(names), MOST_NAMES):
        part = names[start : start + MOST_NAMES]
        asked = probe(resources.sandbox, environment, part, searched=searched)
        found.update((member.name, member) for member in asked.members)
    return found


def dead_uses(drawn: DrawnUses, results: Path) -> Iterator[DeadUse]:
    """What is gone, by distribution; of one that was not asked, or is not imported any more, nothing."""
    for file in sorted(results.glob("*.json")):
        asked = from_json(AskedDistribution, file.read_bytes())
        new = {member.name: member for member in asked.new}
        had = {member.name for member in asked.old if member.present}
        lost = {name for name in had if name in new and not new[name].present}
        if lost == had:
            print(
                f"left out: {asked.distribution}: {asked.trouble or 'nothing of it is imported'}",
                file=sys.stderr,
            )
            continue
        around = {name.rpartition(".")[0] for name in lost}  # what is used of it is told, not the whole
        for before in sorted(asked.old, key=lambda member: member.name):
            after = new.get(before.name)
            if before.name not in had - around or after is None or before.name.startswith(_OF_BUILDS):
                continue
            use = drawn.names[before.name]
            if before.name in lost:
                yield _dead(asked, before, after, "", use.packages)
                continue
            for keyword, count in use.keywords.items():
                takes = keyword in before.keywords and not (keyword in after.keywords or after.takes_any)
                if takes:
                    yield _dead(asked, before, after, keyword, count)


def _dead(asked: AskedDistribution, before: Member, after: Member, argument: str, packages: int) -> DeadUse:
    of_python = asked.distribution == PYTHON
    old, new = (OLD_PYTHON, NEW_PYTHON) if of_python else (asked.old_version, asked.new_version)
    names = dict.fromkeys((before.name, before.home))
    rules = [
        rule
        for name in names
        for about in dict.fromkeys((argument, ""))  # a template is of the whole call
        for rule in rules_for(asked.distribution, name, argument=about, old=old, new=new)
        if about == argument or argument in rule.row.names
    ]
    return DeadUse(
        distribution=asked.distribution,
        name=before.name,
        argument=argument,
        packages=packages,
        rule=rules[0].name if rules else "",
        moved_to=() if argument else after.candidates[:2],
    )


def show(given: argparse.Namespace) -> None:
    """Print what is gone, the most used first."""
    drawn = from_json(DrawnUses, given.uses.read_bytes())
    found = sorted(dead_uses(drawn, given.results), key=lambda one: (-one.packages, one.shown))
    for one in found:
        if not (given.without_rule and one.rule):
            moved = f" at {', '.join(one.moved_to)}" if one.moved_to else ""
            print(f"{one.packages:4} {one.distribution:20} {one.shown}{moved}  {one.rule or '-'}")
    print(_total(found))
    if given.page:
        write_whole(PAGE, page(drawn, found, given.note).encode())


def _total(found: Sequence[DeadUse]) -> str:
    if not found:
        return "no name and no argument is gone"
    ruled = [one for one in found if one.rule]
    uses, mended = sum(one.packages for one in found), sum(one.packages for one in ruled)
    return (
        f"{len(found)} names and arguments are gone, {len(ruled)} "
        f"({100 * len(ruled) / len(found):.0f} %) have a rule; of their {uses} uses, each counted once "
        f"a package, {mended} ({100 * mended / uses:.0f} %)"
    )


def page(drawn: DrawnUses, found: Sequence[DeadUse], note: str) -> str:
    """The page: shares by distribution, and what has no rule."""
    lines = [
        "# What published packages use and is gone by now",
        "",
        _INTRODUCTION.format(drawn=drawn, months=" to ".join(drawn.months), read=len(drawn.read)),
        "",
        f"**{_total(found)}.** {note}".rstrip(),
        "",
        "| distribution | gone | with a rule | uses | with a rule |",
        "|---|--:|--:|--:|--:|",
    ]
    by_name: defaultdict[str, list[DeadUse]] = defaultdict(list)
    for one in found:
        by_name[one.distribution].append(one)
    for name, own in sorted(by_name.items(), key=lambda item: -sum(one.packages for one in item[1])):
        ruled = [one for one in own if one.rule]
        counts = (len(own), len(ruled), sum(one.packages for one in own), sum(one.packages for one in ruled))
        lines.append(f"| {name} | {' | '.join(map(str, counts))} |")
    without = [one for one in found if not one.rule]
    lines += ["", f"Without a rule, the {_MOST_SHOWN} most used:", ""]
    lines += [f"- {one.packages}: `{one.shown}` ({one.distribution})" for one in without[:_MOST_SHOWN]]
    return "\n".join(lines) + "\n"


def main() -> int:
    """One of the three steps."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps = parser.add_subparsers(required=True)
    one = steps.add_parser("draw")
    one.add_argument("names", type=Path, metavar="NAMES.tsv")
    one.add_argument("uses", type=Path, metavar="USES.json")
    one.add_argument("--seed", required=True)
    one.add_argument("--months", nargs=2, required=True, metavar=("FIRST", "LAST"))
    one.add_argument("--wanted", type=int, default=2000)
    one.set_defaults(do=draw)
    for name, do in (("ask", ask), ("list", show)):
        one = steps.add_parser(name)
        one.add_argument("uses", type=Path, metavar="USES.json")
        one.add_argument("--results", type=Path, required=True)
        one.set_defaults(do=do)
        if name == "ask":
            one.add_argument("--least", type=int, default=2, help="packages that use a name")
            one.add_argument("--most", type=int, default=150, help="distributions")
            one.add_argument("--only", nargs="*", default=[])
        else:
            one.add_argument("--without-rule", action="store_true")
            one.add_argument("--page", action="store_true")
            one.add_argument("--note", default="", help="what else a reader of the page should know")
    given = parser.parse_args()
    given.do(given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
