"""Mutation check: superfluous edits are left out, needed ones stay."""

from __future__ import annotations

from dataclasses import replace

import pytest
from dead_names import DeadNamesWorld, by_table, missing, rename

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.rewriting.rewrite import CallYielded, ChangeArgument, ReplaceName, Rewrite
from backdate.solvers.rules.applying import PlannedChange
from backdate.solvers.rules.changes import ChangeHistory, StandingChange, without_guesses_beside
from backdate.solvers.rules.loop import MendLoop
from backdate.solvers.rules.minimising import leave_out
from backdate.solvers.rules.parts import without_failing_lines
from backdate.solvers.rules.proposals import FailureGroup, Proposal, ProposalOrigin

ALIVE = frozenset({"prod", "sum", "mean", "also_sum"})


def smallest(world: DeadNamesWorld):
    loop = MendLoop(world, world.changer())
    mended = loop.mend()
    assert mended.solved
    left = leave_out(
        world.files,
        mended.texts,
        mended.history.standing(mended.texts),
        lambda texts: loop.test(texts, (), ""),
        at_first=loop.first,
        runs=loop.most_runs - loop.runs,
    )
    assert loop.runs <= 8
    return {file: text for file, text in left.texts.items() if text != world.files[file]}, left


def test_a_dead_name_on_a_line_that_nothing_runs_stays() -> None:
    def rules(group, texts):
        return [rename("product", "prod", *group.places, SourcePlace(file="a.py", line=2))]

    world = DeadNamesWorld({"a.py": "x = lib.product\nif 0: lib.product\n"}, ALIVE, rules)
    text, left = smallest(world)
    assert text == {"a.py": "x = lib.prod\nif 0: lib.product\n"}
    assert left.complete


def test_superfluous_edits_that_change_what_works_are_removed() -> None:
    world = DeadNamesWorld(
        {"a.py": "x = lib.product\ny = lib.sum\nz = lib.sum\n", "b.py": "y = lib.sum\n"},
        ALIVE,
        lambda group, texts: [
            rename("product", "prod", *group.places)
            if group.cause.name == "product"
            else rename("sum", "also_sum", *group.places)
        ],
    )
    places = [("a.py", 2), ("a.py", 3), ("b.py", 1)]
    world.foreseen = lambda texts: [
        missing("sum", SourcePlace(file=file, line=line)) for file, line in places
    ]
    text, left = smallest(world)
    assert text == {"a.py": "x = lib.prod\ny = lib.sum\nz = lib.sum\n"}
    assert left.removed == 3


def test_edits_that_no_traceback_showed_stay_where_they_are_needed() -> None:
    world = DeadNamesWorld(
        {"a.py": "x = lib.product\ny = lib.add\nz = lib.product\n"},
        ALIVE,
        by_table(product=["prod"], add=["sum"]),
        executed={"a.py": frozenset({1, 2, 3})},
    )
    text, left = smallest(world)
    assert text == {"a.py": "x = lib.prod\ny = lib.sum\nz = lib.prod\n"}
    assert left.complete


def test_needed_and_superfluous_edits_are_told_apart() -> None:
    world = DeadNamesWorld(
        {"a.py": "x = lib.product\ny = lib.add\nz = lib.sum\n"},
        ALIVE,
        by_table(product=["prod"], add=["sum"], sum=["also_sum"]),
    )
    world.foreseen = lambda texts: [
        missing("add", SourcePlace(file="a.py", line=2)),
        missing("sum", SourcePlace(file="a.py", line=3)),
    ]
    text, left = smallest(world)
    assert text == {"a.py": "x = lib.prod\ny = lib.sum\nz = lib.sum\n"}
    assert left.complete


def test_failures_that_name_no_line_are_searched() -> None:
    world = DeadNamesWorld(
        {"a.py": "x = lib.product\ny = lib.sum\nz = lib.mean\nz = lib.mean\n"},
        ALIVE | {"right"},
        by_table(product=["prod"], sum=["also_sum"], mean=["right"]),
        wrong=frozenset({"sum"}),
    )
    world.foreseen = lambda texts: [
        missing("sum", SourcePlace(file="a.py", line=2)),
        missing("mean", SourcePlace(file="a.py", line=3)),
        missing("mean", SourcePlace(file="a.py", line=4)),
    ]
    text, left = smallest(world)
    assert text == {"a.py": "x = lib.prod\ny = lib.also_sum\nz = lib.mean\nz = lib.mean\n"}
    assert left.complete


def test_a_line_that_fails_in_another_way_after_its_edit_is_left_as_it_was() -> None:
    world = DeadNamesWorld(
        {"a.py": "x = lib.product + lib.gone\n", "b.py": "x = lib.product\n"},
        ALIVE,
        by_table(product=["prod"]),
    )
    mended = MendLoop(world, world.changer()).mend()
    assert not mended.solved
    texts = without_failing_lines(
        world.files, mended.texts, mended.history.standing(mended.texts), mended.remaining
    )
    assert texts == {"b.py": "x = lib.prod\n"}


@pytest.mark.parametrize(("at_first", "stays"), [("unknown option", False), ("another error", True)])
def test_nothing_is_left_where_the_runner_ends_as_before(at_first: str, stays: bool) -> None:
    def ended(message: str) -> FailureGroup:
        cause = Cause(kind=CauseKind.OTHER_ERROR, type="UsageError", message=message)
        return FailureGroup(cause=cause, tests=(), places=())

    first, texts = {"a.py": "x = lib.product\n"}, {"a.py": "x = lib.prod\n"}
    left = without_failing_lines(first, texts, (), (ended("unknown option"),), at_first=(ended(at_first),))
    assert left == (texts if stays else {})


@pytest.mark.parametrize(
    ("unsure", "failing", "stays"), [(True, ("t",), False), (True, ("other",), True), (False, ("t",), True)]
)
def test_what_may_do_another_thing_goes_where_all_its_tests_fail_by_an_assertion(
    unsure: bool, failing: tuple[str, ...], stays: bool
) -> None:
    """`frame.resample("D", loffset="1H")` runs without the argument, and gives other times."""
    first = {"a.py": "x = f(y=1)\nx = f(z=1)\n"}
    texts = {"a.py": "x = f()\nx = f()\n"}
    standing = [
        StandingChange(
            planned=PlannedChange(
                group=missing(argument, place, *tests),
                proposal=Proposal(
                    origin=ProposalOrigin.SIGNATURE,
                    rewrite=ChangeArgument(function="lib.f", argument=argument),
                    places=(place,),
                    unsure=unsure,
                ),
            ),
            base={},
            lines=frozenset({place}),
            raised_at=frozenset({place} if tests else ()),
        )
        for argument, place, tests in (
            ("y", SourcePlace(file="a.py", line=1), ("t",)),
            ("z", SourcePlace(file="a.py", line=2), ()),
        )
    ]
    cause = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message="assert 1 == 2")
    left = FailureGroup(cause=cause, tests=failing, places=(SourcePlace(file="test_a.py", line=9),))
    assert without_failing_lines(first, texts, standing, (left,)) == (texts if stays else {})


def test_the_import_of_an_edit_that_is_taken_back_goes_with_it() -> None:
    use, imported = SourcePlace(file="a.py", line=2), SourcePlace(file="a.py", line=1)
    gone = Cause(kind=CauseKind.OTHER_ERROR, type="AttributeError", message="no attribute 'C'")
    group = FailureGroup(cause=gone, tests=("t",), places=(use,), raised_at=(use,))
    rewrite = ReplaceName(old="lib.old", new="lib.new.old")
    proposal = Proposal(origin=ProposalOrigin.NEW_HOME, rewrite=rewrite, places=(use,))
    standing = StandingChange(
        planned=PlannedChange(group=group, proposal=proposal),
        base={},
        lines=frozenset({use, imported}),
        raised_at=frozenset({use}),
    )
    first = {"a.py": "import lib\nx = lib.old.C\n"}
    texts = {"a.py": "import lib.new\nx = lib.new.old.C\n"}
    assert without_failing_lines(first, texts, (standing,), (group,)) == {}


def test_an_edit_stays_whose_import_went_with_one_that_helps() -> None:
    helps, fails = SourcePlace(file="a.py", line=2), SourcePlace(file="a.py", line=3)
    imported = SourcePlace(file="a.py", line=1)
    refused = Cause(kind=CauseKind.OTHER_ERROR, type="TypeError", message="no")
    group = FailureGroup(cause=refused, tests=("t",), places=(fails,), raised_at=(fails,))
    rewrite = ReplaceName(old="lib.old", new="lib.new")
    proposal = Proposal(origin=ProposalOrigin.NEW_HOME, rewrite=rewrite, places=(helps, fails))
    standing = StandingChange(
        planned=PlannedChange(group=group, proposal=proposal),
        base={},
        lines=frozenset({helps, fails, imported}),
        raised_at=frozenset({helps}),
    )
    first = {"a.py": "from lib import old\nx = old(1)\ny = old(2)\n"}
    texts = {"a.py": "from lib import new\nx = new(1)\ny = new(2)\n"}
    assert without_failing_lines(first, texts, (standing,), (group,)) == texts


@pytest.mark.parametrize(
    ("rewrite", "stays"), [(ReplaceName(old="a", new="b"), False), (CallYielded(), True)]
)
def test_a_test_that_fails_once_it_is_called_stays_called(rewrite: Rewrite, stays: bool) -> None:
    place = SourcePlace(file="test_it.py", line=2)
    refused = Cause(kind=CauseKind.OTHER_ERROR, type="Failed", message="'yield' keyword is allowed")
    group = FailureGroup(cause=refused, tests=("test_it.py",), places=(place,), raised_at=(place,))
    proposal = Proposal(origin=ProposalOrigin.RESTRUCTURING, rewrite=rewrite, places=(place,))
    standing = StandingChange(
        planned=PlannedChange(group=group, proposal=proposal),
        base={},
        lines=frozenset({place}),
        raised_at=frozenset({place}),
    )
    first = {"test_it.py": "def test_a():\n    yield check, 1\n"}
    texts = {"test_it.py": "def test_a():\n    check(1)\n"}
    wrong = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message="1 != 2")
    failed = FailureGroup(cause=wrong, tests=("test_it.py::test_a",), places=(place,), raised_at=(place,))
    assert without_failing_lines(first, texts, (standing,), (failed,)) == (texts if stays else {})


def test_a_guess_on_a_line_that_something_else_mends_is_looked_at_by_itself() -> None:
    world = DeadNamesWorld({"a.py": "x = lib.product + lib.sum\ny = lib.sum\n"}, ALIVE, lambda *_: [])
    first, second = (SourcePlace(file="a.py", line=line) for line in (1, 2))
    guesses = [
        replace(rename("sum", "also_sum", place), origin=ProposalOrigin.CHANGED_DEFAULT)
        for place in (first, second)
    ]
    planned = [
        PlannedChange(group=missing(name, *proposal.places), proposal=proposal)
        for name, proposal in (
            ("product", rename("product", "prod", first)),
            *(("sum", guess) for guess in guesses),
        )
    ]
    history = ChangeHistory(world.changer())
    history.add({}, planned)
    texts = history.texts()
    assert texts == {"a.py": "x = lib.prod + lib.also_sum\ny = lib.also_sum\n"}
    left = without_guesses_beside(history, texts)
    assert left.texts() == {"a.py": "x = lib.prod + lib.sum\ny = lib.also_sum\n"}
    assert without_guesses_beside(left, left.texts()).planned == left.planned
