"""The only error of a group of tasks is taken out of it."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.grouped_errors import grouped_errors

BLOCK = "async with anyio.create_task_group() as tasks:"


def edited(
    text: str, *, kind: str = "ExceptionGroup", python: str = "3.12.1", new: str = "4.0.0"
) -> list[str]:
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="ValueError", message="no", group=kind)
    group = FailureGroup(cause=cause, tests=("t",), places=())
    evidence = evidence_of(
        {"a.py": text}, versions={"anyio": ("3.7.1", new)}, python=python, executed={"a.py": frozenset({3})}
    )
    return [edit.text for one in grouped_errors(group, evidence) for edit in one.file_edits]


def test_a_block_of_tasks_raises_its_only_error() -> None:
    text = f"import anyio\nasync def f():\n    {BLOCK}\n        tasks.start_soon(g)\n"
    handled = (
        f"import anyio\nasync def f():\n    try:\n        {BLOCK}\n            tasks.start_soon(g)\n"
        "    except BaseExceptionGroup as errors:\n        if len(errors.exceptions) == 1:\n"
        "            raise errors.exceptions[0]\n        raise\n"
    )
    assert edited(text) == [handled]
    (older,) = edited(text, python="3.9.18")
    assert "BaseExceptionGroup as errors" in older
    assert "exceptiongroup" in older.partition("async def")[0]


def test_of_blocks_in_each_other_the_outer_one_is_handled() -> None:
    text = f"import anyio\nasync def f():\n    {BLOCK}\n        {BLOCK}\n            pass\n"
    (made,) = edited(text)
    assert made.count("except BaseExceptionGroup") == 1


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (f"\nasync def f():\n    {BLOCK}\n        pass\n", {"new": "3.7.2"}),
        (f"\nasync def f():\n    {BLOCK}\n        pass\n", {"kind": ""}),
        (f"\nasync def f():\n    pass\n    {BLOCK}\n        pass\n", {}),  # nobody runs it
        ("\nasync def f():\n    async with anyio.open_file('x') as tasks:\n        pass\n", {}),
    ],
)
def test_other_code_stays(text: str, options: dict[str, str]) -> None:
    assert edited(text, **options) == []
