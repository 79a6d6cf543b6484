"""Tests of the strict and the released rules, each with answers judged by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backdate.snippets.questions.answer import AnswerLabel, CodeAnswer
from backdate.snippets.questions.code import score_code
from backdate.snippets.questions.explain import is_near, score_explain
from backdate.snippets.questions.locate import score_locate
from backdate.snippets.questions.read_text import read_explain, read_locate
from backdate.snippets.questions.score import AnswerScore, MigrationError
from backdate.snippets.runs import CaseOutcome, ProgramEnd
from backdate.snippets.snippet import ApiChange, Collection, Harness
from tests.support.snippet_builders import ASFARRAY, CODE, EXPECTED, MIGRATED, make_snippet, run_of


def located(reply: str) -> AnswerScore:
    return score_locate(make_snippet(), read_locate(reply), reply)


@pytest.mark.parametrize(
    ("reply", "strict", "released", "precision", "recall"),
    [
        ('["numpy.asfarray"]', True, True, 1.0, 1.0),
        ('["np.asfarray(values)"]', True, True, 1.0, 1.0),
        ('["np.asfarray", "np.asarray"]', False, True, 0.5, 1.0),
        ('["np.asfarray_x"]', False, True, 0.0, 0.0),  # "contains"
        ("[]", False, False, 0.0, 0.0),
        ("np.asfarray", False, True, 0.0, 0.0),  # no JSON
        ("", False, False, 0.0, 0.0),
    ],
)
def test_locate_compares_sets_of_names(
    reply: str, strict: bool, released: bool, precision: float, recall: float
) -> None:
    score = located(reply)
    assert (score.strict, score.released, score.precision, score.recall) == (
        strict,
        released,
        precision,
        recall,
    )


def explained(reply: str, api: ApiChange = ASFARRAY) -> AnswerScore:
    return score_explain(make_snippet(apis=(api,)), read_explain(reply), reply)


def test_explain_wants_type_version_and_replacement() -> None:
    right = (
        '{"name": "np.asfarray", "change": "Deprecated", "version": "2.0.1", "replacement": "np.asarray()"}'
    )
    assert explained(right).strict
    wrong = explained(right.replace("Deprecated", "Added").replace("asarray()", "array"))
    assert (wrong.change, wrong.version, wrong.replacement) == (False, True, False)
    assert wrong.released
    assert not wrong.strict


def test_explain_does_not_ask_for_what_the_row_does_not_say() -> None:
    score = explained(
        '{"name": "np.asfarray", "change": "removed"}', replace(ASFARRAY, version="", replacement="")
    )
    assert score.strict
    assert score.version is None


@pytest.mark.parametrize(
    ("expected", "given", "near"),
    [
        ("3.10", "3.1", False),
        ("3.10", "3.9", True),
        ("2.0", "tensorflow 2.0.0", True),
        ("2.0", "1.26", False),
        ("2.7", "", False),
        ("1.15", "1.9", False),
        ("1.15", "1.10", True),
    ],
)
def test_versions_are_numbers_and_not_decimals(expected: str, given: str, near: bool) -> None:
    assert is_near(expected, given) is near


def migrated(
    code: str, *cases: CaseOutcome, end: ProgramEnd = ProgramEnd.FINISHED, detail: str = ""
) -> AnswerScore:
    return score_code(make_snippet(), CodeAnswer(code=code), run_of(*cases, end=end, detail=detail), EXPECTED)


def test_migrate_wants_status_and_output_of_every_case() -> None:
    assert migrated(MIGRATED, *EXPECTED).strict
    one = migrated(MIGRATED, EXPECTED[0], CaseOutcome(value="7.0"))
    assert (one.strict, one.cases_passed, one.error) == (False, 1, MigrationError.WRONG_ANSWER)
    fewer = migrated(MIGRATED, EXPECTED[0], end=ProgramEnd.CRASHED)
    assert (fewer.strict, fewer.error) == (False, MigrationError.RUN_ERROR)


def test_output_beside_an_error_is_equal_for_the_released_rule_alone() -> None:
    snippet = make_snippet()
    expected = (CaseOutcome(error="ValueError", message="bad"), CaseOutcome(value="1"))
    run = run_of(CaseOutcome(value="error: bad"), CaseOutcome(value="1"))
    score = score_code(snippet, CodeAnswer(code=MIGRATED), run, expected)
    assert (score.strict, score.released) == (False, True)


def test_errors_are_parted_by_the_syntax_tree_and_by_what_was_raised() -> None:
    gone = CaseOutcome(error="AttributeError", message="…", lines=(4,))
    assert migrated(CODE, gone, gone).error is MigrationError.CALL_ERROR
    invented = CODE.replace("asfarray", "as_float")
    assert migrated(invented, gone, gone).error is MigrationError.CALL_ERROR
    own = "import numpy as np\n\ndef total(values):\n    return values.total\n"
    assert migrated(own, gone, gone).error is MigrationError.RUN_ERROR
    hidden = "from numpy import asfarray as f\n\ndef total(values):\n    return f(values)\n"
    load = migrated(hidden, end=ProgramEnd.LOAD_ERROR, detail="ImportError: cannot import name 'asfarray'")
    assert load.error is MigrationError.CALL_ERROR
    assert load.labels == (AnswerLabel.MISSING_IMPORT,)
    slow = migrated(CODE, end=ProgramEnd.TIMED_OUT)
    assert slow.error is MigrationError.RUN_ERROR


def test_tests_that_assert_pass_when_nothing_is_raised() -> None:
    snippet = make_snippet(
        harness=Harness(script="assert total([1]) == 1.0"), expected=(), collection=Collection.GITCHAMELEON
    )
    answer = CodeAnswer(code=MIGRATED)
    assert score_code(snippet, answer, run_of(CaseOutcome()), ()).strict
    failed = score_code(snippet, answer, run_of(CaseOutcome(error="AssertionError")), ())
    assert (failed.strict, failed.error) == (False, MigrationError.WRONG_ANSWER)
    assert not score_code(snippet, answer, run_of(), ()).strict


def test_an_answer_without_code_is_wrong_and_nothing_is_run() -> None:
    answer = CodeAnswer(labels=(AnswerLabel.NOT_PYTHON,))
    score = score_code(make_snippet(), answer, None, EXPECTED)
    assert (score.strict, score.released, score.error) == (False, False, None)


def test_a_script_that_prints_is_compared_and_one_that_asserts_has_to_raise_nothing() -> None:
    """A published script catches what its function raises: that it ends says nothing."""
    harness = Harness(script="try:\n    print(f(1))\nexcept Exception as error:\n    print(error)\n")
    printing = make_snippet(harness=harness, collection=Collection.CODEMENV_EASY)
    asserting = make_snippet(harness=harness, collection=Collection.GITCHAMELEON)
    expected = (CaseOutcome(printed="1.0\n", value="None", kind="NoneType"),)
    other = run_of(CaseOutcome(printed="no asfarray\n", value="None", kind="NoneType"))
    answer = CodeAnswer(code=CODE)
    assert not score_code(printing, answer, other, expected).strict
    assert score_code(printing, answer, run_of(*expected), expected).strict
    assert score_code(printing, answer, other, ()).undecided
    assert score_code(asserting, answer, other, ()).strict
