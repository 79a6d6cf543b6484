"""Items of lists that name what is built in by now, and is no longer there to be named."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.syntax_edits import edited_files, without_parts

_BUILT_IN = {
    ("jinja2", "3.1"): (
        ("jinja2.ext.with_", "jinja2.ext.autoescape"),
        "the extension is built in",
        "https://jinja.palletsprojects.com/en/stable/changes/#version-3-1-0",
    ),
    ("django", "2.0"): (
        ("django.contrib.auth.middleware.SessionAuthenticationMiddleware",),
        "the middleware is built in",
        "https://docs.djangoproject.com/en/2.0/releases/2.0/",
    ),
}
"""By distribution and release: the names, what became of them, and where that is said."""
_KINDS = (CauseKind.MISSING_ATTRIBUTE, CauseKind.MISSING_NAME, CauseKind.OTHER_ERROR)


def built_in_items(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """The lists of the project without what is built in; None where the error is about something else."""
    if group.cause.kind not in _KINDS:
        return None
    for (distribution, since), (names, known, source) in _BUILT_IN.items():
        leaves = {name.rpartition(".")[2] for name in names}
        about = group.cause.name in leaves or any(name in group.cause.message for name in names)
        if not about or not evidence.moves_past(distribution, since):
            continue
        edits = {}
        for file, text in evidence.texts.items():
            if file not in evidence.kept_files and (made := list(without_items(text, names))):
                edits[file] = made
        if edits:
            return Proposal(
                origin=ProposalOrigin.RESTRUCTURING,
                distribution=distribution,
                file_edits=edited_files(evidence.texts, edits),
                edits_key=f"built in: {', '.join(names)}",
                places=group.places[:1],
                why=(AdviceEvidence(kind=EvidenceKind.KNOWN, text=known, since=since, source=source),),
            )
    return None


def without_items(text: str, names: tuple[str, ...]) -> Iterator[Edit]:
    """The edits that take names, as texts or not, out of the lists and tuples that a file writes out."""
    tree = parsed_or_none(text) if any(name.rpartition(".")[2] in text for name in names) else None
    source, spellings = SourceText(text), set(_spelled(tree, names) if tree is not None else ())
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.List | ast.Tuple | ast.Set):
            continue
        gone = [
            one
            for one in node.elts
            if (isinstance(one, ast.Constant) and one.value in names)
            or (isinstance(one, ast.Attribute) and ast.unparse(one) in spellings)
        ]
        if len(gone) < len(node.elts) or isinstance(node, ast.List):  # no set and no tuple of nothing
            yield from without_parts(node.elts, gone, source)


def _spelled(tree: ast.AST, names: tuple[str, ...]) -> Iterator[str]:
    """How a file spells the names, by what it imports: "jinja2.ext.with_", "ext.with_"."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        package = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            for name in names:
                whole = f"{package}{alias.name}"
                if name.startswith(f"{whole}."):
                    yield (alias.asname or alias.name) + name.removeprefix(whole)
