"""Tests of reading answers in code."""

from __future__ import annotations

import pytest

from backdate.snippets.questions.answer import AnswerLabel
from backdate.snippets.questions.read_code import read_code, with_imports
from tests.support.snippet_builders import CODE, MIGRATED


def labels_of(reply: str, entry: str = "total") -> tuple[AnswerLabel, ...]:
    return read_code(reply, entry, CODE).labels


def test_a_module_alone_is_taken_as_it_is() -> None:
    answer = read_code(MIGRATED, "total", CODE)
    assert answer.labels == ()
    assert answer.code.strip() == MIGRATED.strip()


def test_of_several_blocks_the_one_with_the_function_counts() -> None:
    reply = f"First\n```bash\npip install numpy\n```\nthen\n```python\n{MIGRATED}```\ndone"
    answer = read_code(reply, "total", CODE)
    assert answer.code.strip() == MIGRATED.strip()
    assert answer.labels == (AnswerLabel.FENCED, AnswerLabel.SEVERAL_BLOCKS)


def test_a_function_alone_gets_the_imports_that_it_still_needs() -> None:
    answer = read_code("def total(values):\n    return float(np.asarray(values).sum())", "total", CODE)
    assert answer.labels == (AnswerLabel.IMPORTS_ADDED,)
    assert answer.code.startswith("import numpy as np\n")
    assert with_imports("def total(values):\n    return sum(values)\n", CODE)[1] is False


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("", AnswerLabel.EMPTY),
        ("I cannot do that, sorry", AnswerLabel.NOT_PYTHON),
        ("def other(values):\n    return 1\n", AnswerLabel.OTHER_FUNCTION),
        ("class A:\n    def total(self, values):\n        return 1\n", AnswerLabel.OTHER_FUNCTION),
        ("def other(total):\n    return total\n", AnswerLabel.OTHER_FUNCTION),
        ("x" * 300_000, AnswerLabel.TOO_LARGE),
        ("x = " + "(" * 2_000 + ")" * 2_000, AnswerLabel.NOT_PYTHON),
    ],
)
def test_what_cannot_be_run_is_labelled(reply: str, label: AnswerLabel) -> None:
    answer = read_code(reply, "total", CODE)
    assert answer.labels[-1] is label
    assert not answer.usable


def test_an_answer_that_was_cut_off_and_one_in_json_are_found() -> None:
    assert labels_of(f"```python\n{MIGRATED}") == (AnswerLabel.FENCED,)
    assert labels_of('{"code": "def total(values):\\n    return 1.0"}') == (AnswerLabel.FENCED,)


def test_two_definitions_are_said_and_python_2_is_python() -> None:
    twice = "def total(values):\n    return 1\n\ndef total(values):\n    return 2\n"
    assert labels_of(twice) == (AnswerLabel.SEVERAL_FUNCTIONS,)
    assert labels_of("def total(values):\n    print 'x'\n    return 1\n") == ()
