"""Values of parametrizations that marks are called with."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.marked_values import marked_values, with_param


@pytest.mark.parametrize(
    ("names", "before", "after"),
    [
        (
            "a,b",
            "pytest.mark.xfail((1, 'ü'), raises=E, strict=True)",
            "pytest.param(1, 'ü', marks=pytest.mark.xfail(raises=E, strict=True))",
        ),
        (
            "a, b",
            "pytest.mark.xfail(\n        (1,\n         2),\n        raises=E)",
            "pytest.param(\n        1,\n         2,\n        marks=pytest.mark.xfail(raises=E))",
        ),
        ("a", "pytest.mark.slow((1, 2))", "pytest.param((1, 2), marks=pytest.mark.slow)"),
        (
            "a, b",
            "pytest.mark.skipif(OLD, reason='r')((1, 2))",
            "pytest.param(1, 2, marks=pytest.mark.skipif(OLD, reason='r'))",
        ),
        (
            "a",
            "pytest.mark.skipif(OLD, 1, reason='r')",
            "pytest.param(1, marks=pytest.mark.skipif(OLD, reason='r'))",
        ),
        (
            "a",
            "pytest.param(1, marks=pytest.mark.xfail(True))",
            "pytest.param(1, marks=pytest.mark.xfail(True))",
        ),
        ("a", "pytest.mark.xfail(**how)", "pytest.mark.xfail(**how)"),
    ],
)
def test_a_value_that_a_mark_is_called_with_is_a_param(names: str, before: str, after: str) -> None:
    text = "# ü\n@pytest.mark.parametrize('{}', [\n    (1, 2), {},\n    {}])\ndef test_a(a): pass\n"
    assert with_param(text.format(names, before, before)) == text.format(names, after, after)


def test_files_of_tests_are_changed_where_the_error_is_about_a_mark() -> None:
    text = "@pytest.mark.parametrize('a, b', [pytest.mark.xfail((1, 2))])\ndef test_a(a, b): pass\n"
    evidence = evidence_of({"t.py": text, "u.py": text})

    def found(message: str):
        cause = Cause(kind=CauseKind.CHANGED_TYPE, type="TypeError", message=message)
        return marked_values(FailureGroup(cause=cause, tests=("t.py::test_a",), places=()), evidence)

    proposal = found("object of type 'MarkDecorator' has no len()")
    assert proposal is not None
    (edit,) = proposal.file_edits
    assert edit.file == "t.py"
    assert "[pytest.param(1, 2, marks=pytest.mark.xfail)]" in edit.text
    assert found("object of type 'int' has no len()") is None
