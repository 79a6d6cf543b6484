"""What no release announced: names that a later release lacks, and whose definition it has in another place.

Evidence is identity as far as sources tell: the same definition under another public name, another name for
the same value, or one definition of the same name and shape elsewhere. What is ambiguous is no candidate.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from backdate.mining.candidates import MinedRelease, RuleCandidate, is_offered, is_public
from backdate.mining.public_names import BoundNames, CallNames, ClassNames, ReleaseNames

_ALIKE = 0.6
"""The share of members or parameters that two definitions have in common, at least."""
_FEWEST_OF_MODULE = 3
"""Names of a module that all have to be found in one other module, for the module to be its successor."""
_WHOLE_MODULE = 0.9
"""The share of a module's public names that are found in its successor."""
_LEFT_OUT = frozenset(
    {"setup", "conftest", "tests", "test", "compat", "six", "externals", "extern", "_vendor"}
)
"""Modules that are not for others, or hold what is of others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Release:
    """What is looked up of one release again and again."""

    version: MinedRelease
    homes: dict[str, str]
    """Public names to where they are defined."""
    by_leaf: dict[str, list[str]]
    """The last part of definitions to where they are."""
    public: dict[str, str]
    """Definitions to the public name that is the shortest."""
    below: dict[str, list[str]]
    """Packages to the public modules directly below them."""


def moves_of(releases: Sequence[MinedRelease]) -> tuple[RuleCandidate, ...]:
    """What went between neighbours of ``releases``, from the oldest, and is in another place since.

    What the last release has again, and what went somewhere that the last one lacks, is left out.
    """
    if not releases:
        return ()
    found: dict[str, RuleCandidate] = {}
    read = [_looked_up(release) for release in releases]
    last = releases[-1].names
    for old, new in itertools.pairwise(read):
        names = dict(_moved(old, new))
        passed_on = dict(_passed_on(old.version.names, new.version.names))
        for name, replacement in (passed_on | names | _modules(names, old, new)).items():
            if last.has(name) is True or last.has(replacement) is False:
                continue
            found[name] = RuleCandidate(
                name=name,
                replacement=replacement,
                since=new.version.first,
                announced=old.version.version,
                words="",
                by=None,
                module=name in old.version.names.modules,
            )
        for one in _aliased_members(old, new):
            found[one.name] = one
    return tuple(sorted(found.values(), key=lambda one: (one.since, one.name)))


def _looked_up(release: MinedRelease) -> _Release:
    homes = {
        name: home
        for name, home in release.names.public_names()
        if is_offered(name, home) and not _is_left_out(name)
    }
    by_leaf: defaultdict[str, list[str]] = defaultdict(list)
    public: dict[str, str] = {}
    for name, home in sorted(homes.items(), key=lambda pair: (pair[0].count("."), pair[0])):
        if home not in public:
            public[home] = name
            by_leaf[home.rpartition(".")[2]].append(home)
    below: defaultdict[str, list[str]] = defaultdict(list)
    for module in filter(is_public, release.names.modules):
        below[module.rpartition(".")[0]].append(module)
    return _Release(version=release, homes=homes, by_leaf=dict(by_leaf), public=public, below=dict(below))


def _is_left_out(name: str) -> bool:
    return not _LEFT_OUT.isdisjoint(name.split(".")[1:-1])


def _moved(old: _Release, new: _Release) -> Iterator[tuple[str, str]]:
    for name, home in old.homes.items():
        if home.partition(".")[0] not in old.version.names.tops or home in old.version.names.modules:
            continue  # another distribution's, or a module, which ``_modules`` looks at
        if new.version.names.has(name) is True:
            continue  # what a module makes while it runs, environments tell
        successor = _below(name, home, new) or _successor(home, old, new)
        if successor and successor != name and is_public(successor):
            yield name, successor


def _passed_on(old: ReleaseNames, new: ReleaseNames) -> Iterator[tuple[str, str]]:
    """What a module offered of another distribution by name, and offers no more: taken from there itself."""
    for module, names in old.modules.items():
        if not is_public(module) or _is_left_out(f"{module}."):
            continue
        for leaf in names.offered & set(names.imported):
            name, home = f"{module}.{leaf}", names.imported[leaf]
            is_of_others = "." in home and home.partition(".")[0] not in old.tops and is_public(home)
            if is_of_others and is_public(leaf) and new.has(name) is False:
                yield name, home


def _below(name: str, home: str, new: _Release) -> str:
    """The same name of the only module below its own that has it: collections.abc.Mapping."""
    around, _, leaf = name.rpartition(".")
    names = new.version.names
    found = [one for one in new.below.get(around, ()) if names.home_of(f"{one}.{leaf}") == home]
    return f"{found[0]}.{leaf}" if len(found) == 1 else ""


def _successor(home: str, old: _Release, new: _Release) -> str:
    """The public name, in the new release, of what the old one defines at ``home``; "" where none is sure."""
    if home in new.public:
        return new.public[home]
    alias = _alias(home, old.version.names)
    if alias:
        return new.public.get(alias, "")
    before = _definition(home, old.version.names)
    leaf = home.rpartition(".")[2]
    if before is None or (isinstance(before, CallNames) and len(old.by_leaf.get(leaf, ())) > 1):
        return ""  # a function that each of several modules defines: `register` of plugins
    alike = {
        other
        for other in new.by_leaf.get(leaf, ())
        if other not in old.public
        and _are_alike(before, _definition(other, new.version.names))
        # What had that public name before was another definition.
        and old.homes.get(new.public[other], home) == home
    }
    return new.public[alike.pop()] if len(alike) == 1 else ""


def _alias(home: str, names: ReleaseNames) -> str:
    """The definition that ``home`` is another name of; "" where it is none."""
    module, _, leaf = home.rpartition(".")
    bound = names.modules.get(module)
    other = bound.aliases.get(leaf, "") if bound else ""
    return (names.home_of(f"{module}.{other}") or "") if other and not other.startswith("_") else ""


def _definition(home: str, names: ReleaseNames) -> ClassNames | CallNames | None:
    module, _, leaf = home.rpartition(".")
    bound: BoundNames | None = names.modules.get(module)
    return (bound.classes.get(leaf) or bound.functions.get(leaf)) if bound else None


def _are_alike(one: ClassNames | CallNames, other: ClassNames | CallNames | None) -> bool:
    if isinstance(one, ClassNames) and isinstance(other, ClassNames):
        return _share(one.members, other.members) >= _ALIKE
    if isinstance(one, CallNames) and isinstance(other, CallNames):
        return one.parameters <= other.parameters or _share(one.parameters, other.parameters) >= _ALIKE
    return False


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


def _modules(moved: dict[str, str], old: _Release, new: _Release) -> dict[str, str]:
    """Modules that are gone, and whose names are all found in one other module."""
    own: Counter[str] = Counter()
    for name, home in old.homes.items():
        module = name.rpartition(".")[0]
        own[module] += home == name
    targets: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, replacement in moved.items():
        module, _, leaf = name.rpartition(".")
        around, _, new_leaf = replacement.rpartition(".")
        if leaf == new_leaf and old.homes[name] == name:
            targets[module][around] += 1
    found = {}
    for module, counted in targets.items():
        target, count = counted.most_common(1)[0]
        is_whole = count >= max(_FEWEST_OF_MODULE, _WHOLE_MODULE * own[module])
        if is_whole and new.version.names.has(module) is False and target != module:
            found[module] = target
    return found


def _aliased_members(old: _Release, new: _Release) -> Iterator[RuleCandidate]:
    """Members of classes that were other names for members that are still there."""
    for home, name in old.public.items():
        before, after = _definition(home, old.version.names), _definition(home, new.version.names)
        if not isinstance(before, ClassNames) or not isinstance(after, ClassNames):
            continue
        for member, other in before.aliases.items():
            if member.startswith("_") or other.startswith("_") or other not in before.methods:
                continue
            gone = new.version.names.has(f"{name}.{member}") is False
            if gone and other in after.members:
                yield RuleCandidate(
                    name=f"{name}.{member}",
                    replacement=other,
                    owner=name.rpartition(".")[2],
                    since=new.version.first,
                    announced=old.version.version,
                    words="",
                    by=None,
                )
