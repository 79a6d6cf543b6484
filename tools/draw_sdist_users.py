"""Draw sdists at random of packages that use given libraries, for `tools/fix_drawn.py --drawn`.

    python tools/draw_sdist_users.py NAMES.tsv DRAWN.json --seed 1 --months 2018-01 2021-12 numpy flask …

Packages take part, are ordered and are asked as those of `tools/draw_users.py`, but for where they are
developed, which is not asked. The sdist of the newest release has to hold tests, no compiled sources, and
Python files no more than those that `tools/fix_drawn.py` allows. Its day is that of its upload. DRAWN.json
records every name that was asked, with why it was dropped, and is written before anything is run.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from draw_issue_repositories import in_order_of_draw
from draw_projects import tests_in
from draw_users import REQUIRES_NONE, arguments, document_of, released_within, required_in
from fix_drawn import COMPILED, MOST_FILES, DrawnRepository

from backdate.checking.settings import Settings
from backdate.errors import SourceError, UsageError
from backdate.index.names import normalise
from backdate.index.upstream import IndexClient
from backdate.projects.sources.listing import fetch_listing
from backdate.projects.sources.sdist import choose_sdist, fetch_sdist
from backdate.projects.sources.specification import SdistSource
from backdate.projects.sources.tree import TreeLimits
from backdate.serial import to_json, write_whole

_LIMITS = TreeLimits(files=5_000, bytes=128 * 1024 * 1024)
_AT_ONCE = 8


def drawn_sdist(
    package: str, client: IndexClient, libraries: frozenset[str], downloads: Path
) -> DrawnRepository:
    """The sdist of the newest release of ``package``, if it requires one of ``libraries`` and has tests."""
    name = f"pypi:{package}"
    try:
        if libraries.isdisjoint(required_in(document_of(package, client)) or ()):
            return DrawnRepository(name=name, dropped=REQUIRES_NONE)
        source = SdistSource(name=package, version=None)
        chosen = choose_sdist(fetch_listing(client, package), source, None)
        name = f"pypi:{package}=={chosen.version}"
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "tree"
            fetch_sdist(source, root, client=client, before=None, cache=downloads, limits=_LIMITS)
            why = why_dropped(root)
    except (SourceError, UsageError) as error:
        return DrawnRepository(name=name, dropped=" ".join(str(error).split())[:120])
    return DrawnRepository(name=name, day=f"{chosen.uploaded:%Y-%m-%d}", dropped=why)


def why_dropped(root: Path) -> str:
    """Why the sdist at ``root`` is not taken; empty where it is."""
    if not tests_in(root):
        return "no tests"
    if any(next(root.rglob(f"*{ending}"), None) for ending in COMPILED):
        return "compiled sources"
    if sum(1 for _ in root.rglob("*.py")) > MOST_FILES:
        return f"more than {MOST_FILES} Python files"
    return ""


def draw(
    order: Sequence[str], client: IndexClient, libraries: frozenset[str], wanted: int, downloads: Path
) -> Iterator[DrawnRepository]:
    """Every package in the order of the draw, until ``wanted`` sdists are taken."""
    taken = 0
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for start in range(0, len(order), _AT_ONCE * 4):
            part = order[start : start + _AT_ONCE * 4]
            for one in pool.map(lambda name: drawn_sdist(name, client, libraries, downloads), part):
                yield one
                taken += not one.dropped
                if taken == wanted:
                    return


def main() -> None:
    """Draw, and write the file."""
    given = arguments(__doc__, wanted=40)
    order = in_order_of_draw(released_within(given.names, *given.months), given.seed)
    libraries = frozenset(normalise(name) for name in given.libraries)
    settings = Settings()
    cache = settings.open_cache()
    with settings.open_index(cache) as client:
        draws = tuple(draw(order, client, libraries, given.wanted, cache.downloads))
    write_whole(given.drawn, to_json([asdict(one) for one in draws], indent=1) + b"\n")
    taken = sum(not one.dropped for one in draws)
    print(f"{taken} sdists of {len(draws)} packages asked, {len(order)} took part")


if __name__ == "__main__":
    main()
