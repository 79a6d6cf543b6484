"""What the next run would find: names on executed lines that the new environment lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.lost_names import LostName, lost_names
from backdate.advising.moved_classes import members_of_moved
from backdate.advising.parameters import followed_parameters
from backdate.advising.project_uses import NameUses
from backdate.diagnosis.messages import read_hint
from backdate.diagnosis.result import Cause, CauseKind
from backdate.knowledge.changes import PYTHON
from backdate.rewriting.stand_ins import stand_ins
from backdate.solvers.rules.fixers.ty import TyFinding
from backdate.solvers.rules.foreseen_calls import given_by_position, needed_now
from backdate.solvers.rules.overrides import changed_overrides
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.silent_changes import silent_groups
from backdate.solvers.rules.sources.implicit_commits import uncommitted
from backdate.solvers.rules.sources.json_settings import unread_settings
from backdate.solvers.rules.sources.version_texts import compared_as_texts

_MOST_FILES = 400
_IMPORT = re.compile(r"(?:import|from)\s")
_OF_CLASS = re.compile(r"^type object ('[^']{1,200}') has")


def foreseen_groups(evidence: FixEvidence) -> tuple[FailureGroup, ...]:
    """A group for each lost name or keyword argument on executed lines, and for each silent change of a rule.

    Raises SandboxUnavailable.
    """
    if not evidence.executed:
        return ()
    silent = (
        *silent_groups(evidence),
        *uncommitted(evidence),
        *unread_settings(evidence),
        *compared_as_texts(evidence),
    )
    if evidence.pair is None:
        return silent
    asked = executed_uses(evidence)
    groups = _lost(evidence, asked)
    known = {place for group in groups for place in group.places}
    return (
        *groups,
        *needed_now(evidence, asked),
        *given_by_position(evidence, asked),
        *_called_otherwise(evidence),
        *_by_types(evidence, known),
        *silent,
    )


def untraced_groups(evidence: FixEvidence) -> tuple[FailureGroup, ...]:
    """The same for names on all lines that no trace shows, and for methods that a library calls otherwise;
    nothing where there was none.

    Raises SandboxUnavailable.
    """
    if evidence.pair is None or not evidence.executed:
        return ()
    return (*_lost(evidence, _used(evidence, executed=False)), *_overriding(evidence, evidence.pair))


def _overriding(evidence: FixEvidence, pair: EnvironmentPair) -> Iterator[FailureGroup]:
    """Methods that lack what a library gives those that they stand in for: it may catch what they raise."""
    own = {file: text for file, text in evidence.texts.items() if file not in evidence.kept_files}
    for changed in changed_overrides(own, pair):
        one = changed.override
        for parameter in changed.came if changed.was_there else ():
            if parameter.default is None:
                name = f"{one.owner}.{one.method}"
                yield FailureGroup(
                    cause=Cause(
                        kind=CauseKind.UNEXPECTED_ARGUMENT,
                        type="TypeError",
                        message=f"{name}() got an unexpected keyword argument '{parameter.name}'",
                        name=parameter.name,
                        owner=name,
                        owner_is="function",
                    ),
                    tests=(),
                    places=(one.place,),
                )


def _lost(evidence: FixEvidence, asked: Mapping[str, NameUses]) -> list[FailureGroup]:
    """A group for each lost name or keyword argument among what is ``asked``, at the places of that."""
    assert evidence.pair is not None
    lost = lost_names(evidence.pair, asked) if asked else ()
    groups = (
        FailureGroup(cause=cause_of(one, evidence), tests=(), places=one.places)
        for one in lost
        if one.places and not _of_absent_class(one, evidence)
    )
    return [_with_all_behind_imports(group, evidence) for group in groups]


def _with_all_behind_imports(group: FailureGroup, evidence: FixEvidence) -> FailureGroup:
    """Of a module that is gone also uses that no test runs, in files that import it as a whole.

    That import goes as soon as the file is imported, and cannot while anything in the file needs it.
    """
    module = group.cause.name
    if group.cause.kind is not CauseKind.MISSING_MODULE or not module:
        return group
    files = {place.file for place in group.places if _is_import(place, evidence)}
    behind = (
        place
        for name, uses in evidence.uses.names.items()
        if f"{name}.".startswith(f"{module}.") and not uses.of_object
        for place in uses.places
        if place.file in files
    )
    return replace(group, places=tuple(dict.fromkeys((*group.places, *behind))))


def _is_import(place: SourcePlace, evidence: FixEvidence) -> bool:
    """Whether a line of a whole module, and of no function or other block, is an import."""
    lines = evidence.texts.get(place.file, "").splitlines()[place.line - 1 : place.line]
    return any(_IMPORT.match(line) for line in lines)


def _called_otherwise(evidence: FixEvidence) -> Iterator[FailureGroup]:
    """Functions that executed lines put in the place of a library's, whose parameters changed."""
    found = [
        (SourcePlace(file=file, line=one.line), one)
        for file, lines in (evidence.executed or {}).items()
        for one in stand_ins(evidence.texts.get(file, ""))
        if one.line in lines and evidence.distribution_of(one.library) in evidence.versions
    ]
    assert evidence.pair is not None
    names = [one.library for _, one in found]
    before, after = (evidence.pair.ask_old(names), evidence.pair.ask_new(names)) if names else ({}, {})
    for place, one in found:
        old, new = before.get(one.library), after.get(one.library)
        if old is None or new is None or not old.present or not new.present:
            continue
        if followed_parameters(one.parameters, old.signature, new.signature):
            definition = SourcePlace(file=place.file, line=one.defined)
            cause = Cause(
                kind=CauseKind.ARGUMENT_COUNT,
                type="TypeError",
                message=f"{one.function}() is called as {one.library}{new.signature}",
                name="",
                owner=one.library,
                owner_is="function",
                distribution=evidence.distribution_of(one.library),
                version=evidence.versions_of(evidence.distribution_of(one.library))[1] or None,
            )
            yield FailureGroup(cause=cause, tests=(), places=(definition, place))


def _by_types(evidence: FixEvidence, known: set[SourcePlace]) -> Iterator[FailureGroup]:
    """What ty finds on executed lines besides: of values that no name stands for."""
    assert evidence.pair is not None
    ran = evidence.executed or {}
    files = [file for file in ran if file in evidence.texts][:_MOST_FILES]
    texts = {file: evidence.texts[file] for file in files}
    if evidence.fixers is None or not texts or not evidence.versions:
        return
    places: dict[Cause, list[SourcePlace]] = {}
    lines = {
        file: frozenset(line for line in ran[file] if SourcePlace(file=file, line=line) not in known)
        for file in files
    }
    for finding in evidence.fixers.lost(texts, evidence.pair.old, evidence.pair.new, lines=lines):
        place = SourcePlace(file=finding.file, line=finding.line)
        places.setdefault(_of_types(finding, evidence), []).append(place)
    for cause, at in places.items():
        yield FailureGroup(cause=cause, tests=(), places=tuple(at))


def _of_types(finding: TyFinding, evidence: FixEvidence) -> Cause:
    dotted = "" if finding.owner_is == "type" else finding.owner or finding.name
    found = (evidence.distribution_of(dotted), *_moved_in(finding.file, evidence))
    related = tuple(dict.fromkeys(filter(None, found)))
    return Cause(
        kind=finding.kind,
        type="TypeError" if finding.owner_is == "function" else "AttributeError",
        message=finding.message,
        name=finding.name,
        owner=finding.owner,
        owner_is=finding.owner_is,
        related=tuple("builtin" if one == PYTHON else one for one in related),
    )


def _moved_in(file: str, evidence: FixEvidence) -> tuple[str, ...]:
    """The distributions that moved and that a file uses."""
    found = (
        evidence.distribution_of(name)
        for name, uses in evidence.uses.names.items()
        if any(place.file == file for place in uses.places)
    )
    return tuple(dict.fromkeys(one for one in found if one in evidence.versions))


def executed_uses(evidence: FixEvidence) -> dict[str, NameUses]:
    """What executed lines use of the distributions that moved, and of Python if that did."""
    return _used(evidence, executed=True)


def _used(evidence: FixEvidence, *, executed: bool) -> dict[str, NameUses]:
    """What executed lines use of the distributions that moved, or what all others do."""

    def chosen(places: Iterable[SourcePlace]) -> dict[SourcePlace, None]:
        ran = dict.fromkeys(evidence.executed_of(places))
        return ran if executed else {place: None for place in places if place not in ran}

    used: dict[str, NameUses] = {}
    for name, uses in evidence.uses.names.items():
        places = chosen(uses.places) if evidence.distribution_of(name) in evidence.versions else {}
        if places:
            keywords = {word: at for word, all_of in uses.keywords.items() if (at := chosen(all_of))}
            used[name] = replace(uses, places=places, keywords=keywords)
    return used


def cause_of(lost: LostName, evidence: FixEvidence) -> Cause:
    """The cause that the error of a lost name would have."""
    owner, _, leaf = lost.name.rpartition(".")
    why = lost.new.why if lost.new is not None else ""
    kind, _, text = why.partition(": ")
    distribution = evidence.distribution_of(lost.name)
    new_version = evidence.versions_of(distribution)[1]
    owned_by = "builtin" if distribution == PYTHON else distribution or None
    if lost.argument:
        return Cause(
            kind=CauseKind.UNEXPECTED_ARGUMENT,
            type="TypeError",
            message=f"{leaf}() got an unexpected keyword argument '{lost.argument}'",
            name=lost.argument,
            owner=lost.name,
            owner_is="function",
            distribution=owned_by,
            version=new_version or None,
        )
    module = lost.old.kind == "module" or kind == "ModuleNotFoundError"
    of_type = not module and _of_type(lost, evidence)
    if of_type:  # the class was asked for what its objects are asked for
        text = _OF_CLASS.sub(r"\1 object has", text)
    return Cause(
        kind=CauseKind.MISSING_MODULE if module else CauseKind.MISSING_ATTRIBUTE,
        type=kind or "AttributeError",
        message=text,
        name=lost.name if module else leaf,
        owner="" if module else owner,
        owner_is="" if module else "type" if of_type else "module",
        hint=read_hint(text),
        distribution=owned_by,
        version=new_version or None,
    )


def _of_absent_class(lost: LostName, evidence: FixEvidence) -> bool:
    """Whether it is an attribute of objects whose class is not there by its name: where that has another
    home, and lacks it there, it is gone; else nobody knows what they lack."""
    owner = lost.name.rpartition(".")[0]
    pair = evidence.pair if _of_type(lost, evidence) else None
    asked = pair.ask_new((owner,)).get(owner) if pair is not None else None
    if pair is None or asked is None or asked.present:
        return False
    moved = members_of_moved(pair, pair.ask_new((lost.name,)), (lost.name,)).get(lost.name)
    return moved is None or moved.present


def _of_type(lost: LostName, evidence: FixEvidence) -> bool:
    uses = evidence.uses.names.get(lost.name)
    return uses is not None and uses.of_object
