from backdate.cli.render_diagnosis import (
    cause_in_words,
    cluster_lines,
    filter_lines,
    glance_lines,
    related_lines,
)
from backdate.diagnosis.result import (
    Cause,
    CauseKind,
    Cluster,
    Diagnosis,
    Failure,
    Filtered,
    FilterName,
    FrameKind,
    PlacedFrame,
)
from backdate.testing.outcomes import Frame, Outcome

CAUSE = Cause(
    kind=CauseKind.MISSING_ATTRIBUTE,
    type="AttributeError",
    message="module 'numpy' has no attribute 'float'",
    name="float",
    owner="numpy",
    owner_is="module",
    distribution="numpy",
    version="2.1.0",
    related=("numpy", "builtin"),
    hint="use `float` by itself",
)
PLACE = PlacedFrame(
    frame=Frame(file="tests/a.py", line=7, function="f", source="np.float(1)"), kind=FrameKind.TEST
)


def test_causes_in_words() -> None:
    def words(kind: CauseKind, **more: str) -> str:
        return cause_in_words(Cause(kind=kind, type="T", message="text\nmore", **more))

    assert cause_in_words(CAUSE) == "numpy.float is gone (numpy 2.1.0, the standard library)"
    assert words(CauseKind.MISSING_MODULE, name="imp", distribution="builtin") == (
        "imp is missing (the standard library)"
    )
    assert words(CauseKind.UNEXPECTED_ARGUMENT, name="size", owner="f") == "f() does not take size="
    assert words(CauseKind.ARGUMENT_COUNT, name="Loader", owner="load") == "load() wants Loader"
    assert words(CauseKind.CHANGED_VALUE) == "T: text"
    assert cause_in_words(Cause(kind=CauseKind.UNKNOWN, type="", message="")) == "unknown"


def test_a_diagnosis() -> None:
    tests = tuple(f"t::{number}" for number in range(10))
    failures = tuple(
        Failure(test=test, outcome=Outcome.FAILED, cause=CAUSE, responsible=PLACE, chain=()) for test in tests
    )
    cluster = Cluster(cause=CAUSE, tests=tests, places=(PLACE,), messages=("AttributeError: …",))
    diagnosis = Diagnosis(
        failures=failures,
        clusters=(cluster,),
        filters=(Filtered(name=FilterName.ONLY_TESTS, why="All failures lie in tests."),),
        related=("numpy", "builtin"),
    )
    ends = (*related_lines(diagnosis), *filter_lines(diagnosis))
    lines = [text for text, _style in (*cluster_lines(cluster, verbose=False), *ends)]
    assert lines[:3] == [
        "  numpy.float is gone (numpy 2.1.0, the standard library)",
        "    it says: use `float` by itself",
        "    at tests/a.py:7 in f [test]:  np.float(1)",
    ]
    assert lines[-3:] == [
        "      and 2 more (--verbose shows all)",
        "Related libraries: numpy, the standard library",
        "Only tests affected: All failures lie in tests.",
    ]
    verbose = [text for text, _style in cluster_lines(cluster, verbose=True)]
    assert "      t::9" in verbose
    assert "    AttributeError: …" in verbose


def test_several_causes_begin_with_a_line_each() -> None:
    def cluster(name: str, *tests: str) -> Cluster:
        cause = Cause(kind=CauseKind.REMOVED, type="AttributeError", message="no", name=name)
        return Cluster(cause=cause, tests=tests, messages=(), places=())

    one, two = cluster("a", "t1"), cluster("b", "t2", "t3")
    lines = [text for text, _ in glance_lines([one, two])]
    assert [line.split("  ")[1].strip() for line in lines[:2]] == ["2 tests", "1 test"]
    assert list(glance_lines([one])) == []
