"""What a run says of one change."""

from __future__ import annotations

import pytest

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.rewriting.rewrite import AddArgument, CallYielded, DropImport, ReplaceName, Rewrite
from backdate.solvers.rules.applying import MadeChange, PlannedChange
from backdate.solvers.rules.backend import SuiteReading
from backdate.solvers.rules.judgement import ChangeVerdict, ends_runner, group_key, judge_change, mends_others
from backdate.solvers.rules.proposals import FailureGroup, Proposal, ProposalOrigin

PLACE = SourcePlace(file="test_it.py", line=2)


@pytest.mark.parametrize(
    ("rewrite", "verdict"),
    [
        (ReplaceName(old="lib.a", new="lib.b"), ChangeVerdict.HARMFUL),
        (CallYielded(), ChangeVerdict.HELPED),
    ],
)
def test_a_test_that_never_ran_may_fail(rewrite: Rewrite, verdict: ChangeVerdict) -> None:
    refused = Cause(kind=CauseKind.OTHER_ERROR, type="Failed", message="'yield' keyword is allowed")
    group = FailureGroup(cause=refused, tests=("test_it.py",), places=(PLACE,))
    proposal = Proposal(origin=ProposalOrigin.RESTRUCTURING, rewrite=rewrite, places=(PLACE,))
    made = MadeChange(planned=PlannedChange(group=group, proposal=proposal), lines=frozenset({PLACE}))
    wrong = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message="1 != 2")
    failed = FailureGroup(cause=wrong, tests=("test_it.py::test_a",), places=(PLACE,), raised_at=(PLACE,))
    after = SuiteReading(solved=False, reason="", groups=(failed,), ended=True)
    assert judge_change(made, frozenset(), group, after, lambda _: False) is verdict


@pytest.mark.parametrize(
    ("left", "verdict"),
    [
        ("[pytest] section in setup.cfg files is no longer supported", ChangeVerdict.NO_EFFECT),
        ("unknown configuration option", ChangeVerdict.HELPED),
    ],
)
def test_what_ends_the_runner_all_the_same_was_not_mended(left: str, verdict: ChangeVerdict) -> None:
    def ended(message: str) -> FailureGroup:
        return FailureGroup(
            cause=Cause(kind=CauseKind.OTHER_ERROR, type="Failed", message=message), tests=(), places=()
        )

    before = ended("[pytest] section in setup.cfg files is no longer supported")
    rewrite = AddArgument(function="lib.made", argument="strict", value="False")
    proposal = Proposal(origin=ProposalOrigin.CHANGED_DEFAULT, rewrite=rewrite, places=(PLACE,))
    made = MadeChange(planned=PlannedChange(group=before, proposal=proposal), lines=frozenset({PLACE}))
    after = SuiteReading(solved=False, reason="", groups=(ended(left),), ended=True)
    keys = frozenset({group_key(before)})
    assert judge_change(made, keys, before, after, lambda _: False) is verdict
    assert (ends_runner([before]) == ends_runner(after.groups)) is (verdict is ChangeVerdict.NO_EFFECT)
    assert not ends_runner([FailureGroup(cause=before.cause, tests=("t",), places=())])


def test_values_that_one_line_of_a_library_refuses_are_failures_of_their_own() -> None:
    def key(message: str, kind: CauseKind = CauseKind.CHANGED_VALUE) -> str:
        cause = Cause(kind=kind, type="InvalidParameterError", message=message)
        return group_key(FailureGroup(cause=cause, tests=("t",), places=()))

    criterion = "The 'criterion' parameter of A must be a str among {'x', 'y'}. Got 'mse' instead."
    assert key(criterion) != key(criterion.replace("criterion", "loss"))
    assert key(criterion) == key(criterion.replace("'mse'", "'mae'"))
    assert key(criterion) == key(criterion.replace("{'x', 'y'}", "{'y', 'x'}"))
    assert key("assert 'a' == 'b'", CauseKind.ASSERTION) == key("assert 'c' == 'd'", CauseKind.ASSERTION)


@pytest.mark.parametrize(
    ("rewrite", "verdict"),
    [
        (ReplaceName(old="gone.a.one", new="kept.one"), ChangeVerdict.HELPED),
        (DropImport(name="gone.a.one"), ChangeVerdict.HELPED),
        (ReplaceName(old="gone.a.one", new="gone.b.one"), ChangeVerdict.NO_EFFECT),
    ],
)
def test_the_next_name_of_a_module_that_is_gone_is_another_failure(
    rewrite: Rewrite, verdict: ChangeVerdict
) -> None:
    gone = Cause(
        kind=CauseKind.MISSING_MODULE,
        type="ModuleNotFoundError",
        message="No module named 'gone'",
        name="gone",
    )
    group = FailureGroup(cause=gone, tests=("t",), places=(PLACE,), raised_at=(PLACE,))
    proposal = Proposal(origin=ProposalOrigin.WRITTEN_RULE, rewrite=rewrite, places=(PLACE,))
    made = MadeChange(planned=PlannedChange(group=group, proposal=proposal), lines=frozenset({PLACE}))
    after = SuiteReading(solved=False, reason="", groups=(group,), ended=True)
    assert judge_change(made, frozenset({group_key(group)}), group, after, lambda _: True) is verdict


@pytest.mark.parametrize(("can_go_on", "verdict"), [(False, "harmful"), (True, "helped")])
def test_a_function_that_refuses_its_call_was_the_wrong_one_wherever_it_is_called(
    can_go_on: bool, verdict: str
) -> None:
    """``def line(func, formatter=inspect.signature)``, which another line calls as formatargspec was."""
    gone = Cause(
        kind=CauseKind.MISSING_ATTRIBUTE, type="AttributeError", message="gone", name="formatargspec"
    )
    group = FailureGroup(cause=gone, tests=("t",), places=(PLACE,), raised_at=(PLACE,))
    rewrite = ReplaceName(old="inspect.formatargspec", new="inspect.signature")
    proposal = Proposal(origin=ProposalOrigin.WARNING, rewrite=rewrite, places=(PLACE,))
    made = MadeChange(planned=PlannedChange(group=group, proposal=proposal), lines=frozenset({PLACE}))
    refused = Cause(
        kind=CauseKind.ARGUMENT_COUNT,
        type="TypeError",
        message="signature() takes 1 positional argument but 4 were given",
        owner="signature",
        owner_is="function",
    )
    other = SourcePlace(file="test_it.py", line=9)
    failed = FailureGroup(cause=refused, tests=("t",), places=(other,), raised_at=(other,))
    after = SuiteReading(solved=False, reason="", groups=(failed,), ended=True)
    assert judge_change(made, frozenset({group_key(group)}), group, after, lambda _: can_go_on) == verdict


@pytest.mark.parametrize(
    ("wrote", "raised_then", "verdict"),
    [
        (2, (3, 9), ChangeVerdict.HELPED),  # the next line of the same function raises it now
        (2, (2, 9), ChangeVerdict.NO_EFFECT),
        (5, (2, 9), ChangeVerdict.NO_EFFECT),  # what it wrote is elsewhere
    ],
)
def test_one_of_several_lines_that_raises_no_more_is_mended(
    wrote: int, raised_then: tuple[int, ...], verdict: ChangeVerdict
) -> None:
    def at(*lines: int) -> tuple[SourcePlace, ...]:
        return tuple(SourcePlace(file="a.py", line=line) for line in lines)

    refused = Cause(kind=CauseKind.CHANGED_TYPE, type="TypeError", message="a float is no integer")
    before = FailureGroup(cause=refused, tests=("t", "u"), places=at(2, 9), raised_at=at(2, 9))
    rewrite = ReplaceName(old="lib.a", new="lib.b")
    proposal = Proposal(origin=ProposalOrigin.RESTRUCTURING, rewrite=rewrite, places=at(wrote))
    made = MadeChange(planned=PlannedChange(group=before, proposal=proposal), lines=frozenset(at(wrote)))
    group = FailureGroup(cause=refused, tests=("t", "u"), places=at(*raised_then), raised_at=at(*raised_then))
    after = SuiteReading(solved=False, reason="", groups=(group,), ended=True)
    assert judge_change(made, frozenset({group_key(before)}), before, after, lambda _: True) is verdict


def test_that_a_file_can_be_imported_again_is_no_sign_of_another_change() -> None:
    before = SuiteReading(solved=False, missing=("a.py",), good=frozenset({"b.py::test_x"}))
    after = SuiteReading(solved=False, good=frozenset({"b.py::test_x", "a.py::test_y"}))
    assert not mends_others(before, after, [("a.py",)])
    assert mends_others(before, after, [("b.py::test_z",)])
    assert mends_others(before, after, [])
    assert not mends_others(before, before, [])


@pytest.mark.parametrize(
    ("left", "verdict"),
    [
        ("1 validation error for Order\nname\n  no text", ChangeVerdict.HELPED),
        ("2 validation errors for Order\nname\n  no text\nprice\n  missing", ChangeVerdict.NO_EFFECT),
        ("2 validation errors for Order\nname\n  no text\nweight\n  missing", ChangeVerdict.NO_EFFECT),
        ("0 validation errors for Order", ChangeVerdict.NO_EFFECT),
    ],
)
def test_of_an_error_that_lists_what_is_wrong_a_part_may_be_mended(left: str, verdict: ChangeVerdict) -> None:
    def refused(message: str) -> FailureGroup:
        cause = Cause(kind=CauseKind.OTHER_ERROR, type="ValidationError", message=message)
        return FailureGroup(cause=cause, tests=("t",), places=(PLACE,), raised_at=(PLACE,))

    group = refused("2 validation errors for Order\nname\n  no text\nprice\n  missing")
    proposal = Proposal(origin=ProposalOrigin.RESTRUCTURING, file_edits=(), places=(PLACE,))
    made = MadeChange(planned=PlannedChange(group=group, proposal=proposal), lines=frozenset())
    after = SuiteReading(solved=False, reason="", groups=(refused(left),), ended=True)
    assert judge_change(made, frozenset({group_key(group)}), group, after, lambda _: True) is verdict
