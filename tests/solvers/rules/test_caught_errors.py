"""What a trace says of errors that something catches, beside what the old side raised as well."""

from __future__ import annotations

from pathlib import Path

from builders import run

from backdate.serial import to_json
from backdate.solvers.rules.caught_errors import caught_groups
from backdate.testing.outcomes import Frame, Raised
from backdate.testing.tracing import SeenError

ROOT = "app.py"
RUN = run()


def met(message: str, line: int, *, kind: str = "AttributeError", function: str = "show") -> SeenError:
    frame = Frame(file=ROOT, line=line, function=function, source="zone.name")
    return SeenError(file=ROOT, line=line, chain=(Raised(type=kind, message=message, frames=(frame,)),))


def groups(folder: Path, *errors: SeenError, known: tuple[SeenError, ...] = ()) -> list[str]:
    lines = [
        to_json({"file": one.file, "line": one.line, "error": to_json_value(one.chain)}) for one in errors
    ]
    (folder / "beginning").write_bytes(b"secret\n")
    (folder / "trace.jsonl").write_bytes(b"secret\n" + b"\n".join(lines))
    found = caught_groups(folder, RUN, None, tree=folder, before=None, known=known)
    assert all(group.caught and not group.tests for group in found)
    return [f"{group.places[0].line}: {group.cause.message}" for group in found]


def to_json_value(chain: tuple[Raised, ...]) -> list[dict[str, object]]:
    return [
        {
            "type": one.type,
            "message": one.message,
            "link": one.link,
            "frames": [
                {"file": each.file, "line": each.line, "function": each.function, "source": each.source}
                for each in one.frames
            ],
        }
        for one in chain
    ]


def test_what_the_old_side_raises_as_well_is_ordinary_wherever_its_line_is(tmp_path: Path) -> None:
    one = met("'Zone' object has no attribute 'name'", 7)
    other = met("'Zone' object has no attribute 'other'", 9)
    assert groups(tmp_path, one, other) == [f"7: {one.chain[0].message}", f"9: {other.chain[0].message}"]
    before = met("'Zone' object has no attribute 'name'", 3)
    assert groups(tmp_path, one, other, known=(before,)) == [f"9: {other.chain[0].message}"]
    elsewhere = met("'Zone' object has no attribute 'name'", 3, function="hide")
    assert len(groups(tmp_path, one, other, known=(elsewhere,))) == 2


def test_numbers_make_no_difference_to_what_is_ordinary(tmp_path: Path) -> None:
    now = met("<Zone at 0x7f3a> has 12 parts", 7, kind="ValueError")
    before = met("<Zone at 0x1b> has 3 parts", 7, kind="ValueError")
    assert groups(tmp_path, now, known=(before,)) == []


def test_assertions_and_what_the_tracing_raised_say_nothing(tmp_path: Path) -> None:
    by_trace = met("Firing event 10 with no exception set", 7, kind="ValueError")
    assert groups(tmp_path, by_trace, met("assert 1 == 2", 8, kind="AssertionError")) == []


def test_a_trace_that_was_written_over_says_nothing(tmp_path: Path) -> None:
    assert groups(tmp_path, met("'Zone' object has no attribute 'name'", 7))
    (tmp_path / "trace.jsonl").write_bytes(b"another\n")
    assert caught_groups(tmp_path, RUN, None, tree=tmp_path, before=None, known=()) == ()
