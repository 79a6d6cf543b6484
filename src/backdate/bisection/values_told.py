"""What rules know of values: calls that give something else since the very release that broke the tests."""

from __future__ import annotations

from collections.abc import Iterator

from backdate.advice import AdvisedChange
from backdate.advising.project_uses import ProjectUses
from backdate.advising.rule_leads import advice_of_values
from backdate.bisection.explained import Explained
from backdate.diagnosis.result import CauseKind

_KINDS = frozenset(
    {CauseKind.ASSERTION, CauseKind.CHANGED_TYPE, CauseKind.CHANGED_VALUE, CauseKind.OTHER_ERROR}
)


def changed_values(one: Explained, distribution: str, uses: ProjectUses) -> Iterator[AdvisedChange]:
    """What the project's calls are to be given, of an error that names nothing of the culprit.

    Only what changed with the release that the finding names: that is what was seen to break the tests.
    """
    culprit = next((each for each in one.finding.culprits if each.name == distribution), None)
    if one.cause is None or one.cause.kind not in _KINDS or one.cause.name or culprit is None:
        return
    if not culprit.old or not culprit.new:
        return
    for rule in advice_of_values(distribution, old=culprit.old, new=culprit.new):
        used = uses.names.get(rule.target)
        if used is not None:
            given = used.keywords.get(rule.adds, {})
            places = tuple(place for place in used.places if place not in given)
            if places:
                yield AdvisedChange(
                    distribution=distribution,
                    name=rule.target,
                    argument=rule.argument,
                    replacement=rule.replacement,
                    rewrite=rule.rewrite,
                    places=places,
                    evidence=(rule.evidence,),
                )
