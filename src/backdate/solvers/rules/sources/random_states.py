"""Random states of NumPy that a library was given, and that asks for a generator now, or the other way round.

``numpy.random.default_rng`` makes what has ``integers`` and ``random``; ``RandomState`` has ``randint`` and
``random_sample``. Both take a seed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.rewriting.rewrite import ReplaceName
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import library_behind

_STATE, _GENERATOR = "numpy.random.RandomState", "numpy.random.default_rng"
_WANTED = re.compile(
    r"'numpy\.random\.(?:mtrand\.RandomState|_generator\.Generator)' object has no attribute "
    r"'(?P<name>\w{1,40})'"
)
_OF_GENERATORS = frozenset({"integers", "random", "permuted", "spawn", "bit_generator"})
_OF_STATES = frozenset(
    {"randint", "random_sample", "rand", "randn", "seed", "get_state", "set_state", "tomaxint"}
)


def random_states(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """The other one of the two, wherever the project makes the one that the error names."""
    match = next(filter(None, (_WANTED.search(message[:2000]) for message in group.messages)), None)
    wanted = match["name"] if match is not None else ""
    if wanted in _OF_GENERATORS:
        old, new = _STATE, _GENERATOR
    elif wanted in _OF_STATES:
        old, new = _GENERATOR, _STATE
    else:
        return
    uses = evidence.uses.names.get(old)
    places = tuple(place for place in uses.places if place.file not in evidence.kept_files) if uses else ()
    if places and match is not None:
        yield Proposal(
            origin=ProposalOrigin.MESSAGE,
            distribution=library_behind(group, evidence),
            rewrite=ReplaceName(old=old, new=new),
            places=places,
            why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=match[0]),),
        )
