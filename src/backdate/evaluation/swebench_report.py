"""The report that SWE-bench's harness writes (``schema_version`` 2), for tools that read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backdate.evaluation.scores import Score, ScoreInfo, ScoreOutcome

_ERRORS = (
    ScoreOutcome.NOT_BUILT,
    ScoreOutcome.NO_TREE,
    ScoreOutcome.NOT_APPLIED,
    ScoreOutcome.TIMED_OUT,
    ScoreOutcome.LIMIT,
    ScoreOutcome.BINARY,
    ScoreOutcome.MALFORMED,
    ScoreOutcome.HUGE,
    ScoreOutcome.NOT_ALLOWED,
    ScoreOutcome.TWO_PATCHES,
)
_UNRESOLVED = (ScoreOutcome.TESTS_FAILED, ScoreOutcome.FORGED, ScoreOutcome.UNPROVEN)


def swebench_report(info: ScoreInfo, scores: Sequence[Score]) -> dict[str, Any]:
    """Counts and lists of ids.

    ``completed`` are those whose tests ran to their end; what SWE-bench has no word for (a patch that may
    not be, two patches, …) is an error there. Predictions of unknown tasks count as submitted nowhere: they
    are listed in ``unknown_ids``, a field of our own.
    """
    submitted = [score for score in scores if score.outcome is not ScoreOutcome.NO_PREDICTION]
    groups = {
        "completed": [score for score in submitted if score.outcome in (ScoreOutcome.SOLVED, *_UNRESOLVED)],
        "resolved": [score for score in submitted if score.solved],
        "unresolved": [score for score in submitted if score.outcome in _UNRESOLVED],
        "empty_patch": [score for score in submitted if score.outcome is ScoreOutcome.EMPTY],
        "error": [score for score in submitted if score.outcome in _ERRORS],
    }
    report: dict[str, Any] = {
        "total_instances": len(info.tasks),
        "submitted_instances": len(submitted),
        **{f"{name}_instances": len(group) for name, group in groups.items()},
        "completed_ids": sorted(score.instance_id for score in groups["completed"]),
        "incomplete_ids": sorted(score.instance_id for score in scores if score not in submitted),
        "empty_patch_ids": sorted(score.instance_id for score in groups["empty_patch"]),
        "submitted_ids": sorted(score.instance_id for score in submitted),
        "resolved_ids": sorted(score.instance_id for score in groups["resolved"]),
        "unresolved_ids": sorted(score.instance_id for score in groups["unresolved"]),
        "error_ids": sorted(score.instance_id for score in groups["error"]),
    }
    return {**report, "unknown_ids": list(info.unknown), "schema_version": 2}
