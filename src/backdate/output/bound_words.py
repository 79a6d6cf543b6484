"""What is said of the project's own bounds, in plain text: one wording for terminal and reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from backdate.advice import SourcePlace
from backdate.checking.answers import PYTHON, NeededCap, UnneededCap
from backdate.text import counted, plural
from backdate.timeline.instants import Instant

_MOST_LINES = 4
"""Bounds of one file that are told a line each."""
_MOST_NAMES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LiftableInWords:
    """Bounds that can be lifted, as one line says it."""

    what: str
    """"steady==1.0", "12 pins"."""
    place: SourcePlace
    says: str
    """What follows the place."""
    one_bound: bool = True


def breaks_in_words(cap: NeededCap) -> str:
    """What breaks without a needed bound, and since when, as far as that was seen.

    "4 tests break since marshmallow 4.0.0 (2025-04-17), the first release above it".
    """
    tests = (
        f"{counted(cap.tests, 'test')} {plural(cap.tests, 'breaks', 'break')}" if cap.tests else "tests break"
    )
    if cap.since_first:
        return f"{tests} since {_release(cap, cap.first, cap.first_released)}, the first release above it"
    newest = f"{tests} with {_release(cap, cap.newest, cap.released)}" if cap.newest else tests
    if not cap.first or cap.first == cap.newest:
        return newest
    first = f"{cap.first}{_day(cap.first_released)}, the first release above it"
    if cap.first_breaks is None:
        return f"{newest}; the first release above it is {cap.first}{_day(cap.first_released)}"
    return f"{newest}, {cap.first_breaks or 'none'} of them with {first}"


def proof_of_need(cap: NeededCap) -> str:
    """How well it is known that the tests need a bound."""
    if not cap.proven:
        return "not shown by a run"
    kept = f"this and {', '.join(cap.kept_with)}" if cap.kept_with else "only this cap"
    return f"seen: all pass with {kept} kept"


def liftable_in_words(liftable: Sequence[UnneededCap]) -> Iterator[LiftableInWords]:
    """The bounds that can be lifted: one by one, and those of a file with many of them together."""
    by_file: dict[str, list[UnneededCap]] = {}
    for free in liftable:
        by_file.setdefault(free.file, []).append(free)
    for file, bounds in by_file.items():
        if len(bounds) > _MOST_LINES or (bounds[0].compiled and len(bounds) > 1):
            yield _together(file, bounds)
            continue
        for free in bounds:
            with_ = f" with {_name(free)} {free.without}" if free.without else ""
            place = SourcePlace(file=free.file, line=free.line)
            yield LiftableInWords(what=free.requirement, place=place, says=f"nothing breaks{with_}")


def _together(file: str, bounds: Sequence[UnneededCap]) -> LiftableInWords:
    place = SourcePlace(file=file, line=min(free.line for free in bounds))
    if bounds[0].compiled:
        what, says = (
            counted(len(bounds), "pin"),
            "nothing breaks without them; it is a compiled file: compile it again",
        )
    else:
        names = ", ".join(free.requirement for free in bounds[:_MOST_NAMES])
        what = counted(len(bounds), "bound")
        says = f"{names} and {len(bounds) - _MOST_NAMES} more: nothing breaks without them"
    return LiftableInWords(what=what, place=place, says=says, one_bound=False)


def _release(cap: NeededCap, version: str, released: Instant | None) -> str:
    return f"{_name(cap)} {version}{_day(released)}"


def _day(released: Instant | None) -> str:
    return f" ({released:%Y-%m-%d})" if released is not None else ""


def _name(cap: NeededCap | UnneededCap) -> str:
    """As people write it."""
    return "Python" if cap.distribution == PYTHON else cap.distribution
