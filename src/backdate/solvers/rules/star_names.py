"""Names that ``from library import *`` brought and brings no more: nothing but the error tells where from.

The source of such a file says nothing of its names. Where a name is not defined on the new side, the old
environment is asked which of the file's libraries had it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from packaging.utils import canonicalize_name

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.spans import Edit
from backdate.knowledge.changes import PYTHON
from backdate.knowledge.modules import in_standard_library
from backdate.rewriting.names import SourceNames, is_use, module_of_import
from backdate.rewriting.rewrite import ReplaceName, ReplaceUse, about
from backdate.rewriting.source_tree import source_tree
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.syntax_edits import edited_files

_BUILTINS = "builtins."
"""What names stand for that a file binds nowhere."""


def as_missing(group: FailureGroup, evidence: FixEvidence) -> FailureGroup | None:
    """A name that is not defined as one that a library lacks now; None where no star import explains it."""
    had, kept = _brought(group, evidence)
    lost = next((one for one in had if one not in kept), None)
    if lost is None:
        return None
    owner = lost.rpartition(".")[0]
    cause = replace(
        group.cause,
        kind=CauseKind.MISSING_ATTRIBUTE,
        owner=owner,
        owner_is="module",
        distribution=_distribution_of(owner, evidence),
    )
    return replace(group, cause=cause)


def hidden_from_star(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """An import of its own for a name that a module still has and a star does not bring (PEP 562): from where
    the old environment says that it comes, then from that module."""
    had, kept = _brought(group, evidence)
    if not had or set(had) != set(kept) or evidence.pair is None:
        return
    aliases = evidence.pair.homes_of(had).aliases
    homes = [alias for one in had for alias in aliases.get(one, ()) if alias.endswith(f".{group.cause.name}")]
    there = evidence.pair.ask_new(homes) if homes else {}
    place = group.places[0]
    why = AdviceEvidence(kind=EvidenceKind.ASKED, text=f"{had[0]} is there, and import * brings it no more")
    for home in dict.fromkeys((*(one for one in homes if one in there and there[one].present), *had)):
        edit = _import_behind_star(evidence.texts[place.file], had[0].rpartition(".")[0], home)
        if edit is not None:
            yield Proposal(
                origin=ProposalOrigin.NEW_HOME,
                distribution=_distribution_of(had[0].rpartition(".")[0], evidence) or "",
                file_edits=edited_files(evidence.texts, {place.file: (edit,)}),
                edits_key=f"{home} in {place.file}",
                places=(place,),
                why=(why,),
            )


def _import_behind_star(text: str, module: str, home: str) -> Edit | None:
    """``from … import …`` on a line of its own behind ``from module import *``; None without one."""
    tree = source_tree(text)
    for statement in tree.imports:
        star = any(child.type == "wildcard_import" for child in statement.children)
        end = tree.line_end(statement.end_byte)
        if star and module_of_import(tree, statement) == module and text[:end].endswith("\n"):
            newline = "\r\n" if text[:end].endswith("\r\n") else "\n"
            owner, _, name = home.rpartition(".")
            indentation = tree.indentation(statement.start_byte)
            return Edit(end, end, f"{indentation}from {owner} import {name}{newline}")
    return None


def _brought(group: FailureGroup, evidence: FixEvidence) -> tuple[list[str], list[str]]:
    """What a name that is not defined may be that a star brought from the old environment's libraries, and
    what of that the new environment has when asked by name."""
    name, place = group.cause.name, next(iter(group.places), None)
    if group.cause.kind is not CauseKind.UNDEFINED_NAME or evidence.pair is None or place is None or not name:
        return [], []
    wanted = [f"{module}.{name}" for module in _star_modules(evidence.texts.get(place.file, ""))]
    old = evidence.pair.ask_old(wanted)
    had = [one for one in wanted if one in old and old[one].present]
    new = evidence.pair.ask_new(had)
    return had, [one for one in had if one in new and new[one].present]


def for_star_names(proposal: Proposal, missing: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """The same for the bare name, in the file that the error is of; nothing for what is about another name.

    ``missing`` is what ``as_missing`` made of the failures. What the star brings, too, needs no import.
    """
    name = missing.cause.name
    match proposal.rewrite:
        case ReplaceName(old=old) | ReplaceUse(target=old) if old == missing.cause.dotted:
            bare = about(f"{_BUILTINS}{name}", proposal.rewrite)
        case _:
            return
    places = tuple(dict.fromkeys((*missing.places, *_uses_of(name, missing.places[0].file, evidence))))
    if isinstance(bare, ReplaceName):
        module, _, leaf = bare.new.rpartition(".")
        if module in _star_modules(evidence.texts.get(places[0].file, "")):
            yield replace(proposal, rewrite=replace(bare, new=f"{_BUILTINS}{leaf}"), places=places)
    yield replace(proposal, rewrite=bare, places=places)


def _star_modules(text: str) -> tuple[str, ...]:
    if "*" not in text:
        return ()
    tree = source_tree(text)
    if not tree.is_python:
        return ()
    return tuple(module for module in SourceNames(tree).star_modules if not module.startswith("."))


def _uses_of(name: str, file: str, evidence: FixEvidence) -> Iterator[SourcePlace]:
    """Lines of a file that use a name and that the failing tests run."""
    tree = source_tree(evidence.texts.get(file, ""))
    lines = dict.fromkeys(tree.line(node.start_byte) for node in tree.identifiers(name) if is_use(node))
    yield from evidence.executed_of(SourcePlace(file=file, line=line) for line in lines)


def _distribution_of(module: str, evidence: FixEvidence) -> str | None:
    known = evidence.distribution_of(module)
    if known or in_standard_library(module):
        return known or PYTHON
    named = canonicalize_name(module.partition(".")[0])
    return named if named in evidence.versions else None
