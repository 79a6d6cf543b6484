"""Loosening setup.py by its syntax tree: nothing is run, and nothing but the literals is written.

What reaches ``install_requires`` and its like is followed through names, lists, sums, dictionaries,
``append`` and ``extend``, comprehensions and the project's own functions in the same file, without
evaluating them: every string literal on the way is a requirement. Variables that are *called*
requirements are read as such too. What is computed (f-strings, ``%``, files) is reported or left alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.editing.python_source import UNPARSABLE, parse_source
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Fragment
from backdate.errors import ConfigurationError
from backdate.projects.unpinning.draft import Draft
from backdate.projects.unpinning.report import Kind
from backdate.projects.unpinning.requirement import loosen_in
from backdate.projects.unpinning.specifiers import loosen_specifier

_KEYWORDS: dict[str, Kind] = {
    "install_requires": "dependency",
    "tests_require": "dependency",
    "extras_require": "dependency",
    "requires": "dependency",  # distutils' own: a list of names with bounds in parentheses
    "setup_requires": "build",
    "python_requires": "python",
}
_REQUIREMENTS_NAME = re.compile(
    r"_*(?:\w*_)?(?:requires?|requirements?|required|reqs|deps|dependencies)(?:_\w+)?", re.IGNORECASE
)
_LONGEST_NAME = 100
"""The patterns take time that grows with the square of a name's length."""
_PYTHON_NAME = re.compile(r"\w*python_?requires?\w*", re.IGNORECASE)
_MAY_BE_PINNED = re.compile(r"[=<>~@]|://")
_COMMENT = re.compile(r"(?:^|\s)#")
_SETUP_MODULES = ("setuptools", "distutils.core", "numpy.distutils.core", "skbuild")
_LONGEST_NAME = 200
"""Characters of a variable's name; the patterns above take time with the cube of it."""
_DEEPEST = 60
"""Steps from a keyword to a literal."""


def loosen_setup_py(draft: Draft) -> None:
    """Loosen the setup.py in ``draft``; the whole file is skipped when Python 3 cannot parse it."""
    try:
        tree = parse_source(draft.content)
    except UNPARSABLE as error:
        draft.skip(None, f"not Python 3 that can be parsed: {error}")
        return
    Reader(draft, tree).read()
    if not draft.edits:
        return
    try:
        parse_source(draft.result())
    except UNPARSABLE:  # a literal that became empty and touches the next one, as in 'a==1''b'
        draft.discard("literals that touch each other cannot be edited one by one")


class Reader:
    """One walk over one setup.py."""

    def __init__(self, draft: Draft, tree: ast.Module) -> None:
        self.draft = draft
        self.source = SourceText(draft.content)
        self.nodes = list(ast.walk(tree))
        self.bindings: dict[str, list[ast.expr]] = {}
        """What is assigned, appended or added to each name, anywhere in the file."""
        self.followed: set[tuple[int, Kind]] = set()
        self.taken: set[int] = set()
        """Literals that were read, by identity."""
        self._bind()

    def read(self) -> None:
        """Follow every keyword of every setup() call, then the variables that are called requirements."""
        for call in self._setup_calls():
            for keyword in call.keywords:
                if keyword.arg is None:
                    self._read_keywords(keyword.value)
                elif keyword.arg in _KEYWORDS:
                    self._follow(keyword.value, _KEYWORDS[keyword.arg], 0)
        for name, values in self.bindings.items():
            if (
                len(name) > _LONGEST_NAME
                or _PYTHON_NAME.fullmatch(name)
                or len(name) > _LONGEST_NAME
                or not _REQUIREMENTS_NAME.fullmatch(name)
            ):
                continue
            kind: Kind = "build" if "setup" in name.lower() else "dependency"
            for value in values:
                if isinstance(value, ast.List | ast.Tuple | ast.Set | ast.Dict | ast.BinOp):
                    self._follow(value, kind, 0)

    def _setup_calls(self) -> Iterator[ast.Call]:
        aliases = {"setup"}
        for node in self.nodes:
            if isinstance(node, ast.ImportFrom) and node.module in _SETUP_MODULES:
                aliases |= {alias.asname or alias.name for alias in node.names if alias.name == "setup"}
        for node in self.nodes:
            if isinstance(node, ast.Call):
                function = node.func
                called = function.id if isinstance(function, ast.Name) else ""
                if called in aliases or (isinstance(function, ast.Attribute) and function.attr == "setup"):
                    yield node

    def _read_keywords(self, value: ast.expr) -> None:
        """Follow ``setup(**value)``: a dictionary, ``dict(…)``, or a name for one."""
        candidates = self.bindings.get(value.id, []) if isinstance(value, ast.Name) else [value]
        for candidate in candidates:
            for key, item in _entries(candidate):
                if key in _KEYWORDS:
                    self._follow(item, _KEYWORDS[key], 0)
        if isinstance(value, ast.Name):
            for keyword, kind in _KEYWORDS.items():
                for item in self.bindings.get(f"{value.id}[{keyword}]", []):
                    self._follow(item, kind, 0)

    def _bind(self) -> None:
        for node in self.nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._bind_target(target, node.value)
            elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value is not None:
                self._bind_target(node.target, node.value)
            elif isinstance(node, ast.FunctionDef):
                for inner in ast.walk(node):
                    if isinstance(inner, ast.Return) and inner.value is not None:
                        self.bindings.setdefault(f"{node.name}()", []).append(inner.value)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = _owner(node.func.value)
                if owner and node.func.attr in ("append", "extend", "insert", "update", "add", "setdefault"):
                    self.bindings.setdefault(owner, []).extend(node.args)

    def _bind_target(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.bindings.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            key = target.slice.value if isinstance(target.slice, ast.Constant) else ""
            self.bindings.setdefault(target.value.id, []).append(value)
            if isinstance(key, str):
                self.bindings.setdefault(f"{target.value.id}[{key}]", []).append(value)
        elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
            for name, item in zip(target.elts, value.elts, strict=False):
                self._bind_target(name, item)

    def _follow(self, node: ast.expr, kind: Kind, depth: int) -> None:
        """Read every literal that ``node`` may be made of as holding requirements of ``kind``."""
        if depth > _DEEPEST or (id(node), kind) in self.followed:
            return
        self.followed.add((id(node), kind))
        if isinstance(node, ast.Constant):
            self._literal(node, kind)
        elif isinstance(node, ast.JoinedStr):
            self.draft.skip(self.source.start(node), "an f-string is not loosened")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_text(node.left):
            self.draft.skip(self.source.start(node), "a formatted string is not loosened")
        elif isinstance(node, ast.Call):
            self._follow_call(node, kind, depth)
        else:
            for part in self._parts(node):
                self._follow(part, kind, depth + 1)

    def _parts(self, node: ast.expr) -> list[ast.expr]:
        match node:
            case ast.List() | ast.Tuple() | ast.Set():
                return node.elts
            case ast.Dict():
                return node.values
            case ast.Starred() | ast.NamedExpr() | ast.Subscript():
                return [node.value]
            case ast.BinOp():
                return [*_sum(node)]
            case ast.BoolOp():
                return node.values
            case ast.IfExp():
                return [node.body, node.orelse]
            case ast.Name():
                return self.bindings.get(node.id, [])
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return [node.elt, *(generator.iter for generator in node.generators)]
            case ast.DictComp():
                return [node.value, *(generator.iter for generator in node.generators)]
            case _:
                return []

    def _follow_call(self, call: ast.Call, kind: Kind, depth: int) -> None:
        function = call.func
        if isinstance(function, ast.Attribute):
            if function.attr == "format" and _is_text(function.value):
                self.draft.skip(self.source.start(call), "a formatted string is not loosened")
            elif function.attr in ("split", "splitlines", "strip", "copy", "values", "items", "keys", "get"):
                self._follow(function.value, kind, depth + 1)
            elif function.attr in ("chain", "from_iterable", "fromkeys"):
                for argument in call.args:
                    self._follow(argument, kind, depth + 1)
        elif isinstance(function, ast.Name):
            if function.id in (
                "list",
                "tuple",
                "set",
                "sorted",
                "sum",
                "dict",
                "chain",
                "filter",
                "frozenset",
            ):
                for argument in [*call.args, *(keyword.value for keyword in call.keywords)]:
                    self._follow(argument, kind, depth + 1)
            for value in self.bindings.get(f"{function.id}()", []):
                self._follow(value, kind, depth + 1)

    def _literal(self, node: ast.Constant, kind: Kind) -> None:
        if not isinstance(node.value, str) or id(node) in self.taken or not _MAY_BE_PINNED.search(node.value):
            return
        self.taken.add(id(node))
        fragment = self.source.literal(node)
        if fragment is None:
            self.draft.skip(self.source.start(node), "a string literal with escapes is not loosened")
            return
        start = 0
        for line in fragment.text.split("\n"):
            part = fragment.part(start, start + len(line))
            start += len(line) + 1
            _loosen_line(self.draft, part, kind)


def _loosen_line(draft: Draft, line: Fragment, kind: Kind) -> None:
    comment = _COMMENT.search(line.text)
    text = line.text[: comment.start() if comment else None].rstrip()
    if not text or text.lstrip().startswith("-"):
        return
    if kind != "python":
        loosen_in(draft, line.part(0, len(text)), kind)
        return
    try:
        loose = loosen_specifier(text, python=True)
    except ConfigurationError as error:
        draft.skip(line.starts[0], str(error))
        return
    if loose != text:
        edits = line.replace(0, len(text), loose)
        draft.change(edits, kind="python", name="python", before=text, after=loose)


def _owner(node: ast.expr) -> str | None:
    """The name whose value ``node`` is, or is a part of."""
    while True:
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            return None


def _entries(node: ast.expr) -> Iterator[tuple[object, ast.expr]]:
    """Keys and values of a dictionary that is written out, as a display or as ``dict(…)``."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant):
                yield key.value, value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        for keyword in node.keywords:
            if keyword.arg is not None:
                yield keyword.arg, keyword.value


def _sum(node: ast.expr) -> list[ast.expr]:
    """The terms of ``a + b + …``, however many there are, left to right."""
    terms: list[ast.expr] = []
    while isinstance(node, ast.BinOp):
        terms.append(node.right)
        node = node.left
    terms.append(node)
    return terms[::-1]


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
