"""Failures that are one cause, though each test words it in its own way."""

from __future__ import annotations

import pytest
from builders import frame, raised, result, run

from backdate.checking.compare import compare_runs
from backdate.diagnosis.diagnose import diagnose
from backdate.diagnosis.result import CauseKind
from backdate.testing.outcomes import CaseResult, Outcome


def alias(owner: str, name: str, tail: str = "") -> str:
    return f"'{owner}' object has no attribute '{name}'{tail}"


def test_an_assertion_that_python_dropped_is_one_cause_in_every_class() -> None:
    messages = [
        alias("TestA", "assertEquals"),
        alias("TestB", "assertEquals", ". Did you mean: 'assertEqual'?"),
        alias("TestB", "assertRegexpMatches"),
        alias("TestB", "assertOfMyOwn"),
        alias("TestA", "assertOfMyOwn"),
    ]
    names = [f"t.py::{number}" for number in range(len(messages))]
    bad = run(
        *(
            result(name, Outcome.FAILED, raised("AttributeError", message, frame("t.py", number)))
            for number, (name, message) in enumerate(zip(names, messages, strict=True))
        )
    )
    clusters = diagnose(bad, None).clusters
    assert clusters[0].tests == ("t.py::0", "t.py::1")
    assert clusters[0].cause.dotted == "unittest.TestCase.assertEquals"
    assert len(clusters) == 4
    groups = compare_runs(run(*map(result, names)), bad).breakages
    assert groups[0].tests == ("t.py::0", "t.py::1")
    assert groups[0].message == "'unittest.TestCase' object has no attribute 'assertEquals'"
    assert len(groups) == 4


@pytest.mark.parametrize("kind", ["_pytest.fixtures.FixtureLookupError", "FixtureLookupError"])
def test_a_missing_fixture_is_one_cause(kind: str) -> None:
    bad = run(
        result("t.py::a", Outcome.ERROR, raised(kind, "fixture 'x' not found", frame("t.py", 1))),
        result("t.py::b", Outcome.ERROR, raised(kind, "fixture 'x' not found", frame("t.py", 9))),
        result("t.py::c", Outcome.ERROR, raised(kind, "fixture 'y' not found", frame("t.py", 1))),
    )
    clusters = diagnose(bad, None).clusters
    assert [cluster.tests for cluster in clusters] == [("t.py::a", "t.py::b"), ("t.py::c",)]
    assert (clusters[0].cause.kind, clusters[0].cause.name) == (CauseKind.MISSING_FIXTURE, "x")
    assert [place.frame.line for place in clusters[0].places] == [1, 9]


def test_a_doctest_that_prints_something_else_is_an_assertion() -> None:
    error = raised("doctest.DocTestFailure", "expected 1.0, got np.float64(1.0)\nexample: f()", frame("a.py"))
    (cluster,) = diagnose(run(result("a.py::a", Outcome.FAILED, error)), None).clusters
    assert cluster.cause.kind is CauseKind.ASSERTION
    assert cluster.messages == ("doctest.DocTestFailure: expected 1.0, got np.float64(1.0)",)


def test_what_the_operating_system_refuses_to_several_tests_is_one_cause() -> None:
    def refused(name: str, number: int, text: str, file: str) -> CaseResult:
        return result(name, Outcome.FAILED, raised("FileNotFoundError", text, frame(file, number)))

    missing = "[Errno 2] No such file or directory: '/tmp/{}/'"
    bad = run(
        refused("test_a.py::a", 12, missing.format("a.x1/ahead"), "test_a.py"),
        refused("test_b.py::b", 40, missing.format("a.x1/behind"), "test_b.py"),
        refused("test_c.py::c", 7, "no such thing as 'x'", "test_c.py"),
        refused("test_d.py::d", 9, "no such thing as 'y'", "test_d.py"),
    )
    clusters = diagnose(bad, None).clusters
    assert [cluster.tests for cluster in clusters] == [
        ("test_a.py::a", "test_b.py::b"),
        ("test_c.py::c",),
        ("test_d.py::d",),
    ]
