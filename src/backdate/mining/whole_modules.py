"""Modules that are gone and whose names are all to be taken from one other module: one rule for all."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Sequence

from backdate.mining.candidates import MinedRelease, RuleCandidate, is_public


def with_whole_modules(
    candidates: Sequence[RuleCandidate], releases: Sequence[MinedRelease]
) -> tuple[RuleCandidate, ...]:
    """``candidates`` with such modules in the place of their names; what a module implies is left out.

    Which names a module has its ``__all__`` says; without one it is no whole. ``releases`` are from the
    oldest.
    """
    modules = {one.name: one for one in _whole_modules(candidates, releases)}
    known = modules | {one.name: one for one in candidates if one.module and one.replacement}
    others = (one for one in candidates if one.name not in modules)
    kept = [one for one in (*modules.values(), *others) if not _is_implied(one, known)]
    return tuple(sorted(kept, key=lambda one: (one.since, one.name, one.argument)))


def _whole_modules(
    candidates: Sequence[RuleCandidate], releases: Sequence[MinedRelease]
) -> Iterator[RuleCandidate]:
    members: defaultdict[str, dict[str, RuleCandidate]] = defaultdict(dict)
    for one in candidates:
        module, _, leaf = one.name.rpartition(".")
        if module and one.replacement and not one.argument and not one.owner and not one.module:
            members[module][leaf] = one
    for module, found in members.items():
        having = [release for release in releases if module in release.names.modules]
        if not having or releases[-1].names.has(module) is not False:
            continue
        offered = {name for name in having[-1].names.modules[module].offered if is_public(name)}
        targets = {_target(leaf, one.replacement) for leaf, one in found.items() if leaf in offered}
        target = targets.pop() if len(targets) == 1 and offered <= set(found) else ""
        first = min(found.values(), key=lambda one: one.name)
        if target and target != module and len({one.since for one in found.values()}) == 1:
            yield dataclasses.replace(first, name=module, replacement=target, module=True)


def _target(leaf: str, replacement: str) -> str:
    """The module that has the same name; "" where it is another name."""
    module, _, new = replacement.rpartition(".")
    return module if new == leaf else ""


def _is_implied(candidate: RuleCandidate, modules: dict[str, RuleCandidate]) -> bool:
    """Whether the nearest module around it that goes says the same of it."""
    around, _, rest = candidate.name.rpartition(".")
    while around:
        if around in modules:
            return candidate.replacement == f"{modules[around].replacement}.{rest}"
        around, _, last = around.rpartition(".")
        rest = f"{last}.{rest}"
    return False
