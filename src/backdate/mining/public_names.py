"""Which dotted names a release has, as far as its sources tell without running them.

A name is followed through ``import`` statements of the distribution's own modules, star imports included.
Where a module makes names while it runs, or is compiled, nobody can tell: the answer is then None.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from backdate.mining.literals import dotted_of, parsed, strings_in

_MOST_STEPS = 12
_DYNAMIC = frozenset({"globals", "setattr", "exec", "__import__", "lazy_import", "attach", "attach_stub"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CallNames:
    """What a function takes."""

    parameters: frozenset[str]
    takes_any: bool
    """Whether it takes others as well (``**kwargs``), or its decorators may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundNames:
    """The names of one module."""

    defined: frozenset[str]
    classes: Mapping[str, ClassNames]
    functions: Mapping[str, CallNames]
    imported: Mapping[str, str]
    """Names to what they stand for, dotted."""
    stars: tuple[str, ...]
    dynamic: bool
    """Whether it has a ``__getattr__`` or makes names while it runs."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Names that are given the value of another name of the module: ``product = prod``."""
    offered: frozenset[str] = frozenset()
    """What a literal ``__all__`` lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassNames:
    """The members of one class."""

    members: frozenset[str]
    methods: Mapping[str, CallNames]
    bases: tuple[str, ...]
    dynamic: bool
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Members that are given the value of another one: ``assertEquals = assertEqual``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseNames:
    """The modules of one release, by dotted name."""

    modules: Mapping[str, BoundNames]
    compiled: frozenset[str] = field(default_factory=frozenset)
    """Modules of which there are no sources."""
    tops: frozenset[str] = field(init=False)
    """The packages and modules at the top."""

    def __post_init__(self) -> None:
        """Look up once what every name is asked for."""
        object.__setattr__(self, "tops", frozenset(name.partition(".")[0] for name in self.modules))

    def home_of(self, dotted: str) -> str | None:
        """Where ``dotted`` is defined; "" when it is not there, None when nobody can tell."""
        return self._resolve(dotted, _MOST_STEPS)

    def has(self, dotted: str) -> bool | None:
        """Whether the name is there; None when nobody can tell."""
        home = self.home_of(dotted)
        return None if home is None else bool(home)

    def takes(self, function: str, argument: str) -> bool | None:
        """Whether a function, or the constructor of a class, takes a keyword argument.

        A constructor that takes any (``**kwargs``), or that a class lacks, is the base class' own as well.
        """
        home = self.home_of(function)
        return self._takes(home, argument, _MOST_STEPS) if home else None

    def _takes(self, home: str, argument: str, steps: int) -> bool | None:
        found = self._callable(home)
        if found is not None and argument in found.parameters:
            return True
        if found is not None and not found.takes_any:
            return False
        handed_on = steps and any(self._takes(base, argument, steps - 1) for base in self.bases_of(home))
        return True if handed_on else None

    def bases_of(self, home: str) -> tuple[str, ...]:
        """Where the base classes of a class are defined that sources tell of; of another name its value."""
        module, _, leaf = home.rpartition(".")
        names = self.modules.get(module)
        if names is None:
            return ()
        other = names.aliases.get(leaf)
        bases = names.classes[leaf].bases if leaf in names.classes else (other,) if other else ()
        return tuple(found for base in bases if base and (found := self.home_of(f"{module}.{base}")))

    def derived(self) -> dict[str, tuple[str, ...]]:
        """Where classes are defined, to where their other names and the classes derived from them are."""
        direct: dict[str, set[str]] = {}
        for module, names in self.modules.items():
            for leaf in (*names.classes, *names.aliases):
                for base in self.bases_of(f"{module}.{leaf}"):
                    direct.setdefault(base, set()).add(f"{module}.{leaf}")
        return {base: tuple(sorted(_below(base, direct))) for base in direct if self._is_class(base)}

    def _is_class(self, home: str) -> bool:
        module, _, leaf = home.rpartition(".")
        return module in self.modules and leaf in self.modules[module].classes

    def public_names(self) -> Iterator[tuple[str, str]]:
        """Every name of a public module that its sources give it, with where it is defined."""
        for module, names in self.modules.items():
            if any(part.startswith("_") for part in module.split(".")) or "tests" in module.split("."):
                continue
            for name in self._names_of(module, names):
                if not name.startswith("_") and (home := self._resolve(f"{module}.{name}", _MOST_STEPS)):
                    yield f"{module}.{name}", home

    def _names_of(self, module: str, names: BoundNames) -> set[str]:
        """Its names and those of star imports; ``__all__`` is rarely literal."""
        found: set[str] = set()
        seen, waiting = {module}, [names]
        while waiting:
            one = waiting.pop()
            found |= one.defined | frozenset(one.imported)
            new = {star for star in one.stars if star in self.modules} - seen
            seen |= new
            waiting += [self.modules[star] for star in new]
        return found

    def _resolve(self, dotted: str, steps: int) -> str | None:
        if not steps:
            return None
        if dotted in self.modules or dotted in self.compiled:
            return dotted
        parts = dotted.split(".")
        for length in range(len(parts) - 1, 0, -1):
            module = ".".join(parts[:length])
            if module in self.compiled:
                return None
            if module in self.modules:
                return self._within(module, parts[length:], steps)
        return "" if parts[0] in self.tops else None

    def _within(self, module: str, rest: list[str], steps: int, seen: set[str] | None = None) -> str | None:
        """``seen``: the modules whose star imports were followed on the way, each once."""
        seen = set() if seen is None else seen
        seen.add(module)
        names, first = self.modules[module], rest[0]
        if first in names.classes:
            return self._member(f"{module}.{first}", names.classes[first], rest[1:], steps)
        if first in names.functions:
            return ".".join((module, *rest)) if len(rest) == 1 else None
        if first in names.imported:
            target = names.imported[first]
            return self._followed(target, rest[1:], steps)
        if first in names.defined:
            return ".".join((module, *rest)) if len(rest) == 1 else None
        unknown = names.dynamic
        for star in names.stars:
            if star in seen:
                continue
            if star not in self.modules:
                unknown = True
                continue
            found = self._within(star, rest, steps - 1, seen) if steps > 1 else None
            if found:
                return found
            unknown = unknown or found is None
        return None if unknown else ""

    def _followed(self, target: str, rest: list[str], steps: int) -> str | None:
        whole = ".".join((target, *rest))
        if target.partition(".")[0] in self.tops:
            return self._resolve(whole, steps - 1)
        return whole if not rest else None  # another distribution's

    def _member(self, path: str, names: ClassNames, rest: list[str], steps: int) -> str | None:
        if not rest:
            return path
        if rest[0] in names.members:
            return ".".join((path, *rest)) if len(rest) == 1 else None
        unknown = names.dynamic
        module = path.rpartition(".")[0]
        for base in names.bases:
            found = self._resolve(f"{module}.{base}.{rest[0]}", steps - 1) if base != "object" else ""
            if found:
                return found
            unknown = unknown or found is None
        return None if unknown else ""

    def _callable(self, home: str) -> CallNames | None:
        module, _, leaf = home.rpartition(".")
        if module in self.modules:
            names = self.modules[module]
            if leaf in names.classes:
                return names.classes[leaf].methods.get("__init__")
            return names.functions.get(leaf)
        owner, _, class_name = module.rpartition(".")
        names = self.modules.get(owner) or BoundNames(
            defined=frozenset(), classes={}, functions={}, imported={}, stars=(), dynamic=True
        )
        of_class = names.classes.get(class_name)
        return of_class.methods.get(leaf) if of_class else None


def _below(base: str, direct: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [base]
    while waiting:
        new = direct.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found - {base}


def names_of_module(
    source: str, module: str, *, package: bool, tree: ast.Module | None = None
) -> BoundNames | None:
    """The names of a module's text; None for what this interpreter cannot parse.

    ``tree``: the text as it was parsed already.
    """
    tree = tree or parsed(source)
    if tree is None:
        return None
    collector = _Collector(module, package)
    try:
        collector.read(tree.body)
    except RecursionError:  # a chain of branches longer than this interpreter follows
        return None
    return collector.names()


class _Collector:
    """The top level of one module, and of what is below ``if`` and ``try`` there."""

    def __init__(self, module: str, package: bool) -> None:
        self._module, self._package = module, package
        self._defined: set[str] = set()
        self._classes: dict[str, ClassNames] = {}
        self._functions: dict[str, CallNames] = {}
        self._imported: dict[str, str] = {}
        self._stars: list[str] = []
        self._dynamic = False
        self._aliases: dict[str, str] = {}
        self._offered: frozenset[str] = frozenset()

    def names(self) -> BoundNames:
        return BoundNames(
            defined=frozenset(self._defined),
            classes=self._classes,
            functions=self._functions,
            imported=self._imported,
            stars=tuple(self._stars),
            dynamic=self._dynamic,
            aliases=self._aliases,
            offered=self._offered,
        )

    def read(self, body: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._dynamic |= node.name == "__getattr__"
                self._defined.add(node.name)
                self._functions[node.name] = _callable_of(node)
            elif isinstance(node, ast.ClassDef):
                self._defined.add(node.name)
                self._classes[node.name] = _class_of(node)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                self._read_import(node)
            elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
                self._read_assignment(node)
            elif isinstance(node, ast.Delete):
                for target in node.targets:
                    for known in (self._defined, self._imported, self._classes, self._functions):
                        known.discard(dotted_of(target)) if isinstance(known, set) else known.pop(
                            dotted_of(target), None
                        )
            else:
                self._read_other(node)

    def _read_other(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Expr | ast.For | ast.While | ast.With):
            called = [dotted_of(one.func) for one in ast.walk(node) if isinstance(one, ast.Call)]
            self._dynamic |= any(name.rpartition(".")[2] in _DYNAMIC for name in called)
        for name in ("body", "orelse", "finalbody"):
            self.read([one for one in getattr(node, name, []) if isinstance(one, ast.stmt)])
        for handler in getattr(node, "handlers", []):
            self.read(handler.body)

    def _read_import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name if alias.asname else alias.name.partition(".")[0]
                self._imported[alias.asname or first] = first
            return
        base = self._base_of(node)
        for alias in node.names:
            if alias.name == "*":
                self._stars.append(base)
            else:
                self._imported[alias.asname or alias.name] = f"{base}.{alias.name}"

    def _base_of(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self._module.split(".")
        parts = parts[: len(parts) - node.level + (1 if self._package else 0)]
        return ".".join((*parts, *((node.module,) if node.module else ())))

    def _read_assignment(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            names = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
            for name in names:
                if isinstance(name, ast.Name):
                    self._defined.add(name.id)
                    if name.id == "__all__" and isinstance(node.value, ast.List | ast.Tuple):
                        self._offered = frozenset(strings_in(node.value))
                    if name is target and isinstance(node.value, ast.Name):
                        self._aliases[name.id] = node.value.id
                elif isinstance(name, ast.Subscript) and isinstance(name.value, ast.Call):
                    self._dynamic |= dotted_of(name.value.func) == "globals"


def _callable_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> CallNames:
    given = node.args
    names = {one.arg for one in (*given.args, *given.kwonlyargs)}
    decorators = [dotted_of(one.func if isinstance(one, ast.Call) else one) for one in node.decorator_list]
    plain = all(name in ("staticmethod", "classmethod", "property") for name in decorators)
    return CallNames(
        parameters=frozenset(names - {"self", "cls"}), takes_any=given.kwarg is not None or not plain
    )


def _class_of(node: ast.ClassDef) -> ClassNames:
    members: set[str] = set()
    methods: dict[str, CallNames] = {}
    for one in ast.walk(node):
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            members.add(one.name)
        elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            members.add(one.id)
        elif isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store):
            members.add(one.attr)
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            methods[statement.name] = _callable_of(statement)
    return ClassNames(
        members=frozenset(members),
        methods=methods,
        bases=tuple(name for base in node.bases if (name := _base_name(base))),
        dynamic="__getattr__" in members or not all(map(_base_name, node.bases)),
        aliases={
            target.id: one.value.id
            for one in node.body
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Name)
            for target in one.targets
            if isinstance(target, ast.Name)
        },
    )


def _base_name(node: ast.expr) -> str:
    """A base class, without what a generic one is of: ``Number[float]``."""
    return dotted_of(node.value if isinstance(node, ast.Subscript) else node)
