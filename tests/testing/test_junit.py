"""JUnit XML: always well formed, whatever the ids and messages hold."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from builders import ENFORCED
from hypothesis import given
from hypothesis import strategies as st

from backdate.testing.junit import junit_names, to_junit
from backdate.testing.outcomes import CaseResult, Frame, Outcome, Raised, SuiteRun


def run_of(*results: CaseResult, status: str = "completed", trouble: str = "") -> SuiteRun:
    return SuiteRun(
        status=status,  # type: ignore[arg-type]
        exit_code=1,
        signal=None,
        results=results,
        trouble=trouble,
        runner="pytest 8.3.4",
        duration_s=1.5,
        enforced=ENFORCED,
        log=Path("log"),
    )


def result(identity: str, outcome: Outcome, message: str = "m") -> CaseResult:
    frames = (Frame(file="a.py", line=3, function="f", source="f()"),)
    raised = (Raised(type="E", message=message, frames=frames),) if outcome is Outcome.FAILED else ()
    return CaseResult(id=identity, outcome=outcome, duration_s=0.25, raised=raised, reason="why", file="a.py")


@given(st.text(), st.sampled_from(Outcome), st.text())
def test_anything_is_well_formed(identity: str, outcome: Outcome, message: str) -> None:
    document = ET.fromstring(to_junit(run_of(result(identity, outcome, message))))
    [case] = document.iter("testcase")
    assert len(case) == (outcome not in (Outcome.PASSED, Outcome.XPASSED))


def test_what_it_says() -> None:
    outcomes = [*Outcome]
    document = ET.fromstring(
        to_junit(run_of(*(result(f"a/b.py::C::t[x.y::{one}]", one) for one in outcomes)))
    )
    suite = document[0]
    assert suite.attrib == {
        "name": "pytest 8.3.4",
        "tests": "9",
        "failures": "1",
        "errors": "4",
        "skipped": "2",
        "time": "1.500",
    }
    failed = next(case for case in suite if case[0:] and case[0].tag == "failure")
    assert failed.attrib["classname"] == "a.b.C"
    assert failed.attrib["name"] == "t[x.y::failed]"
    assert failed[0].attrib["message"] == "E: m"
    assert failed[0].text == "a.py:3: in f\n    f()\nE: m"


def test_dotted_ids_and_control_characters() -> None:
    [case] = ET.fromstring(to_junit(run_of(result("m.C.t\x00\ufffe", Outcome.FAILED, "a\x1bb"))))[0]
    assert (case.attrib["classname"], case.attrib["name"]) == ("m.C", "t\\x00\\xfffe")
    assert case[0].attrib["message"] == "E: a\\x1bb"


def test_a_run_that_did_not_end_is_an_error() -> None:
    suite = ET.fromstring(to_junit(run_of(status="timeout", trouble="The time limit struck.")))[0]
    assert suite.attrib["errors"] == "1"
    assert suite[0][0].text == "The time limit struck."


@pytest.mark.parametrize(
    ("identity", "class_name", "name"),
    [
        ("tests/sub/test_a.py::TestB::test_c[x/y.py::z]", "tests.sub.test_a.TestB", "test_c[x/y.py::z]"),
        ("tests/test_a.py", "", "tests.test_a"),
        ("package.module.Case.test_x#2", "package.module.Case", "test_x#2"),
        ("package.module.Case.test_x (part=1.5)", "package.module.Case", "test_x (part=1.5)"),
        ("numpy>=1.20", "", "numpy>=1.20"),
        ("", "", ""),
    ],
)
def test_names_of_classes_and_tests(identity: str, class_name: str, name: str) -> None:
    assert junit_names(identity) == (class_name, name)
