"""The base classes of classes: one that has to stand behind others, which call it by ``super()``."""

from __future__ import annotations

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.class_bodies import class_with_base
from backdate.rewriting.class_rewrites import BaseBehind
from backdate.rewriting.definitions import mentions_of
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import SourceNames
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree
from backdate.rewriting.spelling import spell_expression


def base_behind(tree: SourceTree, rewrite: BaseBehind, lines: frozenset[int] | None) -> RewrittenSource:
    """The edits of the heads of classes that are on ``lines`` anywhere from their head to their end.

    A class with other base classes that may bring it is left as it is where it does not have the base itself.
    """
    names, imports = SourceNames(tree), ImportEdits(tree)
    edits: list[Edit] = []
    left: list[LeftAlone] = []
    for definition in _classes(names, rewrite.of):
        first, last = tree.line(definition.start_byte), tree.line(definition.end_byte)
        if lines is not None and lines.isdisjoint(range(first, last + 1)):
            continue
        edit = _of_head(names, imports, definition, rewrite)
        if edit is None:
            left.append(LeftAlone(reason=LeftAloneReason.ARGUMENTS, line=first))
        elif edit.replacement != tree.text[edit.start : edit.end]:
            edits.append(edit)
    made = sorted({*edits, *imports.edits()}) if edits else []
    changed = sorted({tree.line(edit.start) for edit in edits})
    return RewrittenSource(edits=tuple(made), lines=tuple(changed), left=tuple(left))


def _classes(names: SourceNames, of: tuple[str, ...]) -> tuple[Node, ...]:
    found = {
        definition.start_byte: definition
        for _, chain in mentions_of(names, of)
        if (definition := class_with_base(chain)) is not None
    }
    return tuple(found[start] for start in sorted(found))


def _of_head(names: SourceNames, imports: ImportEdits, definition: Node, rewrite: BaseBehind) -> Edit | None:
    """The edit of a class's base classes; None where they are more than names, or may bring the base."""
    tree = names.tree
    arguments = definition.child_by_field_name("superclasses")
    given = [child for child in arguments.named_children if child.type != "comment"] if arguments else []
    bases = [child for child in given if child.type in ("identifier", "attribute")]
    if arguments is None or len(bases) != len(given) or len(arguments.named_children) != len(given):
        return None
    meanings = [names.dotted(base).dotted for base in bases]
    last = max(number for number, meaning in enumerate(meanings) if meaning in rewrite.of)
    if rewrite.base in meanings:
        at = meanings.index(rewrite.base)
        if at > last:
            return Edit(arguments.start_byte, arguments.start_byte, "")
        moved = bases.pop(at)
        bases.insert(last, moved)
        texts = [tree.code(base) for base in bases]
    elif all(meaning in rewrite.of for meaning in meanings):
        spelled = spell_expression(names, imports, rewrite.base, definition)
        if spelled is None:
            return None
        texts = [*map(tree.code, bases), spelled]
    else:
        return None
    return Edit(given[0].start_byte, given[-1].end_byte, ", ".join(texts))
