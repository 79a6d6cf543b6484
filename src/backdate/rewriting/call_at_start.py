"""Having a file call a library's function behind its imports: a setting of the whole library."""

from __future__ import annotations

from tree_sitter import Node

from backdate.rewriting.calls import calls_of
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import ImportedName, SourceNames
from backdate.rewriting.rewrite import CallAtStart
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree
from backdate.rewriting.spelling import import_statement, spell

_IMPORTS = frozenset({"import_statement", "import_from_statement"})


def call_at_start(tree: SourceTree, rewrite: CallAtStart, lines: frozenset[int] | None) -> RewrittenSource:
    """The edit that puts the call behind the imports among which the library's first one stands.

    Nothing where ``lines`` are none, where the function is called already, and where the file does not
    import the library on its outermost level: what is imported in a function or a ``try`` is not there for
    the others.
    """
    names = SourceNames(tree)
    package = rewrite.function.partition(".")[0]
    of_library = [one for one in names.imported() if _is_of(tree, one, package)]
    # behind the import of the function's own module, where there is one: it is not loaded with the library
    of_library.sort(key=lambda one: one.dotted != rewrite.function.rpartition(".")[0])
    first = next(iter(of_library), None)
    if first is None or (lines is not None and not lines) or any(calls_of(names, rewrite.function)):
        return RewrittenSource(left=(LeftAlone(reason=LeftAloneReason.NOT_THERE),))
    line = tree.line(first.statement.start_byte)
    spelling = spell(names, rewrite.function, first.statement, first)
    if spelling is None:
        return RewrittenSource(left=(LeftAlone(reason=LeftAloneReason.SHADOWED, line=line),))
    imports = ImportEdits(tree)
    behind = _last_beside(first.statement)
    if spelling.needs is not None:
        imports.add_after(behind, import_statement(spelling.needs))
    imports.add_after(behind, f"{spelling.expression}({rewrite.arguments})")
    return RewrittenSource(edits=tuple(sorted(imports.edits())), lines=(tree.line(behind.start_byte),))


def _is_of(tree: SourceTree, imported: ImportedName, package: str) -> bool:
    outermost = imported.statement.parent == tree.root
    return outermost and f"{imported.module}.".startswith(f"{package}.")


def _last_beside(statement: Node) -> Node:
    """The last of the imports that follow each other from ``statement`` on."""
    last = statement
    following = statement.next_named_sibling
    while following is not None and (following.type in _IMPORTS or following.type == "comment"):
        last = following if following.type in _IMPORTS else last
        following = following.next_named_sibling
    return last
