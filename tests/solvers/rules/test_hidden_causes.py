"""The loop over failures that hide their cause: what the tests catch on the way is mended, or told."""

from __future__ import annotations

import pytest
from dead_names import DeadNamesWorld, rename

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.applying import ChangedTexts, MadeChange, PlannedChange
from backdate.solvers.rules.hidden_causes import HiddenCauses
from backdate.solvers.rules.loop import MendLoop
from backdate.solvers.rules.proposals import FailureGroup

NEW = {"product": "prod", "add": "sum", "wrong": "worse"}


def world(text: str, **further: object) -> DeadNamesWorld:
    def rules(group, texts):
        new = NEW.get(group.cause.name)
        return [] if new is None else [rename(group.cause.name, new, *group.places)]

    return DeadNamesWorld(
        files={"a.py": text, "b.py": "lib.sum\n"},
        alive=frozenset({"prod", "sum"}),
        rules=rules,
        catches=frozenset({"a.py"}),
        **further,
    )


def test_an_error_that_is_caught_is_mended() -> None:
    one = world("x = 1\ny = lib.product\n")
    loop = MendLoop(one, one.changer())
    mended = loop.mend()
    assert mended.solved
    assert mended.texts["a.py"] == "x = 1\ny = lib.prod\n"
    assert loop.runs == len(one.asked) == 3


def test_an_error_behind_one_that_is_caught_is_mended_as_well() -> None:
    one = world("lib.product\nlib.add\n")
    loop = MendLoop(one, one.changer())
    mended = loop.mend()
    assert mended.solved
    assert mended.texts["a.py"] == "lib.prod\nlib.sum\n"
    assert loop.runs == len(one.asked)


def test_what_nothing_mends_is_told_with_its_line() -> None:
    one = world("x = 1\nlib.gone\n")
    loop = MendLoop(one, one.changer())
    mended = loop.mend()
    assert not mended.solved
    assert mended.texts.get("a.py", one.files["a.py"]) == one.files["a.py"]
    (told,) = loop.caught()
    assert (told.file, told.line) == ("a.py", 2)
    assert told.error == "AttributeError: module 'lib' has no attribute 'gone'"
    assert loop.runs == len(one.asked) == 2


def test_an_edit_that_makes_no_test_pass_is_not_kept() -> None:
    one = world("lib.wrong\n")
    loop = MendLoop(one, one.changer())
    mended = loop.mend()
    assert not mended.solved
    assert mended.texts.get("a.py", "lib.wrong\n") == "lib.wrong\n"


def test_a_failure_that_names_its_cause_is_not_looked_behind() -> None:
    one = world("lib.sum\n")
    one.files = {"a.py": "lib.sum\n", "b.py": "lib.gone\n"}
    loop = MendLoop(one, one.changer())
    loop.mend()
    assert loop.runs == len(one.asked) == 1


@pytest.mark.parametrize(
    ("shows", "runs"),
    [
        ("assert 500 == 200", 3),
        ("AssertionError: 404 != 415", 3),
        ("assert 1 == 0  +  where 1 = <Result>.exit_code", 3),
        ("assert 200 == 302", 4),  # no error's status: what is guessed is tried first
        ("assert [500] == [200]", 4),
    ],
)
def test_where_a_test_got_the_status_of_an_error_nothing_is_guessed(shows: str, runs: int) -> None:
    def rules(group, texts):
        if group.cause.kind is CauseKind.ASSERTION:
            return [rename("sum", "add", SourcePlace(file="b.py", line=1))]
        return [rename("product", "prod", *group.places)]

    one = DeadNamesWorld(
        files={"a.py": "lib.product\n", "b.py": "lib.sum\n"},
        alive=frozenset({"prod", "sum", "add"}),
        rules=rules,
        catches=frozenset({"a.py"}),
        shows=shows,
    )
    loop = MendLoop(one, one.changer())
    mended = loop.mend()
    assert mended.solved
    assert mended.texts == {"a.py": "lib.prod\n"}
    assert loop.runs == len(one.asked) == runs


def test_after_half_of_the_runs_what_shows_itself_waits() -> None:
    """Eight runs went on one line after the other of b.py, and nobody looked behind the status."""
    numbers = range(12)
    new = {"product": "prod", **{f"old{number}": f"new{number}" for number in numbers}}

    def rules(group, texts):
        name = group.cause.name
        return [rename(name, new[name], *group.places)] if name in new else []

    one = DeadNamesWorld(
        files={"a.py": "lib.product\n", "b.py": "".join(f"lib.old{number}\n" for number in numbers)},
        alive=frozenset(new.values()),
        rules=rules,
        catches=frozenset({"a.py"}),
        shows="assert 500 == 200",
    )
    loop = MendLoop(one, one.changer())
    mended = loop.mend()
    assert mended.texts["a.py"] == "lib.prod\n"
    assert loop.runs == len(one.asked) == 8


def test_after_a_guess_in_vain_a_look_comes_before_the_next_one() -> None:
    """Four runs went on defaults that might be meant, and PyJWT's error was caught all the while."""

    def rules(group, texts):
        if group.cause.kind is CauseKind.ASSERTION:
            first = SourcePlace(file="b.py", line=1)
            return [rename("sum", f"add{number}", first, origin="changed-default") for number in range(6)]
        return [rename("product", "prod", *group.places)]

    one = DeadNamesWorld(
        files={"a.py": "lib.product\n", "b.py": "lib.sum\n"},
        alive=frozenset({"prod", "sum", *(f"add{number}" for number in range(6))}),
        rules=rules,
        catches=frozenset({"a.py"}),
        shows="assert None == 'm7'",
    )
    loop = MendLoop(one, one.changer())
    mended = loop.mend()
    assert mended.solved
    assert mended.texts == {"a.py": "lib.prod\n"}
    assert loop.runs == len(one.asked) == 4


def raised(message: str, file: str, *tests: str, type_: str = "ConnectionClosedError") -> FailureGroup:
    cause = Cause(kind=CauseKind.OTHER_ERROR, type=type_, message=message)
    return FailureGroup(cause=cause, tests=tests, places=(SourcePlace(file=file, line=1),))


TOLD = "received 1011 (internal error); then sent 1011 (internal error)"
LISTED = "2 validation errors for Order\nname\n  no text\nprice\n  missing"


@pytest.mark.parametrize(
    ("told", "before", "after", "leads_on"),
    [
        (TOLD, [], [raised("no headers", "a.py")], True),
        (TOLD, [], [], False),
        (TOLD, [raised("no headers", "a.py")], [raised("no headers", "a.py")], False),
        ("closed by hand", [], [raised("no headers", "a.py")], False),
        (LISTED, [raised(LISTED, "a.py")], [raised(LISTED.partition("\nprice")[0], "a.py")], True),
        (LISTED, [raised(LISTED, "a.py")], [raised(LISTED, "a.py")], False),
    ],
)
def test_what_is_caught_tells_whether_an_edit_gets_further(
    told: str, before: list[FailureGroup], after: list[FailureGroup], leads_on: bool
) -> None:
    world = DeadNamesWorld(files={"a.py": "lib.a\n"}, alive=frozenset(), rules=lambda _, __: [])
    world.caught = lambda texts, only: after if texts else before  # type: ignore[method-assign]
    hidden = HiddenCauses(world, world.changer())
    group = raised(told, "a.py", "t")
    failing = [raised("assert 422 == 201", "test_it.py", "t"), *([] if told is LISTED else [group])]
    hidden.look({}, failing, ())
    planned = PlannedChange(group=group, proposal=rename("a", "b"))
    made = MadeChange(planned=planned, lines=frozenset())
    changed = ChangedTexts(texts={"a.py": "lib.b\n"}, made=(made,))
    assert hidden.look_behind({}, changed, failing, ()) == (int(told != "closed by hand"), leads_on)
