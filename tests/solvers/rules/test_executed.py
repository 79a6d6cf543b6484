"""Statements and functions around lines."""

from __future__ import annotations

import pytest

from backdate.solvers.rules import executed
from backdate.solvers.rules.executed import function_body, statement_around

TEXT = """\
@decorated
def outer(
    a,
):
    b = [
        a,
    ]
    def inner():
        return b
    return inner
c = outer(
    1)
"""


def test_the_innermost_statement_is_around_a_line() -> None:
    assert statement_around(TEXT, 6) == range(5, 8)
    assert statement_around(TEXT, 3) == range(1, 5)
    assert statement_around(TEXT, 12) == range(11, 13)
    assert statement_around(TEXT, 99) == range(99, 100)


def test_the_innermost_function_has_the_body() -> None:
    assert function_body(TEXT, 9) == range(9, 10)
    assert function_body(TEXT, 6) == range(5, 11)
    assert function_body(TEXT, 11) == range(0)
    assert function_body("print 1", 1) == range(0)


def test_a_text_is_parsed_once_for_all_lines_that_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []
    parse = executed.parsed_or_none
    monkeypatch.setattr(executed, "parsed_or_none", lambda text: parsed.append(text) or parse(text))
    text = TEXT + "# another text\n"
    for line in range(12):
        function_body(text, line)
        statement_around(text, line)
    assert len(parsed) == 2
