"""What a trace says of errors that something catches, beside what the old side raised as well."""

from __future__ import annotations

from pathlib import Path

from builders import run

from backdate.diagnosis.caught_errors import caught_failures
from backdate.testing.outcomes import Frame, Raised
from backdate.testing.tracing import SeenError

ROOT = "app.py"
RUN = run()


def met(message: str, line: int, *, kind: str = "AttributeError", function: str = "show") -> SeenError:
    frame = Frame(file=ROOT, line=line, function=function, source="zone.name")
    return SeenError(file=ROOT, line=line, chain=(Raised(type=kind, message=message, frames=(frame,)),))


def told(folder: Path, *errors: SeenError, known: tuple[SeenError, ...] = ()) -> list[str]:
    found = caught_failures(errors, known, RUN, None, tree=folder, before=None)
    return [f"{one.test.rpartition(':')[2]}: {one.cause.message}" for one in found]


def test_what_the_old_side_raises_as_well_is_ordinary_wherever_its_line_is(tmp_path: Path) -> None:
    one = met("'Zone' object has no attribute 'name'", 7)
    other = met("'Zone' object has no attribute 'other'", 9)
    assert told(tmp_path, one, other) == [f"7: {one.chain[0].message}", f"9: {other.chain[0].message}"]
    before = met("'Zone' object has no attribute 'name'", 3)
    assert told(tmp_path, one, other, known=(before,)) == [f"9: {other.chain[0].message}"]
    elsewhere = met("'Zone' object has no attribute 'name'", 3, function="hide")
    assert len(told(tmp_path, one, other, known=(elsewhere,))) == 2


def test_numbers_make_no_difference_to_what_is_ordinary(tmp_path: Path) -> None:
    now = met("<Zone at 0x7f3a> has 12 parts", 7, kind="ValueError")
    before = met("<Zone at 0x1b> has 3 parts", 7, kind="ValueError")
    assert told(tmp_path, now, known=(before,)) == []


def test_assertions_and_what_the_tracing_raised_say_nothing(tmp_path: Path) -> None:
    by_trace = met("Firing event 10 with no exception set", 7, kind="ValueError")
    assert told(tmp_path, by_trace, met("assert 1 == 2", 8, kind="AssertionError")) == []


def test_what_a_canary_raises_is_no_error_of_the_project(tmp_path: Path) -> None:
    canary = met("1eef8328e4951d3b", 3, kind="ValueError", function="test_46c7cf175430f547")
    own = met("no such key", 3, kind="ValueError", function="test_keys")
    assert told(tmp_path, canary, own) == ["3: no such key"]


GUARDED = """
try:
    from lib.util import gone
except ({caught}):
    gone = None
from lib.util import other
"""


def test_an_import_that_the_code_is_ready_to_miss_is_no_cause(tmp_path: Path) -> None:
    missed = met("cannot import name 'gone' from 'lib.util'", 3, kind="ImportError")
    (tmp_path / ROOT).write_text(GUARDED.format(caught="ImportError"))
    assert told(tmp_path, missed) == []
    unguarded = met("cannot import name 'other' from 'lib.util'", 6, kind="ImportError")
    assert told(tmp_path, unguarded) == [f"6: {unguarded.chain[0].message}"]
    (tmp_path / ROOT).write_text(GUARDED.format(caught="KeyError, ValueError"))
    assert told(tmp_path, missed) == [f"3: {missed.chain[0].message}"]
    (tmp_path / ROOT).write_text("try:")
    assert len(told(tmp_path, missed)) == 1
