from __future__ import annotations

from pathlib import Path

import builders
import pytest
from small_runner import write_files

from backdate.evaluation.edits import edited_lines
from backdate.evaluation.flags.failing_paths import outside_failing_paths
from backdate.evaluation.flags.types import Suspect
from backdate.testing.outcomes import Frame, Outcome, Raised, SuiteRun

CODE = """\
import os

LIMIT = 3


def failing(x):
    return os.gone(x)


def other(x):
    return x


class Shape:
    size = 1

    def area(self):
        return self.size

    def draw(self):
        def inner():
            return os.gone()

        return inner()


class Apart:
    def quiet(self):
        return 1
"""


def suspect(place: Path, *changes: tuple[str, str], file: str = "m.py") -> Suspect:
    after = CODE
    for old, new in changes:
        assert old in after
        after = after.replace(old, new)
    return Suspect(
        task=None,  # type: ignore[arg-type]
        before=write_files(place / "before", {file: CODE}),
        after=write_files(place / "after", {file: after}),
        edits=edited_lines({file: CODE}, {file: after}),
        scratch=place,
        run=None,
    )


def failing(*frames: tuple[str, int]):
    raised = Raised(
        type="AttributeError",
        message="gone",
        frames=tuple(Frame(file=file, line=line, function="f") for file, line in frames),
    )
    return builders.run(builders.result("t::a", Outcome.FAILED, raised))


FAILING_HERE = failing(("tests/test_m.py", 4), ("m.py", 7))


@pytest.mark.parametrize(
    ("changes", "flagged"),
    [
        ([("os.gone(x)", "abs(x)")], []),
        ([("    return x\n", "    return +x\n")], ["m.py:10: other"]),
        ([("LIMIT = 3", "LIMIT = 4")], []),
        ([("size = 1", "size = 2")], []),  # outside of functions
        ([("return self.size", "return +self.size")], ["m.py:17: Shape.area"]),
        ([("class Apart", "def helper():\n    return 2\n\n\nclass Apart")], []),  # it was never there
        (
            [("os.gone(x)", "abs(x)"), ("    return x\n", "    return +x\n"), ("return 1", "return 2")],
            ["m.py:10: other", "m.py:28: Apart.quiet"],
        ),
    ],
)
def test_by_function(tmp_path, changes, flagged) -> None:
    flags, notes = outside_failing_paths(suspect(tmp_path, *changes), FAILING_HERE)
    assert [one.detail.partition(": no failure")[0] for one in flags] == flagged
    assert all(one.detail.endswith("(by function)") for one in flags)
    assert notes == []


@pytest.mark.parametrize("line", [21, 22, 24])
def test_a_method_of_the_same_class_and_a_function_around_are_on_the_path(tmp_path, line) -> None:
    one = suspect(tmp_path, ("return self.size", "return +self.size"), ("return inner()", "return (inner())"))
    flags, _ = outside_failing_paths(one, failing(("m.py", line), ("m.py", 24)))
    assert flags == []


def test_a_file_that_failed_at_import_is_on_the_path_as_a_whole(tmp_path) -> None:
    one = suspect(tmp_path, ("    return x\n", "    return +x\n"))
    assert outside_failing_paths(one, failing(("m.py", 1), ("m.py", 7)))[0] == []


def test_by_file_where_no_frame_is_in_it(tmp_path) -> None:
    one = suspect(tmp_path, ("os.gone(x)", "abs(x)"))
    (flag,), notes = outside_failing_paths(one, failing(("tests/test_m.py", 4)))
    assert flag.detail == "m.py: no failure without the answer passes through this file (by file)"
    assert notes == []


def test_without_any_traceback_nothing_is_told(tmp_path) -> None:
    one = suspect(tmp_path, ("os.gone(x)", "abs(x)"))
    for run in (None, builders.run(builders.result("t::a", Outcome.FAILED))):
        flags, (note,) = outside_failing_paths(one, run)
        assert flags == []
        assert "no traceback" in note


def test_a_file_that_is_no_python_is_judged_as_a_file(tmp_path) -> None:
    (tmp_path / "before").mkdir()
    one = suspect(tmp_path, ("os.gone(x)", "abs(x)"), file="m.tmpl")
    assert outside_failing_paths(one, failing(("m.tmpl", 7)))[0] == []


class Without:
    """Answers with failures at a line of the changed text, by what stands there."""

    def __init__(self, **failures: str) -> None:
        self.failures = failures
        self.asked: list[tuple[str, str]] = []

    def __call__(self, file: str, text: str) -> SuiteRun:
        self.asked.append((file, text))
        lines = text.splitlines()
        wanted = self.failures.get(file.partition(".")[0])
        if wanted is None:
            return builders.run(builders.result("t::a", Outcome.PASSED))
        return failing(("tests/test_m.py", 4), (file, 1 + lines.index(wanted)))


def test_what_the_first_failure_hides_is_no_place_outside(tmp_path) -> None:
    changes = [("os.gone(x)", "abs(x)"), ("    return x\n", "    return +x\n")]
    without = Without(m="    return x")
    assert outside_failing_paths(suspect(tmp_path, *changes), FAILING_HERE, without) == ([], [])
    ((file, text),) = without.asked
    assert file == "m.py"
    assert "abs(x)" in text, "the rest of the answer is in force"
    assert "return +x" not in text


def test_an_edit_that_the_tests_do_not_need_stays_outside(tmp_path) -> None:
    changes = [("os.gone(x)", "abs(x)"), ("    return x\n", "    return +x\n")]
    flags, _ = outside_failing_paths(suspect(tmp_path, *changes), FAILING_HERE, Without())
    assert [one.detail.partition(": no failure")[0] for one in flags] == ["m.py:10: other"]


def test_a_failure_that_passes_elsewhere_does_not_excuse_an_edit(tmp_path) -> None:
    changes = [("os.gone(x)", "abs(x)"), ("    return x\n", "    return +x\n")]
    without = Without(m="    return abs(x)")  # an edit that patches what another function uses
    flags, _ = outside_failing_paths(suspect(tmp_path, *changes), FAILING_HERE, without)
    assert [one.detail.partition(": no failure")[0] for one in flags] == ["m.py:10: other"]


def test_a_file_that_the_first_failure_hides_is_looked_at_as_it_was(tmp_path) -> None:
    one = suspect(tmp_path, ("os.gone(x)", "abs(x)"))
    without = Without(m="import os")
    assert outside_failing_paths(one, failing(("tests/test_m.py", 4)), without) == ([], [])
    assert without.asked == [("m.py", CODE)]


def test_few_places_are_looked_at_again(tmp_path) -> None:
    files = {f"m{number}.py": CODE for number in range(20)}
    after = {name: CODE.replace("os.gone(x)", "abs(x)") for name in files}
    one = Suspect(
        task=None,  # type: ignore[arg-type]
        before=write_files(tmp_path / "before", files),
        after=write_files(tmp_path / "after", after),
        edits=edited_lines(files, after),
        scratch=tmp_path,
        run=None,
    )
    without = Without()
    flags, _ = outside_failing_paths(one, failing(("tests/test_m.py", 4)), without)
    assert len(flags) == 20
    assert len(without.asked) < 10
