"""Proposals from other tools' edits: of what they would change, what is about the failing lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.encodings import split_lines
from backdate.editing.line_maps import line_units
from backdate.editing.spans import Edit, apply_edits
from backdate.knowledge.changes import PYTHON
from backdate.rewriting.rewrite_source import is_generated
from backdate.solvers.rules.executed import statement_around
from backdate.solvers.rules.fixers.hunks import concerning, names_in
from backdate.solvers.rules.fixers.installed import FixerName
from backdate.solvers.rules.fixers.ruff import RuffFinding
from backdate.solvers.rules.fixers.running import AT
from backdate.solvers.rules.parts import cut_off
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import libraries_of
from backdate.text import version_numbers

_MOST_FILES = 400
_MOST_CHARACTERS = 8_000_000
_MOST = 4
"""Proposals of one tool for one failure: each costs a run."""
_NEWEST_DJANGO = (6, 0)
_LONGEST = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rewriter:
    """A tool that knows one library, and rewrites whole files."""

    name: FixerName
    distribution: str
    page: str

    def arguments(self, new: str, files: Iterable[str]) -> tuple[str, ...]:
        """For the library's new version; the files below ``AT``."""
        if self.name is FixerName.DJANGO_UPGRADE:
            target = min(version_numbers(new)[:2], _NEWEST_DJANGO)
            named = (f"{AT}/{file}" for file in files)
            return (
                "--exit-zero-even-if-changed",
                *("--target-version", ".".join(map(str, target)), "--", *named),
            )
        return ("--", ".")  # it refuses absolute paths; it starts in ``AT``


_REWRITERS = (
    _Rewriter(
        name=FixerName.DJANGO_UPGRADE,
        distribution="django",
        page="https://github.com/adamchainz/django-upgrade",
    ),
    _Rewriter(
        name=FixerName.BUMP_PYDANTIC,
        distribution="pydantic",
        page="https://docs.pydantic.dev/latest/migration/",
    ),
)


_OF_NAMES = frozenset({"PT009"})
"""Rules of style as well: asked for names that went (``assertEquals``), never for an assertion that fails."""
_OF_SYNTAX = frozenset({"W605"})
"""What the compiler warns of: asked where a warning of it is the error, as with ``-W error``."""


class FixerSource:
    """ruff, django-upgrade and bump-pydantic, where they are installed."""

    origin = ProposalOrigin.FIXER

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``. Raises SandboxUnavailable."""
        if evidence.fixers is None or not group.places:
            return ()
        texts = _texts(group, evidence)
        return (*_of_ruff(group, evidence, texts), *_of_rewriters(group, evidence, texts))


def _texts(group: FailureGroup, evidence: FixEvidence) -> dict[str, str]:
    """The files of the failure, then those that the failing tests run, as many as may be."""
    texts: dict[str, str] = {}
    left = _MOST_CHARACTERS
    for file in dict.fromkeys((*(place.file for place in group.places), *(evidence.executed or ()))):
        text = evidence.texts.get(file)
        if text is None or is_generated(text):
            continue
        if len(text) <= left and len(texts) < _MOST_FILES:
            texts[file] = text
            left -= len(text)
    return texts


def _failing_lines(places: Iterable[SourcePlace], evidence: FixEvidence) -> dict[str, frozenset[int]]:
    """By file, all lines of the statements at ``places``."""
    lines: dict[str, set[int]] = {}
    for place in places:
        text = evidence.texts.get(place.file, "")
        lines.setdefault(place.file, set()).update(statement_around(text, place.line))
    return {file: frozenset(numbers) for file, numbers in lines.items()}


def _of_ruff(group: FailureGroup, evidence: FixEvidence, texts: Mapping[str, str]) -> Iterator[Proposal]:
    assert evidence.fixers is not None
    findings = evidence.fixers.findings(texts, evidence.python)
    asked: dict[tuple[str, str], None] = {}
    for place in group.places:
        around = statement_around(evidence.texts.get(place.file, ""), place.line)
        for finding in findings:
            fits = finding.file == place.file and finding.first_line in around
            if fits and _is_about(group.cause, finding, texts[finding.file]):
                asked[finding.code, finding.message] = None
    failing = _failing_lines(group.places, evidence)
    made: set[tuple[FileEdit, ...]] = set()
    for code, message in asked:
        same = [
            finding
            for finding in findings
            if (finding.code, finding.message) == (code, message) and _is_run(finding, failing, evidence)
        ]
        edits = tuple(_file_edits(same, texts))
        if edits in made or len(made) == _MOST:
            continue  # two of its rules may write the same
        made.add(edits)
        why = AdviceEvidence(kind=EvidenceKind.TOOL, text=message[:_LONGEST], source=same[0].url)
        yield Proposal(
            origin=ProposalOrigin.FIXER,
            distribution=_library(group, evidence),
            file_edits=edits,
            edits_key=f"{FixerName.RUFF} {code} {message}",
            places=tuple(SourcePlace(file=one.file, line=one.first_line) for one in same),
            why=(why,),
            rule=f"{FixerName.RUFF} {code}",
        )


def _is_about(cause: Cause, finding: RuffFinding, text: str) -> bool:
    """Whether a finding edits the name that the error names; of an error that names none, all do.

    An attribute that objects lack has to go: what only rewrites the code around it is about something else.
    """
    name = cause.name.rpartition(".")[2]
    if not name and finding.code in _OF_NAMES:
        return False
    if finding.code in _OF_SYNTAX and not cause.type.endswith(("Warning", "SyntaxError")):
        return False
    edits = [edit for edit in finding.edits if name in names_in(text[edit.start : edit.end])]
    if cause.kind is not CauseKind.MISSING_ATTRIBUTE or cause.owner_is != "type":
        return not name or bool(edits)
    before = sum(text.count(f".{name}", edit.start, edit.end) for edit in edits)
    return sum(edit.replacement.count(f".{name}") for edit in edits) < before


def _is_run(finding: RuffFinding, failing: Mapping[str, frozenset[int]], evidence: FixEvidence) -> bool:
    ran = (evidence.executed or {}).get(finding.file, frozenset())
    return finding.first_line in failing.get(finding.file, frozenset()) | ran


def _file_edits(findings: Iterable[RuffFinding], texts: Mapping[str, str]) -> Iterator[FileEdit]:
    by_file: dict[str, set[Edit]] = {}
    for finding in findings:
        taken = by_file.setdefault(finding.file, set())
        if not any(_overlap(edit, other) for edit in finding.edits for other in taken):
            taken.update(finding.edits)
    for file, edits in by_file.items():
        yield FileEdit(file=file, text=apply_edits(texts[file], edits))


def _overlap(one: Edit, other: Edit) -> bool:
    """Whether two edits cannot both be made; the same one twice can, such as a new import."""
    if one == other:
        return False
    return (one.start < other.end and other.start < one.end) or one.start == other.start


def _of_rewriters(group: FailureGroup, evidence: FixEvidence, texts: Mapping[str, str]) -> Iterator[Proposal]:
    assert evidence.fixers is not None
    for rewriter in _REWRITERS:
        old, new = evidence.versions_of(rewriter.distribution)
        if not old or not new or rewriter.distribution not in libraries_of(group, evidence):
            continue
        ordered = dict(sorted(texts.items()))  # so that all groups of the same files ask once
        after = evidence.fixers.rewritten(rewriter.name, rewriter.arguments(new, ordered), ordered)
        edits = tuple(_concerning(after, texts, group, evidence))
        if not edits:
            continue
        changed = "\0".join(f"{edit.file}\0{_difference(texts[edit.file], edit.text)}" for edit in edits)
        why = AdviceEvidence(
            kind=EvidenceKind.TOOL,
            text=f"{rewriter.name} rewrites it so for {rewriter.distribution} {new}",
            source=rewriter.page,
        )
        yield Proposal(
            origin=ProposalOrigin.FIXER,
            distribution=rewriter.distribution,
            file_edits=edits,
            edits_key=f"{rewriter.name} {changed}",
            places=group.places,
            why=(why,),
            rule=rewriter.name,
        )


def _concerning(
    after: Mapping[str, str], texts: Mapping[str, str], group: FailureGroup, evidence: FixEvidence
) -> Iterator[FileEdit]:
    failing = _failing_lines(group.places, evidence)
    name = group.cause.name.rpartition(".")[2]
    for file, text in after.items():
        ran = (evidence.executed or {}).get(file, frozenset())
        kept = concerning(texts[file], text, failing.get(file, frozenset()), ran)
        gone, _ = _difference(texts[file], kept)
        about = kept != texts[file] and (not name or name in names_in(gone))
        # an import that goes with edits of other lines, which stay as they are, would leave these without it
        if about and cut_off(texts[file], kept) <= cut_off(texts[file], texts[file]) | {name}:
            yield FileEdit(file=file, text=kept)


def _difference(before: str, after: str) -> tuple[str, str]:
    """The lines that went, and those that came."""
    old, new = split_lines(before), split_lines(after)
    units = line_units(old, new)
    went = "".join(line for start, end, _, _ in units for line in old[start:end])
    return went, "".join(line for _, _, start, end in units for line in new[start:end])


def _library(group: FailureGroup, evidence: FixEvidence) -> str:
    """The library that the failing line uses and that moved; Python where there is none."""
    moved = (name for name in libraries_of(group, evidence) if name in evidence.versions)
    return next(moved, PYTHON)
