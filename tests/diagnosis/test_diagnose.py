from pathlib import Path

import pytest
from builders import raised, run
from diagnosis_builders import environment, failed, frame, install, result

from backdate.diagnosis.clusters import shape
from backdate.diagnosis.diagnose import clusters_of, diagnose
from backdate.diagnosis.result import CauseKind, Diagnosis, FilterName
from backdate.environments.environment import Environment
from backdate.serial import from_json, to_json
from backdate.testing.outcomes import Frame, Outcome, Raised

TEST = frame("tests/test_a.py", 3, "test_x")


@pytest.fixture
def old(tmp_path: Path) -> Environment:
    root = tmp_path / "old"
    install(root, "Gone-Thing", "1.0", "gonething/__init__.py")
    install(root, "numpy", "1.19.0", "numpy/__init__.py")
    return environment(root)


@pytest.fixture
def new(tmp_path: Path) -> Environment:
    root = tmp_path / "new"
    install(root, "numpy", "2.1.0", "numpy/__init__.py")
    return environment(root)


def code(line: int = 1, source: str = "") -> Frame:
    return frame("mine/core.py", line, "f", source)


def attribute(name: str, *frames: Frame) -> Raised:
    return raised("AttributeError", f"module 'numpy' has no attribute '{name}'", *(frames or (TEST, code())))


def names(diagnosis: Diagnosis) -> set[FilterName]:
    return {applied.name for applied in diagnosis.filters}


def test_a_whole_run(new: Environment, old: Environment) -> None:
    imported = raised("ImportError", "cannot import name 'float' from 'numpy' (/x)", TEST, code(7))
    removed = raised("AttributeError", "`np.float` was removed in the NumPy 2.0 release.", TEST, code(8))
    other = raised("ModuleNotFoundError", "No module named 'gonething'", TEST)
    diagnosis = diagnose(
        run(
            failed("tests/test_a.py::a", attribute("float")),
            result("tests/test_a.py::good"),
            failed("tests/test_a.py::b", imported),
            failed("tests/test_a.py::c", removed),
            failed("tests/test_a.py::d", attribute("int")),
            failed("tests/test_a.py::e", other),
            result("tests/test_a.py::skipped", Outcome.SKIPPED),
            result("tests/test_a.py::f", Outcome.CRASHED, reason="SIGSEGV"),
            result("tests/test_a.py::g", Outcome.TIMED_OUT, reason="the time limit struck"),
            result("tests/test_a.py::h", Outcome.ERROR, reason="no idea"),
        ),
        new,
        before=old,
    )
    assert [tuple(test.rpartition(":")[2] for test in cluster.tests) for cluster in diagnosis.clusters] == [
        ("a", "b", "c"),
        ("d",),
        ("e",),
        ("f",),
        ("g",),
        ("h",),
    ]
    assert [failure.cause.kind for failure in diagnosis.failures[-3:]] == [
        CauseKind.CRASH,
        CauseKind.TIMEOUT,
        CauseKind.UNKNOWN,
    ]
    assert diagnosis.failures[4].cause.distribution == "Gone-Thing"
    assert diagnosis.related == ("numpy", "Gone-Thing")
    assert [line.frame.line for line in diagnosis.clusters[0].places] == [1, 7, 8]
    assert len(diagnosis.clusters[0].messages) == 3
    assert names(diagnosis) == {FilterName.TIMED_OUT}
    assert from_json(Diagnosis, to_json(diagnosis)) == diagnosis


def test_library_errors_cluster_by_the_place_that_raised(new: Environment) -> None:
    deep = frame(f"{new.root}/lib/python3.12/site-packages/numpy/__init__.py", 40)
    deeper = frame(f"{new.root}/lib/python3.12/site-packages/numpy/__init__.py", 50)
    diagnosis = diagnose(
        run(
            failed("t::a", raised("ValueError", "shape (3,)", TEST, code(), deep)),
            failed("t::b", raised("ValueError", "shape (4,)", TEST, code(9), deep)),
            failed("t::c", raised("ValueError", "shape (4,)", TEST, code(9), deeper)),
        ),
        new,
    )
    assert [cluster.tests for cluster in diagnosis.clusters] == [("t::a", "t::b"), ("t::c",)]


def test_what_kept_tests_from_being_collected(new: Environment) -> None:
    before = run(
        result("tests/test_a.py::a"),
        result("tests/test_a.py::b", Outcome.XFAILED),
        result("tests/test_a.py::bad", Outcome.FAILED),
        result("tests/test_b.py::c"),
        result("tests/test_b.py::vanished"),
        result("tests/test_c.py::d"),
    )
    after = run(
        result(
            "tests/test_a.py", Outcome.NOT_COLLECTED, attribute("float", frame("tests/test_a.py"), code())
        ),
        failed("tests/test_b.py::c", attribute("float")),
        result("tests/test_c.py::d", Outcome.SKIPPED),
    )
    (cluster,) = clusters_of(before, after, environment=new)
    assert cluster.tests == ("tests/test_a.py::a", "tests/test_a.py::b", "tests/test_b.py::c")


def test_a_run_that_broke_off(new: Environment) -> None:
    before = run(result("tests/test_a.py::a"), result("tests/test_a.py::b"))
    after = run(
        status="broken",
        raised=(raised("ModuleNotFoundError", "No module named 'six'", frame("conftest.py")),),
    )
    (cluster,) = clusters_of(before, after, environment=new)
    assert cluster.tests == ("tests/test_a.py::a", "tests/test_a.py::b")
    diagnosis = diagnose(after, new)
    assert [failure.test for failure in diagnosis.failures] == [""]
    assert FilterName.MISSING_TOP_LEVEL_MODULE in names(diagnosis)
    hung = run(result("tests/test_a.py::a"), status="timeout", trouble="The time limit struck.")
    (cluster,) = clusters_of(before, hung, environment=new)
    assert (cluster.tests, cluster.cause.kind) == (("tests/test_a.py::b",), CauseKind.TIMEOUT)
    assert names(diagnose(hung, new)) == {FilterName.TIMED_OUT}
    assert names(diagnose(run(status="broken", trouble="usage: …"), new)) == set()


def test_nothing_failed(new: Environment) -> None:
    assert diagnose(run(result("a::b")), new) == Diagnosis(failures=(), clusters=(), filters=(), related=())
    assert clusters_of(run(result("a::b")), run(result("a::b"))) == ()


@pytest.mark.parametrize(
    ("failures", "expected"),
    [
        ([attribute("float")], set()),
        ([attribute("float", TEST)], {FilterName.ONLY_TESTS}),
        ([attribute("float", TEST), attribute("float")], set()),
        ([attribute("float", frame("/x/site-packages/a.py"))], {FilterName.OUTSIDE_USER_CODE}),
        ([attribute("float", frame("/x/site-packages/a.py")), attribute("int")], set()),
        (
            [raised("ModuleNotFoundError", "No module named 'six'", code())],
            {FilterName.MISSING_TOP_LEVEL_MODULE},
        ),
        ([raised("ModuleNotFoundError", "No module named 'imp'", code())], set()),
        ([raised("ModuleNotFoundError", "No module named 'numpy.gone'", code())], set()),
        ([raised("ModuleNotFoundError", "No module named 'six'", code()), attribute("x")], set()),
    ],
)
def test_filters(new: Environment, failures: list[Raised], expected: set[FilterName]) -> None:
    tests = [failed(f"tests/test_a.py::{number}", failure) for number, failure in enumerate(failures)]
    assert names(diagnose(run(*tests), new)) == expected


def test_only_some_results(new: Environment) -> None:
    both = run(failed("a::b", attribute("float")), failed("a::c", attribute("int")))
    assert [failure.test for failure in diagnose(both, new, only={"a::c"}).failures] == ["a::c"]


def test_shapes_of_messages() -> None:
    assert shape("got 3 at 0xdeadbeef for 'x'\nmore") == shape("got 14.5 at 0x1 for 'yy'")
    assert shape("one of {'a', 'b'}. Got 'c'") == shape("one of {'b', 'a', 'd'}. Got 'c'")
    assert shape("") == ""
