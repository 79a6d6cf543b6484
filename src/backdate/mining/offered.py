"""Announcements of all that another module offers, each name of it by itself.

Which names those are, the release of its distribution tells that was the newest when the announcing one was
uploaded; it is parsed and not imported, so names of compiled modules count where ``__all__`` says them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from backdate.mining.announcements import Announcement
from backdate.mining.candidates import MinedRelease
from backdate.mining.literals import dotted_of, parsed
from backdate.mining.loops import PLACE
from backdate.mining.public_names import names_of_module


def modules_meant(releases: Iterable[MinedRelease]) -> frozenset[str]:
    """The modules all of whose names releases announce."""
    return frozenset(one.offered_by for release in releases for one in release.announcements) - {""}


def with_each_name(
    releases: Sequence[MinedRelease], offered: Mapping[str, frozenset[str]]
) -> list[MinedRelease]:
    """``releases`` with an announcement of each name; ``offered``: the names by module."""
    return [
        replace(
            release,
            announcements=tuple(
                each for one in release.announcements for each in _each(one, offered.get(one.offered_by))
            ),
        )
        for release in releases
    ]


def _each(one: Announcement, names: frozenset[str] | None) -> Iterator[Announcement]:
    if not one.offered_by:
        yield one
    for name in sorted(names or ()):
        yield of_name(one, name)


def of_name(announcement: Announcement, name: str) -> Announcement:
    """What an announcement of all names of a module says of one."""
    return replace(
        announcement,
        name=f"{announcement.name.removesuffix('*')}{name}",
        words=announcement.words.replace(PLACE, name),
        offered_by="",
    )


def names_offered(sources: Mapping[str, str], packages: frozenset[str], module: str) -> frozenset[str]:
    """What ``__all__`` holds of a module and of those whose names it takes, as far as literals tell.

    Where none tells, the public names that its own text gives it.
    """
    listed: set[str] = set()
    own: frozenset[str] = frozenset()
    waiting, seen = [module], {module}
    while waiting:
        name = waiting.pop()
        tree = parsed(sources.get(name, ""))
        bound = names_of_module(sources[name], name, package=name in packages, tree=tree) if tree else None
        if tree is None or bound is None:
            continue
        listed |= set(_listed(tree))
        own = own or bound.defined | frozenset(bound.imported)
        new = set(bound.stars) & set(sources) - seen
        seen |= new
        waiting += sorted(new)
    return frozenset(name for name in listed or own if name.isidentifier() and not name.startswith("_"))


def _listed(tree: ast.Module) -> Iterator[str]:
    """Literal texts that are put into ``__all__``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            value: ast.expr | None = node.value if "__all__" in map(dotted_of, targets) else None
        elif isinstance(node, ast.Call) and dotted_of(node.func) in ("__all__.extend", "__all__.append"):
            value = node.args[0] if node.args else None
        else:
            continue
        if value is not None:
            yield from _texts(value)


def _texts(node: ast.expr) -> Iterator[str]:
    yield from (
        one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)
    )
