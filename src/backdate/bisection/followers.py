"""Culprits that only follow another one of them, which requires them at releases of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from packaging.requirements import Requirement
from packaging.version import Version

from backdate.advising.requirements import StatedRequirements, stated_requirements
from backdate.bisection.result import Culprit, Finding
from backdate.diagnosis.distributions import site_packages
from backdate.environments.environment import Environment
from backdate.text import UNREADABLE


def without_followers(finding: Finding, newest: Environment) -> Finding:
    """``finding`` with the one culprit of several whose release shut out the others' older ones, if there is
    one: flake8 6.0 requires releases of pycodestyle and pyflakes that flake8 5.0 refuses.

    ``newest``: an environment with the new releases; nothing of it is run. The note says that the others,
    which are a part of that release, are not told from it.
    """
    if len(finding.culprits) < 2:
        return finding
    stated = stated_requirements(site_packages(*newest.roots))
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
