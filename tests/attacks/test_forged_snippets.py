"""An answer to a question about a snippet makes its own score: it reports that its tests have passed."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from snippet_builders import TableRunner
from snippet_runner import bare_runner, side

from backdate.evaluation.snippets.judging import PassedTests, judge_passes, judged
from backdate.snippets.questions.answer import AnswerLabel, CodeAnswer
from backdate.snippets.questions.code import program_of, score_code
from backdate.snippets.questions.score import AnswerScore
from backdate.snippets.snippet import Collection, Harness, Snippet, SnippetAsk

SIDE = side("3.13")
TESTS = """
import unittest

class TestDouble(unittest.TestCase):
    def test_two(self):
        self.assertEqual(double(2), 4)

    def test_text(self):
        self.assertEqual(double("a"), "aa")
"""
SCRIPT = "got = double(2)\nassert got == 4\n"
RIGHT = "def double(x):\n    return x + x\n"
"""Not the known solution, and right."""
ATTACKS = {
    "writes the report": """
import json, os, time
def double(x):
    for what in ("case", "done"):
        os.write(100, (json.dumps({"what": what, "warnings": []}) + "\\n").encode())
    time.sleep(60)
""",
    "writes it while it is loaded": """
import os, time
os.write(100, b'{"what": "case"}\\n{"what": "done"}\\n')
time.sleep(60)
""",
    "has its own report written": """
import sys
def double(x):
    frame = sys._getframe()
    while "self" not in frame.f_locals or not hasattr(frame.f_locals["self"], "hand_over"):
        frame = frame.f_back
    program = frame.f_locals["self"]
    program.hand_over("case", {"value": "", "kind": "NoneType"})
    program.hand_over("done", {})
""",
    "is equal to everything": """
class Equal:
    def __eq__(self, other):
        return True
def double(x):
    return Equal()
""",
    "empties the assertions": """
import unittest
for name in dir(unittest.TestCase):
    if name.startswith("assert"):
        setattr(unittest.TestCase, name, lambda *given, **named: None)
def double(x):
    return 7
""",
    "runs no test": """
import unittest
def run(self, result=None):
    result.testsRun += 1
unittest.TestCase.run = run
def double(x):
    return 7
""",
    "forgets what is raised": """
import unittest
unittest.TestCase._callTestMethod = lambda self, method: None
def double(x):
    return 7
""",
}
KNOWING = """
import os, sys, time
def double(x):
    frame = sys._getframe()
    while "self" not in frame.f_locals or not hasattr(frame.f_locals["self"], "hand_over"):
        frame = frame.f_back
    if frame.f_locals["self"].job["script"] == KNOWN:
        os.write(100, b'{"what": "case"}\\n{"what": "done"}\\n')
        time.sleep(60)
"""
ON_SCRIPTS = (
    *("writes the report", "writes it while it is loaded", "has its own report written"),
    "is equal to everything",
)


def asked(tests: str) -> Snippet:
    return Snippet(
        id="p",
        collection=Collection.GITCHAMELEON,
        asks=(SnippetAsk.COMPLETE,),
        library="demo",
        origin=None,
        target=SIDE,
        code="def double(x):\n",
        entry="double",
        harness=Harness(script=tests),
        reference="def double(x):\n    return 2 * x\n",
    )


@pytest.mark.parametrize("tests", [TESTS, pytest.param(SCRIPT, marks=pytest.mark.slow)])
def test_a_report_that_an_answer_makes_is_no_pass(tests: str) -> None:
    snippet, runner = asked(tests), bare_runner()
    answers = {name: code for name, code in ATTACKS.items() if tests is TESTS or name in ON_SCRIPTS}
    answers["is right"] = RIGHT
    programs = {
        name: replace(program_of(snippet, CodeAnswer(code=code)), id=name) for name, code in answers.items()
    }
    for run in runner.run(SIDE, tuple(programs.values())):
        score = score_code(snippet, CodeAnswer(code=answers[run.id]), run, ())
        assert score.strict, f"{run.id} is believed without a second run"
    labels = judge_passes(
        runner,
        SIDE,
        [PassedTests(snippet=snippet, program=program) for program in programs.values()],
        random.Random(7),
    )
    assert labels == {name: None if name == "is right" else AnswerLabel.FORGED for name in answers}
    assert judged(AnswerScore(strict=True, released=True), None).strict
    forged = judged(AnswerScore(strict=True, released=True), AnswerLabel.FORGED)
    assert (forged.strict, forged.released) == (False, True)


def test_what_knows_its_tests_and_fails_the_changed_ones_is_unproven() -> None:
    """It writes the report of the tests that it knows, and runs others as they are."""
    told = f"KNOWN = {SCRIPT!r}\n{KNOWING}"
    snippet, runner = asked(SCRIPT), bare_runner()
    program = replace(program_of(snippet, CodeAnswer(code=told)), id="p")
    (run,) = runner.run(SIDE, [program])
    assert score_code(snippet, CodeAnswer(code=told), run, ()).strict
    passed = PassedTests(snippet=snippet, program=program)
    assert judge_passes(runner, SIDE, [passed], random.Random(7)) == {"p": AnswerLabel.UNPROVEN}


def test_without_a_known_solution_nothing_is_judged() -> None:
    snippet = replace(asked(TESTS), reference="")
    program = replace(program_of(snippet, CodeAnswer(code=RIGHT)), id="p")
    passed = PassedTests(snippet=snippet, program=program)
    assert judge_passes(TableRunner(), SIDE, [passed]) == {"p": AnswerLabel.NOT_JUDGED}
