"""Tests of a snippet as a task: its cases are tests whose failures can be diagnosed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from backdate.diagnosis.diagnose import diagnose
from backdate.errors import UsageError
from backdate.snippets.as_task import FILE, SnippetTaskRunner, task_of_snippet
from backdate.snippets.runs import CaseOutcome, ProgramEnd, ProgramRun, SnippetProgram
from backdate.snippets.snippet import Collection, Harness, Snippet, SnippetSide
from backdate.tasks.kinds.choose import edit_policy_of
from backdate.tasks.runner import TaskRunResult
from backdate.testing.outcomes import Outcome
from tests.support.snippet_builders import (
    EXPECTED,
    MIGRATED,
    NoEnvironments,
    TableRunner,
    make_java,
    make_snippet,
    run_of,
)


def run(tmp_path: Path, snippet: Snippet, runner: TableRunner | None = None) -> TaskRunResult:
    task_runner = SnippetTaskRunner(snippet, runner or TableRunner(), NoEnvironments(), EXPECTED)
    task = task_of_snippet(snippet)
    tree = tmp_path / "tree"
    task_runner.make_tree(task, tree)
    return task_runner.run_tests(task, tree, "target", log_folder=tmp_path)


def test_cases_are_tests_and_an_error_carries_its_line(tmp_path: Path) -> None:
    result = run(tmp_path, make_snippet())
    assert not result.solved
    assert result.run is not None
    assert [each.outcome for each in result.run.results] == [Outcome.FAILED, Outcome.FAILED]
    [raised] = result.run.results[0].raised
    assert (raised.frames[0].file, raised.frames[0].line) == (FILE, 4)
    diagnosis = diagnose(result.run, None, tree=tmp_path / "tree")
    assert diagnosis.failures[0].cause.type == "AttributeError"
    assert "AttributeError" in (tmp_path / "program.log").read_text()


def test_equal_outcomes_solve_it_and_other_values_do_not(tmp_path: Path) -> None:
    assert run(tmp_path, make_snippet(code=MIGRATED)).solved
    other = make_snippet(code="def total(values):\n    return 0\n")
    result = run(tmp_path / "other", other)
    assert result.reason == "2 of 2 cases failed"


@pytest.mark.parametrize(
    ("end", "outcome"),
    [(ProgramEnd.TIMED_OUT, Outcome.TIMED_OUT), (ProgramEnd.CRASHED, Outcome.CRASHED)],
)
def test_a_case_that_was_not_reached_is_no_pass(tmp_path: Path, end: ProgramEnd, outcome: Outcome) -> None:
    def gives(side: SnippetSide, program: SnippetProgram) -> ProgramRun:
        return run_of(EXPECTED[0], end=end)

    result = run(tmp_path, make_snippet(), TableRunner(gives=gives))
    assert result.run is not None
    assert [each.outcome for each in result.run.results] == [Outcome.PASSED, outcome]


def test_an_import_that_fails_is_found_at_its_line(tmp_path: Path) -> None:
    def gives(side: SnippetSide, program: SnippetProgram) -> ProgramRun:
        return run_of(end=ProgramEnd.LOAD_ERROR, detail="ImportError: cannot import name 'asfarray'")

    code = "import os\nfrom numpy import asfarray\n\ndef total(values):\n    return asfarray(values)\n"
    result = run(tmp_path, make_snippet(code=code), TableRunner(gives=gives))
    assert result.run is not None
    [raised] = result.run.results[0].raised
    assert (raised.type, raised.frames[0].line) == ("ImportError", 2)


def test_tests_that_assert_pass_without_an_error(tmp_path: Path) -> None:
    snippet = make_snippet(
        harness=Harness(script="assert total([]) == 0"), expected=(), collection=Collection.GITCHAMELEON
    )
    assert run(tmp_path, snippet, TableRunner(gives=lambda side, program: run_of(CaseOutcome()))).solved


def test_an_environment_that_is_not_there_is_no_run(tmp_path: Path) -> None:
    def gives(side: SnippetSide, program: SnippetProgram) -> ProgramRun:
        return run_of(end=ProgramEnd.NO_ENVIRONMENT, detail="Python 3.1 cannot be had")

    result = run(tmp_path, make_snippet(), TableRunner(gives=gives))
    assert (result.run, result.reason) == (None, "Python 3.1 cannot be had")


def test_only_the_snippets_own_file_may_change_and_java_is_no_migration() -> None:
    policy = edit_policy_of(task_of_snippet(make_snippet()))
    assert policy.only == frozenset({FILE})
    with pytest.raises(UsageError, match="no two versions"):
        task_of_snippet(replace(make_java()))
