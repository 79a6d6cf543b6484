"""Proposals for code that catches an error of a library that is one of another class now.

Where the tests passed, an error of one class reached a line, and the code around it caught it. Now one of
another class comes from the same line, and nobody catches it: ``sqlite3.Warning`` is
``sqlite3.ProgrammingError`` since Python 3.12. Or the class is the same, and what is caught is none of those
that it is made from any more. That class is added to what is caught.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator

from tree_sitter import Node

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.spans import Edit, apply_edits
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import SourceNames
from backdate.rewriting.source_tree import SourceTree, ancestors, source_tree
from backdate.rewriting.spelling import spell_expression
from backdate.solvers.rules.executed import statement_around
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import library_behind

_KINDS = (CauseKind.CHANGED_TYPE, CauseKind.CHANGED_VALUE, CauseKind.OTHER_ERROR)
"""Of code that uses what is not there any more something else has to be written."""
_MOST_PLACES = 6
_FUNCTIONS = ("function_definition", "lambda", "class_definition")
_OF_EVERYTHING = frozenset({"Exception", "BaseException", "object"})


def errors_of_other_classes(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """The class of the error beside that which the same line raised before, where that one was caught."""
    raised = group.cause.type
    if group.cause.kind not in _KINDS or not _is_public(raised, evidence):
        return
    before = frozenset(kind for place in group.raised_at for kind in raised_before(place, evidence))
    caught = _caught_before(raised, before, evidence)
    for place in dict.fromkeys((*group.raised_at, *group.places[:_MOST_PLACES])) if caught else ():
        text = evidence.texts.get(place.file, "")
        edited = "" if place.file in evidence.kept_files else _catching(text, place.line, caught, raised)
        if edited:
            yield Proposal(
                origin=ProposalOrigin.RESTRUCTURING,
                distribution=library_behind(group, evidence),
                file_edits=(FileEdit(file=place.file, text=edited),),
                edits_key=f"{raised} caught around {place.file}:{place.line}",
                places=(place,),
                why=(AdviceEvidence(kind=EvidenceKind.ASKED, text=_seen(place, raised, before, caught)),),
                last=True,
            )
            return


def _caught_before(raised: str, before: frozenset[str], evidence: FixEvidence) -> tuple[frozenset[str], ...]:
    """The classes that caught what came from the line, those of the likeliest errors first."""
    if not before:
        return ()
    old = evidence.pair.ask_old(sorted(before)) if evidence.pair is not None else {}
    above = {
        kind: frozenset(old[kind].bases if kind in old and old[kind].present else _built_in_bases(kind))
        for kind in sorted(before)
    }
    if raised in before:
        new = evidence.pair.ask_new([raised]).get(raised) if evidence.pair is not None else None
        lost = above[raised].difference(new.bases) if new is not None and new.present else frozenset[str]()
        return (lost - _OF_EVERYTHING,) if lost else ()
    alike = [kind for kind in before if kind.partition(".")[0] == raised.partition(".")[0]]
    orders = [alike, before] if 0 < len(alike) < len(before) else [before]
    return tuple(
        frozenset(one for kind in order for one in (kind, *above[kind])) - _OF_EVERYTHING for order in orders
    )


def _built_in_bases(kind: str) -> tuple[str, ...]:
    known = getattr(builtins, kind, None)
    return tuple(base.__name__ for base in known.__mro__[1:]) if isinstance(known, type) else ()


def _seen(place: SourcePlace, raised: str, before: frozenset[str], caught: tuple[frozenset[str], ...]) -> str:
    if raised in before:
        return f"{raised} is no {', '.join(sorted(caught[0]))} any more"
    known = ", ".join(sorted(before))
    return f"{place.file}:{place.line} raised {known} where the tests passed, and raises {raised}"


def _is_public(raised: str, evidence: FixEvidence) -> bool:
    """Whether code can name the class, and it is no class of the project."""
    if "." not in raised:
        return hasattr(builtins, raised)
    known = evidence.distribution_of(raised) or raised.partition(".")[0] in evidence.packages
    return bool(known) and not any(part.startswith("_") for part in raised.split("."))


def raised_before(place: SourcePlace, evidence: FixEvidence) -> Iterator[str]:
    """The classes of the errors that reached the same statement where the tests passed."""
    text = evidence.texts.get(place.file, "")
    # Python before 3.8 names another line of a call of several
    around = statement_around(text, place.line)
    code = {line.strip() for line in text.split("\n")[around.start - 1 : around.stop - 1]} - {""}
    for seen in evidence.errors:
        last = seen.chain[-1] if seen.chain else None
        frames = last.frames[:1] if last is not None and seen.file == place.file else ()
        if last is not None and any(frame.source in code for frame in frames):
            yield last.type


def _catching(text: str, line: int, before: tuple[frozenset[str], ...], raised: str) -> str:
    """``text`` in which what catches the classes ``before`` around a line, the likeliest first, catches
    ``raised`` as well; "" where nothing catches them."""
    tree = source_tree(text)
    start = tree.offset_of_line(line)
    node = None if start is None else tree.root.descendant_for_byte_range(start, start)
    if not tree.is_python or node is None:
        return ""
    names, imports = SourceNames(tree), ImportEdits(tree)
    around = list(_caught_around(names, node))
    leaves = [frozenset(one.rpartition(".")[2] for one in classes) for classes in before]
    caught = next((one for known in leaves for one in around if _has_one(tree, one, known)), None)
    if caught is None:
        return ""
    spelt = spell_expression(names, imports, raised, caught)
    if not spelt or tree.code(caught) == spelt:
        return ""
    return apply_edits(text, sorted([_with_class(tree, caught, spelt), *imports.edits()]))


def _caught_around(names: SourceNames, node: Node) -> Iterator[Node]:
    """What the statements around a node catch, the innermost first: a class, or a tuple of them; of a
    ``contextlib.suppress`` each of its arguments."""
    inner = node
    for outer in ancestors(node):
        if outer.type in _FUNCTIONS:
            return
        if outer.type == "try_statement" and outer.child_by_field_name("body") == inner:
            for clause in outer.children:
                value = clause.child_by_field_name("value") if clause.type == "except_clause" else None
                if value is not None:
                    yield value.named_children[0] if value.type == "as_pattern" else value
        elif outer.type == "with_statement" and outer.child_by_field_name("body") == inner:
            yield from _suppressed(outer, names)
        inner = outer


def _suppressed(statement: Node, names: SourceNames) -> Iterator[Node]:
    clause = next((one for one in statement.children if one.type == "with_clause"), None)
    for item in clause.named_children if clause is not None else ():
        call = item.child_by_field_name("value")
        function = call.child_by_field_name("function") if call is not None and call.type == "call" else None
        given = call.child_by_field_name("arguments") if call is not None else None
        if function is None or given is None or names.dotted(function).dotted != "contextlib.suppress":
            continue
        yield from given.named_children


def _has_one(tree: SourceTree, caught: Node, leaves: frozenset[str]) -> bool:
    """Whether one of these classes is caught there, by its own name; what catches everything is no such."""
    named = caught.named_children if caught.type == "tuple" else [caught]
    found = {tree.code(one).rpartition(".")[2] for one in named}
    return not found.isdisjoint(leaves) and found.isdisjoint(_OF_EVERYTHING)


def _with_class(tree: SourceTree, caught: Node, spelt: str) -> Edit:
    """The class behind those that are caught already."""
    if caught.type == "tuple":
        last = caught.named_children[-1].end_byte
        return Edit(last, last, f", {spelt}")
    if caught.parent is not None and caught.parent.type == "argument_list":
        return Edit(caught.end_byte, caught.end_byte, f", {spelt}")
    return Edit(caught.start_byte, caught.end_byte, f"({tree.code(caught)}, {spelt})")
