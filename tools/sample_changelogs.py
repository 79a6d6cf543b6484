"""What ``rules mine`` reads out of changelogs, and a sample of it for a person to judge.

    python tools/sample_changelogs.py PACKAGE... --from 2019-01-01 --to 2026-11-01 --seed 15 --number 60

Ten releases of each are read, evenly from the first to the last. For each distribution it says how many
entries speak of something that goes, how many candidates they give that say what to write, and of how many
of them the sources of the releases say the same, or nothing. Then it prints as many candidates as asked for,
drawn by chance of one for each pair of words and subject: a class hands what it says of a member on to those
below it. What a person found is in ``tools/changelogs_read.toml``.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

from backdate.checking.settings import Settings
from backdate.mining.candidates import ReadModules, RuleCandidate, candidates_of, mine_release
from backdate.mining.changelogs import entries_of_changelogs, told_by_changelogs
from backdate.mining.moves import moves_of
from backdate.mining.releases import ReleaseBounds, ReleaseSeries, read_release, releases_between
from backdate.session import Session
from backdate.timeline.instants import parse_instant


def spread(releases: Sequence[ReleaseSeries], most: int) -> list[ReleaseSeries]:
    """At most as many of the releases, evenly from the first to the last."""
    places = range(len(releases)) if len(releases) <= most else range(most)
    last, steps = len(releases) - 1, max(len(places) - 1, 1)
    return [releases[round(place * last / steps)] for place in places]


def candidates_by_changelogs(
    session: Session, package: str, bounds: ReleaseBounds, most: int
) -> list[RuleCandidate]:
    """What the changelogs of one distribution give; prints how many."""
    cache = session.cache.downloads / "mined"
    known: ReadModules = {}
    read = [
        mine_release(read_release(series.file, cache), first=series.first, known=known)
        for series in spread(releases_between(session.index, package, bounds), most)
    ]
    entries = entries_of_changelogs(session.index, package, read, cache).entries
    found = [one for one in candidates_of(told_by_changelogs(read, entries)) if one.is_rule]
    said = {(one.name, one.argument): one.replacement for one in (*moves_of(read), *candidates_of(read))}
    told = [(said.get((one.name, one.argument)), one.replacement) for one in found]
    same, nothing = sum(old == new for old, new in told), sum(not old and old != new for old, new in told)
    print(
        f"# {package}: {len(read)} releases, {len(entries)} entries, {len(found)} candidates; "
        f"the sources say the same of {same}, nothing of {nothing}, something else of the others",
        flush=True,
    )
    return found


def main() -> None:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--from", dest="first", required=True)
    parser.add_argument("--to", dest="last", required=True)
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--most", type=int, default=10, help="releases that are read of each")
    parser.add_argument("--cache", type=Path, required=True)
    given = parser.parse_args()
    bounds = ReleaseBounds(first=parse_instant(given.first), last=parse_instant(given.last))
    drawn: dict[tuple[str, str], tuple[str, RuleCandidate]] = {}
    with Session(Settings(cache=given.cache)) as session:
        for package in given.packages:
            for one in candidates_by_changelogs(session, package, bounds, given.most):
                subject = one.argument or one.name.rpartition(".")[2]
                drawn.setdefault((one.words, subject), (package, one))
    rows = random.Random(given.seed).sample(sorted(drawn), min(given.number, len(drawn)))
    for key in rows:
        package, one = drawn[key]
        print("\n[[candidate]]")
        print(f'distribution = "{package}"\nold = "{one.subject}"\nnew = "{one.replacement}"')
        print(f"# {one.announced}: {one.words}")
    print(f"# {len(rows)} of {len(drawn)}")


if __name__ == "__main__":
    main()
