"""Which drawn functions are proven, and why the others are not; run here by a runner of a dictionary."""

from __future__ import annotations

import random
import sys
import warnings
from dataclasses import replace
from types import ModuleType

import pytest

from backdate.construction.snippet.changed_apis import ASKED, ChangedApi, of_differences
from backdate.construction.snippet.changes import _places, _with_newest
from backdate.construction.snippet.chosen_cases import RefusedSnippet
from backdate.construction.snippet.proving import ProvenSnippet, SnippetProver, rewritten
from backdate.construction.snippet.reasons import SnippetReason
from backdate.construction.snippet.usages import DrawnSnippet, UsageKind, UsageOrigin
from backdate.diagnosis.api import ApiDifference, Member, NameChange
from backdate.rewriting.rewrite import ChangeArgument, NamePositional, ReplaceName
from backdate.snippets.runs import CaseOutcome, ProgramEnd, ProgramRun
from backdate.snippets.snippet import ApiChangeKind, SnippetSide

OLD = SnippetSide(version="1.0", python="3.11")
NEW = SnippetSide(version="2.0", python="3.11")
ORIGIN = UsageOrigin(distribution="user", version="1.0", file="a.py", line=1, licence="MIT")
COUNTS = iter(range(1_000_000))


def _module(**names: object) -> ModuleType:
    module = ModuleType("fakelib")
    vars(module).update(names)
    return module


def _announced_sum(values: list[int]) -> int:
    warnings.warn("`summed_for_now` is deprecated", DeprecationWarning, stacklevel=2)
    return sum(values)


def _scaled_by(values: list[int], *, factor: int = 1) -> int:
    return factor * sum(values)


def _doubled(values: list[int]) -> int:
    return 2 * sum(values)


LIBRARIES = {
    "1.0": _module(
        scaled=_scaled_by,
        total=sum,
        kept=len,
        odd=max,
        count=lambda _: next(COUNTS),
        thing=lambda _: object(),
    ),
    "2.0": _module(
        scaled=_doubled,
        summed=sum,
        summed_for_now=_announced_sum,
        kept=len,
        largest=min,
        counted=len,
        things=id,
    ),
}


class InProcess:
    """Runs what this file wrote itself."""

    def run(self, side, programs, limits=None):
        for program in programs:
            random.seed(0)
            sys.modules["fakelib"] = LIBRARIES[side.version]
            try:
                scope: dict[str, object] = {}
                exec(program.harness.before + program.code, scope)
                outcomes = tuple(self._case(scope, program.entry, case) for case in program.harness.cases)
            finally:
                del sys.modules["fakelib"]
            yield ProgramRun(id=program.id, end=ProgramEnd.FINISHED, cases=outcomes)

    @staticmethod
    def _case(scope, entry, case):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                value = scope[entry](*eval(case, scope))
            except Exception as error:  # noqa: BLE001 - whatever the function raises is its outcome
                return CaseOutcome(error=type(error).__name__, message=str(error))
        warned = tuple(f"{one.category.__name__}: {one.message}" for one in caught)
        return CaseOutcome(value=str(value), kind=type(value).__name__, warnings=warned)


def changed(name: str, new: str = "") -> ChangedApi:
    rewrites = (ReplaceName(old=f"fakelib.{name}", new=f"fakelib.{new}"),) if new else ()
    return ChangedApi(name=f"fakelib.{name}", kind=ApiChangeKind.MOVED, rewrites=rewrites)


CHANGED = {
    one.key: one
    for one in (
        changed("total", "summed"),
        changed("kept", "other"),
        changed("odd", "largest"),
        changed("count", "counted"),
        changed("thing", "things"),
        changed("gone"),
    )
}


def prove(name: str, *cases: str, body: str = "", runner: InProcess | None = None):
    code = f"import fakelib\n\n\ndef f(values):\n    return {body or f'fakelib.{name}(values)'}\n"
    drawn = DrawnSnippet(
        code=code,
        entry="f",
        before="",
        cases=cases or ("([1, 2],)", "(None,)", "([3],)", "([4, 5],)"),
        names=(f"fakelib.{name}",),
        kind=UsageKind.FUNCTION,
        origin=ORIGIN,
    )
    (result,) = SnippetProver(runner or InProcess(), OLD, NEW, CHANGED).prove([drawn])
    return result


def test_three_cases_that_run_a_difference_and_a_reference() -> None:
    result = prove("total")
    assert isinstance(result, ProvenSnippet)
    assert result.cases == ("([1, 2],)", "([4, 5],)", "([3],)")  # the case that fails is left out
    assert [outcome.value for outcome in result.expected] == ["3", "9", "3"]
    assert result.replacements == ("fakelib.summed",)
    assert "fakelib.summed(values)" in result.reference
    assert "has no attribute 'total'" in result.evidence[0]


def test_cases_that_differ_come_before_those_that_give_the_same() -> None:
    result = prove("total", "([1],)", "([1, 0],)", "([2],)", "([3],)")
    assert isinstance(result, ProvenSnippet)
    assert result.cases == ("([1],)", "([2],)", "([3],)")


def test_cases_that_give_zeros_come_last() -> None:
    result = prove("total", "([0],)", "([1],)", "([2],)", "([3],)")
    assert isinstance(result, ProvenSnippet)
    assert result.cases == ("([1],)", "([2],)", "([3],)")


def test_what_a_function_draws_is_no_value_of_its_own() -> None:
    drawn = prove("total", body="fakelib.total(values) + __import__('random').random()")
    assert isinstance(drawn, RefusedSnippet)
    assert drawn.reason is SnippetReason.NOT_DETERMINISTIC
    seeded = prove("total", body="fakelib.total(values) + __import__('random').Random(7).random()")
    assert isinstance(seeded, ProvenSnippet)


def test_of_two_references_the_one_that_announces_no_end_is_taken() -> None:
    places = ("summed_for_now", "summed")
    rewrites = tuple(ReplaceName(old="fakelib.total", new=f"fakelib.{place}") for place in places)
    CHANGED["fakelib.total"] = replace(changed("total"), rewrites=rewrites)
    try:
        result = prove("total")
    finally:
        CHANGED["fakelib.total"] = changed("total", "summed")
    assert isinstance(result, ProvenSnippet)
    assert result.replacements == ("fakelib.summed",)


@pytest.mark.parametrize(
    ("body", "known_by", "proven"),
    [
        ("fakelib.scaled(values, factor=2)", ASKED, True),
        ("fakelib.scaled(values, factor=2) > 2", ASKED, False),
        ("fakelib.scaled(values, factor=2) > 2", "lib:a rule", True),
    ],
)
def test_an_argument_that_is_left_out_has_done_something(body: str, known_by: str, proven: bool) -> None:
    gone = ChangedApi(
        name="fakelib.scaled",
        argument="factor",
        kind=ApiChangeKind.SIGNATURE,
        rewrites=(ChangeArgument(function="fakelib.scaled", argument="factor"),),
        known_by=known_by,
    )
    CHANGED["fakelib.scaled"] = gone
    try:
        result = prove("scaled", "([0, 0],)", "([4],)", "([0],)", body=body)
    finally:
        del CHANGED["fakelib.scaled"]
    assert isinstance(result, ProvenSnippet) == proven
    assert proven or result.reason is SnippetReason.NOT_SHOWN


def test_where_a_place_is_itself_replaced_the_newest_is_tried_first() -> None:
    newer = _places([changed("summed", "sum_of"), changed("gone")])
    assert _with_newest(changed("total", "summed"), newer).rewrites == (
        ReplaceName(old="fakelib.total", new="fakelib.sum_of"),
        ReplaceName(old="fakelib.total", new="fakelib.summed"),
    )
    assert _with_newest(changed("total", "other"), newer) == changed("total", "other")


@pytest.mark.parametrize(
    ("name", "cases", "reason"),
    [
        ("gone", (), SnippetReason.ORIGIN_FAILS),
        ("kept", (), SnippetReason.TARGET_SAME),
        ("odd", (), SnippetReason.REFERENCE_FAILS),
        ("count", (), SnippetReason.NOT_DETERMINISTIC),
        ("thing", (), SnippetReason.NOT_TELLING),
        ("total", ("([1],)", "([2],)", "(3,)"), SnippetReason.FEW_CASES),
        ("total", ("([1],)", "([0, 1],)", "([1, 0],)"), SnippetReason.NOT_TELLING),
    ],
)
def test_what_is_not_proven_has_its_reason(name, cases, reason) -> None:
    result = prove(name, *cases)
    assert isinstance(result, RefusedSnippet)
    assert result.reason is reason


def test_without_a_replacement_and_where_none_can_be_written_nothing_is_proven() -> None:
    CHANGED["fakelib.total"] = changed("total")
    try:
        result = prove("total")
    finally:
        CHANGED["fakelib.total"] = changed("total", "summed")
    assert isinstance(result, RefusedSnippet)
    assert result.reason is SnippetReason.NO_REPLACEMENT
    result = prove("total", body="getattr(fakelib, 'total')(values)")
    assert isinstance(result, RefusedSnippet)
    assert result.reason is SnippetReason.NOT_REWRITTEN


class StoppedInTheTarget(InProcess):
    """A machine that is too busy for the target."""

    def run(self, side, programs, limits=None):
        for run in super().run(side, programs, limits):
            yield run if side == OLD else replace(run, end=ProgramEnd.TIMED_OUT, cases=run.cases[:1])


def test_a_run_that_a_limit_ends_is_no_difference() -> None:
    result = prove("total", runner=StoppedInTheTarget())
    assert isinstance(result, RefusedSnippet)
    assert result.reason is SnippetReason.NOT_ENDED


def test_every_name_is_rewritten_or_none() -> None:
    first = ReplaceName(old="fakelib.total", new="fakelib.summed")
    second = ReplaceName(old="fakelib.odd", new="fakelib.largest")
    code = "import fakelib\nx = fakelib.total(fakelib.odd([[1]]))\n"
    assert rewritten(code, [first, second]) == "import fakelib\nx = fakelib.summed(fakelib.largest([[1]]))\n"
    assert rewritten("import fakelib\nx = fakelib.total([1])\n", [first, second]) == ""


def member(signature: str, *keywords: str) -> Member:
    return Member(
        name="lib.f",
        present=True,
        signature=signature,
        parameters=keywords,
        keywords=keywords,
        takes_any=False,
    )


def differing(old: Member, new: Member) -> tuple[ChangedApi, ...]:
    return of_differences([ApiDifference(name="lib.f", change=NameChange.SIGNATURE, old=old, new=new)])


def test_a_parameter_that_is_gone_may_be_renamed_or_left_out() -> None:
    (one,) = differing(member("(a, mode)", "a", "mode"), member("(a, method)", "a", "method"))
    assert one.key == "lib.f(mode)"
    assert one.rewrites == (
        ChangeArgument(function="lib.f", argument="mode", new="method"),
        ChangeArgument(function="lib.f", argument="mode"),
    )


def test_arguments_by_position_count_as_changed_only_where_a_position_is_gone() -> None:
    (one,) = differing(member("(a, b=1)", "a", "b"), member("(a, *, b=1)", "a", "b"))
    assert one.key == "lib.f(*)"
    assert one.rewrites == (NamePositional(function="lib.f", names=("", "b")),)
    assert not differing(
        member("(a, b=1)", "a", "b"), member("(a, b=1, *, backend=None)", "a", "b", "backend")
    )


def test_evidence_names_no_folder_of_this_machine() -> None:
    class MovedModule(InProcess):
        def run(self, side, programs, limits=None):
            for run in super().run(side, programs, limits):
                words = "ImportError: cannot import name 'total' from 'fakelib' (/home/me/fakelib.py)"
                broken = side == NEW and any("total" in program.code for program in programs)
                yield replace(run, end=ProgramEnd.LOAD_ERROR, detail=words, cases=()) if broken else run

    result = prove("total", runner=MovedModule())
    assert isinstance(result, ProvenSnippet)
    assert result.evidence[0] == "load-error: ImportError: cannot import name 'total' from 'fakelib'"


def test_a_private_place_takes_no_public_names_place() -> None:
    moved = ApiDifference(
        name="lib.f",
        change=NameChange.MOVED,
        old=None,
        new=None,
        moved_to=("lib._impl.f", "lib.places.f", "lib.__init__.f"),
    )
    (one,) = of_differences([moved])
    assert one.rewrites == (
        ReplaceName(old="lib.f", new="lib.places.f"),
        ReplaceName(old="lib.f", new="lib.__init__.f"),
    )
    (private,) = of_differences([replace(moved, moved_to=("lib._impl.f",))])
    assert not private.rewrites
