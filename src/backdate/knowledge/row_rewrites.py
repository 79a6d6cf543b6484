"""The rewrites that a row of the tables says: of each name, and of each further edit."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from backdate.knowledge.change_rows import ChangeRow, EditRow
from backdate.rewriting.class_rewrites import BaseBehind, ChangeClassBody, ChangeParameter, attribute_of
from backdate.rewriting.rewrite import (
    AddArgument,
    CallAtStart,
    ChangeArgument,
    DecoratedCoroutine,
    DefineHere,
    DropDecorator,
    NamePositional,
    NeededImport,
    RenameAttribute,
    ReplaceAssignment,
    ReplaceClass,
    ReplaceItem,
    ReplaceName,
    ReplaceUse,
    RespellText,
    Rewrite,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRewrite:
    """One rewrite of a row."""

    target: str
    """What is used, as ``Rule.target``."""
    argument: str = ""
    name: str
    """The row's own name for it."""
    rewrite: Rewrite
    given: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """As ``EditRow.given``."""
    last: bool = False
    """Whether it is tried after all else."""


def rewrites_of_row(row: ChangeRow) -> Iterator[RowRewrite]:
    """Those of its names, and then its edits."""
    yield from _of_names(row)
    yield from _of_edits(row)


def _of_names(row: ChangeRow) -> Iterator[RowRewrite]:
    for name, new in row.names.items():
        if name in row.loosely:
            continue
        if name in row.rewrite:
            target = f".{name}" if row.kind == "method" else f"{row.module}.{name}"
            if row.kind in ("name", "method"):
                rewrite = ReplaceUse(target=target, template=row.rewrite[name])
                yield RowRewrite(target=target, name=name, rewrite=rewrite)
        elif new and row.kind == "name":
            target = f"{row.module}.{name}"
            yield RowRewrite(target=target, name=name, rewrite=ReplaceName(old=target, new=_whole(new)))
        elif new and row.kind == "module":
            yield RowRewrite(target=name, name=name, rewrite=ReplaceName(old=name, new=_whole(new)))
        elif new and row.kind == "method":
            for owner in row.owners:
                renamed = RenameAttribute(old=name, new=new, owner=owner)
                yield RowRewrite(target=f".{name}", name=name, rewrite=renamed)


def _of_edits(row: ChangeRow) -> Iterator[RowRewrite]:
    for edit in row.edits:
        for target in edit.of:
            name = edit.argument or target.rpartition(".")[2]
            yield RowRewrite(
                target=f"{target}{_in_class(edit)}",
                argument=edit.argument,
                name=name,
                rewrite=_rewrite_of(edit, target, row),
                given=edit.given,
                last=edit.last,
            )


def _in_class(edit: EditRow) -> str:
    """What it is in classes made from another that an edit changes, after a dot; "" for what is used."""
    inside = edit.within or next((attribute_of(key) for key in edit.attributes), "")
    return f".{'__bases__' if edit.base_behind else inside}" if edit.base_behind or inside else ""


def _rewrite_of(edit: EditRow, target: str, row: ChangeRow) -> Rewrite:
    return _in_its_place(edit, target, row) or _of_definitions(edit, target) or _of_arguments(edit, target)


def _in_its_place(edit: EditRow, target: str, row: ChangeRow) -> Rewrite | None:
    """What takes the place of the name itself, of its uses or of what is read of it."""
    if edit.name and edit.members:
        members = tuple(edit.members.items())
        return ReplaceClass(old=target, new=_whole(edit.name), members=members)
    if edit.name:
        return ReplaceName(old=target, new=_whole(edit.name))
    if edit.attribute:
        owner = row.owners[0] if len(row.owners) == 1 else ""
        old = target.removeprefix(".")
        return RenameAttribute(old=old, new=edit.attribute, owner=owner, around=edit.around)
    if edit.template:
        return ReplaceUse(
            target=target,
            template=edit.template,
            called=edit.called,
            defaults=edit.defaults,
            context=edit.context,
            only=edit.only,
            begins=edit.begins,
            assigns=edit.assigns,
            unpacked=edit.unpacked,
            alone=edit.alone,
            drops_arguments=edit.drops_arguments,
            keyed=edit.keyed,
            tested=edit.tested,
        )
    if edit.assigned:
        return ReplaceAssignment(target=target, template=edit.assigned, owned_as=edit.assigns)
    if edit.item:
        return ReplaceItem(target=target, template=edit.item, then=edit.then)
    return None


def _of_definitions(edit: EditRow, target: str) -> Rewrite | None:
    """What becomes of classes, functions, files and texts."""
    if edit.takes or edit.drops:
        return ChangeParameter(of=edit.of, methods=edit.methods, adds=edit.takes, drops=edit.drops)
    if edit.attributes or edit.body:
        attributes = tuple(edit.attributes.items())
        return ChangeClassBody(of=edit.of, within=edit.within, attributes=attributes, adds=edit.body)
    if edit.base_behind:
        return BaseBehind(of=edit.of, base=edit.base_behind)
    if edit.at_start:
        return CallAtStart(function=edit.at_start, arguments=edit.value)
    if edit.defines:
        return _defined(edit.defines, target)
    if edit.texts:
        return RespellText(texts=tuple(edit.texts.items()))
    if edit.coroutines:
        return DecoratedCoroutine(decorator=target)
    if edit.undecorates:
        return DropDecorator(decorator=target)
    return None


def _of_arguments(edit: EditRow, target: str) -> Rewrite:
    beside = tuple(edit.beside.items())
    if edit.adds:
        return AddArgument(
            function=target, argument=edit.adds, value=edit.value, position=edit.position, beside=beside
        )
    if edit.positional:
        return NamePositional(function=target, names=edit.positional)
    return ChangeArgument(
        function=target,
        argument=edit.argument,
        new=edit.becomes,
        value=edit.value,
        only_value=edit.only_value,
        beside=beside,
    )


def _defined(text: str, target: str) -> DefineHere:
    head, separator, definition = text.strip().partition("def ")
    imports = []
    for statement in filter(None, map(str.strip, head.splitlines())):
        module, _, name = statement.removeprefix("from ").removeprefix("import ").partition(" import ")
        dotted = f"{module}.{name}" if name else module
        local = name or module.partition(".")[0]
        imports.append(NeededImport(statement=statement, local=local, dotted=dotted))
    return DefineHere(
        name=target,
        definition=f"{separator}{definition}",
        binds=(target.rpartition(".")[2],),
        imports=tuple(imports),
    )


def _whole(name: str) -> str:
    """A builtin with its module."""
    return f"builtins.{name}" if hasattr(builtins, name) else name
