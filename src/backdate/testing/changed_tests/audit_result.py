"""What an audit of a suite found: which of its tests assert something."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class AuditFinding(StrEnum):
    """What became of a test function whose last assertion asserts the opposite."""

    ASSERTS = "asserts"
    """It fails, by that assertion."""
    OPPOSITE_HOLDS = "opposite-holds"
    """It passes, although the assertion is reached: it holds either way."""
    NOT_REACHED = "not-reached"
    """It passes: the assertion is never reached, or what it raises is swallowed."""
    UNPROVEN = "unproven"
    """It hung, vanished or failed otherwise."""

    @property
    def asserts_nothing(self) -> bool:
        """Whether the test passes whatever its last assertion says."""
        return self in (AuditFinding.OPPOSITE_HOLDS, AuditFinding.NOT_REACHED)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedFunction:
    """A test function, and what the audit found of it."""

    file: str
    """Relative to the project's root."""
    function: str
    """Qualified: "TestShape.test_area"."""
    line: int
    """Of its last assertion."""
    finding: AuditFinding
    tests: tuple[str, ...]
    """The ids of its tests, several for parameters; where it asserts nothing, of those that passed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteAudit:
    """What is known of a suite after some of its tests were turned round."""

    seed: int
    """With it the same functions are chosen again."""
    available: int
    """Test functions that pass and whose last assertion may be turned round."""
    functions: tuple[AuditedFunction, ...]
    """Those that were chosen."""
    not_changeable: int
    """Tests that pass and whose last assertion, if they have one, cannot be turned round by itself."""
    unreadable: tuple[str, ...] = ()
    """Test files that current Python cannot parse, such as those for Python 2 alone: never changed."""

    def count(self, finding: AuditFinding) -> int:
        """How many functions have this finding."""
        return sum(function.finding is finding for function in self.functions)

    @property
    def asserting_nothing(self) -> tuple[AuditedFunction, ...]:
        """The functions that pass whatever their last assertion says."""
        return tuple(function for function in self.functions if function.finding.asserts_nothing)
