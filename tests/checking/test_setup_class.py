"""How far a set-up is proven: the share that passes, what wants the network, and how much of it ran."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_setups import ran

from backdate.checking.setup_class import SetupClass, assess, failed_tests
from backdate.recipes.defined_tests import DefinedTests
from backdate.recipes.repair.error_class import ErrorClass
from backdate.testing.outcomes import CaseResult, Outcome, SuiteRun

DNS = "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='api.example', port=443): Max retries"
DNS += " exceeded with url: / (Caused by NewConnectionError('Temporary failure in name resolution'))"
REFUSED = "redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused."
NONE = DefinedTests(names={})


def class_of(run: SuiteRun | None, defined: DefinedTests = NONE) -> SetupClass:
    return assess(run, 0.95, lambda: defined).setup_class


@pytest.mark.parametrize("error", [DNS, REFUSED])
def test_proven_but_for_tests_that_want_the_network_or_a_service(error: str) -> None:
    assert class_of(ran(passed=92, failed=8, error=error)) is SetupClass.PROVEN_BUT_OUTSIDE
    assert class_of(ran(passed=92, failed=8)) is SetupClass.NOT_PROVEN
    assert class_of(ran(passed=89, failed=11, error=error)) is SetupClass.NOT_PROVEN
    assert class_of(ran(passed=96, failed=4, error=error)) is SetupClass.PROVEN
    assert SetupClass.PROVEN_BUT_OUTSIDE.proven


def test_tests_that_name_files_which_the_source_lacks_want_those() -> None:
    error = "ReadError: ./meshes/sphere.msh does not look like a mesh"
    run = ran(passed=92, failed=8, error=error)
    assessment = assess(run, 0.95, lambda: NONE, absent=("sphere.msh",))
    assert assessment.setup_class is SetupClass.PROVEN_BUT_OUTSIDE
    assert assessment.outside == 8
    (group,) = failed_tests(run, apt=False, absent=("sphere.msh",))
    assert group.error is ErrorClass.MISSING_DATA
    assert "git lfs pull" in group.help
    assert class_of(run) is SetupClass.NOT_PROVEN
    assert assess(run, 0.95, lambda: NONE, absent=("cube.msh",)).setup_class is SetupClass.NOT_PROVEN


def test_weak_is_what_ran_less_than_half_of_what_is_defined() -> None:
    ten = DefinedTests(names={f"test_{number}": 1 for number in range(10)})
    assert class_of(ran(passed=4), ten) is SetupClass.WEAK
    assert class_of(ran(passed=5), ten) is SetupClass.PROVEN
    assert class_of(ran(passed=4, skipped=6), ten) is SetupClass.WEAK
    assert not SetupClass.WEAK.proven
    assessment = assess(ran(passed=4), 0.95, lambda: ten)
    assert (assessment.covered, assessment.defined) == (4, 10)


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("Skipping windows-only tests", SetupClass.PROVEN),
        ("condition: sys.platform != 'win32'", SetupClass.PROVEN),
        ("macOS only", SetupClass.PROVEN),
        ("could not import 'numpy'", SetupClass.WEAK),
        ("it does not want to", SetupClass.WEAK),
    ],
)
def test_tests_of_another_operating_system_are_not_wanted(reason: str, expected: SetupClass) -> None:
    windows = {f"test_{number}": 1 for number in range(5, 10)}
    linux = {f"test_{number}": 1 for number in range(4)}
    defined = DefinedTests(names=linux | windows, by_file={"test_w.py": windows, "test_l.py": linux})
    run = ran(passed=4)
    skipped = CaseResult(id="test_w.py", outcome=Outcome.SKIPPED, duration_s=0.0, reason=reason)
    assert class_of(replace(run, results=(*run.results, skipped)), defined) is expected
    alone = replace(skipped, id="test_w.py::TestIt::test_5[x]")
    only_one = DefinedTests(names=linux | {"test_5": 1}, by_file={})
    assert assess(replace(run, results=(*run.results, alone)), 0.95, lambda: only_one).defined == (
        4 if expected is SetupClass.PROVEN else 5
    )


def test_what_did_not_end_well_is_not_proven_and_nothing_is_counted() -> None:
    def never() -> DefinedTests:
        raise AssertionError

    for run in (None, ran(passed=10, status="crashed"), ran(failed=1), ran()):
        assert assess(run, 0.95, never).setup_class is SetupClass.NOT_PROVEN


@pytest.mark.parametrize(
    ("error", "expected", "helps"),
    [
        (DNS, ErrorClass.NEEDS_NETWORK, "never reach the internet"),
        (REFUSED, ErrorClass.NEEDS_SERVICE, "redis at localhost:6379 is wanted"),
        ("ModuleNotFoundError: No module named 'x'", ErrorClass.MISSING_MODULE, "requirements"),
        ("OSError: [E050] Can't find model 'en_core_web_sm'.", ErrorClass.NEEDS_NETWORK, "internet"),
        ("LookupError: Resource punkt not found. Use the NLTK", ErrorClass.NEEDS_NETWORK, "internet"),
        ("KeyError: 'KEYCLOAK_HOST'", ErrorClass.NEEDS_SERVICE, "start the service"),
        ("KeyError: 'host'", ErrorClass.TESTS_FAIL, "read the log"),
        ("KeyError: 'API_TOKEN'", ErrorClass.NEEDS_SECRET, ".env.example"),
        ("AssertionError: 1 != 2", ErrorClass.TESTS_FAIL, "read the log"),
    ],
)
def test_each_failure_has_its_class_its_line_and_what_helps(
    error: str, expected: ErrorClass, helps: str
) -> None:
    (group,) = failed_tests(ran(passed=1, failed=3, error=error), apt=False)
    assert group.error is expected
    assert group.line == error[:300]
    assert len(group.tests) == 3
    assert helps in group.help
