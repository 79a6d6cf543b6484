"""Names that the code has as texts: ``getattr(np, "product")``, ``getattr(series, METHODS[kind])()``.

The rules write another name where the code names what is gone; here the text is what names it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.knowledge.rules import Rule, rules_for
from backdate.rewriting.rewrite import RenameAttribute, ReplaceName, ReplaceUse
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import distribution_of_cause
from backdate.solvers.rules.sources.syntax_edits import edited_files, leaf_of, span_of

_KINDS = frozenset({CauseKind.MISSING_ATTRIBUTE, CauseKind.REMOVED})
_FURTHER = 4
"""Characters of a literal besides its text, at most: a prefix and plain quotes."""


def names_in_texts(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """What the rules write for the missing attribute, in the texts that name it, or in the call that asks."""
    cause = group.cause
    if cause.kind not in _KINDS or not cause.name:
        return
    asking = [place for place in group.places if "getattr(" in _line(place, evidence)]
    made: list[tuple[tuple[SourcePlace, Edit], ...]] = []
    for distribution, rule in _rules(cause, evidence) if asking else ():
        leaf = _other_leaf(rule)
        found = _texts(cause.name, leaf, evidence) if leaf else _calls(rule, asking, evidence)
        edits = tuple(found)
        if edits and edits not in made:
            made.append(edits)
            yield _proposal(rule, distribution, edits, evidence)


def _rules(cause: Cause, evidence: FixEvidence) -> Iterator[tuple[str, Rule]]:
    """The rules for the name, of the library that the error names, or of all where it names none."""
    named = distribution_of_cause(cause)
    for distribution in (named,) if named else sorted(set(evidence.modules.values())):
        old, new = evidence.versions_of(distribution)
        for dotted in (cause.dotted, f".{cause.name}"):
            for rule in rules_for(distribution, dotted, old=old, new=new) if dotted and old and new else ():
                yield distribution, rule


def _proposal(
    rule: Rule, distribution: str, edits: Iterable[tuple[SourcePlace, Edit]], evidence: FixEvidence
) -> Proposal:
    by_file: dict[str, list[Edit]] = {}
    for place, edit in edits:
        by_file.setdefault(place.file, []).append(edit)
    said = rule.words or f"{rule.target} is gone"
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution=distribution,
        file_edits=edited_files(evidence.texts, by_file),
        edits_key=f"{rule.target} by its name as a text",
        places=tuple(dict.fromkeys(place for place, _ in edits)),
        why=(AdviceEvidence(kind=EvidenceKind.KNOWN, text=said, since=rule.since, source=rule.source),),
    )


def _line(place: SourcePlace, evidence: FixEvidence) -> str:
    lines = evidence.texts.get(place.file, "").splitlines()
    return lines[place.line - 1] if 0 < place.line <= len(lines) else ""


def _other_leaf(rule: Rule) -> str:
    """The name that takes the place of another in the same module or class; "" where it is elsewhere."""
    match rule.rewrite:
        case RenameAttribute(new=new):
            return new
        case ReplaceName(old=old, new=new) if old.rpartition(".")[0] == new.rpartition(".")[0]:
            return new.rpartition(".")[2]
        case _:
            return ""


def _texts(name: str, leaf: str, evidence: FixEvidence) -> Iterator[tuple[SourcePlace, Edit]]:
    """The literals in the project's own files that are the name and nothing else."""
    for file, text in evidence.texts.items():
        tree = parsed_or_none(text) if name in text and file not in evidence.kept_files else None
        source = SourceText(text) if tree is not None else None
        for node in ast.walk(tree) if tree is not None else ():
            if source is None or not isinstance(node, ast.Constant) or node.value != name:
                continue
            start, end = span_of(node, source)
            code = text[start:end]
            if len(code) <= len(name) + _FURTHER and name in code:
                yield SourcePlace(file=file, line=node.lineno), Edit(start, end, code.replace(name, leaf))


def _calls(
    rule: Rule, asking: list[SourcePlace], evidence: FixEvidence
) -> Iterator[tuple[SourcePlace, Edit]]:
    """``getattr(x, name)(…)`` as ``getattr(np, name)(x, …)``, where a function of the same name does it."""
    rewrite, leaf = rule.rewrite, rule.target.rpartition(".")[2]
    if not isinstance(rewrite, ReplaceUse):
        return
    package, named, _ = rewrite.template.partition(f".{leaf}({{self}}, {{args}})")
    for place in asking if named else ():
        text = "" if place.file in evidence.kept_files else evidence.texts.get(place.file, "")
        tree, source = parsed_or_none(text), SourceText(text)
        module = _imported_as(tree, package) if tree is not None else ""
        for node in ast.walk(tree) if tree is not None and module else ():
            if not isinstance(node, ast.Call) or not node.lineno <= place.line <= (node.end_lineno or 0):
                continue
            asked = node.func
            if not isinstance(asked, ast.Call) or leaf_of(asked.func) != "getattr" or len(asked.args) != 2:
                continue
            obj, name = (text[slice(*span_of(one, source))] for one in asked.args)
            start, opened = span_of(asked, source)
            given = "" if text[opened + 1 : span_of(node, source)[1] - 1].strip() == "" else ", "
            yield place, Edit(start, opened + 1, f"getattr({module}, {name})({obj}{given}")


def _imported_as(tree: ast.AST, package: str) -> str:
    """The name under which a file imports a package as a whole; "" where it does not."""
    for node in ast.walk(tree):
        for alias in node.names if isinstance(node, ast.Import) else ():
            if alias.name == package:
                return alias.asname or alias.name
    return ""
