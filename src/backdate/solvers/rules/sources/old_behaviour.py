"""One way to have calls do what they did: the parts of proposals for values that changed without an error."""

from __future__ import annotations

from dataclasses import dataclass

from backdate.advice import AdviceEvidence, SourcePlace
from backdate.advising.parameters import parameters_of
from backdate.diagnosis.api import Member
from backdate.rewriting.rewrite import AddArgument, Rewrite


@dataclass(frozen=True, slots=True, kw_only=True)
class OldBehaviour:
    """What is written at ``places``, so that calls there do what they did."""

    rewrite: Rewrite
    distribution: str
    places: tuple[SourcePlace, ...]
    why: AdviceEvidence
    told: bool = False
    """Whether the library, or a rule, says that this is how it was."""
    rule: str = ""
    """The rule's name, where it is one."""
    switch: bool = False
    """Whether it turns something off that the new release brought, and does unless it is told not to."""

    @property
    def subject(self) -> tuple[str, str]:
        """What it is about: the last part of a function's name, and its argument."""
        if isinstance(self.rewrite, AddArgument):
            return self.rewrite.function.rpartition(".")[2], self.rewrite.argument
        return repr(self.rewrite), ""

    @property
    def words(self) -> str:
        """What it writes, the same in each run."""
        if isinstance(self.rewrite, AddArgument):
            return f"{self.rewrite.function}({self.rewrite.argument}={self.rewrite.value})"
        return self.rule


def position_of(member: Member, argument: str, *, bound: bool = False) -> int | None:
    """Where a call may give it by position instead, from 0."""
    taken = enumerate(parameters_of(member, bound=bound))
    return next((at for at, one in taken if one.name == argument and not one.keyword_only), None)
