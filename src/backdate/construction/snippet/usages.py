"""Code that uses a changed name, as functions that stand alone: of functions, of tests and of doctests."""

from __future__ import annotations

import ast
import doctest
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from backdate.construction.snippet.argument_values import MODULES, guessed_cases, imports_for
from backdate.construction.snippet.changed_apis import ChangedApi
from backdate.construction.snippet.lifting import lift
from backdate.construction.snippet.module_code import (
    ImportBinding,
    ModuleCode,
    NotSelfContained,
    assembled,
    bindings_of,
    free_names,
    needs_of,
    resolve,
)
from backdate.construction.snippet.plain_values import is_plain, plain_variables
from backdate.construction.snippet.prepared import methods_of, with_preparation
from backdate.construction.snippet.reasons import SnippetReason
from backdate.construction.snippet.slices import Slice, blocks_of, slices_of
from backdate.mining.literals import parsed
from backdate.snippets.versions import STANDARD_LIBRARY


class UsageKind(StrEnum):
    """Where a use stands."""

    FUNCTION = "function"
    """A whole function of a package."""
    EXCERPT = "excerpt"
    """The statements of a function that a value needs."""
    TEST = "test"
    DOCTEST = "doctest"
    MODEL = "model"
    """A model wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageOrigin:
    """Whose code it is."""

    distribution: str
    version: str
    file: str
    line: int
    licence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnSnippet:
    """A function that uses a changed name, with what might be its cases; nothing of it has run."""

    code: str
    entry: str
    before: str
    cases: tuple[str, ...]
    names: tuple[str, ...]
    """The keys of the changed names that it uses, the one that it was drawn for first."""
    kind: UsageKind
    origin: UsageOrigin
    document: str = ""
    """What its own text says that it does."""
    migrated: str = ""
    """What is tried as its reference besides the known rewrites: code that a model wrote for the target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedUsage:
    """A use that becomes no snippet."""

    name: str
    kind: UsageKind
    why: NotSelfContained


class ChangedApis:
    """The changed names, found in code."""

    def __init__(self, names: Sequence[ChangedApi]) -> None:
        self._dotted: dict[str, list[ChangedApi]] = {}
        self._attributes: dict[str, list[ChangedApi]] = {}
        for one in names:
            table = self._attributes if one.name.startswith(".") else self._dotted
            table.setdefault(one.name.removeprefix("."), []).append(one)
        self.leaves = frozenset(one.argument or one.name.rpartition(".")[2] for one in names)

    def at(self, node: ast.AST, imports: Mapping[str, ImportBinding]) -> Iterator[ChangedApi]:
        """Those that one node uses."""
        if isinstance(node, ast.Call):
            given = {one.arg for one in node.keywords}
            for one in self._named(node.func, imports):
                if one.argument and (one.argument in given or one.argument == "*"):
                    yield one
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield from (one for one in self._named(node, imports) if not one.argument)

    def _named(self, node: ast.expr, imports: Mapping[str, ImportBinding]) -> Iterator[ChangedApi]:
        dotted = resolve(node, imports)
        yield from self._dotted.get(dotted, ())
        if isinstance(node, ast.Attribute) and not dotted:
            yield from self._attributes.get(node.attr, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveContext:
    """What is known of the archive that a file lies in."""

    library: str
    """The top-level package of the library that changed."""
    own: frozenset[str]
    origin: UsageOrigin
    """Without file and line."""
    of_library: bool
    """Whether it is the library's own archive: only tests and doctests are usages there."""
    modules: frozenset[str] = frozenset(MODULES)
    """Those of ``MODULES`` that values may be made with: both environments have them."""


Found = DrawnSnippet | DroppedUsage


def usages_in(module: ModuleCode, names: ChangedApis, context: ArchiveContext) -> Iterator[Found]:
    """Every use in a file's functions, tests and doctests, as a snippet or with the reason why it is none."""
    tests = is_test(module.path)
    classes = methods_of(module.tree)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            text = ast.get_docstring(node)
            if text and ">>>" in text and any(leaf in text for leaf in names.leaves):
                yield from _in_doctest(text, node, module, names, context)
        if isinstance(node, ast.FunctionDef) and (tests or not context.of_library):
            yield from _in_function(node, module, names, context, classes, in_test=tests)


def is_test(path: str) -> bool:
    """Whether a file of an archive holds tests, by its name or folder."""
    parts = path.lower().split("/")
    return (
        parts[-1].startswith("test")
        or parts[-1].endswith("_test.py")
        or bool({"test", "tests"} & set(parts[:-1]))
    )


def _in_function(
    node: ast.FunctionDef,
    module: ModuleCode,
    names: ChangedApis,
    context: ArchiveContext,
    classes: Mapping[ast.FunctionDef, ast.ClassDef],
    *,
    in_test: bool,
) -> Iterator[Found]:
    imports = dict(module.imports) | _local_imports(node)
    used = _used(node, names, imports)
    if not used:
        return
    if in_test:
        around = classes.get(node)
        body = _body(node) if around is None else with_preparation(node, around)
        given = _parametrised(node)
        yield from _of_slices(body, module, imports, names, context, UsageKind.TEST, node.lineno, given=given)
        return
    if module.functions.get(node.name) is node:
        whole = _whole_function(node, module, context, used)
        yield from whole
        if any(isinstance(one, DrawnSnippet) for one in whole):
            return
    yield from _of_slices(_body(node), module, imports, names, context, UsageKind.EXCERPT, node.lineno)


def _used(node: ast.AST, names: ChangedApis, imports: Mapping[str, ImportBinding]) -> dict[str, ChangedApi]:
    plain = plain_variables(node)
    return {
        one.key: one
        for inner in ast.walk(node)
        for one in names.at(inner, imports)
        if not (one.name.startswith(".") and is_plain(inner, plain))
    }


def _local_imports(node: ast.AST) -> dict[str, ImportBinding]:
    found: dict[str, ImportBinding] = {}
    for one in ast.walk(node):
        if isinstance(one, ast.Import | ast.ImportFrom):
            found.update(bindings_of(one))
    return found


def _body(node: ast.FunctionDef) -> list[ast.stmt]:
    first = node.body[0]
    has_document = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return node.body[1:] if has_document else node.body


def _whole_function(
    node: ast.FunctionDef, module: ModuleCode, context: ArchiveContext, used: Mapping[str, ChangedApi]
) -> list[Found]:
    given = node.args
    asked = [*given.posonlyargs, *given.args]
    asked = asked[: len(asked) - len(given.defaults)]
    no_plain = any(one is None for one in given.kw_defaults) or _yields(node) or bool(node.decorator_list)
    needs = needs_of([node.name], module, library=context.library, own=context.own)
    cases = () if no_plain else guessed_cases(asked, node.body, context.modules)
    why = needs if isinstance(needs, NotSelfContained) else None
    if why is None and not cases:
        why = NotSelfContained(reason=SnippetReason.NO_ARGUMENTS)
    if why is None and not any(isinstance(one, ast.Return) and one.value for one in ast.walk(node)):
        why = NotSelfContained(reason=SnippetReason.NO_RESULT)
    if why is not None or isinstance(needs, NotSelfContained):
        assert why is not None
        return [DroppedUsage(name=key, kind=UsageKind.FUNCTION, why=why) for key in used]
    imports, texts = needs
    document = (ast.get_docstring(node) or "").partition("\n\n")[0]
    return [
        DrawnSnippet(
            code=assembled(imports, texts),
            entry=node.name,
            before=imports_for(cases),
            cases=cases,
            names=tuple(used),
            kind=UsageKind.FUNCTION,
            origin=_origin(context, module.path, node.lineno),
            document=document,
        )
    ]


def _yields(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Yield | ast.YieldFrom | ast.Await) for one in ast.walk(node))


def _origin(context: ArchiveContext, path: str, line: int) -> UsageOrigin:
    known = context.origin
    return UsageOrigin(
        distribution=known.distribution, version=known.version, file=path, line=line, licence=known.licence
    )


def _parametrised(node: ast.FunctionDef) -> tuple[tuple[ast.expr, ast.expr], ...]:
    """What ``pytest.mark.parametrize`` gives the test, as targets of loops over literals."""
    found: list[tuple[ast.expr, ast.expr]] = []
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call) or len(decorator.args) < 2:
            continue
        leaf = decorator.func.attr if isinstance(decorator.func, ast.Attribute) else ""
        names, values = decorator.args[:2]
        if leaf != "parametrize" or not isinstance(names, ast.Constant) or not isinstance(names.value, str):
            continue
        targets = [ast.Name(id=one.strip(), ctx=ast.Store()) for one in names.value.split(",") if one.strip()]
        target: ast.expr = targets[0] if len(targets) == 1 else ast.Tuple(elts=[*targets], ctx=ast.Store())
        found.append((target, values))
    return tuple(found)


def _of_slices(
    body: Sequence[ast.stmt],
    module: ModuleCode,
    imports: Mapping[str, ImportBinding],
    names: ChangedApis,
    context: ArchiveContext,
    kind: UsageKind,
    line: int,
    *,
    given: tuple[tuple[ast.expr, ast.expr], ...] = (),
) -> Iterator[Found]:
    def is_use(node: ast.AST) -> bool:
        return any(True for _ in names.at(node, imports))

    for block in blocks_of(body, given=given):
        for piece in slices_of(block, is_use):
            holder = ast.Module(body=[*piece.statements, ast.Expr(value=piece.result)], type_ignores=[])
            used = _used(holder, names, imports)
            if used:
                yield _of_slice(piece, module, imports, used, context, kind, line)


def _of_slice(
    piece: Slice,
    module: ModuleCode,
    imports: Mapping[str, ImportBinding],
    used: Mapping[str, ChangedApi],
    context: ArchiveContext,
    kind: UsageKind,
    line: int,
) -> Found:
    key, changed = next(iter(used.items()))

    def dropped(reason: SnippetReason, detail: str = "") -> DroppedUsage:
        return DroppedUsage(name=key, kind=kind, why=NotSelfContained(reason=reason, detail=detail))

    entry = f"{(changed.argument.strip('*') or changed.leaf).lower()}_example"
    made = lift(piece, entry, texts=context.library == STANDARD_LIBRARY)
    if made is None:
        return dropped(SnippetReason.NO_ARGUMENTS)
    if _yields(made.definition) or any(
        isinstance(one, ast.Name) and one.id == "self" for one in ast.walk(made.definition)
    ):
        return dropped(SnippetReason.NEEDS_MORE_OF_FILE, "self")
    around = ModuleCode(
        path=module.path,
        text=module.text,
        imports=imports,
        functions=module.functions,
        constants=module.constants,
        others=module.others - set(imports),
        tree=module.tree,
    )
    needs = needs_of(
        free_names([made.definition]),
        around,
        library=context.library,
        own=context.own,
        given=frozenset({entry}),
    )
    if isinstance(needs, NotSelfContained):
        return DroppedUsage(name=key, kind=kind, why=needs)
    wanted, texts = needs
    return DrawnSnippet(
        code=assembled(wanted, [*texts, ast.unparse(made.definition)]),
        entry=entry,
        before=imports_for(made.cases),
        cases=made.cases,
        names=tuple(used),
        kind=kind,
        origin=_origin(context, module.path, line),
    )


def _in_doctest(
    text: str,
    node: ast.FunctionDef | ast.ClassDef | ast.Module,
    module: ModuleCode,
    names: ChangedApis,
    context: ArchiveContext,
) -> Iterator[Found]:
    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return
    body: list[ast.stmt] = []
    for example in examples:
        tree = parsed(example.source)
        if tree is None or example.exc_msg is not None:
            continue
        shown = example.want and len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr)
        body += [_printed(tree.body[0])] if shown else tree.body
    whole = ast.Module(body=body, type_ignores=[])
    imports = {**_usual(context), **_local_imports(whole)}
    if not _used(whole, names, imports):
        return
    line = getattr(node, "lineno", 1)
    empty = ModuleCode(
        path=module.path,
        text=text,
        imports=imports,
        functions={},
        constants={},
        others=frozenset(),
        tree=whole,
    )
    yield from _of_slices(body, empty, imports, names, context, UsageKind.DOCTEST, line)


def _printed(statement: ast.stmt) -> ast.stmt:
    """An expression whose value an example shows, as a call that shows it."""
    if not isinstance(statement, ast.Expr):
        return statement
    value = statement.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print":
        return statement
    called = ast.Call(func=ast.Name(id="print", ctx=ast.Load()), args=[value], keywords=[])
    return ast.copy_location(ast.Expr(value=called), statement)


def _usual(context: ArchiveContext) -> dict[str, ImportBinding]:
    """The abbreviations that examples use without importing them."""
    usual = {"np": "numpy", "nx": "networkx", "pd": "pandas", "sp": "scipy"}
    kept = {short: whole for short, whole in usual.items() if whole in ("numpy", context.library)}
    if context.library != STANDARD_LIBRARY:
        kept[context.library] = context.library
    return {
        local: ImportBinding(
            dotted=whole, statement=f"import {whole}" if local == whole else f"import {whole} as {local}"
        )
        for local, whole in kept.items()
    }
