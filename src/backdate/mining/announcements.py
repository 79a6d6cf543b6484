"""What the sources of one release announce: which of their names are to go, in the library's own words.

Sources are those of strangers: they are parsed by ``ast`` and nothing of them is run.
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from backdate.mining.announced_arguments import (
    announced_arguments,
    announced_name,
    is_guard,
    named_instead,
    parameters_of,
    parameters_tested,
)
from backdate.mining.announced_tables import (
    handed_names,
    made_table_entries,
    moved_names,
    names_a_table,
    table_entries,
)
from backdate.mining.documents import DIRECTIVE, LONGEST_WORDS, directive_words, parameters_above
from backdate.mining.literals import dotted_of, may_announce, parsed, strings_in, text_of
from backdate.mining.loops import imports_of, names_loop, pairs_of

_CATEGORY = re.compile(r"(?:Deprecat\w*Warning|\w*FutureWarning|RemovedIn\w+|\w*Deprecat\w*|MovedIn\w+)\Z")
_HELPER = re.compile(
    r"deprecat|dep_warn|_?warn_(?:removed|moved|renamed)|rename_(?:parameter|arg|kwarg)|delete_parameter"
    r"|make_keyword_only|renamed_(?:arg|kwarg|parameter)|legacy_|moved_|obsolete",
    re.IGNORECASE,
)
_TABLES = (ast.Dict, ast.Set, ast.DictComp)


class AnnouncedBy(StrEnum):
    """How a release announces a change."""

    WARNING = "warning"
    DECORATOR = "decorator"
    HELPER = "helper"
    DIRECTIVE = "directive"
    TABLE = "table"
    IMPORTS = "imports"
    """A table of modules and the names that are to be taken from them."""
    LOOP = "loop"
    """A loop over names, each of which it makes."""
    CHANGELOG = "changelog"
    """An entry of a changelog."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """One name, or an argument of it, of which a release says that it is to go."""

    name: str
    """Where it is defined, dotted: "numpy.core.fromnumeric.product"; "scipy.*" with ``offered_by``."""
    argument: str = ""
    new: str = ""
    """What a structured helper names as its replacement; "" where only the words tell."""
    words: str
    by: AnnouncedBy
    line: int
    offered_by: str = ""
    """The module all of whose names it is about, each in the place of ``{0}`` in the words; else ""."""
    version: str = ""
    """The release of which a changelog says it; "" for what the sources of a release say."""


def announcements_in(source: str, module: str, *, tree: ast.Module | None = None) -> tuple[Announcement, ...]:
    """What the text of ``module`` announces; nothing for what this interpreter cannot parse.

    ``tree``: the text as it was parsed already.
    """
    tree = tree or parsed(source)
    if tree is None or not may_announce(source):
        return ()
    reader = _AnnouncementReader(module)
    with contextlib.suppress(RecursionError):  # what was found above such nesting stays
        reader.read(tree)
    return tuple(dict.fromkeys(reader.found))


def _text_constants(tree: ast.Module) -> dict[str, str]:
    """Texts that the module keeps under names."""
    return {
        target.id: text
        for node in tree.body
        if isinstance(node, ast.Assign) and (text := text_of(node.value, {}))
        for target in node.targets
        if isinstance(target, ast.Name)
    }


class _AnnouncementReader(ast.NodeVisitor):
    """Walks one module and keeps where it is."""

    def __init__(self, module: str) -> None:
        self.found: list[Announcement] = []
        self._module = module
        self._constants: dict[str, str] = {}
        self._scopes: list[str] = []
        self._functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
        self._tests: list[ast.expr] = []
        self._tables: dict[str, list[tuple[str, str]]] = {}
        """Keys and values of the lists and mappings that names stand for."""
        self._imported: dict[str, str] = {}

    def read(self, tree: ast.Module) -> None:
        """Read a whole module. Raises RecursionError for what is nested too deeply."""
        self._constants |= _text_constants(tree)
        self._imported |= imports_of(tree)
        self.visit(tree)

    def visit_Module(self, node: ast.Module) -> None:
        """The module's own documentation, then what is in it."""
        self._read_document(node, self._module)
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A class: its decorators announce the class."""
        self._read_decorators(node)
        self._scopes.append(node.name)
        self._read_document(node, self._here())
        self.generic_visit(node)
        self._scopes.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """A function or method."""
        self._read_decorators(node)
        self._scopes.append(node.name)
        self._functions.append(node)
        tests, self._tests = self._tests, []
        self._read_document(node, self._here())
        for child in node.body:
            self.visit(child)
        self._tests = tests
        self._functions.pop()
        self._scopes.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 (the name is ast's)

    def visit_If(self, node: ast.If) -> None:
        """What is announced below a test of a parameter is about that parameter."""
        self._tests.append(node.test)
        for child in node.body:
            self.visit(child)
        self._tests.pop()
        for child in node.orelse:
            self.visit(child)
        if is_guard(node) and self._functions:
            self._tests.append(node.test)  # what follows it is about the names that it lets pass

    def visit_Assign(self, node: ast.Assign) -> None:
        """Tables of names, aliases that a helper makes, and texts that a later call uses."""
        text = text_of(node.value, self._constants)
        for target in node.targets:
            name = dotted_of(target)
            if isinstance(target, ast.Name) and text:
                self._constants[target.id] = text
            if isinstance(target, ast.Name) and isinstance(
                node.value, ast.Dict | ast.Set | ast.Tuple | ast.List
            ):
                self._tables[target.id] = pairs_of(node.value)
            if name and isinstance(node.value, _TABLES) and names_a_table(name):
                self._read_table(node.value)
            elif name and (helper := _helper_in(node.value)) is not None:
                new = named_instead(helper, name.rpartition(".")[2], self._constants)
                words = self._words(helper)
                self._add(self._here(name), helper, by=AnnouncedBy.HELPER, words=words, new=new)
                return
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """The same with an annotation."""
        if isinstance(node.value, ast.Dict | ast.Set) and names_a_table(dotted_of(node.target)):
            self._read_table(node.value)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        """A loop that makes names, each announced by the same words."""
        loop = names_loop(node, is_helper=self._is_helper, tables=self._tables, imported=self._imported)
        if loop is None:
            self.generic_visit(node)
            return
        before = self._constants
        for turn in loop.turns:
            self._constants = {**before, **turn}
            name = "*" if loop.module else turn[loop.made]
            self._add(
                self._here(f"{loop.holder}.{name}" if loop.holder else name),
                loop.call,
                by=AnnouncedBy.LOOP,
                words=self._words(loop.call),
                offered_by=loop.module,
            )
        self._constants = before

    def visit_Call(self, node: ast.Call) -> None:
        """``warnings.warn(…)`` with a category that says so, and helpers such as ``deprecate("NAME", …)``."""
        function = dotted_of(node.func)
        holder, _, leaf = function.rpartition(".")
        if leaf == "update" and names_a_table(holder):
            for table in node.args:
                if isinstance(table, ast.DictComp | ast.Dict):
                    self._read_table(table)
        if _is_warn(leaf) and self._has_category(node):
            for name, argument in self._subjects():
                self._add(name, node, by=AnnouncedBy.WARNING, words=self._words(node), argument=argument)
        elif leaf and _HELPER.search(leaf):
            self._read_helper(node)
        elif leaf == "add_newdoc":
            self._read_added_document(node)
        self.generic_visit(node)

    def _is_helper(self, node: ast.Call) -> bool:
        leaf = dotted_of(node.func).rpartition(".")[2]
        return (_is_warn(leaf) and self._has_category(node)) or bool(leaf and _HELPER.search(leaf))

    def _here(self, name: str = "") -> str:
        scopes = [scope for scope in self._scopes if scope not in ("__init__", "__new__")]
        return ".".join((self._module, *scopes, *([name] if name else [])))

    def _has_category(self, node: ast.Call) -> bool:
        given = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
        categories = [dotted_of(value.func if isinstance(value, ast.Call) else value) for value in given]
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Call):
            categories.append(dotted_of(first.func))
        said = any(_CATEGORY.match(name.rpartition(".")[2]) for name in categories if name)
        return said or "deprecat" in self._words(node).lower()

    def _subjects(self) -> Iterator[tuple[str, str]]:
        """What a warning here is about: the names that ``__getattr__`` is asked for, an argument, or the
        function around it."""
        function = self._functions[-1] if self._functions else None
        if function is None:
            yield self._here(), ""
            return
        parameters = parameters_of(function)
        if function.name in ("__getattr__", "__getattribute__", "__dir__"):
            for test in self._tests:
                for name in (*strings_in(test), *self._of_tables(test)):
                    yield ".".join((self._module, *self._scopes[:-1], name)), ""
            return
        named = [name for test in self._tests for name in parameters_tested(test, parameters)]
        if named:
            for name in dict.fromkeys(named):
                yield self._here(), name
        else:
            yield self._here(), ""

    def _of_tables(self, test: ast.expr) -> Iterator[str]:
        for node in ast.walk(test):
            if isinstance(node, ast.Name):
                yield from (name for name, _ in self._tables.get(node.id, ()))

    def _read_added_document(self, node: ast.Call) -> None:
        """numpy's ``add_newdoc(module, name, text)``, and the same of a member: ``(name, text)``."""
        texts = strings_in(node)
        if len(texts) < 3:
            return
        names = [text for text in texts[:-1] if re.fullmatch(r"[A-Za-z_]\w*(?:\.\w+)*", text)]
        for match in DIRECTIVE.finditer(texts[-1]):
            words = directive_words(texts[-1], match)
            for argument in parameters_above(texts[-1], match) or ("",):
                name = ".".join(names)
                self._add(name, node, by=AnnouncedBy.DIRECTIVE, words=words, argument=argument)

    def _words(self, node: ast.Call) -> str:
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        texts = []
        for value in values:
            inner = value.args if isinstance(value, ast.Call) and not text_of(value, self._constants) else []
            texts += [text_of(one, self._constants) for one in (value, *inner)]
        return " ".join(" ".join(text.split()) for text in texts if text)[:LONGEST_WORDS]

    def _add(
        self,
        name: str,
        node: ast.AST,
        *,
        by: AnnouncedBy,
        words: str,
        argument: str = "",
        new: str = "",
        offered_by: str = "",
    ) -> None:
        self.found.append(
            Announcement(
                name=name,
                argument=argument,
                new=new,
                words=words,
                by=by,
                line=getattr(node, "lineno", 0),
                offered_by=offered_by,
            )
        )

    def _read_decorators(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        parameters = frozenset[str]() if isinstance(node, ast.ClassDef) else parameters_of(node)
        # What is said of a constructor is about its class.
        here = self._here() if node.name in ("__init__", "__new__") else self._here(node.name)
        for decorator in node.decorator_list:
            called = decorator if isinstance(decorator, ast.Call) else None
            name = dotted_of(called.func if called else decorator)
            if not _HELPER.search(name):
                continue
            if called is None:
                self._add(here, decorator, by=AnnouncedBy.DECORATOR, words="")
                continue
            words = self._words(called)
            read = announced_arguments(called, self._constants, name, parameters, tables=self._tables)
            for argument, new, own in read:
                said = " ".join(own.split())[:LONGEST_WORDS] or words
                self._add(here, decorator, by=AnnouncedBy.DECORATOR, words=said, argument=argument, new=new)

    def _read_helper(self, node: ast.Call) -> None:
        texts = [text_of(value, self._constants) for value in node.args]
        old = announced_name(node, self._constants)
        new = named_instead(node, old.removesuffix("()").rpartition(".")[2], self._constants)
        words = self._words(node)
        moved = moved_names(node, self._module, self._constants)
        handed = handed_names(node, self._module, self._constants, self._imported)
        for one in (*moved, *handed):
            self._add(self._here(one.name), node, by=AnnouncedBy.IMPORTS, words=one.words, new=one.new)
        if old == self._module:
            # A module's own warning: where it was, then where it is.
            new = new or next((text for text in texts[1:] if re.fullmatch(r"\w+(?:\.\w+)*", text)), "")
            self._add(old, node, by=AnnouncedBy.HELPER, words=words, new=new)
            return
        if re.fullmatch(r"[A-Za-z_]\w*(?:\.\w+)*(?:\(\))?", old):
            leaf = old.removesuffix("()").rpartition(".")[2]
            parameters = parameters_of(self._functions[-1]) if self._functions else frozenset()
            if leaf in parameters:
                self._add(self._here(), node, by=AnnouncedBy.HELPER, words=words, argument=leaf, new=new)
                return
            scope = self._scopes[:-1] if self._functions else self._scopes
            if leaf == self._module.rpartition(".")[2]:  # all of the module, said where it is first used
                self._add(self._module, node, by=AnnouncedBy.HELPER, words=words, new=new)
            own = self._functions and self._functions[-1].name == leaf
            name = self._here() if own else ".".join((self._module, *scope, leaf))
            self._add(name, node, by=AnnouncedBy.HELPER, words=words, new=new)
            return
        for name, argument in self._subjects():
            self._add(name, node, by=AnnouncedBy.HELPER, words=words, argument=argument, new=new)

    def _read_table(self, node: ast.Dict | ast.Set | ast.DictComp) -> None:
        entries = (
            made_table_entries(node, self._constants, self._tables)
            if isinstance(node, ast.DictComp)
            else table_entries(node, self._constants)
        )
        around = self._here() if isinstance(node, ast.DictComp) else self._module
        for one in entries:
            name = one.name if one.is_whole else f"{around}.{one.name}"
            # {"Old": "other.module"}, where ``from other.module import Old`` is what it stands for.
            imported = self._imported.get(one.name, "")
            new = imported if imported == f"{one.new}.{one.name}" else one.new
            self._add(name, one.node, by=AnnouncedBy.TABLE, words=one.words, new=new)

    def _read_document(
        self, node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, name: str
    ) -> None:
        document = ast.get_docstring(node) or ""
        for match in DIRECTIVE.finditer(document):
            words = directive_words(document, match)
            for argument in parameters_above(document, match) or ("",):
                self._add(name, node, by=AnnouncedBy.DIRECTIVE, words=words, argument=argument)


def _is_warn(leaf: str) -> bool:
    return leaf in ("warn", "warn_explicit", "_warn")


def _helper_in(node: ast.expr) -> ast.Call | None:
    """The call of a helper that makes a value: ``deprecated(…)``, or ``deprecated("3.6")(property(…))``."""
    while isinstance(node, ast.Call):
        if _HELPER.search(dotted_of(node.func).rpartition(".")[2]):
            return node
        node = node.func
    return None
