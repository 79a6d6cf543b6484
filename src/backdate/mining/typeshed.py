"""The standard library of each Python as typeshed's stubs tell it, in the form of releases that are mined.

A stub says by tests of ``sys.version_info``, and ``VERSIONS`` by ranges, which Python has what. Every Python
is so one release, whose names can be compared with those of its neighbours. Stubs are parsed, never imported.
typeshed is under the Apache licence 2.0; mypy's wheels carry it.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version

from backdate.mining.announcements import Announcement, announcements_in
from backdate.mining.candidates import MinedRelease
from backdate.mining.literals import dotted_of, parsed
from backdate.mining.public_names import BoundNames, ReleaseNames, names_of_module
from backdate.projects.sources.archives import read_members

LICENCE = "Apache-2.0"
ORIGIN = "typeshed"
_FOLDER = "mypy/typeshed/stdlib/"
_TWO = "@python2/"
_MOST_FILES = 4_000
_LARGEST_FILE = 4 * 1024 * 1024
_RANGE = re.compile(r"([\w.]+): *(\d{1,2}\.\d{1,3}) *-? *(\d{1,2}\.\d{1,3})?")
_OF_TYPES_ALONE = frozenset({"final", "abstractmethod", "override", "type_check_only", "overload"})
"""Decorators of stubs that change nothing of what a call takes."""
_COMPARED: Mapping[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,  # type: ignore[dict-item]
    ast.LtE: operator.le,  # type: ignore[dict-item]
    ast.Gt: operator.gt,  # type: ignore[dict-item]
    ast.GtE: operator.ge,  # type: ignore[dict-item]
}
Minor = tuple[int, int]
"""A Python, "3.12" as (3, 12)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StubModule:
    """The stub of one module."""

    source: str
    package: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StandardStubs:
    """typeshed's ``stdlib`` as one release of mypy carries it."""

    modules: Mapping[str, StubModule]
    two: Mapping[str, StubModule]
    """Those of Python 2, where the release still has them."""
    ranges: Mapping[str, tuple[Minor, Minor | None]]
    """The first and the last Python of a module; of what is not listed, those of the package around it."""

    @property
    def pythons(self) -> tuple[Minor, ...]:
        """The Pythons of which the stubs tell, from the oldest: those around which their tests part."""
        tested = {
            _minor(f"{major}.{minor}")
            for stub in self.modules.values()
            for major, minor in re.findall(r"version_info *[<>]=? *\((\d), *(\d{1,2})\)", stub.source)
        }
        gates = sorted(gate for gate in tested if gate > (3, 1))
        if not gates:
            return ()
        oldest, newest = max(0, gates[0][1] - 1), gates[-1][1]
        return (*([(2, 7), (3, 0)] if self.two else []), *((3, minor) for minor in range(oldest, newest + 1)))


def read_stubs(archive: Path) -> StandardStubs:
    """The stubs in a wheel of mypy. Raises SourceError where it is damaged."""
    members = read_members(
        archive,
        lambda name: name.startswith(_FOLDER) and name.endswith((".pyi", "/VERSIONS")),
        what=archive.name,
        most_files=_MOST_FILES,
        most_bytes=_LARGEST_FILE,
    )
    modules: dict[str, StubModule] = {}
    two: dict[str, StubModule] = {}
    for path, data in members.items():
        inner = path.removeprefix(_FOLDER)
        if inner.endswith(".pyi"):
            into = two if inner.startswith(_TWO) else modules
            parts = inner.removeprefix(_TWO).removesuffix(".pyi").split("/")
            package = parts[-1] == "__init__" and len(parts) > 1
            name = ".".join(parts[:-1] if package else parts)
            into[name] = StubModule(source=data.decode("utf-8", "replace"), package=package)
    listed = members.get(f"{_FOLDER}VERSIONS", b"").decode("utf-8", "replace")
    return StandardStubs(modules=modules, two=two, ranges=dict(_ranges(listed)))


def _ranges(text: str) -> Iterator[tuple[str, tuple[Minor, Minor | None]]]:
    for line in text.splitlines():
        match = _RANGE.match(line)
        if match:
            last = _minor(match[3]) if match[3] else None
            yield match[1], (_minor(match[2]), last)


def _minor(text: str) -> Minor:
    major, _, minor = text.partition(".")
    return int(major), int(minor)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadStub:
    names: BoundNames
    announced: tuple[Announcement, ...]


def libraries(stubs: StandardStubs, pythons: Iterable[Minor]) -> tuple[MinedRelease, ...]:
    """What the standard library of each of ``pythons`` has, and what is announced of it."""
    known: dict[str, _ReadStub | None] = {}
    return tuple(_library_of(stubs, python, known) for python in pythons)


def _library_of(stubs: StandardStubs, python: Minor, known: dict[str, _ReadStub | None]) -> MinedRelease:
    """``known``: stubs that say the same of every Python, which are read once."""
    is_two = python < (3, 0)
    read: dict[str, _ReadStub] = {}
    for name, stub in (stubs.two if is_two else stubs.modules).items():
        if not is_two and not _is_there(name, stubs.ranges, python):
            continue
        same = not is_two and "version_info" not in stub.source
        if not same or name not in known:
            made = _read_stub(name, stub, python)
            if same:
                known[name] = made
        else:
            made = known[name]
        if made is not None:
            read[name] = made
    version = Version(".".join(map(str, python)))
    return MinedRelease(
        version=version,
        first=version,
        names=ReleaseNames(modules={name: one.names for name, one in read.items()}),
        announcements=tuple(announced for one in read.values() for announced in one.announced),
    )


def _read_stub(name: str, stub: StubModule, python: Minor) -> _ReadStub | None:
    tree = parsed(stub.source)
    if tree is None:
        return None
    try:
        _Pruner(python).prune(tree)
        names = names_of_module(stub.source, name, package=stub.package, tree=tree)
    except RecursionError:
        return None
    if names is None:
        return None
    return _ReadStub(names=names, announced=announcements_in(stub.source, name, tree=tree))


def _is_there(module: str, ranges: Mapping[str, tuple[Minor, Minor | None]], python: Minor) -> bool:
    parts = module.split(".")
    around = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    first, last = next((ranges[name] for name in around if name in ranges), ((3, 0), None))
    return first <= python and (last is None or python <= last)


class _Pruner:
    """Leaves of a stub what one Python has, on Linux, and only what the stub gives to others."""

    def __init__(self, python: Minor) -> None:
        self._python = python
        self._own: set[str] = set()
        """Names that the stub imports for its own use."""

    def prune(self, tree: ast.Module) -> None:
        tree.body = self._body(tree.body)
        offered = set(_listed(tree.body))
        for node in tree.body:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    name = alias.asname or alias.name
                    if alias.asname != alias.name and name not in offered and name != "*":
                        self._own.add(name)
                        alias.asname = f"_{name}"
        for other in ast.walk(tree):
            if isinstance(other, ast.ClassDef):
                other.bases = [self._base(base) for base in other.bases]

    def _base(self, base: ast.expr) -> ast.expr:
        if isinstance(base, ast.Subscript):  # Generic[T], Mapping[K, V]
            base = base.value
        first, _, rest = dotted_of(base).partition(".")
        if first in self._own:
            return ast.parse(".".join(filter(None, (f"_{first}", rest))), mode="eval").body
        return base

    def _body(self, body: Iterable[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for node in body:
            if isinstance(node, ast.If):
                truth = self._truth(node.test)
                found += self._body(node.body) if truth is not False else []
                found += self._body(node.orelse) if truth is not True else []
                continue
            if isinstance(node, ast.ClassDef):
                node.body = self._body(node.body)
            found.append(node)
        return list(_without_overloads(found))

    def _truth(self, test: ast.expr) -> bool | None:
        """Whether a test holds; None where it is about something else."""
        if isinstance(test, ast.BoolOp):
            each = [self._truth(value) for value in test.values]
            decisive = isinstance(test.op, ast.Or)
            return decisive if decisive in each else None if None in each else not decisive
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._truth(test.operand)
            return None if inner is None else not inner
        if dotted_of(test).rpartition(".")[2] == "TYPE_CHECKING":
            return True
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            return None
        compare = _COMPARED.get(type(test.ops[0]))
        try:
            value = ast.literal_eval(test.comparators[0])
        except (ValueError, TypeError, RecursionError, MemoryError):
            return None
        if compare is None:
            return None
        left = dotted_of(test.left)
        if left == "sys.version_info" and isinstance(value, tuple) and all(isinstance(n, int) for n in value):
            return compare(self._python[: max(1, len(value))], value[:2])
        return compare("linux", value) if left == "sys.platform" and isinstance(value, str) else None


def _listed(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names of ``__all__``."""
    for node in body:
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(dotted_of(target) == "__all__" for target in targets):
                for one in ast.walk(node.value):
                    if isinstance(one, ast.Constant) and isinstance(one.value, str):
                        yield one.value


def _without_overloads(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """One function for all overloads of one name, which takes what any of them takes."""
    whole: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
    for node in body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
            continue
        names = [dotted_of(one.func if isinstance(one, ast.Call) else one) for one in node.decorator_list]
        leaves = [name.rpartition(".")[2] for name in names]
        is_overload = "overload" in leaves
        # What is announced of one overload is about its arguments, and not about the function.
        node.decorator_list = [
            decorator
            for decorator, leaf in zip(node.decorator_list, leaves, strict=True)
            if leaf not in _OF_TYPES_ALONE and not (is_overload and leaf == "deprecated")
        ]
        first = whole.get(node.name) if is_overload else None
        if first is None:
            if is_overload:
                whole[node.name] = node
            yield node
            continue
        known = {one.arg for one in (*first.args.args, *first.args.kwonlyargs)}
        first.args.kwonlyargs += [
            one for one in (*node.args.args, *node.args.kwonlyargs) if one.arg not in known
        ]
        first.args.kw_defaults += [None] * (len(first.args.kwonlyargs) - len(first.args.kw_defaults))
        first.args.kwarg = first.args.kwarg or node.args.kwarg
