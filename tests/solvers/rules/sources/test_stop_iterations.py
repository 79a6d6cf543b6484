"""Generators that ended by a StopIteration raised in them (PEP 479)."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.advice import SourcePlace
from backdate.advising.uses import uses_in
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.stop_iterations import ended_generators


def proposed(
    tmp_path: Path, source: str, *lines: int, error: str = "StopIteration", old: str = "3.6.15"
) -> str | None:
    (tmp_path / "p.py").write_text(source)
    evidence = FixEvidence(
        tree=tmp_path, uses=uses_in(tmp_path), texts={"p.py": source}, versions={"python": (old, "3.12.1")}
    )
    places = tuple(SourcePlace(file="p.py", line=line) for line in lines)
    cause = Cause(kind=CauseKind.CHANGED_VALUE, type=error, message="")
    made = ended_generators(FailureGroup(cause=cause, tests=("t",), places=places), evidence)
    return None if made is None else made.file_edits[0].text


@pytest.mark.parametrize(
    ("before", "line", "after"),
    [
        (
            "def f(it):\n    while True:\n        yield next(it), next(it)  # two\n    x = 1\n",
            3,
            """def f(it):
    while True:
        try:
            yield next(it), next(it)  # two
        except StopIteration:
            return
    x = 1
""",
        ),
        (
            "def f(it):\n\tx = next(\n\t\tit)\n\tyield x",
            2,
            "def f(it):\n\ttry:\n\t\tx = next(\n\t\t\tit)\n\texcept StopIteration:\n\t\treturn\n\tyield x",
        ),
        (
            "def f(a):\n    try:\n        yield\n    except StopIteration:\n        a()\n        raise\n",
            3,
            "def f(a):\n    try:\n        yield\n    except StopIteration:\n        a()\n        return\n",
        ),
        (
            "def f(n):\n    if n:\n        raise StopIteration\n    yield n\n",
            3,
            "def f(n):\n    if n:\n        return\n    yield n\n",
        ),
        (
            "def f(n):\r\n    yield n\r\n    raise StopIteration(n + 1)  # ends\r\n",
            3,
            "def f(n):\r\n    yield n\r\n    return n + 1  # ends\r\n",
        ),
    ],
)
def test_the_generator_returns(tmp_path: Path, before: str, line: int, after: str) -> None:
    assert proposed(tmp_path, before, line) == after


def test_of_a_function_that_a_generator_calls_the_call_is_guarded(tmp_path: Path) -> None:
    source = "def take(it):\n    return next(it)\ndef f(it):\n    x = take(it)\n    yield x\n"
    made = proposed(tmp_path, source, 2, 4)
    assert made is not None
    assert made.startswith("def take(it):\n    return next(it)\ndef f(it):\n    try:\n")


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("def f(it):\n    return next(it)\n", 2),
        ("def f(it):\n    def g():\n        return next(it)\n    yield g\n", 3),
        ("def f(it):\n    while next(it):\n        yield 1\n", 2),
        ("def f(it):\n    x = 1; yield next(it)\n", 2),
        ('def f(it):\n    yield next(it), """a\n    b"""\n', 2),
        ("async def f(it):\n    yield next(it)\n", 2),
        ("def f(it:\n", 1),
    ],
)
def test_what_is_no_statement_of_a_generator_alone_is_left_alone(
    tmp_path: Path, source: str, line: int
) -> None:
    assert proposed(tmp_path, source, line) is None


def test_another_error_and_the_same_python_are_left_alone(tmp_path: Path) -> None:
    source = "def f(it):\n    yield next(it)\n"
    assert proposed(tmp_path, source, 2, error="KeyError") is None
    assert proposed(tmp_path, source, 2, old="3.9.1") is None
    assert proposed(tmp_path, source, 2) is not None
