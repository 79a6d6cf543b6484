"""Proposals for tests that are written for nose, or for pytest as it was: what it does not run any more."""

from __future__ import annotations

import re

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.rewriting.nose_setups import nose_setups
from backdate.rewriting.rewrite import CallYielded, NameSetups
from backdate.rewriting.yielded_calls import yield_tests
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.text import version_numbers

_LONGEST = 2_000
_NO_NOSE_SINCE = (8, 0)
_YIELD_TEST = re.compile(r"'yield' keyword is allowed in fixtures, but not in tests[^\n]{0,200}")


def old_tests(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """What pytest runs in the place of what it refuses or passes over; None where that is not the failure."""
    return _yield_tests(group, evidence) or _nose_setups(group, evidence)


def _yield_tests(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """Tests that yield, which pytest ran last in 3.x and refuses from 8.4 on: all of their files."""
    match = _YIELD_TEST.search(group.cause.message[:_LONGEST])
    if match is None:
        return None
    files = dict.fromkeys(
        (*(place.file for place in group.places), *(test.partition("::")[0] for test in group.tests))
    )
    places = tuple(
        SourcePlace(file=file, line=line)
        for file in files
        for _, _, lines in yield_tests(evidence.texts.get(file, ""))
        for line in lines
    )
    source = "https://docs.pytest.org/en/stable/deprecations.html#yield-tests"
    why = AdviceEvidence(kind=EvidenceKind.MESSAGE, text=match[0], source=source)
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution="pytest",
        rewrite=CallYielded(),
        places=places,
        why=(why,),
    )


def _nose_setups(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """Methods of test classes that nose and pytest before 8 called: what they set is missing."""
    cause = group.cause
    old, new = evidence.versions_of("pytest")
    moved = bool(old and new) and version_numbers(old) < _NO_NOSE_SINCE <= version_numbers(new)
    is_missing = cause.kind is CauseKind.MISSING_ATTRIBUTE and cause.owner_is == "type"
    # 8.0 itself refuses them, 8.1 and later do not call them
    is_refused = cause.message.startswith("Support for nose tests is deprecated")
    if not moved or not (is_missing or is_refused):
        return None
    files = [place.file for place in group.places]
    files += [test.partition("::")[0] for test in group.tests] if is_refused else []
    places = tuple(
        SourcePlace(file=file, line=line)
        for file in dict.fromkeys(files)
        for line in nose_setups(evidence.texts.get(file, ""))
    )
    if not places:
        return None
    source = "https://docs.pytest.org/en/stable/deprecations.html#support-for-tests-written-for-nose"
    why = AdviceEvidence(
        kind=EvidenceKind.KNOWN, text="setup and teardown of nose are not called", since="8.0", source=source
    )
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution="pytest",
        rewrite=NameSetups(),
        places=places,
        why=(why,),
    )
