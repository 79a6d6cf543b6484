"""Whose method or attribute a function uses, where its source does not tell: learnt by running it.

In a copy of the code each object whose attribute of that name is read is noted before: the copy prints the
classes that it is an instance of. What is printed is text of a stranger, and decides a name alone.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from backdate.mining.literals import parsed
from backdate.snippets.runs import CaseOutcome

_MARK = "<receiver>"
_NOTE = "_note_receiver"
_RECORDER = f"""
def {_NOTE}(value, leaf):
    import sys
    names = []
    for kind in type(value).__mro__[:-1]:
        top = getattr(sys.modules.get(kind.__module__.split(".")[0]), kind.__name__, None)
        module = kind.__module__.split(".")[0] if top is kind else kind.__module__
        names.append("%s.%s" % (module, kind.__name__))
    print("{_MARK} %s %s" % (leaf, " ".join(names)))
    return value
"""


def recording(code: str, leaves: Sequence[str]) -> str:
    """``code`` that notes the object of each of ``leaves``; "" where it reads none of them."""
    tree = parsed(code)
    if tree is None:
        return ""
    noted = _Noting(frozenset(leaves))
    made = ast.unparse(ast.fix_missing_locations(noted.visit(tree)))
    return f"{_RECORDER}\n{made}\n" if noted.found else ""


class _Noting(ast.NodeTransformer):
    def __init__(self, leaves: frozenset[str]) -> None:
        self._leaves = leaves
        self.found = False

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if node.attr in self._leaves and isinstance(node.ctx, ast.Load):
            self.found = True
            given: list[ast.expr] = [node.value, ast.Constant(value=node.attr)]
            node.value = ast.Call(func=ast.Name(id=_NOTE, ctx=ast.Load()), args=given, keywords=[])
        return node


def classes_seen(cases: Sequence[CaseOutcome]) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Of each leaf the classes of every object that was noted, its own first: "pandas.DataFrame"."""
    found: dict[str, dict[tuple[str, ...], None]] = {}
    for case in cases:
        for line in case.printed.splitlines():
            words = line.partition(_MARK)[2].split()
            if len(words) > 1:
                found.setdefault(words[0], {})[tuple(words[1:])] = None
    return {leaf: tuple(those) for leaf, those in found.items()}


def owner_of(seen: Sequence[tuple[str, ...]], owners: Sequence[str], library: str) -> str:
    """The class of ``library`` that all noted objects are of, one of ``owners`` where those are known.

    Owners are dotted, or a class' name alone. "" where an object is of none: the use is of something else.
    """
    named = {owner.rpartition(".")[2] for owner in owners}
    found = []
    for classes in seen:
        own = [one for one in classes if not named or one.rpartition(".")[2] in named]
        own = [one for one in own if not library or one.partition(".")[0] == library]
        if not own:
            return ""
        found.append(own[0])
    return found[0] if found else ""
