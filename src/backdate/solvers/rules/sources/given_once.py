"""What gives a variable its value, where only one statement does."""

from __future__ import annotations

from tree_sitter import Node

from backdate.rewriting.names import SourceNames
from backdate.rewriting.source_tree import ancestors

_SCOPES = ("function_definition", "module")


def given_once(names: SourceNames, variable: Node) -> Node | None:
    """The expression that is assigned to a variable in the nearest scope that has it; None where there are
    several, or none that is one value for one name."""
    bindings = names.bindings(names.tree.code(variable))
    for scope in (outer for outer in ancestors(variable) if outer.type in _SCOPES):
        here = [binding.node for binding in bindings if binding.scope == scope]
        if not here:
            continue
        assignment = here[0].parent
        if len(here) > 1 or assignment is None or assignment.type != "assignment":
            return None
        return assignment.child_by_field_name("right")
    return None
