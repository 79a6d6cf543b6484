"""What a library said to do in words, where no name takes the place of another. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from backdate.advice import EvidenceKind, SaidAdvice, SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.advising.wording import is_for_later, since_in
from backdate.bisection.explained import Explained, own_places
from backdate.bisection.explanations.called_names import own_file
from backdate.bisection.explanations.changed_types import types_told_apart
from backdate.bisection.result import Excerpt, Finding, GivenWarning
from backdate.diagnosis.known_changes import change_behind
from backdate.diagnosis.messages import read_hint
from backdate.index.names import normalise
from backdate.knowledge.changes import PYTHON
from backdate.text import first_line, without_addresses

MOST_SAID = 4
"""Sentences that are quoted for one bisection."""
_MOST_PLACES = 20
_GOES = re.compile(
    r"\b(?:remov|deprecat|renam|replac|drop)\w*|\b(?:is|are) gone\b"
    r"|\bno longer (?:there|available|exported|supported|accepted)\b",
    re.IGNORECASE,
)
"""What an entry says of a name that goes, and not of one that does something else by now."""
_USE_INSTEAD = r"(?:\(\))?[`'\"]{0,2} ?[;:,(] ?use [`'\"]"
"""What follows the name in a list of such names: "``get_cmap``; use ``colormaps[name]`` instead"."""
_NAMES_CODE = re.compile(
    r"`[^`]+`|'[A-Za-z_][\w.]*'|\"[A-Za-z_][\w.]*\"|\b\w+\(|\b[A-Za-z_]\w*\.[A-Za-z_]\w|\b[a-z]+_\w+"
    r"|\b[A-Z]?[a-z0-9]+[A-Z]\w*|\w=|https?://"
)
"""A name, a call, an argument or a page: what can be written, or looked up."""
_WANTS = re.compile(
    r"\b(?:must|should|may|can) ?not (?:be|begin|contain|end|have|include|start)\b"
    r"|\b(?:must|should) (?:be|begin|contain|derive|end|have|include|inherit|return|start)\b"
)
"""What a library says of a value that it refuses."""
_MOST_READ = 600
_FILE = re.compile(r"(?P<file>[\w./+-]{1,200}\.pyi?)(?:,? line[ =]|:)(?P<line>\d{1,6})\b")
"""A line that a message names itself: "tests/conftest.py, line=19"."""


def said_advice(findings: Sequence[Finding], uses: ProjectUses) -> tuple[SaidAdvice, ...]:
    """What to do in the words of the culprits of ``findings``, none of which has a name to write instead.

    Of each finding what the error itself says to do; else the warning that does: one that names what is
    missing, or a line of the project, else one at the very line that fails, else the only one that the
    culprit gave to these very tests while they passed; else what its changelog says of that name. Where the
    first of these names nothing that can be written ("use the APIs in cryptography"), the first that does
    as well.
    """
    said: dict[tuple[str, str], SaidAdvice] = {}
    for finding in findings:
        for one in _of_finding(finding, uses):
            said.setdefault((one.distribution, one.text), one)
            if _NAMES_CODE.search(read_hint(one.text) or one.text):
                break
    return tuple(said.values())[:MOST_SAID]


def warned_advice(
    finding: Finding, warnings: Sequence[GivenWarning], uses: ProjectUses
) -> tuple[SaidAdvice, ...]:
    """What ``warnings`` of the only culprit of ``finding`` say to do at the project's lines."""
    return tuple(
        SaidAdvice(
            distribution=finding.culprits[0].name,
            kind=EvidenceKind.WARNING,
            text=_in_the_project(warning.message, uses),
            since=since_in(warning.message),
            places=places,
        )
        for warning in warnings
        if read_hint(warning.message) and (places := _own_places(warning, uses))
    )


def noted_advice(one: Explained, uses: ProjectUses) -> tuple[SaidAdvice, ...]:
    """What the knowledge tables note of an error of the only culprit, where they have no name to write."""
    names = [culprit.name for culprit in one.finding.culprits]
    if one.cause is None or len(names) != 1 or names == [PYTHON]:  # of Python's it is told by themselves
        return ()
    known = change_behind(one.cause, culprit=names[0])
    if known is None or known.distribution != names[0] or known.added or known.replacement or not known.note:
        return ()
    said = SaidAdvice(
        distribution=names[0],
        kind=EvidenceKind.KNOWN,
        text=known.note,
        since=known.since,
        places=own_places(one, uses)[:_MOST_PLACES],
        source=known.source,
    )
    return (said,)


def _of_finding(finding: Finding, uses: ProjectUses) -> Iterator[SaidAdvice]:
    explanation = finding.explanations
    if explanation is None or len(finding.culprits) != 1:
        return
    name, release = finding.culprits[0].name, finding.culprits[0].new or ""
    yield from _of_error(finding, name, uses)
    telling = [
        warning
        for warning in explanation.warnings
        if read_hint(warning.message) and not is_for_later(warning.message, release)
    ]
    about = [warning for warning in telling if warning.names_it or _named_places(warning, uses)]
    # a warning at the very line that fails is about it, whatever its words are
    there = [
        warning
        for warning in explanation.warnings
        if set(_error_place(finding, uses)) & set(_own_places(warning, uses))
        and not is_for_later(warning.message, release)
    ]
    for warning in about or there or (telling if len(telling) == 1 else ()):
        yield SaidAdvice(
            distribution=name,
            kind=EvidenceKind.WARNING,
            text=_in_the_project(warning.message, uses),
            since=since_in(warning.message),
            places=_own_places(warning, uses),
        )
    for excerpt in explanation.changelog:
        text = without_addresses(" ".join(line.strip() for line in excerpt.lines))
        if read_hint(text) and _is_said_of(excerpt, finding):
            yield SaidAdvice(
                distribution=name, kind=EvidenceKind.CHANGELOG, text=read_hint(text), since=excerpt.version
            )


def _is_said_of(excerpt: Excerpt, finding: Finding) -> bool:
    """Whether an entry's advice is about what the error is about.

    Where the error names nothing, changelogs are asked for what the failing line calls. Of such a name only
    that it goes is advice: entries about its members, or about what it does, are of other uses of it. Of a
    value that has another type now an entry that names both is.
    """
    name = re.escape(excerpt.about.rpartition(".")[2])
    if re.search(rf"\b{name}\b", finding.error.message) or excerpt.about in types_told_apart(
        finding.error.message
    ):
        return True
    # the entry alone: the headings over it speak of removals of anything
    entry = next((line for line in excerpt.lines if re.search(rf"\b{name}\b", line)), "")
    itself = re.search(rf"\b{name}\b(?!\.\w)", entry)
    used = re.search(rf"\b{name}{_USE_INSTEAD}", entry, re.IGNORECASE)
    return itself is not None and (_GOES.search(entry) or used) is not None


def _of_error(finding: Finding, name: str, uses: ProjectUses) -> Iterator[SaidAdvice]:
    """What the error itself says to do; an assertion's text is the project's own.

    Of an error of the library's own class also what it wants: "an alias must not contain spaces".
    """
    error = finding.error
    hint = "" if error.type.rpartition(".")[2] == "AssertionError" else read_hint(error.message)
    if (
        not hint
        and normalise(error.type.partition(".")[0]) == name
        and _WANTS.search(error.message[:_MOST_READ])
    ):
        hint = first_line(error.message, most=_MOST_READ)
    if hint:
        yield SaidAdvice(
            distribution=name,
            kind=EvidenceKind.MESSAGE,
            text=hint,
            places=_error_place(finding, uses),
        )


def _error_place(finding: Finding, uses: ProjectUses) -> tuple[SourcePlace, ...]:
    """The project's line at which the error surfaces; empty where it is none of its lines."""
    place = finding.error.place
    file = own_file(place.file, uses) if place is not None else ""
    return (SourcePlace(file=file, line=place.line),) if file and place is not None else ()


def _own_places(warning: GivenWarning, uses: ProjectUses) -> tuple[SourcePlace, ...]:
    given = (
        SourcePlace(file=file, line=place.line)
        for place in warning.places
        if (file := own_file(place.file, uses))
    )
    return tuple(dict.fromkeys((*_named_places(warning, uses), *given)))[:_MOST_PLACES]


def _in_the_project(text: str, uses: ProjectUses) -> str:
    """A text with the project's files as its own folder has them."""

    def shown(match: re.Match[str]) -> str:
        known = next((file for file in uses.files if match["file"].endswith(f"/{file}")), match["file"])
        return match[0].replace(match["file"], known)

    return _FILE.sub(shown, text)


def _named_places(warning: GivenWarning, uses: ProjectUses) -> tuple[SourcePlace, ...]:
    """The project's lines in the text of a warning, where files may have their folder on the machine before
    them."""
    return tuple(
        SourcePlace(file=known, line=int(match["line"]))
        for match in _FILE.finditer(warning.message)
        for known in uses.files
        if f"/{match['file']}".endswith(f"/{known}")
    )
