"""The rules of every kind that need only a candidate's row: cheap and pure, for millions of rows."""

from __future__ import annotations

from backdate.construction.candidate import Candidate, Exclusion, SharedReason
from backdate.construction.licences import refuse_licences
from backdate.construction.plan import BuildPlan


def exclude_by_row(candidate: Candidate, plan: BuildPlan) -> Exclusion | None:
    """Why the row alone excludes ``candidate``; None when its files have to be examined."""
    if candidate.language is not None and candidate.language.lower() != "python":
        return Exclusion(
            stage="language",
            kind=SharedReason.OTHER_LANGUAGE,
            reason="another language",
            detail=candidate.language[:100],
        )
    refused = refuse_licences(candidate.licenses) if candidate.licenses else None
    if refused is not None:
        return Exclusion(
            stage="licence",
            kind=SharedReason.LICENCE_NOT_PERMISSIVE,
            reason="a licence that is not permissive",
            detail=refused[:200],
        )
    if candidate.stars is not None and candidate.stars < plan.least_stars:
        return Exclusion(
            stage="stars",
            kind=SharedReason.FEW_STARS,
            reason=f"fewer than {plan.least_stars} stars",
            detail=str(candidate.stars),
        )
    return None
