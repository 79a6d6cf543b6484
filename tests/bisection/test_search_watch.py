"""What a bisection tells while it searches."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from test_result import bisect_result

from backdate.advice import SourcePlace
from backdate.bisection.probes import Target
from backdate.bisection.progress import BisectionAdvanced
from backdate.bisection.result import BisectResult, Culprit, Failing, Finding
from backdate.bisection.search_watch import SearchWatch
from backdate.checking.result import Verdict
from backdate.progress import Event
from backdate.serial import from_json, to_json
from backdate.testing.outcomes import Frame

CULPRIT = Culprit(name="six", old="1", new="2", released=None)


class Kept:
    def __init__(self) -> None:
        self.events: list[BisectionAdvanced] = []

    def report(self, event: Event) -> None:
        assert isinstance(event, BisectionAdvanced)
        self.events.append(event)


def target(*tests: str) -> Target:
    return Target(tests=tests, error=Failing(type="E", message="no"))


def finding(*tests: str, culprits: tuple[Culprit, ...] = (CULPRIT,)) -> Finding:
    return replace(bisect_result().findings[0], tests=tests, culprits=culprits)


def watch(kept: Kept, *, first: bool = False) -> SearchWatch:
    base = replace(bisect_result(), findings=(), unattributed=())
    return SearchWatch(base=base, progress=kept, first=first)


def test_what_is_known_so_far_is_a_result_that_says_so() -> None:
    kept = Kept()
    watching = watch(kept)
    watching.begin([target("a"), target("b", "c")])
    assert watching.found([finding("a")], [target("b", "c")]) is False
    began, found = kept.events
    assert (began.remaining, began.remaining_s, began.finding) == (2, None, None)
    assert began.partial.verdict is Verdict.CANNOT_TELL
    assert (found.done, found.remaining) == (1, 1)
    assert found.remaining_s is not None
    assert found.partial.ending == "interrupted"
    assert found.partial.not_searched == ("b", "c")
    assert found.partial.verdict is Verdict.BROKE
    assert from_json(BisectResult, to_json(found.partial)) == found.partial
    assert watching.ending == "complete"


def test_limits_that_were_seen_to_help_are_told_before_the_end() -> None:
    kept = Kept()
    watching = watch(kept)
    watching.found([replace(finding("a"), confirmed=("forward",), held_back=None)], [target("b")])
    watching.found([replace(finding("b"), confirmed=("forward", "backward"), held_back=None)], [])
    first, second = (event.partial.advice.now for event in kept.events)
    assert first == ()
    assert [(one.requirements, one.passing, one.tests) for one in second] == [(("six<2",), 1, 2)]


def test_what_the_errors_say_to_write_is_told_before_the_end() -> None:
    """Who interrupts a long search had the limits alone, though the errors named what takes the place."""
    kept = Kept()
    place = Frame(file="p/a.py", line=7, function="f", source="np.int(1)")
    error = Failing(type="AttributeError", message="module 'numpy' has no attribute 'int'", place=place)
    numpy = Culprit(name="numpy", old="1.23.5", new="1.24.0", released=None)
    watch(kept).found([replace(finding("a", culprits=(numpy,)), error=error)], [target("b")])
    (change,) = kept.events[-1].partial.advice.fixes
    assert (change.name, change.replacement) == ("numpy.int", "int")
    assert change.places == (SourcePlace(file="p/a.py", line=7),)
    # of what nobody is blamed for nothing is said
    watch(kept).found([replace(finding("a", culprits=()), error=error)], [target("b")])
    assert kept.events[-1].partial.advice.fixes == ()


def test_the_first_culprit_is_enough_and_a_finding_without_one_is_not() -> None:
    kept = Kept()
    watching = watch(kept, first=True)
    assert watching.found([finding("a", culprits=())], [target("b"), target("c")]) is False
    assert watching.found([finding("b")], [target("c")]) is True
    assert (watching.ending, watching.not_searched) == ("first", ("c",))
    assert kept.events[-1].remaining == 0


def test_where_the_first_culprit_is_the_last_the_search_is_complete() -> None:
    watching = watch(Kept(), first=True)
    assert watching.found([finding("a")], []) is True
    assert watching.ending == "complete"
