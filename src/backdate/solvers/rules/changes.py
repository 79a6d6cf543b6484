"""The changes that stand, batch by batch, so that each of them can be taken back from among the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from backdate.advice import SourcePlace
from backdate.editing.line_maps import LineMap
from backdate.rewriting.rewrite import ReplaceName
from backdate.solvers.rules.applying import PlannedChange, TextChanger, Texts
from backdate.solvers.rules.proposals import FailureGroup, Proposal, ProposalOrigin


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeBatch:
    """Changes that were tried together, and stay."""

    base: Texts
    """The texts whose lines the places of the changes and of their groups are."""
    planned: tuple[PlannedChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingChange:
    """A change that stands, and where."""

    planned: PlannedChange
    base: Texts
    """Its places are those of these texts."""
    lines: frozenset[SourcePlace]
    """What it wrote, in the last texts."""
    raised_at: frozenset[SourcePlace]
    """The lines that raised what it mends, in the last texts; none where that was foreseen."""


@dataclass(slots=True)
class ChangeHistory:
    """All changes that stand."""

    changer: TextChanger
    batches: list[ChangeBatch] = field(default_factory=list)

    @property
    def planned(self) -> tuple[PlannedChange, ...]:
        """Every change, in their order."""
        return tuple(change for batch in self.batches for change in batch.planned)

    def add(self, base: Texts, planned: Sequence[PlannedChange]) -> None:
        """Let these stand, too."""
        if planned:
            self.batches.append(ChangeBatch(base=base, planned=tuple(planned)))

    def without(self, change: PlannedChange) -> ChangeHistory:
        """The same without one change."""
        kept = [
            replace(batch, planned=tuple(each for each in batch.planned if each is not change))
            for batch in self.batches
        ]
        return ChangeHistory(self.changer, [batch for batch in kept if batch.planned])

    def without_those_of(self, distributions: Collection[str]) -> ChangeHistory:
        """The same without what follows releases of some libraries; imports that nothing uses stay out."""
        history = self
        for change in self.planned:
            follows = change.proposal.origin is not ProposalOrigin.UNUSED_IMPORT
            if follows and change.proposal.distribution in distributions:
                history = history.without(change)
        return history

    def texts(self) -> Texts:
        """What they make of the files."""
        texts: Texts = {}
        for batch in self.batches:
            texts = self._made(batch, texts)[0]
        return texts

    def _made(
        self, batch: ChangeBatch, texts: Texts
    ) -> tuple[Texts, list[tuple[PlannedChange, frozenset[SourcePlace]]]]:
        moved = [
            replace(change, proposal=moved_proposal(change.proposal, batch.base, texts, self.changer))
            for change in batch.planned
        ]
        changed = self.changer.make(texts, moved)
        lines = {id(made.planned): made.lines for made in changed.made}
        beside = zip(batch.planned, moved, strict=True)
        return changed.texts, [(change, lines.get(id(new), frozenset())) for change, new in beside]

    def standing(self, last: Texts) -> tuple[StandingChange, ...]:
        """Every change with where it is in ``last``, the texts that are handed in."""
        found: list[StandingChange] = []
        texts: Texts = {}
        for batch in self.batches:
            texts, made = self._made(batch, texts)
            for change, lines in made:
                found.append(
                    StandingChange(
                        planned=change,
                        base=batch.base,
                        lines=frozenset(moved_places(lines, texts, last, self.changer)),
                        raised_at=frozenset(
                            moved_places(
                                change.group.raised_at if change.group.tests else (),
                                batch.base,
                                last,
                                self.changer,
                            )
                        ),
                    )
                )
        return tuple(found)


def put_back(planned: Iterable[PlannedChange]) -> set[str]:
    """The libraries in whose place as a whole changes put what they were."""
    return {
        change.proposal.distribution
        for change in planned
        if isinstance(change.proposal.rewrite, ReplaceName)
        and change.proposal.last
        and "." not in change.proposal.rewrite.old
    }


def moved_places(
    places: Iterable[SourcePlace], old: Texts, new: Texts, changer: TextChanger
) -> tuple[SourcePlace, ...]:
    """Lines of files with the texts ``old`` as lines of them with the texts ``new``, in the same order."""
    maps: dict[str, LineMap] = {}
    moved: dict[SourcePlace, None] = {}
    for place in places:
        if place.file not in old and place.file not in new:
            moved[place] = None
            continue
        if place.file not in maps:
            before, after = changer.text(old, place.file), changer.text(new, place.file)
            maps[place.file] = LineMap.between(before or "", after or "")
        for line in sorted(maps[place.file].of({place.line})):
            moved[SourcePlace(file=place.file, line=line)] = None
    return tuple(moved)


def moved_group(group: FailureGroup, old: Texts, new: Texts, changer: TextChanger) -> FailureGroup:
    """``group`` with places in other texts."""
    if _same(old, new):
        return group
    return replace(
        group,
        places=moved_places(group.places, old, new, changer),
        raised_at=moved_places(group.raised_at, old, new, changer),
    )


def moved_change(change: PlannedChange, old: Texts, new: Texts, changer: TextChanger) -> PlannedChange:
    """``change`` with places in other texts."""
    return PlannedChange(
        group=moved_group(change.group, old, new, changer),
        proposal=moved_proposal(change.proposal, old, new, changer),
    )


def moved_proposal(proposal: Proposal, old: Texts, new: Texts, changer: TextChanger) -> Proposal:
    """``proposal`` with places in other texts; one of whole texts with what it changed in them."""
    if _same(old, new):
        return proposal
    if proposal.file_edits:
        edits = tuple(replace(edit, text=changer.rebased(old, new, edit)) for edit in proposal.file_edits)
        return replace(proposal, file_edits=edits, places=moved_places(proposal.places, old, new, changer))
    return replace(proposal, places=moved_places(proposal.places, old, new, changer))


def _same(old: Mapping[str, str], new: Mapping[str, str]) -> bool:
    return old is new or old == new


def without_idle_guesses(history: ChangeHistory, good: Collection[str]) -> ChangeHistory:
    """``history`` without the defaults that were guessed for failures of which no test is good.

    Such a test got further at best, and what a call is given besides may cost others.
    """
    for change in history.planned:
        guessed = _is_guess(change) and change.group.tests
        if guessed and not any(test in good for test in change.group.tests):
            history = history.without(change)
    return history


def without_guesses_beside(history: ChangeHistory, texts: Texts) -> ChangeHistory:
    """``history`` without the defaults that were guessed on lines that another change is made on as well.

    Such a line is one part when a patch is minimised, which the other change keeps.
    """
    standing = history.standing(texts)
    for change in standing:
        others = (other.lines for other in standing if other is not change and not _is_guess(other.planned))
        if _is_guess(change.planned) and not change.lines.isdisjoint(frozenset().union(*others)):
            history = history.without(change.planned)
    return history


def _is_guess(change: PlannedChange) -> bool:
    return change.proposal.origin is ProposalOrigin.CHANGED_DEFAULT


def told_changes(batch: Sequence[PlannedChange]) -> str:
    """The changes of a batch, for the record."""
    lines = [
        f"{change.proposal.origin}: {change.proposal.rewrite or 'another text'}, because of "
        f"{change.group.cause.type}: {change.group.cause.message[:200]}"
        for change in batch
    ]
    return "\n".join(lines)
