"""Draw packages at random, by strata of popularity and year, for set-ups that nothing was developed with.

    python tools/draw_projects.py NAMES.tsv DRAWN.json --seed 1 --day 2021-03-01 --wanted 15 [--most-asked 30]
    python tools/draw_projects.py NAMES.tsv DRAWN.json … --kind repositories [--clones DIR]

NAMES.tsv names its columns in its first line, with tabs between: ``name``, and where it has them ``month``
(of the newest release, YYYY-MM) and a column that begins with ``rank`` (1: most downloaded). A name is
ordered by the SHA-256 of seed and name, so a draw is the same wherever it is made, and another day's list
of names moves few of its places.

Popularity is the rank of the day on which the list was made, a stand-in for that of the day: names without
a rank are a band of their own, drawn from with ``--unranked`` alone, as most of them are younger than any
day in the past. The year is that of the release that an installer takes at the day. It is known without
asking where the newest release of all is older than the day; else the index is asked, for one page and for
one sdist of each name, at most ``--most-asked`` names in all. ``--released-before`` leaves out names whose
newest release is younger: fewer names are asked in vain, and what is still kept up is left out. Every draw
is kept, with why it was dropped; nobody repairs the list.

An sdist is wanted with tests in it; a repository with its address in the sdist's metadata, and with tests
as of the day once its clone is at DIR/OWNER+NAME/repo. DRAWN.json is for ``tools/compare_setups.py
--drawn``; DRAWN.md, beside it, is for people.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import math
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from email.parser import HeaderParser
from pathlib import Path

from backdate.checking.settings import Settings
from backdate.errors import ConfigurationError, SourceError, SourceProblem
from backdate.index.upstream import IndexClient, open_index
from backdate.projects.read import read_text
from backdate.projects.sources.listing import fetch_listing
from backdate.projects.sources.open import open_source
from backdate.projects.sources.sdist import choose_sdist, fetch_sdist
from backdate.projects.sources.specification import SdistSource
from backdate.projects.sources.tree import TreeLimits
from backdate.recipes.suite import find_suite
from backdate.serial import to_json, write_whole
from backdate.timeline.instants import Instant, format_day, parse_instant

BANDS = (1000, 5000, 15000)
"""The last rank of each band."""
UNRANKED = "unranked"
YEARS = (2, 4)
"""Calendar years, the day's own included, of the first group of years, and of the first two together."""
_FORGE = re.compile(
    r"https?://(?:www\.)?(github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)/([\w.-]+)/([\w.-]+)"
)
_NO_REPOSITORIES = {"sponsors", "orgs", "users", "topics", "marketplace"}
WITHOUT_SDIST = {
    SourceProblem.NOT_ON_INDEX: "no file on the index at the day",
    SourceProblem.NO_FINAL_VERSION: "no final version at the day that is not yanked",
    SourceProblem.ONLY_WHEELS: "no sdist of its release at the day",
}
_LIMITS = TreeLimits(files=20_000, bytes=512 * 1024 * 1024)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedName:
    """One name of the file."""

    name: str
    month: str = ""
    """Of its newest release, YYYY-MM; empty where the file does not say."""
    band: str = UNRANKED


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRelease:
    """What the index and the sdist say of a name at the day."""

    dropped: str = ""
    """Why it is not taken; empty when it is."""
    version: str = ""
    uploaded: str = ""
    repository: str = ""
    commit: str = ""
    tests: str = ""
    """One file that holds tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectDraw:
    """One name that was drawn, and what became of it."""

    name: str
    band: str
    years: str = ""
    """The group of years of the release at the day; empty where it is not known."""
    asked: bool = False
    release: FoundRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectList:
    """A whole draw."""

    kind: str
    seed: int
    day: str
    names_sha256: str
    """Of the file of names."""
    options: str
    """What else was asked for."""
    ended: str
    """Why no further name was drawn."""
    draws: tuple[ProjectDraw, ...]

    @property
    def taken(self) -> tuple[ProjectDraw, ...]:
        """The final list."""
        return tuple(draw for draw in self.draws if not draw.release.dropped)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawLimits:
    """How much is drawn."""

    wanted: int
    most_asked: int
    most_in_a_stratum: int


def main() -> int:
    """Draw, telling every name, and write the list."""
    options = arguments().parse_args()
    day = parse_instant(options.day)
    data = options.names.read_bytes()
    names = [
        listed
        for listed in read_names(data.decode("utf-8").splitlines())
        if (options.unranked or listed.band != UNRANKED)
        and (not options.released_before or "" < listed.month < options.released_before)
    ]
    bands = [band for band in dict.fromkeys(band_names()) if any(listed.band == band for listed in names)]
    strata = max(1, len(bands) * (len(YEARS) + 1))
    limits = DrawLimits(
        wanted=options.wanted,
        most_asked=options.most_asked,
        most_in_a_stratum=options.most_in_a_stratum or math.ceil(2 * options.wanted / strata),
    )
    settings = Settings()
    cache = settings.open_cache()
    kept: list[ProjectDraw] = []
    with open_index(settings.index_url, cache.index) as client:
        look = release_finder(client, day, cache.downloads, options.kind, options.clones)
        for draw in draws(in_turn(names, options.seed), day, limits, look):
            kept.append(draw)
            said = draw.release.dropped or f"taken: {draw.release.version} {draw.release.repository}"
            print(f"{draw.name} ({draw.band}, {draw.years or 'year unknown'}): {said}", flush=True)
    whole = ProjectList(
        kind=options.kind,
        seed=options.seed,
        day=format_day(day),
        names_sha256=hashlib.sha256(data).hexdigest(),
        options=f"{limits.wanted} wanted, {limits.most_asked} asked at most, {limits.most_in_a_stratum} of a "
        f"stratum at most, {'with' if options.unranked else 'without'} names that have no rank"
        + (f", newest release before {options.released_before}" if options.released_before else ""),
        ended=why_ended(kept, limits),
        draws=tuple(kept),
    )
    write_whole(options.drawn, to_json(whole, indent=1))
    write_whole(options.drawn.with_suffix(".md"), "\n".join(markdown(whole)).encode())
    print(f"{len(whole.taken)} taken of {len(kept)} drawn: {whole.ended}")
    return 0


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", type=Path, help="the file of names, with tabs between its columns")
    parser.add_argument("drawn", type=Path, help="the JSON file to write; the page for people lies beside it")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--day", required=True, help="what was uploaded before it is visible")
    parser.add_argument("--wanted", type=int, default=15, help="how many to take")
    parser.add_argument("--most-asked", type=int, default=30, help="how many names the index is asked for")
    parser.add_argument("--most-in-a-stratum", type=int, default=0, help="default: twice the even share")
    parser.add_argument("--unranked", action="store_true", help="draw from names without a rank too")
    parser.add_argument("--released-before", default="", help="YYYY-MM: leave out names with newer releases")
    parser.add_argument("--kind", choices=("sdists", "repositories"), default="sdists")
    parser.add_argument("--clones", type=Path, help="where repositories are, each at OWNER+NAME/repo")
    return parser


def read_names(lines: Sequence[str]) -> Iterator[ListedName]:
    """The names of the file. Raises ConfigurationError when its first line names no column ``name``."""
    heads = lines[0].split("\t") if lines else []
    if "name" not in heads:
        raise ConfigurationError("the first line of the file of names has no column 'name'")
    ranked = next((head for head in heads if head.startswith("rank")), "")
    for line in lines[1:]:
        row = dict(zip(heads, line.split("\t"), strict=False))
        if row.get("name"):
            month = row.get("month", "")
            yield ListedName(
                name=row["name"],
                month=month if re.fullmatch(r"\d{4}-\d{2}", month) else "",
                band=band_of(row.get(ranked, "")),
            )


def band_names() -> Iterator[str]:
    """Every band, the most popular first."""
    for first, last in itertools.pairwise((0, *BANDS)):
        yield f"rank {first + 1}-{last}"
    yield UNRANKED


def band_of(rank: str) -> str:
    """The band of a rank as the file writes it."""
    if not rank.isdecimal() or not 0 < int(rank) <= BANDS[-1]:
        return UNRANKED
    return next(band for band, last in zip(band_names(), BANDS, strict=False) if int(rank) <= last)


def years_of(year: int, day: Instant) -> str:
    """The group of years that a release of ``year`` is in, as seen from ``day``."""
    last = day.year
    for span in YEARS:
        if year > day.year - span:
            return f"{day.year - span + 1}-{last}"
        last = day.year - span
    return f"until {last}"


def known_year(listed: ListedName, day: Instant) -> int | None:
    """The year of the release at ``day``, where the newest release of all is of a month before it."""
    return int(listed.month[:4]) if listed.month and listed.month < f"{day:%Y-%m}" else None


def in_turn(names: Sequence[ListedName], seed: int) -> Iterator[ListedName]:
    """``names`` in the order of the draw: one of each band in turn, each band in its random order."""

    def place(listed: ListedName) -> bytes:
        return hashlib.sha256(f"{seed} {listed.name}".encode()).digest()

    ordered = [
        sorted((listed for listed in names if listed.band == band), key=place) for band in band_names()
    ]
    for of_each in itertools.zip_longest(*ordered):
        yield from (listed for listed in of_each if listed is not None)


def draws(
    names: Iterator[ListedName],
    day: Instant,
    limits: DrawLimits,
    look: Callable[[str], FoundRelease],
) -> Iterator[ProjectDraw]:
    """Every name that is drawn, until enough are taken; ``look`` asks the index for one."""
    taken: Counter[tuple[str, str]] = Counter()
    asked = 0
    for listed in names:
        if taken.total() >= limits.wanted or asked >= limits.most_asked:
            return
        year = known_year(listed, day)
        years = years_of(year, day) if year is not None else ""
        draw = ProjectDraw(name=listed.name, band=listed.band, years=years, release=FoundRelease())
        if years and taken[listed.band, years] >= limits.most_in_a_stratum:
            yield replace(draw, release=FoundRelease(dropped="its stratum is full"))
            continue
        asked += 1
        release = look(listed.name)
        if release.uploaded:
            years = years_of(int(release.uploaded[:4]), day)
        if not release.dropped and taken[listed.band, years] >= limits.most_in_a_stratum:
            release = replace(release, dropped="its stratum is full")
        if not release.dropped:
            taken[listed.band, years] += 1
        yield replace(draw, years=years, asked=True, release=release)


def why_ended(kept: Sequence[ProjectDraw], limits: DrawLimits) -> str:
    """Why no further name was drawn."""
    if sum(not draw.release.dropped for draw in kept) >= limits.wanted:
        return "all that were wanted are taken"
    if sum(draw.asked for draw in kept) >= limits.most_asked:
        return f"{limits.most_asked} names were asked for, the most that were allowed"
    return "the file has no further names"


def release_finder(
    client: IndexClient, day: Instant, downloads: Path, kind: str, clones: Path | None
) -> Callable[[str], FoundRelease]:
    """What looks one name up: its release at ``day``, its repository, its tests."""

    def look(name: str) -> FoundRelease:
        source = SdistSource(name=name, version=None)
        try:
            chosen = choose_sdist(fetch_listing(client, name), source, day)
        except SourceError as error:
            return FoundRelease(dropped=WITHOUT_SDIST.get(error.problem, f"no sdist: {error}"))
        found = FoundRelease(version=str(chosen.version), uploaded=f"{chosen.uploaded:%Y-%m-%d}")
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "tree"
            try:
                fetch_sdist(source, root, client=client, before=day, cache=downloads, limits=_LIMITS)
            except SourceError as error:
                return replace(found, dropped=f"its sdist cannot be read: {error}")
            found = replace(found, repository=repository_of(package_info_in(root)))
            if kind == "repositories":
                return with_clone(found, day, clones)
            found = replace(found, tests=tests_in(root))
        return found if found.tests else replace(found, dropped="no tests in its sdist")

    return look


def package_info_in(root: Path) -> str:
    """The core metadata of the sdist at ``root``, "" where it has none that can be read."""
    try:
        return read_text(root, "PKG-INFO") or ""
    except ConfigurationError:
        return ""


def repository_of(package_info: str) -> str:
    """The address of the repository that core metadata name, or ""; the first that is named."""
    headers = HeaderParser().parsestr(package_info)
    stated = [str(value).partition(",")[2].strip() for value in headers.get_all("Project-URL", ())]
    for address in (*stated, str(headers.get("Home-page", "")), str(headers.get("Download-URL", ""))):
        match = _FORGE.match(address)
        if match is not None and match[2] not in _NO_REPOSITORIES:
            return f"https://{match[1]}/{match[2]}/{match[3].removesuffix('.git')}"
    return ""


def tests_in(root: Path) -> str:
    """One file with tests below ``root``, or ""."""
    return next((suite_file.path for suite_file in find_suite(root)), "")


def with_clone(found: FoundRelease, day: Instant, clones: Path | None) -> FoundRelease:
    """``found`` with the last commit before ``day`` of its clone, dropped when there is none with tests."""
    if not found.repository:
        return replace(found, dropped="no repository in its metadata")
    if clones is None:
        return found
    clone = clones / "+".join(found.repository.split("/")[-2:]) / "repo"
    if not clone.exists():
        return replace(found, dropped="its repository is not among the clones")
    try:
        commit = git(clone, "rev-list", "-1", f"--before={day.isoformat()}", "HEAD")
        with tempfile.TemporaryDirectory() as folder:
            project = open_source(f"{clone}@{commit}", workdir=Path(folder))
            found = replace(found, commit=commit, tests=tests_in(project.root))
    except SourceError as error:
        return replace(found, dropped=f"its repository as of the day cannot be read: {error}")
    return found if found.tests else replace(found, dropped="no tests in its repository as of the day")


def git(clone: Path, *command: str) -> str:
    """What git prints. Raises SourceError when it fails."""
    run = subprocess.run(["git", "-C", str(clone), *command], capture_output=True, text=True, check=False)
    if run.returncode:
        raise SourceError((run.stderr.strip().splitlines() or ["git failed"])[-1])
    return run.stdout.strip()


def markdown(drawn: ProjectList) -> Iterator[str]:
    """The list for people: how it was drawn, what was taken, what was dropped and why."""
    asked = sum(draw.asked for draw in drawn.draws)
    yield f"# {drawn.kind.capitalize()} drawn with seed {drawn.seed} as of {drawn.day}\n"
    yield f"{len(drawn.taken)} taken of {len(drawn.draws)} drawn, {asked} of them asked of the index;"
    yield f"{drawn.options}."
    yield f"Ended as {drawn.ended}. SHA-256 of the file of names: `{drawn.names_sha256}`.\n"
    yield "| popularity | year | name | version | uploaded | repository |\n|---|---|---|---|---|---|"
    for draw in drawn.taken:
        release = draw.release
        cells = (draw.band, draw.years, draw.name, release.version, release.uploaded, release.repository)
        yield f"| {' | '.join(cells)} |"
    yield "\n| dropped | popularity | why |\n|---|---|---|"
    for draw in drawn.draws:
        if draw.release.dropped:
            yield f"| {draw.name} | {draw.band} | {' '.join(draw.release.dropped.split())} |"


if __name__ == "__main__":
    sys.exit(main())
