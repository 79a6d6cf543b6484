"""Proposals for test files that import nose, which no longer imports itself, or what NumPy had for it."""

from __future__ import annotations

import functools

from backdate.advice import SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.rewriting.old_runner_uses import lines_of_runners
from backdate.rewriting.old_runners import without_old_runners
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange

_OF_IMPORTS = frozenset(
    {CauseKind.MISSING_MODULE, CauseKind.MISSING_NAME, CauseKind.MISSING_ATTRIBUTE, CauseKind.REMOVED}
)
_CHANGE = DocumentedChange(
    library="nose",
    said="nose does not import with Python 3.12, and NumPy dropped what it had for it in 1.25",
    source="https://docs.pytest.org/en/stable/how-to/nose.html",
)


def old_runners(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """The same files by pytest and unittest, where importing nose is what fails; None elsewhere.

    With them all others that the failing tests run and that import it: each of them would fail next.
    """
    if group.cause.kind not in _OF_IMPORTS:
        return None
    at = (*group.raised_at, *group.places)
    if not any(place.line in _old_lines(evidence.texts.get(place.file, "")) for place in at):
        return None
    places = tuple(
        SourcePlace(file=file, line=line)
        for file, text in evidence.texts.items()
        for line in _old_lines(text)
    )
    failing = (place for place in places if place in at)
    files = dict.fromkeys(place.file for place in (*failing, *evidence.executed_of(places)))
    edits = tuple(
        FileEdit(file=file, text=text)
        for file in files
        if (text := without_old_runners(evidence.texts[file])) is not None
    )
    if not edits:
        return None
    return _CHANGE.mended(
        edits,
        key=f"nose in {', '.join(edit.file for edit in edits)}",
        places=tuple(place for place in places if place.file in {edit.file for edit in edits}),
    )


@functools.lru_cache(maxsize=1024)
def _old_lines(text: str) -> tuple[int, ...]:
    """The lines of a file that import what is gone with nose, or use it."""
    tree = parsed_or_none(text) if "nose" in text or "testing" in text else None
    return tuple(sorted(lines_of_runners(tree))) if tree is not None else ()
