"""The source of tests, found by their ids: their functions, and the helpers and fixtures that they reach."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from backdate.editing.encodings import NotText, decode_source
from backdate.editing.python_source import parsed_or_none
from backdate.errors import ConfigurationError
from backdate.projects.hostile import read_beneath
from backdate.projects.tree import walk_tree
from backdate.tasks.quality.python_tree import FunctionNode, dotted

_LARGEST_FILE = 4 * 1024 * 1024
_MOST_PIECES = 60
"""Helpers and fixtures of one test."""
_REPEATED = re.compile(r"#\d+\Z")


@dataclass(frozen=True, slots=True)
class SourcePiece:
    """A statement at the top of a module, or a method, that a test runs."""

    file: str
    node: ast.stmt


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTest:
    """A test function."""

    ids: tuple[str, ...]
    """Of the tests that it is: several for parameters."""
    function: str
    """Qualified: "TestShape.test_area"."""
    file: str
    line: int
    """Of its first decorator."""
    end_line: int
    pieces: tuple[SourcePiece, ...]
    """The function itself first."""
    imports: tuple[SourcePiece, ...]
    """What the modules of the pieces import at their top."""


@dataclass(slots=True)
class _TestModule:
    file: str
    tree: ast.Module
    functions: dict[str, FunctionNode] = field(default_factory=dict)
    """By qualified name."""
    top: dict[str, ast.stmt] = field(default_factory=dict)
    """What the module binds at its top, but for imports."""
    imports: list[ast.stmt] = field(default_factory=list)


class SourcesOfTests:
    """Reads the tests of one tree."""

    def __init__(self, tree: Path) -> None:
        self._tree = tree
        self._modules: dict[str, _TestModule | None] = {}
        self._python_files: list[str] | None = None

    def read(self, ids: Iterable[str]) -> tuple[tuple[ReadTest, ...], tuple[str, ...]]:
        """The functions of the tests ``ids``, each once; and the ids whose source was not found."""
        found: dict[tuple[str, str], list[str]] = {}
        unread: list[str] = []
        for identity in ids:
            place = self._place(_REPEATED.sub("", identity))
            if place is None:
                unread.append(identity)
            else:
                found.setdefault(place, []).append(identity)
        return tuple(self._test(place, tuple(names)) for place, names in found.items()), tuple(unread)

    def _place(self, identity: str) -> tuple[str, str] | None:
        """File and qualified name of the function."""
        if "::" in identity:
            file, _, rest = identity.partition("::")
            return self._function(file, rest.partition("[")[0].replace("::", "."))
        parts = identity.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            for file in self._files_called("/".join(parts[:cut]) + ".py"):
                place = self._function(file, ".".join(parts[cut:]))
                if place is not None:
                    return place
        return None

    def _files_called(self, path: str) -> list[str]:
        """The file of that path, or else those whose path ends so: the suite may run in a folder."""
        if (self._tree / path).is_file():
            return [path]
        if self._python_files is None:
            self._python_files = [
                file.relative_to(self._tree).as_posix()
                for file, _ in walk_tree(self._tree)
                if file.suffix == ".py"
            ]
        return [file for file in self._python_files if file.endswith(f"/{path}")]

    def _function(self, file: str, name: str) -> tuple[str, str] | None:
        """That function of that file, or the one that its class inherits from another of the file."""
        module = self._module(file)
        if module is None:
            return None
        if name in module.functions:
            return file, name
        short = name.rpartition(".")[2]
        inherited = [known for known in module.functions if known.rpartition(".")[2] == short]
        return (file, inherited[0]) if len(inherited) == 1 and "." in name else None

    def _module(self, file: str) -> _TestModule | None:
        if file not in self._modules:
            self._modules[file] = self._parse(file)
        return self._modules[file]

    def _parse(self, file: str) -> _TestModule | None:
        try:
            data = read_beneath(self._tree, file, limit=_LARGEST_FILE)
            tree = parsed_or_none(decode_source(data, is_python=True).content) if data is not None else None
        except (ConfigurationError, NotText):
            return None
        if tree is None:
            return None
        module = _TestModule(file=file, tree=tree, functions=dict(_functions(tree.body, "")))
        for statement in tree.body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                module.imports.append(statement)
            else:
                module.top |= dict.fromkeys(_bound(statement), statement)
        return module

    def _test(self, place: tuple[str, str], ids: tuple[str, ...]) -> ReadTest:
        file, name = place
        module = self._module(file)
        assert module is not None
        function = module.functions[name]
        pieces = self._reached(module, name, function)
        modules = [self._module(each) for each in dict.fromkeys(piece.file for piece in pieces)]
        imports = tuple(
            SourcePiece(each.file, statement) for each in modules if each for statement in each.imports
        )
        first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
        return ReadTest(
            ids=ids,
            function=name,
            file=file,
            line=first,
            end_line=function.end_lineno or function.lineno,
            pieces=pieces,
            imports=imports,
        )

    def _reached(self, module: _TestModule, name: str, function: FunctionNode) -> tuple[SourcePiece, ...]:
        """The function, and what its module and the conftest files above hold by the names that it uses."""
        pieces = {id(function): SourcePiece(module.file, function)}
        waiting: list[tuple[_TestModule, FunctionNode | ast.stmt]] = [(module, function)]
        owner = name.rpartition(".")[0]
        for known, method in module.functions.items():
            if owner and known.rpartition(".")[0] == owner and known.rpartition(".")[2] in _SET_UP:
                pieces[id(method)] = SourcePiece(module.file, method)
                waiting.append((module, method))
        while waiting and len(pieces) < _MOST_PIECES:
            within, node = waiting.pop(0)
            for other, target in self._named(within, node, owner):
                if id(target) not in pieces:
                    pieces[id(target)] = SourcePiece(other.file, target)
                    waiting.append((other, target))
        return tuple(pieces.values())

    def _named(
        self, module: _TestModule, node: ast.stmt, owner: str
    ) -> Iterator[tuple[_TestModule, ast.stmt]]:
        places = (module, *self._conftests(module.file))
        for used in _names(node):
            for place in places:
                if used in place.top:
                    target = place.top[used]
                    if not isinstance(target, ast.ClassDef) or not _holds_tests(target):
                        yield place, target
                    break
            else:
                method = module.functions.get(f"{owner}.{used}") if owner else None
                if method is not None:
                    yield module, method

    def _conftests(self, file: str) -> tuple[_TestModule, ...]:
        """The nearest first."""
        paths = [str(folder / "conftest.py") for folder in PurePosixPath(file).parents]
        modules = (self._module(path) for path in paths if (self._tree / path).is_file() and path != file)
        return tuple(module for module in modules if module is not None)


_SET_UP = frozenset({"setUp", "setUpClass", "setup_method", "setup_class", "setUpTestData", "asyncSetUp"})


def _functions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, FunctionNode]]:
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from _functions(statement.body, f"{prefix}{statement.name}.")
        elif isinstance(statement, FunctionNode):
            yield f"{prefix}{statement.name}", statement
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            yield from _functions(
                [child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.stmt)], prefix
            )


def _bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, FunctionNode | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.If | ast.Try | ast.With):
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
            elif isinstance(node, FunctionNode | ast.ClassDef):
                yield node.name


def _names(node: ast.AST) -> Iterator[str]:
    """Names that are read, parameters (fixtures are asked for so), methods of ``self``, and bases."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            yield inner.id
        elif isinstance(inner, ast.arg):
            yield inner.arg
        elif isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name):
            if inner.value.id in ("self", "cls"):
                yield inner.attr
        elif isinstance(inner, ast.Call) and dotted(inner.func)[-1:] == ("usefixtures",):
            for argument in inner.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value


def _holds_tests(node: ast.ClassDef) -> bool:
    return any(isinstance(each, FunctionNode) and each.name.startswith("test") for each in node.body)
