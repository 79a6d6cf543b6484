"""Biopython without alphabets (1.78): sequences and readers take none any more, and ``Bio.Alphabet`` is gone.

The import ends whole files, so that all that they do with alphabets goes at once: what calls were given of
them, the letters of the usual ones, and the import itself.
"""

from __future__ import annotations

from backdate.advice import SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import DropImport, ReplaceUse
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
_TAKES = {
    "Bio.Seq.Seq": "{0}",
    "Bio.Seq.MutableSeq": "{0}",
    "Bio.Seq.UnknownSeq": "{0}",
    "Bio.SeqIO.parse": "{0}, {1}",
    "Bio.SeqIO.read": "{0}, {1}",
    "Bio.SeqIO.to_dict": "{0}",
    "Bio.AlignIO.parse": "{0}, {1}",
    "Bio.AlignIO.read": "{0}, {1}",
    "Bio.Align.MultipleSeqAlignment": "{0}",
}
"""What calls are left with."""
_LETTERS = {
    "unambiguous_dna": "GATC",
    "ambiguous_dna": "GATCRYWSMKHBVDN",
    "unambiguous_rna": "GAUC",
    "ambiguous_rna": "GAUCRYWSMKHBVDN",
    "protein": "ACDEFGHIKLMNPQRSTVWY",
    "extended_protein": "ACDEFGHIKLMNPQRSTVWYBXZJUO",
    "extended_dna": "GATCBDSW",
}
"""Of ``Bio.Alphabet.IUPAC``'s alphabets (Biopython 1.77, Bio/Data/IUPACData.py)."""


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
    for alphabet, letters in _LETTERS.items():
        target = f"{_MODULE}.IUPAC.{alphabet}.letters"
        changed = _rewritten(changed, ReplaceUse(target=target, template=f"'{letters}'", called=False))
    for target, kept in _TAKES.items():
        rewrite = ReplaceUse(target=target, template=f"{target}({kept})", drops_arguments=True)
        changed = _rewritten(changed, rewrite)
    changed = _rewritten(changed, DropImport(name=_MODULE))
    gone = _MODULE not in changed and "import Alphabet" not in changed
    return changed if gone and parsed_or_none(changed) is not None else None


def _rewritten(text: str, rewrite: ReplaceUse | DropImport) -> str:
    return apply_edits(text, rewrite_source(text, rewrite, lines=None).edits)
