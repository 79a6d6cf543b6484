"""The role of every test by repeated runs."""

from __future__ import annotations

from builders import run
from diagnosis_builders import failed, result

from backdate.tasks.roles import judge_tests, without_flaky
from backdate.testing.outcomes import Outcome

NAMES = ("t.py::a", "t.py::b", "t.py::c", "t.py::d", "t.py::e", "t.py::f")


def suite(*outcomes: Outcome | None, status: str = "completed") -> object:
    return run(
        *(result(name, outcome) for name, outcome in zip(NAMES, outcomes, strict=False) if outcome),
        status=status,
    )


P, F, S = Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED


def roles(old: list[object], new: list[object]) -> dict[str, str]:
    found = judge_tests(old, new)  # type: ignore[arg-type]
    return {test.id[-1]: test.why or test.role for test in found.tests}


def test_roles() -> None:
    old = [suite(P, P, F, S, P, P), suite(P, P, F, S, P, P)]
    new = [suite(F, P, F, P, S, None), suite(F, P, P, P, S, None)]
    assert roles(old, new) == {
        "a": "fail-to-pass",
        "b": "pass-to-pass",
        "c": "failed before",
        "d": "skipped before",
        "e": "skipped in the new environment",
        "f": "not there in the new environment",
    }


def test_what_differs_between_runs_of_one_side_is_flaky() -> None:
    assert roles([suite(P, P), suite(F, P)], [suite(F, P), suite(F, F)]) == {"a": "flaky", "b": "flaky"}


def test_a_file_that_cannot_be_collected_fails_all_its_tests() -> None:
    blocked = run(
        failed("t.py").__class__(id="t.py", outcome=Outcome.NOT_COLLECTED, duration_s=0.0, file="t.py")
    )
    found = judge_tests([suite(P, P)], [blocked, blocked])  # type: ignore[list-item]
    assert found.of("fail-to-pass") == NAMES[:2]
    assert {test.start for test in found.tests} == {Outcome.NOT_COLLECTED}


def test_further_runs_of_what_changed() -> None:
    old, new = suite(P, P), suite(F, F)
    proven = judge_tests([old], [new])  # type: ignore[list-item]
    after = without_flaky(proven, old, [suite(P, P)], [suite(F, P)])  # type: ignore[arg-type,list-item]
    assert after.of("fail-to-pass") == ("t.py::a",)
    assert [test.why for test in after.tests] == ["", "flaky"]
    assert (proven.flaky, after.flaky) == ((), (after.tests[1].id,))
