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
from backdate.knowledge.rules import Rule, rules_of
from backdate.rewriting.rewrite import BaseBehind, ChangeClassBody, ChangeParameter
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
    words = [attribute.partition("=")[0].strip() for attribute, _ in attributes]
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
