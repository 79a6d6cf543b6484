"""The owner of a module, a class or a name: the standard library, the project, or a distribution."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from backdate.diagnosis.class_names import classes_in
from backdate.diagnosis.distributions import Distributions, Installed, read_bounded
from backdate.diagnosis.module_names import holds
from backdate.diagnosis.own_classes import OwnClasses
from backdate.editing.python_source import parsed_or_none
from backdate.knowledge.modules import aliases, distribution_of, in_standard_library, own_name

BUILTIN = "builtin"
"""TimeMachine-bench's name for the standard library among the related libraries."""

_SOURCE_BYTES = 2 * 1024 * 1024
_SEARCH_BYTES = 256 * 1024 * 1024
"""Characters of source that are read in all to find classes."""

_BUILTIN_TYPES = frozenset(
    name for name, value in vars(__import__("builtins")).items() if isinstance(value, type)
) | {
    "NoneType",
    "function",
    "method",
    "builtin_function_or_method",
    "generator",
    "coroutine",
    "unicode",
    "code",
}
_ROOT_NAME = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(?:\.\w+)*")
_FROM = re.compile(r"^\s*(?:>>> )?from\s+([\w.]+)\s+import\b")


def in_builtins(name: str) -> bool:
    """Whether a type's name is that of one without a module of its own ("dict", "NoneType")."""
    return name in _BUILTIN_TYPES


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleNames:
    """The imports and classes of a module's source."""

    imports: Mapping[str, str]
    """What imported names stand for."""
    classes: Mapping[str, tuple[str, ...]]
    """The bases of the classes that it defines, as they are written."""


class Owners:
    """The owners of names in one environment, and in the one before it if that is known.

    ``tree`` is the project's folder; without it, imports are guessed from single lines.
    """

    def __init__(
        self,
        now: Distributions,
        before: Distributions | None = None,
        *,
        library: Path | None,
        tree: Path | None,
    ) -> None:
        self._now = now
        self._before = before or Distributions()
        self._library = library
        self._tree = tree
        self._left = _SEARCH_BYTES
        self._modules: dict[str, ModuleNames] = {}
        self._classes: dict[tuple[str, str], Installed | str | None] = {}
        self._own = OwnClasses(tree, self._read)
        self._bases: dict[tuple[str, str], str] = {}

    def of_module(self, dotted: str) -> Installed | str | None:
        """BUILTIN, a distribution, or its bare name when no environment has it; None for the project's own.

        The environments come first: a backport that is installed is a distribution.
        """
        top = dotted.partition(".")[0]
        environments = (self._now, self._before)
        for name in dict.fromkeys((own_name(dotted), dotted)):
            for environment in environments:
                if (distribution := environment.of_module(name)) is not None:
                    return distribution
        if in_standard_library(dotted):
            return BUILTIN
        if self._in_tree(top):
            return None
        return distribution_of(dotted)

    def installed(self, dotted: str) -> bool:
        """Whether the top-level part of a module exists: installed now, or the project's own."""
        top = dotted.partition(".")[0]
        return self._now.has_top_level(top) or self._in_tree(top)

    def had(self, dotted: str) -> bool:
        """Whether the environment before held a module or a name of one, as far as its files show."""
        return holds(self._before.folders, dotted)

    def _in_tree(self, top: str) -> bool:
        if self._tree is None or not top.isidentifier():
            return False
        return any(
            (folder / top).is_dir() or (folder / f"{top}.py").is_file()
            for folder in (self._tree, self._tree / "src", self._tree / "lib")
        )

    def imports_of(self, path: str) -> Mapping[str, str]:
        """What imported names stand for in a project's file: ``{"np": "numpy", "join": "os.path.join"}``."""
        return self._names_of(path).imports

    def _names_of(self, path: str) -> ModuleNames:
        if path not in self._modules:
            self._modules[path] = names_in(self._read(path))
        return self._modules[path]

    def _read(self, path: str) -> str:
        if self._tree is None or path.startswith(("/", "<")):
            return ""
        try:
            root = self._tree.resolve()
            file = (root / path).resolve()
        except (OSError, ValueError, RuntimeError):  # a loop of links, or no path at all
            return ""
        return (read_bounded(file, _SOURCE_BYTES) or "") if file.is_relative_to(root) else ""

    def resolve(self, name: str, path: str) -> str | None:
        """The dotted name that an expression of a project's file stands for; None when unknown."""
        first, dot, rest = name.partition(".")
        imports = self.imports_of(path)
        home = imports.get(first)
        if home is None and not imports:
            home = aliases().get(first)
            if home is None and (self._now.has_top_level(first) or self._before.has_top_level(first)):
                home = first
            if home is None and in_standard_library(first):
                home = first
        return None if home is None else f"{home}{dot}{rest}"

    def modules_in_line(self, source: str, path: str) -> tuple[str, ...]:
        """The dotted names of modules, not the project's own, that a line of its file uses."""
        modules: dict[str, None] = {}
        match = _FROM.match(source)
        if match is not None and not match.group(1).startswith("."):
            modules[match.group(1)] = None
        for name in _ROOT_NAME.finditer(source[:1000]):
            dotted = self.resolve(name.group(0), path)
            if dotted is not None and self.of_module(dotted) is not None:
                modules[dotted] = None
        return tuple(modules)

    def of_type(self, name: str, path: str) -> Installed | str | None:
        """The owner of a class, by its name in a message, for an error in a project's file.

        A dotted name holds its module. Otherwise: a type of ``builtins``, a class that the file imports, or
        one that is defined by a distribution from which the file imports, by a single other distribution, or
        by the standard library.
        """
        if in_builtins(name):
            return BUILTIN
        if "." in name:
            return self.of_module(name.rpartition(".")[0])
        imported = self.imports_of(path).get(name)
        if imported is not None:
            return self.of_module(imported)
        base = self.base_of_own(name, path)
        if base:
            return self.of_module(base)
        key = (name, path)
        if key not in self._classes:
            self._classes[key] = self._search(name, path)
        return self._classes[key]

    def base_of_own(self, name: str, path: str) -> str:
        """The dotted name of what a class of the project inherits from outside, by its name in a message.

        "" for a class that is not the project's, is imported in the file at ``path``, or has no such base.
        """
        if "." in name or in_builtins(name) or name in self.imports_of(path):
            return ""
        key = (name, path)
        if key not in self._bases:
            self._bases[key] = self._own.base_of(name, path, self._written_bases, self._outside)
        return self._bases[key]

    def _written_bases(self, name: str, path: str) -> tuple[str, ...]:
        return self._names_of(path).classes.get(name, ())

    def _outside(self, expression: str, path: str) -> str:
        home = self.resolve(expression, path)
        return home if home is not None and self.of_module(home) is not None else ""

    def _search(self, name: str, path: str) -> Installed | str | None:
        if not name.isidentifier():
            return None
        imported = set(self.imports_of(path).values())
        near: dict[str, Installed] = {}
        for dotted in sorted(imported):
            owner = self._now.of_module(dotted)
            if owner is not None:
                near[owner.key] = owner
        for distribution in near.values():
            if self._defines(name, self._now.python_files(distribution)):
                return distribution
        others = [distribution for key, distribution in self._now.all.items() if key not in near]
        defining = [other for other in others if self._defines(name, self._now.python_files(other))]
        if len(defining) == 1:
            return defining[0]
        if self._library is not None:
            for dotted in sorted(imported):
                module = self._library / (dotted.split(".")[0] + ".py")
                if in_standard_library(dotted) and name in classes_in(str(module)).names:
                    return BUILTIN
        return None

    def _defines(self, name: str, files: Iterable[str]) -> bool:
        for file in files:
            if "/tests/" in file or self._left < 0:
                continue
            for folder in self._now.folders:
                # joined as text: there are tens of thousands of them
                classes = classes_in(f"{folder}/{file}")
                self._left -= classes.characters
                if name in classes.names:
                    return True
        return False


def names_in(source: str) -> ModuleNames:
    """The names in a module's source; none when it cannot be parsed.

    Relative imports are the project's own and left out. Among alternatives the last one wins.
    """
    tree = parsed_or_none(source)
    if tree is None:
        return ModuleNames(imports={}, classes={})
    imports: dict[str, str] = {}
    classes: dict[str, tuple[str, ...]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                imports[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            for alias in node.names:
                imports[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.ClassDef):
            classes[node.name] = tuple(filter(None, map(_dotted, node.bases)))
    return ModuleNames(imports=imports, classes=classes)


def _dotted(node: ast.expr) -> str:
    """A dotted expression's text; empty for any other."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed([*parts, node.id])) if isinstance(node, ast.Name) else ""
