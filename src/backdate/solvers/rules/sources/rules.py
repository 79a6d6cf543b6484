"""Proposals from the knowledge tables: rules for what the failing lines use, and for what the error says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from packaging.utils import canonicalize_name

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.frames import is_test_file
from backdate.diagnosis.result import CauseKind
from backdate.knowledge.changes import pattern_of
from backdate.knowledge.rules import Rule, RuleOrigin, rules_behind, rules_for
from backdate.rewriting.class_rewrites import BaseBehind, ChangeClassBody, ChangeParameter
from backdate.rewriting.rewrite import (
    AddArgument,
    CallAtStart,
    ChangeArgument,
    DecoratedCoroutine,
    DefineHere,
    DropDecorator,
    NamePositional,
    RenameAttribute,
    ReplaceAssignment,
    ReplaceItem,
    ReplaceName,
    ReplaceUse,
    RespellText,
    about,
)
from backdate.solvers.rules.executed import function_body
from backdate.solvers.rules.proposals import (
    FailureGroup,
    FixEvidence,
    Proposal,
    ProposalOrigin,
    quoted_words,
)
from backdate.solvers.rules.sources.confirm import is_there
from backdate.solvers.rules.sources.given_classes import places_by_classes
from backdate.solvers.rules.sources.keyword_calls import keyword_places
from backdate.solvers.rules.sources.public_homes import in_public
from backdate.solvers.rules.sources.subjects import Subject, libraries_of, subjects_of

_ORIGINS = {
    RuleOrigin.WRITTEN: ProposalOrigin.WRITTEN_RULE,
    RuleOrigin.MINED: ProposalOrigin.MINED_RULE,
}


class RuleSource:
    """The rules of one origin."""

    def __init__(self, origin: RuleOrigin) -> None:
        self._rules = origin
        self.origin = _ORIGINS[origin]

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``: rules by name first, then those that recognise the message."""
        proposals: dict[tuple[str, str], Proposal] = {}
        fitting = tuple(self._fitting(group, evidence))
        _ask_at_once((rule for rule, _, _ in fitting), evidence)
        for rule, all_places, by_name in fitting:
            places, decided = all_places, False
            if rule.given:
                places, decided = places_by_classes(rule, all_places, evidence)
            any_call = isinstance(rule.rewrite, ChangeArgument) and not rule.rewrite.function
            # a name may have several, by what it is given; of any call one row says the same many times
            key = ("" if any_call else rule.name, repr(rule.rewrite))
            known = proposals.get(key)
            if known is not None and by_name:  # of a class one rule is for its members, too
                merged = tuple(dict.fromkeys((*known.places, *places)))
                proposals[key] = replace(known, places=merged, decided=known.decided or decided)
            elif known is None and places and _holds(rule, evidence, by_name=by_name):
                proposals[key] = replace(
                    self._proposal(rule, places), decided=decided, unsure=bool(rule.given) and not decided
                )
        return tuple(proposals.values())

    def _fitting(
        self, group: FailureGroup, evidence: FixEvidence
    ) -> Iterator[tuple[Rule, tuple[SourcePlace, ...], bool]]:
        subjects = subjects_of(group, evidence)
        # what the cause led to is searched by its message alone: a pattern with a type is about that error
        lines = (f"{group.cause.type}: {group.cause.message}", *group.led_to)
        if group.cause.kind is CauseKind.MISSING_MODULE:  # what is known of a name goes before its module
            subjects = tuple(sorted(subjects, key=lambda one: -one.name.count(".")))
        for subject in subjects:
            if subject.named:
                found, handed_on = (
                    (rule for rule in ask(subject, evidence) if not _is_of_another_error(rule, group, lines))
                    for ask in (self._rules_for, self._handed_on)
                )
                for known in tuple(found) or handed_on:
                    rule = in_public(known, evidence)
                    several = isinstance(rule.rewrite, ChangeParameter | ChangeClassBody | BaseBehind)
                    # of a library that another one stands in for as a whole nothing may stay behind
                    whole = several or (isinstance(rule.rewrite, ReplaceName) and "." not in rule.target)
                    more = places_of_target(rule, group, evidence) if whole else ()
                    yield rule, tuple(dict.fromkeys((*subject.places, *more))), True
        for distribution in dict.fromkeys((*libraries_of(group, evidence), *_moved_and_used(evidence))):
            old, new = evidence.versions_of(distribution)
            behind = (rules_behind(distribution, line, old=old, new=new) for line in lines)
            for rule in chain.from_iterable(behind):
                if rule.origin is self._rules:
                    yield rule, places_of_target(rule, group, evidence), False
                    yield from _of_any_call(rule, group, evidence)

    def _rules_for(self, subject: Subject, evidence: FixEvidence) -> Iterator[Rule]:
        old, new = evidence.versions_of(subject.distribution)
        names = [subject.name]
        if subject.of_object:
            names.append(f".{subject.leaf}")
        for name in names:
            for rule in rules_for(subject.distribution, name, argument=subject.argument, old=old, new=new):
                if rule.origin is self._rules:
                    yield rule

    def _handed_on(self, subject: Subject, evidence: FixEvidence) -> Iterator[Rule]:
        """For what a library only hands on, the rules of the one that defines it, under the name in use."""
        if subject.of_object or "." not in subject.name:
            return
        home = _home_of(subject, evidence)
        distribution = evidence.distribution_of(home) or canonicalize_name(home.partition(".")[0])
        if not home or distribution == subject.distribution or distribution not in evidence.versions:
            return
        old, new = evidence.versions_of(distribution)
        for name in dict.fromkeys((subject.name, home)):
            for rule in rules_for(distribution, name, argument=subject.argument, old=old, new=new):
                if rule.origin is self._rules and rule.target == name:
                    yield replace(rule, rewrite=about(subject.name, rule.rewrite))

    def _proposal(self, rule: Rule, places: tuple[SourcePlace, ...]) -> Proposal:
        why = AdviceEvidence(kind=EvidenceKind.KNOWN, text=rule.words, since=rule.since, source=rule.source)
        return Proposal(
            origin=self.origin,
            distribution=rule.distribution,
            rewrite=rule.rewrite,
            places=places,
            why=(why,),
            rule=rule.name,
            last=rule.last,
        )


def _is_of_another_error(rule: Rule, group: FailureGroup, lines: Sequence[str]) -> bool:
    """Whether a name is gone, and the rule is for one that is there and refuses what it is given."""
    gone = group.cause.kind in (CauseKind.MISSING_ATTRIBUTE, CauseKind.MISSING_NAME)
    if not gone or rule.row.kind != "behaviour":
        return False
    return bool(rule.row.says) and not any(map(pattern_of(rule.row).search, lines))


def _of_any_call(
    rule: Rule, group: FailureGroup, evidence: FixEvidence
) -> Iterator[tuple[Rule, tuple[SourcePlace, ...], bool]]:
    """The same change of the argument that an error is about, for calls of the project's own classes.

    What the row says something else of is no such call (`Ridge(normalize=True)` means more than that of
    `LinearRegression`).
    """
    if isinstance(rule.rewrite, ChangeArgument):
        of_row = {name for edit in rule.row.edits for name in edit.of} - {rule.target}
        uses = [uses for name, uses in evidence.uses.names.items() if name in of_row]
        others = {place for one in uses for place in one.keywords.get(rule.argument, {})}
        found = keyword_places(group, rule.argument, evidence)
        places = tuple(place for place in found if place not in others)
        yield replace(rule, rewrite=replace(rule.rewrite, function="")), places, False


def _moved_and_used(evidence: FixEvidence) -> Iterator[str]:
    """The distributions that moved and that the project uses anywhere.

    A library that behaves otherwise shows so on lines that name none of it: ``session.run(…)``.
    """
    used = set(evidence.modules.values())
    yield from (name for name in evidence.versions if name in used)


def _home_of(subject: Subject, evidence: FixEvidence) -> str:
    """Where the old environment says that it is defined; "" where that is not known."""
    if evidence.pair is None:
        return ""
    member = evidence.pair.ask_old((subject.name,)).get(subject.name)
    return member.home if member is not None and member.present and member.qualified else ""


def places_of_target(rule: Rule, group: FailureGroup, evidence: FixEvidence) -> tuple[SourcePlace, ...]:
    """The group's own lines, and executed lines that use what a rule is about.

    With them all lines of a function that fails now and of which the old side ran none: a test that yielded.
    Where the value decides that a use is given, the group's own lines alone.
    """
    if isinstance(rule.rewrite, RespellText):
        return _places_around(group, evidence)
    if isinstance(rule.rewrite, CallAtStart):
        return _places_of_setting(rule.rewrite, group, evidence)
    if rule.row.of_value:
        return group.places
    targets = _targets(rule)
    places: dict[SourcePlace, None] = dict.fromkeys(group.places)
    first_run = _lines_first_run(group, evidence)
    for name, uses in evidence.uses.names.items():
        below = isinstance(rule.rewrite, ReplaceName) and name.startswith(f"{rule.target}.")
        of_object = rule.target.startswith(".") and uses.of_object and _is_of(name, rule)
        fits = name in targets or below or of_object
        if fits:
            used = uses.keywords.get(rule.argument, {}) if rule.argument else uses.places
            places.update(dict.fromkeys(evidence.executed_of(used)))
            places.update(dict.fromkeys(place for place in used if place in first_run))
    return tuple(places)


def _places_around(group: FailureGroup, evidence: FixEvidence) -> tuple[SourcePlace, ...]:
    """All lines of the functions in the group's tracebacks: a text may stand where it is not read.

    With them the lines of functions that were run and have just what the error quotes: a key of a dictionary.
    """
    found: dict[SourcePlace, None] = {}
    for place in group.places:
        body = function_body(evidence.texts.get(place.file, ""), place.line)
        found.update((SourcePlace(file=place.file, line=line), None) for line in body)
    quoted = [f"{mark}{word}{mark}" for word in quoted_words(group.cause) for mark in ("'", '"')]
    for file, ran in (evidence.executed or {}).items() if quoted else ():
        text = evidence.texts.get(file, "")
        for number, line in enumerate(text.splitlines(), start=1):
            is_run = number in ran or not ran.isdisjoint(function_body(text, number))
            if any(word in line for word in quoted) and is_run:
                found[SourcePlace(file=file, line=number)] = None
    return tuple(found)


def _lines_first_run(group: FailureGroup, evidence: FixEvidence) -> frozenset[SourcePlace]:
    """The lines of functions in the group's tracebacks of which no line ran where the tests passed."""
    ran = evidence.executed
    found: set[SourcePlace] = set()
    for place in group.places if ran is not None else ():
        body = function_body(evidence.texts.get(place.file, ""), place.line)
        if ran is not None and ran.get(place.file, frozenset()).isdisjoint(body):
            found.update(SourcePlace(file=place.file, line=line) for line in body)
    return frozenset(found)


def _targets(rule: Rule) -> tuple[str, ...]:
    """What a rule is about: of classes and decorators all of them, since it changes what each of them has."""
    if isinstance(rule.rewrite, ChangeParameter | ChangeClassBody | BaseBehind):
        return rule.rewrite.of
    return (rule.target,)


def _places_of_setting(
    setting: CallAtStart, group: FailureGroup, evidence: FixEvidence
) -> tuple[SourcePlace, ...]:
    """Lines of one file that uses the library: one with lines of the group, else the one that uses it most.

    A call sets the library for all files, and a value that differs shows in a test, which names none of it;
    a file of tests is edited where no other file uses the library.
    """
    package = setting.function.partition(".")[0]
    by_file: dict[str, list[SourcePlace]] = {}
    for name, uses in evidence.uses.names.items():
        if name.partition(".")[0] == package:
            for place in uses.places:
                by_file.setdefault(place.file, []).append(place)
    own_code = {file: places for file, places in by_file.items() if not is_test_file(file)}
    by_file = own_code or by_file
    own = [place.file for place in group.places if place.file in by_file]
    ran = {file: len(evidence.executed_of(places)) for file, places in by_file.items()}
    most = max(by_file, key=lambda file: (ran[file], len(by_file[file]), file), default="")
    return tuple(dict.fromkeys(by_file.get(next(iter(own), most), ())))


def _ask_at_once(rules: Iterable[Rule], evidence: FixEvidence) -> None:
    """Ask the new environment for all that rules write: each run of a probe imports the libraries anew."""
    rewrites = [rule.rewrite for rule in rules]
    names = [
        *(rewrite.new for rewrite in rewrites if isinstance(rewrite, ReplaceName)),
        *(rewrite.function for rewrite in rewrites if isinstance(rewrite, CallAtStart)),
    ]
    if evidence.pair is not None and names:
        evidence.pair.ask_new(tuple(dict.fromkeys(names)))


def _is_of(name: str, rule: Rule) -> bool:
    owner, _, leaf = name.rpartition(".")
    return rule.target == f".{leaf}" and owner.rpartition(".")[2] in rule.owners


def _holds(rule: Rule, evidence: FixEvidence, *, by_name: bool) -> bool:
    """Whether the new environment has what the rule writes; of a rule by message also of what is there."""
    rewrite = rule.rewrite
    if isinstance(rewrite, ReplaceName):
        return is_there(rewrite.new, evidence)
    if isinstance(rewrite, CallAtStart):
        return is_there(rewrite.function, evidence)
    if isinstance(
        rewrite,
        RenameAttribute
        | ReplaceUse
        | ReplaceAssignment
        | ReplaceItem
        | NamePositional
        | AddArgument
        | ChangeArgument
        | ChangeParameter
        | ChangeClassBody
        | BaseBehind
        | RespellText
        | DecoratedCoroutine
        | DefineHere
        | DropDecorator,
    ):
        return True
    return by_name
