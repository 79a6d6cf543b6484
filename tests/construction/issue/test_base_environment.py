"""Which set-ups of a base are enough for a task: the paper's share of the tests that ran."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from fake_setups import INSTANT, carried, ran, recipe

from backdate.checking.dated_project import DatedProject
from backdate.checking.side_runner import side_of
from backdate.construction.candidate import Exclusion
from backdate.construction.issue import base_environment
from backdate.construction.issue.base_environment import runs_few_tests, set_up_base
from backdate.construction.issue.reasons import IssueReason
from backdate.construction.setup_step import SetUp
from backdate.projects.python_constraint import PythonConstraint
from backdate.testing.outcomes import SuiteRun


@pytest.fixture
def dated(tmp_path: Path) -> DatedProject:
    (tmp_path / "test_many.py").write_text("".join(f"def test_defined_{n}(): pass\n" for n in range(500)))
    constraint = PythonConstraint(specifier=None, kind="none", rule="nothing")
    return DatedProject(
        name="parts", tree=tmp_path, digest="0" * 64, instant=INSTANT, python_constraint=constraint
    )


def set_up(monkeypatch: pytest.MonkeyPatch, dated: DatedProject, run: SuiteRun) -> SetUp | Exclusion:
    """The base where ``backdate setup``'s loop ended with ``run``, which it does not call proven."""
    weak = SetUp(side=side_of(dated, carried(recipe("a"), run), ()), proven=False, python=None)
    monkeypatch.setattr(base_environment, "set_up_kept", lambda *given, **more: weak)
    monkeypatch.setattr(base_environment, "base_key", lambda *given: "a key")
    context = SimpleNamespace(plan=None, with_environment_here=lambda dated, side: side)
    return set_up_base(context, dated, ())  # type: ignore[arg-type]


def test_tests_of_one_part_of_a_repository_are_enough(
    monkeypatch: pytest.MonkeyPatch, dated: DatedProject
) -> None:
    done = set_up(monkeypatch, dated, ran(passed=99, not_collected=1))
    assert isinstance(done, SetUp)
    assert runs_few_tests(done, dated.tree)


def test_a_base_whose_tests_fail_is_not(monkeypatch: pytest.MonkeyPatch, dated: DatedProject) -> None:
    done = set_up(monkeypatch, dated, ran(passed=94, failed=6))
    assert isinstance(done, Exclusion)
    assert done.kind == IssueReason.BASE_FAILS
