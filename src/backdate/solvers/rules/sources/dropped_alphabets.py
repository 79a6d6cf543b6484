"""Biopython without alphabets (1.78): sequences and readers take none any more, and ``Bio.Alphabet`` is gone.

The import ends whole files, so that all that they do with alphabets goes at once: what calls were given of
them, as the rows say, the letters of the usual ones, and the import itself.
"""

from __future__ import annotations

from backdate.advice import SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.spans import apply_edits
from backdate.knowledge.rules import rules_of
from backdate.rewriting.rewrite import DropImport, Rewrite
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange

_MODULE = "Bio.Alphabet"
_CHANGE = DocumentedChange(
    library="biopython",
    since="1.78",
    said="sequences, records and readers have no alphabets any more",
    source="https://biopython.org/wiki/Alphabet",
)


def dropped_alphabets(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """All that the project's files do with alphabets, left out; None where one is used for something else."""
    if _MODULE not in group.cause.message or not _CHANGE.lies_between(evidence):
        return None
    files: list[FileEdit] = []
    for file, text in evidence.texts.items():
        if _MODULE in text or "import Alphabet" in text:
            changed = without_alphabets(text) if file not in evidence.kept_files else None
            if changed is None:
                return None  # a file that needs them still fails
            files.append(FileEdit(file=file, text=changed))
    if not files:
        return None
    places = tuple(place for place in group.places if any(one.file == place.file for one in files))
    found = places or tuple(SourcePlace(file=one.file, line=1) for one in files)
    return _CHANGE.mended(tuple(files), key="alphabets of Biopython", places=found)


def without_alphabets(text: str) -> str | None:
    """``text`` without alphabets; None where it uses them for anything else, or cannot be read."""
    changed = text
    for rule in rules_of(_CHANGE.library):
        if rule.source == _CHANGE.source and not rule.last:
            changed = _rewritten(changed, rule.rewrite)
    changed = _rewritten(changed, DropImport(name=_MODULE))
    gone = _MODULE not in changed and "import Alphabet" not in changed
    return changed if gone and parsed_or_none(changed) is not None else None


def _rewritten(text: str, rewrite: Rewrite) -> str:
    return apply_edits(text, rewrite_source(text, rewrite, lines=None).edits)
