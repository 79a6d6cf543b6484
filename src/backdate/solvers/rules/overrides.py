"""Methods of the project that stand in the place of a library's, which calls them otherwise now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.parameters import SignatureParameter, parameters_of
from backdate.diagnosis.api import Member
from backdate.rewriting.names import SourceNames
from backdate.rewriting.source_tree import SourceTree, source_tree

_MOST_FILES = 200
_MOST_METHODS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """A method, and that of a library which it stands in for."""

    place: SourcePlace
    """Of its ``def``."""
    owner: str
    """The project's class."""
    base: str
    """The library's class, dotted, which it is made from."""
    method: str
    parameters: tuple[str, ...]
    """Of the method, without its object; stars included."""

    @property
    def overridden(self) -> str:
        """The library's method."""
        return f"{self.base}.{self.method}"

    @property
    def takes_any(self) -> bool:
        """Whether it takes whatever keyword it is given."""
        return any(one.startswith("**") for one in self.parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedOverride:
    """An override whose library's method has other parameters now."""

    override: Override
    came: tuple[SignatureParameter, ...]
    """What the library's method takes now and did not; of what the override does not take."""
    gone: tuple[str, ...]
    """What it took and takes no more; of what the override takes."""
    was_there: bool
    """Whether the library had the method before."""


def overrides_in(file: str, text: str) -> Iterator[Override]:
    """The methods of a file's classes that are made from classes of other modules."""
    tree = source_tree(text)
    if not tree.is_python:
        return
    names = SourceNames(tree)
    for definition, owner in _classes(tree.root):
        for base in _bases(names, definition):
            for method in _methods(definition):
                name = method.child_by_field_name("name")
                parameters = _parameters(tree, method)
                if name is not None and parameters is not None:
                    yield Override(
                        place=SourcePlace(file=file, line=tree.line(method.start_byte)),
                        owner=tree.code(owner),
                        base=base,
                        method=tree.code(name),
                        parameters=parameters,
                    )


def changed_overrides(texts: Mapping[str, str], pair: EnvironmentPair) -> Iterator[ChangedOverride]:
    """Those of all files whose library's method has other parameters now. Raises SandboxUnavailable."""
    found = [
        override
        for file, text in list(texts.items())[:_MOST_FILES]
        if "class " in text
        for override in overrides_in(file, text)
    ][:_MOST_METHODS]
    before = pair.ask_old(dict.fromkeys(one.overridden for one in found)) if found else {}
    # what the library did not have stood in for nothing; by now it may call that
    known = [name for name, member in before.items() if member.signature or not member.present]
    after = pair.ask_new(known) if known else {}
    for one in found:
        old, new = before.get(one.overridden), after.get(one.overridden)
        if old is not None and new is not None and new.present and new.signature:
            changed = _changed(one, old, new)
            if changed.came or changed.gone:
                yield changed


def _changed(one: Override, old: Member, new: Member) -> ChangedOverride:
    had = {each.name: each for each in parameters_of(old, bound=True)} if old.present else {}
    has = {each.name: each for each in parameters_of(new, bound=True)}
    own = {name.lstrip("*") for name in one.parameters}
    came = [each for name, each in has.items() if name not in had and name not in own and not each.starred]
    gone = [name for name, each in had.items() if name not in has and name in own and not each.starred]
    came = [] if one.takes_any else came
    return ChangedOverride(override=one, came=tuple(came), gone=tuple(gone), was_there=old.present)


def _classes(root: Node) -> Iterator[tuple[Node, Node]]:
    """The classes of the outermost level, with their names."""
    for one in root.named_children:
        node = one.child_by_field_name("definition") if one.type == "decorated_definition" else one
        name = node.child_by_field_name("name") if node is not None else None
        if node is not None and node.type == "class_definition" and name is not None:
            yield node, name


def _bases(names: SourceNames, definition: Node) -> Iterator[str]:
    """The dotted base classes of other modules."""
    given = definition.child_by_field_name("superclasses")
    for base in given.named_children if given is not None else ():
        meaning = names.dotted(base)
        if "." in meaning.dotted and not meaning.dotted.startswith(".") and not meaning.shadowed:
            yield meaning.dotted


def _methods(definition: Node) -> Iterator[Node]:
    """The methods of a class that nothing decorates."""
    body = definition.child_by_field_name("body")
    return (one for one in (body.named_children if body else ()) if one.type == "function_definition")


def _parameters(tree: SourceTree, method: Node) -> tuple[str, ...] | None:
    """The names of its parameters behind the object's; None where it has none."""
    given = method.child_by_field_name("parameters")
    found = []
    for one in given.named_children if given is not None else ():
        name = one.child_by_field_name("name") or one
        if one.type != "comment":
            found.append(tree.code(name).partition(":")[0].strip())
    return tuple(found[1:]) if found else None
