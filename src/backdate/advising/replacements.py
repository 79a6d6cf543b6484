"""What takes the place of a name that is gone, in the words of the library or of the knowledge tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.version import Version

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.advising.rule_leads import advice_for
from backdate.knowledge import load
from backdate.knowledge.change_rows import ChangeRow
from backdate.knowledge.changes import PYTHON, library_changes_of
from backdate.knowledge.modules import aliases
from backdate.text import UNREADABLE

if TYPE_CHECKING:
    from backdate.advising.project_uses import CallShape

_LONGEST = 240
_ORDER = (EvidenceKind.MESSAGE, EvidenceKind.WARNING, EvidenceKind.CHANGELOG)


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryWords:
    """One text of a library: an error's message, a warning, an entry of its changelog."""

    kind: EvidenceKind
    text: str
    source: str = ""
    places: tuple[SourcePlace, ...] = ()
    """The project's lines that it names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacementLead:
    """What may take the place of a name, and who says so."""

    replacement: str
    """Dotted as it is written; "" where nothing does."""
    rewrite: str = ""
    """The whole expression, where it is more than a name."""
    evidence: tuple[AdviceEvidence, ...]
    """The surest first."""
    places: tuple[SourcePlace, ...] = ()


def leads_for(
    distribution: str,
    name: str,
    argument: str,
    words: Sequence[LibraryWords],
    *,
    old: str = "",
    until: str = "",
    calls: Sequence[CallShape] = (),
) -> Iterator[ReplacementLead]:
    """What is said to take the place of ``name``, or of its ``argument``, the surest first.

    The rules of the tables come first, as they are proven; then what the library says itself, and the
    tables' rows that are no rules. ``old`` and ``until``: the releases between which the project is to move;
    rows of the tables about others do not count. ``calls``: how the project calls it.
    """
    for rule in advice_for(distribution, name, argument, old=old, new=until, calls=calls):
        yield ReplacementLead(
            replacement=rule.replacement.removeprefix("builtins."),
            rewrite=rule.rewrite,
            evidence=(rule.evidence,),
        )
    from backdate.advising.wording import replacement_in, since_in  # many patterns, where no rule answers

    for kind in _ORDER:
        for text in words:
            said = replacement_in(text.text, argument or name) if text.kind is kind else None
            if said is not None:
                evidence = AdviceEvidence(
                    kind=kind,
                    text=said.sentence[:_LONGEST],
                    since=since_in(text.text) if kind is not EvidenceKind.CHANGELOG else "",
                    source=text.source,
                )
                replacement = without_alias(said.replacement)
                yield ReplacementLead(
                    replacement=replacement,
                    rewrite=said.expression,
                    evidence=(*_differs(distribution, name, argument, replacement), evidence),
                    places=text.places,
                )
    yield from known_leads(distribution, name, argument, until=until)


def known_leads(
    distribution: str, name: str, argument: str = "", *, until: str = ""
) -> Iterator[ReplacementLead]:
    """What the rows of the knowledge tables say of a dropped name or argument, rules or not."""
    leaf = argument or name.rpartition(".")[2]
    for row in _rows_about(distribution, name, argument):
        if until and _later(row.since, until):
            continue
        key = leaf if leaf in row.names else name
        if row.names.get(key) or row.rewrite.get(key):
            yield ReplacementLead(
                replacement=row.names.get(key, ""),
                rewrite=row.rewrite.get(key, ""),
                evidence=(_of_row(row, key),),
            )


def known_words(
    distribution: str, name: str, argument: str = "", *, until: str = ""
) -> AdviceEvidence | None:
    """What the tables say to do about a name, or its argument, that none takes the place of exactly."""
    leaf = argument or name.rpartition(".")[2]
    for row in _rows_about(distribution, name, argument):
        key = leaf if leaf in row.names else name
        # one that is used otherwise may lack what the project uses of it
        open_one = key in row.loosely or not (row.names.get(key) or row.rewrite.get(key))
        if open_one and row.words.get(key) and not (until and _later(row.since, until)):
            return _of_row(row, key)
    return None


def _differs(distribution: str, name: str, argument: str, replacement: str) -> Iterator[AdviceEvidence]:
    """What the tables say of a replacement that serves the same end but is used otherwise."""
    leaf = argument or name.rpartition(".")[2]
    for row in _rows_about(distribution, name, argument):
        key = leaf if leaf in row.names else name
        said = row.names.get(key, "").rpartition(".")[2]
        if key in row.loosely and said == replacement.rpartition(".")[2]:
            yield _of_row(row, key)


def _of_row(row: ChangeRow, key: str) -> AdviceEvidence:
    text = row.words.get(key, row.note)
    if key in row.loosely:
        text = f"no exact successor: {text}" if text else "no exact successor: it is used otherwise"
    return AdviceEvidence(kind=EvidenceKind.KNOWN, text=text, since=row.since, source=row.source)


def _rows_about(distribution: str, name: str, argument: str) -> Iterator[ChangeRow]:
    return (row for row in _rows_of(distribution) if not row.added and _fits(row, name, argument))


def without_alias(dotted: str) -> str:
    """A name with the module that a customary alias stands for: "numpy.isin" for "np.isin"."""
    first, dot, rest = dotted.partition(".")
    return f"{aliases()[first]}.{rest}" if dot and first in aliases() else dotted


def _rows_of(distribution: str) -> Iterable[ChangeRow]:
    if distribution == PYTHON:
        return load.python_changes()
    return (change.row for change in library_changes_of(distribution))


def _fits(row: ChangeRow, name: str, argument: str) -> bool:
    owner, _, leaf = name.rpartition(".")
    if argument:
        functions = {leaf, "__init__"}
        return row.kind == "argument" and argument in row.names and bool(functions.intersection(row.owners))
    if row.kind == "name":
        return leaf in row.names and (row.module == owner or name == f"{row.module}.{leaf}")
    if row.kind == "module":
        return name in row.names
    return row.kind == "method" and leaf in row.names and owner.rpartition(".")[2] in row.owners


def _later(since: str, until: str) -> bool:
    try:
        return Version(since) > Version(until)
    except UNREADABLE:
        return False
