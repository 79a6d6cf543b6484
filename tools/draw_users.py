"""Draw repositories at random whose packages use given libraries, for `tools/fix_drawn.py`.

    python tools/draw_users.py NAMES.tsv DRAWN.json --seed 1 --months 2018-01 2021-12 numpy flask …

NAMES.tsv names its columns in its first line, with tabs between: ``name``, and ``month``, that of the newest
release. A package takes part whose month is in ``--months``. It is ordered by the SHA-256 of seed and name,
and asked for in that order: the JSON document that the index has of its newest release has to require one of
the libraries, and to name a repository on github.com, which is taken once. DRAWN.json records every name that
was asked, with why it was dropped; DRAWN.txt, beside it, has ``owner/name`` a line. Both are written before
anything is run.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from draw_issue_repositories import RepositoryDraw, in_order_of_draw

from backdate.changes.packages import NoRepository, address_in_document
from backdate.checking.settings import Settings
from backdate.errors import SourceError, UsageError
from backdate.index.addresses import document_url
from backdate.index.names import normalise
from backdate.index.upstream import IndexClient
from backdate.serial import to_json, write_whole

_HOST = "https://github.com/"
REQUIRES_NONE = "requires none of the libraries"
_AT_ONCE = 8
_REQUIRED = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class UsersDraw:
    """DRAWN.json."""

    seed: str
    months: tuple[str, str]
    libraries: tuple[str, ...]
    names: int
    """Packages that took part."""
    draws: tuple[RepositoryDraw, ...]


def released_within(path: Path, first: str, last: str) -> Iterator[str]:
    """The names of the list whose newest release is of a month from ``first`` to ``last``."""
    with path.open(encoding="utf-8") as file:
        columns = file.readline().rstrip("\n").split("\t")
        name, month = columns.index("name"), columns.index("month")
        for line in file:
            row = line.rstrip("\n").split("\t")
            if len(row) > max(name, month) and first <= row[month] <= last:
                yield row[name]


def document_of(package: str, client: IndexClient) -> bytes:
    """The JSON document of the newest release of ``package``, empty without one.

    Raises SourceError, UsageError.
    """
    page = client.project_page(package)
    answer = client.fetcher.get(
        document_url(page.upstream.rstrip("/"), page.name), {"accept": "application/json"}
    )
    document = answer.body() if answer.status == 200 else b""
    answer.close()
    return document


def required_in(document: bytes) -> frozenset[str] | None:
    """The distributions that a JSON document of the index says are required; None where it says nothing."""
    try:
        stated = json.loads(document)["info"].get("requires_dist") or []
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    matches = [_REQUIRED.match(line) for line in stated]
    return frozenset(normalise(match.group()) for match in matches if match)


def asked(package: str, client: IndexClient, libraries: frozenset[str]) -> RepositoryDraw:
    """Where ``package`` is developed, if it requires one of ``libraries``."""
    try:
        document = document_of(package, client)
    except (SourceError, UsageError) as error:
        return RepositoryDraw(package=package, dropped=str(error)[:200])
    required = required_in(document)
    if required is None:
        return RepositoryDraw(package=package, dropped=NoRepository.NO_METADATA.value)
    if libraries.isdisjoint(required):
        return RepositoryDraw(package=package, dropped=REQUIRES_NONE)
    address = address_in_document(document)
    if address is None:
        return RepositoryDraw(package=package, dropped=NoRepository.NO_ADDRESS.value)
    if not address.startswith(_HOST):
        return RepositoryDraw(package=package, dropped="elsewhere")
    return RepositoryDraw(package=package, address=address)


def draw(
    order: Sequence[str], client: IndexClient, libraries: frozenset[str], wanted: int
) -> Iterator[RepositoryDraw]:
    """Every package in the order of the draw, until ``wanted`` repositories are taken."""
    taken: set[str] = set()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for start in range(0, len(order), _AT_ONCE * 8):
            part = order[start : start + _AT_ONCE * 8]
            for one in pool.map(lambda package: asked(package, client, libraries), part):
                if one.address.lower() in taken:
                    yield RepositoryDraw(package=one.package, dropped="its repository was drawn before")
                    continue
                yield one
                taken |= {one.address.lower()} if one.address else set()
                if len(taken) == wanted:
                    return


def arguments(description: str | None, *, wanted: int) -> argparse.Namespace:
    """What a draw among the users of libraries is given."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", type=Path, metavar="NAMES.tsv")
    parser.add_argument("drawn", type=Path, metavar="DRAWN.json")
    parser.add_argument("libraries", nargs="+", metavar="LIBRARY")
    parser.add_argument("--seed", required=True)
    parser.add_argument("--wanted", type=int, default=wanted)
    parser.add_argument("--months", nargs=2, required=True, metavar=("FIRST", "LAST"))
    given = parser.parse_args()
    if given.drawn.exists():
        parser.error(f"{given.drawn} is there already: a draw is recorded once")
    return given


def main() -> None:
    """Draw, and write both files."""
    given = arguments(__doc__, wanted=60)
    order = in_order_of_draw(released_within(given.names, *given.months), given.seed)
    libraries = frozenset(normalise(name) for name in given.libraries)
    settings = Settings()
    with settings.open_index(settings.open_cache()) as client:
        draws = tuple(draw(order, client, libraries, given.wanted))
    drawn = UsersDraw(
        seed=given.seed,
        months=tuple(given.months),
        libraries=tuple(sorted(libraries)),
        names=len(order),
        draws=draws,
    )
    write_whole(given.drawn, to_json(drawn, indent=1) + b"\n")
    lines = [f"{one.address.removeprefix(_HOST)}\n" for one in draws if one.address]
    write_whole(given.drawn.with_suffix(".txt"), "".join(lines).encode())
    print(f"{len(lines)} repositories of {len(draws)} packages asked, {len(order)} took part")


if __name__ == "__main__":
    main()
