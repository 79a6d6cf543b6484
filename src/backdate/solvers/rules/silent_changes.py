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

    Only of distributions that moved past the release of the rule, and that the project uses.
    """
    used = set(evidence.modules.values())
    seen: set[_Silent] = set()
    for distribution, (old, new) in evidence.versions.items():
        for rule in rules_of(distribution, old=old, new=new) if distribution in used else ():
            rewrite = rule.rewrite
            if isinstance(rewrite, _Silent) and rewrite not in seen:
                seen.add(rewrite)
                places = tuple(_places(rewrite, evidence))
                if places:
                    yield FailureGroup(cause=_cause(rule, new), tests=(), places=places)


def _places(rewrite: _Silent, evidence: FixEvidence) -> Iterator[SourcePlace]:
    words = [attribute.partition("=")[0].strip() for attribute, _ in _attributes(rewrite)]
    leaves = [name.rpartition(".")[2] for name in rewrite.of]
    for file, lines in (evidence.executed or {}).items():
        text = evidence.texts.get(file, "")
        if any(word in text for word in words or leaves):
            for line in rewrite_source(text, rewrite, lines=lines).lines:
                yield SourcePlace(file=file, line=line)


def _attributes(rewrite: _Silent) -> tuple[tuple[str, str], ...]:
    return rewrite.attributes if isinstance(rewrite, ChangeClassBody) else ()


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
