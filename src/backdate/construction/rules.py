"""The rules that need nothing but a candidate's own row: cheap, pure, asked of millions."""

from __future__ import annotations

from datetime import timedelta

from backdate.construction.candidate import Candidate, Exclusion
from backdate.construction.licences import refuse_licences
from backdate.construction.plan import BuildPlan
from backdate.timeline.instants import FIRST_UPLOAD, Instant, format_day


def start_of_day(instant: Instant) -> Instant:
    """00:00:00 UTC of that day: a commit's old instant, as TimeMachine-bench cuts (section 3, step 2)."""
    return instant.replace(hour=0, minute=0, second=0, microsecond=0)


def exclude_by_row(candidate: Candidate, plan: BuildPlan) -> Exclusion | None:
    """Why ``candidate`` is no task, as far as its row tells; None when it has to be looked at."""
    if candidate.language is not None and candidate.language.lower() != "python":
        return Exclusion(stage="language", reason="another language", detail=candidate.language[:100])
    refused = refuse_licences(candidate.licenses) if candidate.licenses else None
    if refused is not None:
        return Exclusion(stage="licence", reason="a licence that is not permissive", detail=refused[:200])
    if candidate.stars is not None and candidate.stars < plan.least_stars:
        return Exclusion(
            stage="stars", reason=f"fewer than {plan.least_stars} stars", detail=str(candidate.stars)
        )
    return exclude_by_date(candidate, plan)


def exclude_by_date(candidate: Candidate, plan: BuildPlan) -> Exclusion | None:
    """Why the date that the row gives does not fit the two instants; None when it does or is not known."""
    if candidate.kind == "sdist" and not candidate.revision and plan.origin is None:
        return Exclusion(stage="window", reason="neither a version nor an origin instant (--from)")
    if candidate.dated is None:
        return None
    if candidate.dated < FIRST_UPLOAD:
        return Exclusion(
            stage="window", reason="older than the package index", detail=format_day(candidate.dated)
        )
    if plan.origin is None:
        return exclude_by_window(start_of_day(candidate.dated), plan)
    return None


def exclude_by_window(old: Instant, plan: BuildPlan) -> Exclusion | None:
    """Why an old instant does not fit the target; None when it does."""
    if plan.target - old < timedelta(days=1):
        return Exclusion(stage="window", reason="not older than the target instant", detail=format_day(old))
    return None
