"""Culprits that only follow another one of them, which requires them at releases of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from packaging.requirements import Requirement
from packaging.version import Version

from backdate.advising.requirements import StatedRequirements, stated_requirements
from backdate.bisection.result import Culprit, Finding
from backdate.diagnosis.distributions import site_packages
from backdate.environments.environment import Environment
from backdate.text import UNREADABLE, plural


def without_followers(finding: Finding, bad: Environment, suspects: Sequence[str] = ()) -> Finding:
    """``finding`` with the one culprit of several that the others follow, if there is one.

    ``suspects``: distributions that the error names. Where it names one of the culprits, and the new releases
    of all others require that one's new release, they are made for it: pytest-httpx 0.35 and httpx 0.28.
    Else the one counts whose release shut out the others' older ones: flake8 6.0 requires releases of
    pycodestyle and pyflakes that flake8 5.0 refuses. ``bad``: an environment with the new releases; nothing
    of it is run. The note says that the others are not told from it.
    """
    if len(finding.culprits) < 2:
        return finding
    stated = stated_requirements(site_packages(*bad.roots))
    named = [one for one in finding.culprits if one.name in suspects]
    followers = [one for one in finding.culprits if one not in named]
    if len(named) == 1 and all(_shuts_out(one, (one, *named), stated) for one in followers):
        made_for = " and ".join(f"{one.name} {one.new}" for one in followers)
        require = plural(len(followers), "requires", "require")
        note = f"{made_for} {require} {named[0].name} {named[0].new}, and none moves without the other"
        return replace(finding, culprits=tuple(named), notes=(*finding.notes, note))
    heads = [one for one in finding.culprits if _shuts_out(one, finding.culprits, stated)]
    if len(heads) != 1:
        return finding
    (head,) = heads
    others = ", ".join(f"{one.name} {one.new}" for one in finding.culprits if one is not head)
    note = f"{head.name} {head.new} requires {others}, and none of them moves without the others"
    return replace(finding, culprits=(head,), notes=(*finding.notes, note))


def _shuts_out(
    head: Culprit, culprits: tuple[Culprit, ...], stated: Mapping[str, StatedRequirements]
) -> bool:
    """Whether what ``head`` requires now takes the new releases of all others, and none of their old ones."""
    own = stated.get(head.name)
    if own is None or own.version != head.new:
        return False
    others = [one for one in culprits if one is not head]
    return all(
        one.old is not None
        and one.new is not None
        and one.name in own.specifiers
        and _takes(one.name, own.specifiers[one.name], one.new)
        and not _takes(one.name, own.specifiers[one.name], one.old)
        for one in others
    )


def _takes(name: str, specifier: str, version: str) -> bool:
    try:
        return Requirement(f"{name}{specifier}").specifier.contains(Version(version), prereleases=True)
    except UNREADABLE:  # InvalidRequirement as well
        return False
