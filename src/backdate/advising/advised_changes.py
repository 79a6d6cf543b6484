"""What to write instead of each name that goes: what is said, and confirmed by the new environment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from backdate.advice import AdviceEvidence, AdvisedChange, EvidenceKind
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.lost_names import LostName, candidates_of
from backdate.advising.moved_arguments import taken_by
from backdate.advising.new_homes import ask_at_once, new_homes
from backdate.advising.parameters import only_successor
from backdate.advising.replacements import LibraryWords, ReplacementLead, known_words, leads_for
from backdate.advising.told import is_told, told_of
from backdate.diagnosis.api import Member

_LONGEST = 240
_LEAST_LIKENESS = 0.8
"""Of another object with the same name: the same kind, and nearly the same parameters."""
_LEAST_OF_MODULES = 0.5
"""Of another module with the same name, which has no parameters: what is used of it has to be in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedDistribution:
    """Whose names are advised about, and between which releases."""

    name: str
    """Normalised; "python" for the standard library."""
    old: str
    """The release in the old environment; "" where it has none."""
    new: str


Announced = Callable[[LostName], Iterator[ReplacementLead]]
"""What the releases in between announce of a name: asked only where nothing else says what to write."""


def _nothing_announced(_: LostName) -> Iterator[ReplacementLead]:
    return iter(())


def advised_changes(
    pair: EnvironmentPair,
    distribution: MovedDistribution,
    lost: Sequence[LostName],
    words: Mapping[str, Sequence[LibraryWords]],
    *,
    announced: Announced = _nothing_announced,
) -> tuple[AdvisedChange, ...]:
    """What to write instead of each of ``lost``; only what the new environment has is advised.

    ``words``: the library's texts, by the name or argument that they are asked for. Raises
    SandboxUnavailable.
    """
    leads = [_said(distribution, one, words) for one in lost]
    confirmed = _holding(pair, lost, _confirmed(pair, lost, leads))
    open_ones = [number for number, lead in enumerate(confirmed) if lead is None]
    later = [tuple(announced(lost[number])) for number in open_ones]
    for number, lead in zip(
        open_ones, _confirmed(pair, [lost[number] for number in open_ones], later), strict=True
    ):
        confirmed[number] = lead
    ask_at_once([lost[number].name for number in open_ones if confirmed[number] is None], pair)
    for number in open_ones:
        one = lost[number]
        said = [text.text for text in words.get(one.argument or one.name, ())]
        confirmed[number] = (
            confirmed[number] or _ruled_by_another_name(pair, distribution, one) or _became(pair, one, said)
        )
    confirmed = _holding(pair, lost, confirmed)
    return tuple(
        _change(distribution, one, lead, () if lead else words.get(one.argument or one.name, ()))
        for one, lead in zip(lost, confirmed, strict=True)
    )


def worth_saying(lost: Sequence[LostName], changes: Sequence[AdvisedChange]) -> tuple[bool, ...]:
    """Of each change whether it is said: of what was in a module or class that is gone as a whole only what
    is elsewhere by itself, where the whole is not; of the whole only what the library says in words where
    all that is used of it is answered by itself; of what only a rule says goes, what the rule says.
    """
    answered = {one.name for one, change in zip(lost, changes, strict=True) if is_answered(change)}
    held: dict[str, set[str]] = {}
    for one in lost:
        if one.within:
            held.setdefault(one.within, set()).add(one.name)
    by_parts = {
        whole
        for whole, names in held.items()
        if whole not in answered and _innermost(names) <= _answered_with(names, answered)
    }
    return tuple(
        (not one.within or (one.within not in answered and one.name in answered))
        and (bool(one.argument) or one.name not in by_parts or is_told(change))
        and (not one.ruled or is_answered(change))
        for one, change in zip(lost, changes, strict=True)
    )


def _innermost(names: Collection[str]) -> set[str]:
    """Those of ``names`` that hold no other one: modules between are not used by themselves."""
    return {name for name in names if not any(other.startswith(f"{name}.") for other in names)}


def _answered_with(names: Collection[str], answered: Collection[str]) -> set[str]:
    """Those of ``names`` that are answered, or something that holds them is."""
    return {name for name in names if any(f"{name}.".startswith(f"{one}.") for one in answered)}


def is_answered(change: AdvisedChange) -> bool:
    """Whether it says what to write."""
    return bool(change.replacement or change.rewrite)


def _holding(
    pair: EnvironmentPair, lost: Sequence[LostName], leads: Sequence[ReplacementLead | None]
) -> list[ReplacementLead | None]:
    """``leads`` without those of a module or class whose replacement lacks what the project uses of it."""
    kept = list(leads)
    for number, (one, lead) in enumerate(zip(lost, leads, strict=True)):
        if lead is None or one.argument or not lead.replacement:
            continue
        used = [
            f"{lead.replacement}{other.name.removeprefix(one.name)}"
            for other in lost
            if other.within == one.name
        ]
        if not all(member.present for member in _present(pair, sorted(used)).values()):
            kept[number] = None
    return kept


def _said(
    distribution: MovedDistribution, one: LostName, words: Mapping[str, Sequence[LibraryWords]]
) -> tuple[ReplacementLead, ...]:
    said = words.get(one.argument or one.name, ())
    warned = [LibraryWords(kind=EvidenceKind.WARNING, text=given.message) for given in one.old.warnings]
    return tuple(
        leads_for(
            distribution.name,
            one.name,
            one.argument,
            [*said, *warned],
            old=distribution.old,
            until=distribution.new,
            calls=() if one.argument else one.calls,
        )
    )


def _confirmed(
    pair: EnvironmentPair, lost: Sequence[LostName], leads: Sequence[Sequence[ReplacementLead]]
) -> list[ReplacementLead | None]:
    """Of each the first lead that the new environment confirms."""
    asked = {
        candidate
        for one, said in zip(lost, leads, strict=True)
        for lead in said
        for candidate in candidates_of(one.name, one.argument, lead.replacement)
    }
    there = _present(pair, sorted(asked))
    _search_at_once(pair, lost, leads, there)
    return [_first_there(pair, one, said, there) for one, said in zip(lost, leads, strict=True)]


def _search_at_once(
    pair: EnvironmentPair,
    lost: Sequence[LostName],
    leads: Sequence[Sequence[ReplacementLead]],
    there: Mapping[str, Member],
) -> None:
    """Search for the candidates of each lead that none of is there: ``_found_as`` asks for their places."""
    for_all: list[str] = []
    for one, said in zip(lost, leads, strict=True):
        for lead in () if one.argument else said:
            known = [there[name] for name in candidates_of(one.name, "", lead.replacement) if name in there]
            if not any(member.present for member in known):
                for_all += [member.name for member in known if member.name != one.name]
    pair.search_at_once(for_all)


def _ruled_by_another_name(
    pair: EnvironmentPair, distribution: MovedDistribution, one: LostName
) -> ReplacementLead | None:
    """What is known of the same object by another of its names: rules name one place of several."""
    old = None if one.argument else pair.ask_old((one.name,)).get(one.name)
    if old is None or not old.present or old.kind not in ("class", "function", "module"):
        return None
    names = (*pair.homes_of((one.name,)).aliases.get(one.name, ()), old.home)
    others = [replace(one, name=name) for name in dict.fromkeys(names) if name and name != one.name]
    leads = [_said(distribution, other, {}) for other in others]
    return next((lead for lead in _confirmed(pair, others, leads) if lead is not None), None)


def _became(pair: EnvironmentPair, one: LostName, said: Iterable[str]) -> ReplacementLead | None:
    """What both environments show took its place, though nobody says so."""
    old, new = (ask((one.name,)).get(one.name) for ask in (pair.ask_old, pair.ask_new))
    if old is None or not old.present or new is None:
        return None
    if one.argument:
        successor = only_successor(one.argument, old, new) if new.present else ""
        text = f"{one.name}{old.signature} became {one.name}{new.signature}"
        if len(text) > _LONGEST:
            text = f"of {one.name} {one.argument} alone went, and {successor} alone came"
        if successor:
            return _shown(successor, text)
        taker = taken_by(one.name, one.argument, pair, said) if new.present else ""
        return _shown(taker, f"which takes {one.argument}= now") if taker else None
    if new.present or old.kind not in ("class", "function", "module"):
        return None
    least = _LEAST_OF_MODULES if old.kind == "module" else _LEAST_LIKENESS
    found = next((home for home in new_homes(one.name, old, pair) if home.likeness >= least), None)
    if found is None:
        return None
    return _shown("" if found.template else found.name.removeprefix("builtins."), found.why, found.template)


def _shown(replacement: str, why: str, rewrite: str = "") -> ReplacementLead:
    evidence = AdviceEvidence(kind=EvidenceKind.ASKED, text=why[:_LONGEST])
    return ReplacementLead(replacement=replacement, rewrite=rewrite, evidence=(evidence,))


def _present(pair: EnvironmentPair, names: Sequence[str]) -> dict[str, Member]:
    return pair.ask_new(names) if names else {}


def _first_there(
    pair: EnvironmentPair, one: LostName, leads: Iterable[ReplacementLead], there: Mapping[str, Member]
) -> ReplacementLead | None:
    """The first lead that the new environment confirms, its replacement written as it is found there."""
    for lead in leads:
        if lead.rewrite and not lead.replacement:
            return lead
        if one.argument:
            new = there.get(one.name)
            instead = there.get(lead.replacement) if "." in lead.replacement else None
            if instead is not None and instead.present:
                return lead
            if new is not None and new.present and (lead.replacement in new.keywords or new.takes_any):
                return lead
            continue
        found = _found_as(pair, one.name, candidates_of(one.name, "", lead.replacement), there)
        if found:
            return replace(lead, replacement=found.removeprefix("builtins."))
    return None


def _found_as(
    pair: EnvironmentPair, name: str, candidates: Sequence[str], there: Mapping[str, Member]
) -> str:
    """The first of ``candidates`` that is there; else the only public place of the library that has one."""
    known = [there[candidate] for candidate in candidates if candidate in there and candidate != name]
    for member in known:
        if member.present:
            return member.name
    elsewhere = {
        place
        for member in known
        for place in pair.search_new(member.name, ())
        if "._" not in place and place.rpartition(".")[2] == member.name.rpartition(".")[2] and place != name
    }
    return next(iter(elsewhere)) if len(elsewhere) == 1 else ""


def _change(
    distribution: MovedDistribution,
    one: LostName,
    lead: ReplacementLead | None,
    words: Sequence[LibraryWords],
) -> AdvisedChange:
    what = f"does not take {one.argument}=" if one.argument else "lacks it"
    text = f"{distribution.name} {distribution.new} {what}"
    lacks = AdviceEvidence(kind=EvidenceKind.ASKED, text=text, since=distribution.new)
    places = one.places
    if lead is not None:
        places = tuple(dict.fromkeys((*places, *lead.places)))
    warned = [given.message for given in one.old.warnings]
    told = None
    if lead is None and not one.ruled:
        told = told_of(one.name, one.argument, words, warned)
        told = told or known_words(distribution.name, one.name, one.argument, until=distribution.new)
    return AdvisedChange(
        distribution=distribution.name,
        name=one.name,
        argument=one.argument,
        replacement=lead.replacement if lead else "",
        rewrite=lead.rewrite if lead else "",
        places=places,
        evidence=(
            *(lead.evidence if lead else ()),
            *((told,) if told else ()),
            *(() if one.ruled else (lacks,)),
        ),
    )
