"""The version that a package says of itself, where it does not any more: its metadata have it (PEP 566)."""

from __future__ import annotations

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.knowledge.changes import PYTHON
from backdate.rewriting.rewrite import ReplaceUse
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import distribution_of_cause
from backdate.text import version_numbers

_METADATA_SINCE = (3, 8)
_VERSION_NAMES = {
    "__version__": 'importlib.metadata.version("{distribution}")',
    "__version_info__": (
        'tuple(int(part) for part in importlib.metadata.version("{distribution}").split(".") '
        "if part.isdigit())"
    ),
}
"""What a package says of its version, and what its metadata say instead."""


def version_of(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """A package's ``__version__``, or its numbers: its metadata say them (PEP 566, Python 3.8)."""
    cause = group.cause
    distribution = distribution_of_cause(cause)
    python = evidence.versions_of(PYTHON)[1]
    template = _VERSION_NAMES.get(cause.name)
    if template is None or cause.owner_is != "module" or distribution in ("", PYTHON):
        return None
    if python and version_numbers(python) < _METADATA_SINCE:
        return None
    rewrite = ReplaceUse(
        target=f"{cause.owner}.{cause.name}",
        template=template.format(distribution=distribution),
        called=False,
    )
    source = "https://docs.python.org/3/library/importlib.metadata.html#distribution-versions"
    why = AdviceEvidence(kind=EvidenceKind.MESSAGE, text=cause.message.split("\n")[0][:240], source=source)
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution=distribution,
        rewrite=rewrite,
        places=group.places,
        why=(why,),
    )
