"""Tables by which 2to3 rewrites programs of Python 2: those of ``lib2to3``, the standard library's own.

Python 3.13 dropped it; fissix carries it on the index (PSF-2.0). It is parsed, never imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from packaging.version import Version

from backdate.mining.announcements import AnnouncedBy
from backdate.mining.candidates import RuleCandidate, is_public
from backdate.mining.literals import dotted_of, parsed, text_of
from backdate.mining.releases import ReleaseSources

CARRIER = "fissix"
"""The distribution whose wheels hold the fixers."""
LICENCE = "PSF-2.0"
ORIGIN = "lib2to3"
_SINCE = Version("3.0")
_HOLDERS = {"fix_types": "types", "fix_asserts": "unittest.TestCase", "fix_unicode": "builtins"}
"""What holds the names of a fixer's plain table; other plain tables are of modules."""
_TABLES = ("MAPPING", "_TYPE_MAPPING", "NAMES", "_mapping")


def two_to_three_candidates(release: ReleaseSources) -> tuple[RuleCandidate, ...]:
    """What the fixers' tables say to write; whether it holds, only interpreters tell."""
    found: dict[str, RuleCandidate] = {}
    for module in sorted(release.sources):
        leaf = module.rpartition(".")[2]
        tree = parsed(release.sources[module]) if leaf.startswith("fix_") else None
        for table in _tables(tree) if tree else ():
            for old, new in _pairs(table, _HOLDERS.get(leaf, "")):
                if old != new and is_public(old.replace("__builtin__", "builtin")):
                    found[old] = _candidate(old, new, leaf, release)
    return tuple(found.values())


def _tables(tree: ast.Module) -> Iterator[ast.expr]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and dotted_of(node.targets[0]) in _TABLES:
            yield node.value


def _pairs(table: ast.expr, holder: str) -> Iterator[tuple[str, str]]:
    """Dotted names that a table knows, each with what takes its place."""
    if isinstance(table, ast.Call):  # dict(assertEquals="assertEqual")
        named = [(one.arg or "", one.value) for one in table.keywords]
    elif isinstance(table, ast.Dict):
        named = [(text_of(key, {}), value) for key, value in zip(table.keys, table.values, strict=True)]
    else:
        return
    for old, value in named:
        if isinstance(value, ast.Dict):  # {"sys": {"maxint": "maxsize"}}
            yield from ((f"{old}.{name}", f"{old}.{new}") for name, new in _pairs(value, ""))
        elif isinstance(value, ast.List):  # {"urllib": [("urllib.parse", ["quote"])]}
            yield from _moved(old, value)
        elif all(part.isidentifier() for part in text_of(value, {}).split(".")):
            new = text_of(value, {})
            in_class = holder.rpartition(".")[2][:1].isupper()
            yield f"{holder}.{old}" if holder else old, f"{holder}.{new}" if in_class else new


def _moved(module: str, homes: ast.List) -> Iterator[tuple[str, str]]:
    for home in homes.elts:
        if isinstance(home, ast.Tuple) and isinstance(home.elts[-1], ast.List):
            names = (text_of(one, {}) for one in home.elts[-1].elts)
            yield from ((f"{module}.{name}", f"{text_of(home.elts[0], {})}.{name}") for name in names)


def _candidate(old: str, new: str, fixer: str, release: ReleaseSources) -> RuleCandidate:
    around, _, leaf = old.rpartition(".")
    holder = around.rpartition(".")[2]
    owner = holder if holder[:1].isupper() else ""
    return RuleCandidate(
        name=old,
        replacement=new.rpartition(".")[2] if owner else new,
        owner=owner,
        since=_SINCE,
        announced=release.version,
        words=f"2to3 ({fixer}) writes {new} for {old}",
        by=AnnouncedBy.TABLE,
        module=not around or (leaf[:1].isupper() and not owner and fixer == "fix_imports"),
    )
