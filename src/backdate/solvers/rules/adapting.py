"""What a source proposes, and the same for lines that do not name themselves what it is about."""

from __future__ import annotations

from collections.abc import Iterator

from backdate.solvers.rules.function_values import for_values
from backdate.solvers.rules.given_keys import for_dictionary
from backdate.solvers.rules.passed_on import for_passed_on
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalSource
from backdate.solvers.rules.star_names import for_star_names

_ADAPTED = (for_passed_on, for_dictionary, for_values)


def proposals_of(
    source: ProposalSource, group: FailureGroup, missing: FailureGroup | None, evidence: FixEvidence
) -> Iterator[Proposal]:
    """All of ``source`` for ``group``, the likeliest first. ``missing``: what ``as_missing`` makes of it.

    Raises SandboxUnavailable.
    """
    for proposal in source.propose(group, evidence):
        yield proposal
        yield from filter(None, (adapted(proposal, group, evidence) for adapted in _ADAPTED))
    if missing is not None:
        for proposal in source.propose(missing, evidence):
            yield from for_star_names(proposal, missing, evidence)
