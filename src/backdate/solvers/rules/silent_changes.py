"""What classes and functions of a project say to a library that reads or calls them otherwise now.

At a setting in a class's body nothing fails; what fails is far from it, if anything does. Of functions that
are called with other parameters the error names the first alone, and each run would name one more. Rules
tell. As everything that is foreseen, such an edit is left out at the end where the tests pass without it.
"""

from __future__ import annotations

from collections.abc import Iterator

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.knowledge.changes import PYTHON
from backdate.knowledge.rules import Rule, rules_for, rules_of
from backdate.rewriting.class_rewrites import BaseBehind, ChangeClassBody, ChangeParameter, attribute_of
from backdate.rewriting.operations import SYMBOLS
from backdate.rewriting.rewrite import ChangeArgument
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence

_Silent = ChangeClassBody | BaseBehind | ChangeParameter


def silent_groups(evidence: FixEvidence) -> Iterator[FailureGroup]:
    """A group for each such rule that changes classes or functions of which failing tests run a line.

    Only of distributions that moved past the release of the rule, and that the project uses. Methods with
    other parameters are left to the error that names one of them: a library may call them as before.
    """
    rules = {rule.rewrite: (rule, new) for rule, new in _rules(evidence)}
    places: dict[object, list[SourcePlace]] = {}
    for file, lines in (evidence.executed or {}).items():  # each file is parsed once for all rules
        text = evidence.texts.get(file, "")
        for rewrite in rules:
            if isinstance(rewrite, _Silent) and any(word in text for word in _words(rewrite)):
                found = rewrite_source(text, rewrite, lines=lines).lines
                places.setdefault(rewrite, []).extend(SourcePlace(file=file, line=line) for line in found)
    for rewrite, (rule, new) in rules.items():
        if places.get(rewrite):
            yield FailureGroup(cause=_cause(rule, new), tests=(), places=tuple(places[rewrite]))
    yield from _operations(evidence)
    yield from _remaining(evidence)
    yield from _refused_values(evidence)


def _remaining(evidence: FixEvidence) -> Iterator[FailureGroup]:
    """A group for each name that is there still, and of which rules say that nothing takes what it makes.

    Django keeps a field for old migrations, and its checks refuse models that have it before any test runs.
    """
    known: set[str] = set()
    for distribution, (old, new) in evidence.versions.items():
        for rule in rules_of(distribution, old=old, new=new):
            uses = evidence.uses.names.get(rule.target) if rule.row.remains else None
            places = evidence.executed_of(uses.places) if uses is not None else ()
            if places and rule.target not in known:
                known.add(rule.target)
                yield FailureGroup(cause=_cause(rule, new), tests=(), places=places)


def _refused_values(evidence: FixEvidence) -> Iterator[FailureGroup]:
    """A group for each argument that executed calls give a value which rules say is refused now.

    The error of one hides that of the next, and each took a run: ``criterion='mse'`` of scikit-learn.
    """
    for distribution, (old, new) in evidence.versions.items():
        for rule in rules_of(distribution, old=old, new=new):
            rewrite, uses = rule.rewrite, evidence.uses.names.get(rule.target)
            if not isinstance(rewrite, ChangeArgument) or not rewrite.only_value or uses is None:
                continue
            given = evidence.executed_of(uses.keywords.get(rewrite.argument, ()))
            places = tuple(place for place in given if _changes_line(rewrite, place, evidence))
            if places and not rule.row.of_value:
                called = rule.target.rpartition(".")[2]
                cause = Cause(
                    kind=CauseKind.UNEXPECTED_ARGUMENT,
                    type="ValueError",
                    message=f"{called}() takes {rewrite.argument}={rewrite.only_value} no more",
                    name=rewrite.argument,
                    owner=rule.target,
                    owner_is="function",
                    distribution="builtin" if distribution == PYTHON else distribution,
                    version=new or None,
                )
                yield FailureGroup(cause=cause, tests=(), places=places)


def _changes_line(rewrite: ChangeArgument, place: SourcePlace, evidence: FixEvidence) -> bool:
    text = evidence.texts.get(place.file, "")
    return bool(rewrite_source(text, rewrite, lines=frozenset({place.line})).lines)


def _operations(evidence: FixEvidence) -> Iterator[FailureGroup]:
    """A group for each operator that rules are about, of objects of a class that a traced run saw it used on.

    ``a.index & b.index`` gives labels in one release and truths in the next, of numbers without an error.
    """
    for name, uses in evidence.uses.names.items():
        owner, _, method = name.rpartition(".")
        distribution = evidence.distribution_of(name)
        if f".{method}" not in SYMBOLS or not uses.of_object or distribution not in evidence.versions:
            continue
        old, new = evidence.versions_of(distribution)
        places = evidence.executed_of(uses.places)
        if places and rules_for(distribution, name, old=old, new=new):
            cause = Cause(
                kind=CauseKind.REMOVED,
                type="TypeError",
                message=f"{SYMBOLS[f'.{method}']} of {owner} does another thing",
                name=method,
                owner=owner,
                owner_is="type",
                distribution=distribution,
                version=new or None,
            )
            yield FailureGroup(cause=cause, tests=(), places=places)


def _rules(evidence: FixEvidence) -> Iterator[tuple[Rule, str]]:
    """The rules, the first for what each does, and the new version of their distribution."""
    used = set(evidence.modules.values())
    seen: set[_Silent] = set()
    for distribution, (old, new) in evidence.versions.items():
        for rule in rules_of(distribution, old=old, new=new) if distribution in used else ():
            rewrite = rule.rewrite
            if not isinstance(rewrite, _Silent) or rewrite in seen:
                continue
            if not isinstance(rewrite, ChangeParameter) or not rewrite.methods:
                seen.add(rewrite)
                yield rule, new


def _words(rewrite: _Silent) -> list[str]:
    """Words of which a file has one that the rewrite changes."""
    attributes = rewrite.attributes if isinstance(rewrite, ChangeClassBody) else ()
    words = [attribute_of(key) for key, _ in attributes]
    return words or [name.rpartition(".")[2] for name in rewrite.of]


def _cause(rule: Rule, version: str) -> Cause:
    """A cause without an error: it leads to the rule by its name alone."""
    owner, _, name = rule.target.rpartition(".")
    called = isinstance(rule.rewrite, ChangeParameter)
    return Cause(
        kind=CauseKind.REMOVED,
        type="TypeError" if called else "",
        message=f"{rule.distribution} gives other parameters to what it calls" if called else "",
        name=name,
        owner=owner,
        owner_is="module",
        distribution="builtin" if rule.distribution == PYTHON else rule.distribution,
        version=version or None,
    )
