"""Why a side of a check has no environment, or no good run, as text: each error once."""

from __future__ import annotations

from collections.abc import Iterator

from backdate.checking.result import CheckResult, Side
from backdate.output.run_words import fails_alike

Line = tuple[str, str]
"""A line's text and its style ("" for none)."""


def failure_lines(result: CheckResult, *, verbose: bool, old_is_told: bool) -> Iterator[Line]:
    """Why a side has no environment or no good run. ``old_is_told``: of the old side it stands above."""
    broke = result.comparison is not None and bool(result.comparison.breakages)
    for name, side in (("old", result.old), ("new", result.new)):
        told_below = broke and side is result.new  # what broke names the error
        if side is result.old and old_is_told:
            continue
        if side.failure is not None:
            yield "", ""
            if side is not result.old and fails_alike(result.old, side):
                yield f"The {name} environment does not build either, for the same reason", "bold"
            else:
                yield f"The {name} environment does not build ({side.failure.phase}):", "bold"
                yield from _why_not_built(side, verbose=verbose)
            yield f"  Log: {side.failure.log}", "dim"
            yield from _to_try(side)
        elif side.run is not None and side.run.trouble and not (told_below and side.run.status == "broken"):
            yield "", ""
            first, *more = side.run.trouble.splitlines()
            yield f"The {name} side's run ({side.run.status}): {first}", "yellow"
            for line in more:
                yield f"  {line}", "yellow"
            yield from in_the_way(side)
        elif side.obstacle is not None and not told_below:
            yield "", ""
            yield f"What stood in the way of the {name} side:", "bold"
            yield from in_the_way(side)


def _why_not_built(side: Side, *, verbose: bool) -> Iterator[Line]:
    """The telling line, and what was said besides; of a conflict what follows on that line.

    The second resolver tells the same conflict again, in words of its own: that is for ``verbose``.
    """
    assert side.failure is not None
    lines = side.failure.message.splitlines()
    if side.obstacle is None:
        yield from ((f"  {line}", "") for line in lines)
        return
    telling = side.obstacle.line
    yield f"  {telling}", "red"
    at = next((number for number, line in enumerate(lines) if telling in line), None)
    if at is not None and not verbose:
        rest = lines[at + 1 :]
        if side.failure.phase == "resolve":
            lines = rest[: rest.index("")] if "" in rest else rest
        else:
            lines = [*lines[:at], *rest]
    yield from ((f"  {line}", "dim") for line in lines)


def in_the_way(side: Side) -> Iterator[Line]:
    """The error of a side, its log, and what to try."""
    if side.obstacle is not None:
        yield f"  {side.obstacle.line}", "red"
        yield f"  Log: {side.obstacle.log}", "dim"
        yield from _to_try(side)


def _to_try(side: Side) -> Iterator[Line]:
    if side.obstacle is not None:
        yield f"  To try: {side.obstacle.help} ({side.obstacle.error})", ""
