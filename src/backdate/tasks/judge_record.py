"""What verification finds out for judge runs (``judge_runs/``); a part of a task's proof."""

from __future__ import annotations

from dataclasses import dataclass

from backdate.testing.changed_tests.kinds import ChangeKind


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundChange:
    """A change that made tests fail for its own reason with the known solution."""

    file: str
    """The test file, relative to the root."""
    function: str
    """Qualified: "TestShape.test_area"."""
    kind: ChangeKind
    tests: tuple[str, ...]
    """The ids of the tests that failed by it: several for parameters and inherited tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRecord:
    """Which secret changes of a task's tests are sound."""

    changes: tuple[SoundChange, ...] = ()
    unsteady: tuple[str, ...] = ()
    """Tests that failed beside changed ones without being changed: they are no controls."""
    asserts_nothing: tuple[str, ...] = ()
    """Test functions ("FILE: FUNCTION") that pass although their last assertion asserts the opposite."""
    unreadable: tuple[str, ...] = ()
    """Test files that current Python cannot parse, such as those for Python 2 alone: never changed."""
    problem: str = ""
    """Why there are no changes, or fewer than there might be; empty when nothing went wrong."""
