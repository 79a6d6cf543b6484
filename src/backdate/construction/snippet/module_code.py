"""One parsed module: what its names stand for, and what a piece of its code needs of it to run alone."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from backdate.construction.snippet.reasons import SnippetReason
from backdate.knowledge.modules import in_standard_library
from backdate.mining.literals import dotted_of, parsed
from backdate.snippets.versions import STANDARD_LIBRARY

_BUILTINS = frozenset(dir(builtins)) | {"__name__"}
_OUTSIDE = frozenset(
    [
        "argparse",
        "asyncio",
        "builtins",
        "concurrent",
        "ctypes",
        "datetime",
        "dbm",
        "ftplib",
        "gc",
        "getpass",
        "glob",
        "http",
        "imaplib",
        "importlib",
        "inspect",
        "io",
        "logging",
        "mailbox",
        "matplotlib",
        "mmap",
        "multiprocessing",
        "optparse",
        "os",
        "pathlib",
        "pdb",
        "pickle",
        "pip",
        "platform",
        "poplib",
        "pty",
        "pytest",
        "resource",
        "runpy",
        "sched",
        "secrets",
        "select",
        "selectors",
        "shelve",
        "shutil",
        "signal",
        "smtplib",
        "socket",
        "socketserver",
        "sqlite3",
        "ssl",
        "subprocess",
        "sys",
        "tempfile",
        "threading",
        "time",
        "tkinter",
        "traceback",
        "unittest",
        "urllib.request",
        "uuid",
        "webbrowser",
        "xmlrpc",
        "zipfile",
    ]
)
"""Modules for files, processes, clocks, the network and tests, which no self-contained function needs."""
_OUTSIDE_BUILTINS = frozenset({"open", "input", "exec", "eval", "compile", "__import__", "globals", "locals"})
_LONGEST = 120
"""Lines of a whole snippet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportBinding:
    """What one import statement binds one name to."""

    dotted: str
    statement: str
    """The statement for this name alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleCode:
    """The top level of one file."""

    path: str
    text: str
    imports: Mapping[str, ImportBinding]
    functions: Mapping[str, ast.FunctionDef]
    constants: Mapping[str, ast.Assign]
    others: frozenset[str]
    """Names that are bound in a way that cannot be taken along: classes, conditions, several bindings."""
    tree: ast.Module = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotSelfContained:
    """Why a piece of code cannot stand alone."""

    reason: SnippetReason
    detail: str = ""


def read_module(path: str, text: str) -> ModuleCode | None:
    """The file's top level; None for what this interpreter cannot parse."""
    tree = parsed(text)
    if tree is None:
        return None
    imports: dict[str, ImportBinding] = {}
    functions: dict[str, ast.FunctionDef] = {}
    constants: dict[str, ast.Assign] = {}
    others: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            imports.update(bindings_of(statement))
            continue
        bound = set(bound_names([statement]))
        others |= bound & (set(functions) | set(constants) | set(imports))
        if isinstance(statement, ast.FunctionDef):
            functions[statement.name] = statement
        elif (needed := _import_or_skip(statement)) is not None:
            imports.update(needed)
        elif (
            isinstance(statement, ast.Assign)
            and len(bound) == 1
            and isinstance(statement.targets[0], ast.Name)
        ):
            constants[statement.targets[0].id] = statement
        else:
            others |= bound
    return ModuleCode(
        path=path,
        text=text,
        imports=imports,
        functions=functions,
        constants=constants,
        others=frozenset(others),
        tree=tree,
    )


def bindings_of(statement: ast.Import | ast.ImportFrom) -> dict[str, ImportBinding]:
    """The names that an import binds; none for relative and star imports."""
    found: dict[str, ImportBinding] = {}
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            local = alias.asname or alias.name.partition(".")[0]
            written = ast.unparse(ast.Import(names=[alias]))
            known = found.get(local)
            if known is not None:  # import a.b; import a.c
                written = f"{known.statement}\n{written}"
            found[local] = ImportBinding(dotted=alias.name if alias.asname else local, statement=written)
    elif not statement.level:
        for alias in statement.names:
            if alias.name != "*":
                written = ast.unparse(ast.ImportFrom(module=statement.module, names=[alias], level=0))
                found[alias.asname or alias.name] = ImportBinding(
                    dotted=f"{statement.module}.{alias.name}", statement=written
                )
    return found


def _import_or_skip(statement: ast.stmt) -> dict[str, ImportBinding] | None:
    """What ``np = pytest.importorskip("numpy")`` binds; None for any other statement."""
    if not isinstance(statement, ast.Assign | ast.Expr) or not isinstance(statement.value, ast.Call):
        return None
    call = statement.value
    if dotted_of(call.func).rpartition(".")[2] != "importorskip" or not call.args:
        return None
    module = call.args[0].value if isinstance(call.args[0], ast.Constant) else None
    if not isinstance(module, str) or not all(part.isidentifier() for part in module.split(".")):
        return None
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Name):
        return {}
    return {target.id: ImportBinding(dotted=module, statement=f"import {module} as {target.id}")}


def resolve(expression: ast.expr, imports: Mapping[str, ImportBinding]) -> str:
    """The dotted name of the library that a name or attribute stands for; "" where no import tells."""
    written = dotted_of(expression)
    first, _, rest = written.partition(".")
    if first not in imports:
        return ""
    whole = imports[first].dotted
    return f"{whole}.{rest}" if rest else whole


def bound_names(statements: Iterable[ast.stmt]) -> Iterator[str]:
    """The names that statements bind in their own scope."""
    waiting: list[ast.AST] = list(statements)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
            continue
        if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node.id
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from bindings_of(node)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name
        waiting.extend(ast.iter_child_nodes(node))


def free_names(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that code reads and does not bind itself, anywhere in it."""
    read: set[str] = set()
    for node in nodes:
        read |= _free(node, frozenset())
    return read


def _free(node: ast.AST, bound: frozenset[str]) -> set[str]:
    if isinstance(node, ast.Name):
        return {node.id} - bound if isinstance(node.ctx, ast.Load) else set()
    inner, outer = bound, list(ast.iter_child_nodes(node))
    found: set[str] = set()
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        given = node.args
        names = {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
        names |= {one.arg for one in (given.vararg, given.kwarg) if one}
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        local = set() if isinstance(node, ast.Lambda) else {*bound_names(node.body), node.name}
        for one in (*given.defaults, *given.kw_defaults, *getattr(node, "decorator_list", ())):
            if one is not None:
                found |= _free(one, bound)
        annotations = [one.annotation for one in (*given.args, *given.kwonlyargs) if one.annotation]
        for one in (*annotations, *filter(None, [getattr(node, "returns", None)])):
            found |= _free(one, bound)
        inner, outer = bound | names | local, list(body)
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        targets = [one.target for one in node.generators]
        inner = bound | {
            one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)
        }
    for child in outer:
        found |= _free(child, inner)
    return found


def needs_of(
    names: Iterable[str],
    module: ModuleCode,
    *,
    library: str,
    own: frozenset[str],
    given: frozenset[str] = frozenset(),
) -> tuple[list[str], list[str]] | NotSelfContained:
    """The import statements, and the constants and functions in the file's order, that ``names`` need.

    ``library``: what may be imported besides the standard library and what the library itself installs
    (NumPy, SciPy); ``own``: the top-level packages of the sdist, which may not; ``given``: names that stand.
    """
    imports: dict[str, None] = {}
    taken: dict[str, ast.stmt] = {}
    waiting = sorted(set(names) - given)
    while waiting:
        name = waiting.pop()
        if name in taken or name in given:
            continue
        if name in module.others:
            return NotSelfContained(reason=SnippetReason.NEEDS_MORE_OF_FILE, detail=name)
        if name in module.imports:
            binding = module.imports[name]
            refused = _refused_import(binding.dotted, library, own)
            if refused:
                return refused
            imports.update(dict.fromkeys(binding.statement.split("\n")))
            continue
        statement = module.functions.get(name) or module.constants.get(name)
        if statement is None:
            if name in _OUTSIDE_BUILTINS:
                return NotSelfContained(reason=SnippetReason.REACHES_OUTSIDE, detail=name)
            if name in _BUILTINS:
                continue
            return NotSelfContained(reason=SnippetReason.NEEDS_MORE_OF_FILE, detail=name)
        taken[name] = statement
        waiting.extend(free_names([statement]))
    ordered = sorted(taken.values(), key=lambda one: one.lineno)
    texts = [source_of(statement, module.text) for statement in ordered]
    if sum(text.count("\n") + 1 for text in texts) > _LONGEST:
        return NotSelfContained(reason=SnippetReason.TOO_LONG)
    return sorted(imports), texts


_OF_PYTHON = frozenset(
    [
        "argparse",
        "builtins",
        "datetime",
        "importlib",
        "inspect",
        "io",
        "logging",
        "pathlib",
        "platform",
        "unittest",
    ]
)
"""Of these modules what changed may be asked where the standard library is what is built for; running shows
whether a function gives the same twice."""


def _refused_import(dotted: str, library: str, own: frozenset[str]) -> NotSelfContained | None:
    top = dotted.partition(".")[0]
    if library == STANDARD_LIBRARY and top not in own and (top in _OF_PYTHON or _is_pure(dotted)):
        return None
    if dotted in _OUTSIDE or top in _OUTSIDE:
        return NotSelfContained(reason=SnippetReason.REACHES_OUTSIDE, detail=dotted)
    if top in own and top != library:
        return NotSelfContained(reason=SnippetReason.NEEDS_OWN_PACKAGE, detail=dotted)
    if top == library or top in ("numpy", "scipy") or top in sys.stdlib_module_names:
        return None
    return NotSelfContained(reason=SnippetReason.NEEDS_OTHERS, detail=dotted)


def _is_pure(dotted: str) -> bool:
    """Whether it is of the standard library, and not for files, processes, clocks or the network.

    ``sys.stdlib_module_names`` has no modules that are gone by now; the table has.
    """
    top = dotted.partition(".")[0]
    return in_standard_library(top) and not {dotted, top} & _OUTSIDE


def source_of(statement: ast.stmt, text: str) -> str:
    """A statement as the file has it, its decorators included."""
    first = min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", ()))])
    lines = text.splitlines()[first - 1 : statement.end_lineno]
    return "\n".join(lines)


def assembled(imports: Iterable[str], texts: Iterable[str]) -> str:
    """A whole module of imports, then definitions."""
    head = "\n".join(imports)
    return "\n\n\n".join(part for part in (head, *texts) if part) + "\n"
