"""Proposals for calls that do something else, as an argument that they leave out has another default now."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.parameters import SignatureParameter, parameters_of
from backdate.advising.project_uses import NameUses
from backdate.diagnosis.api import Member
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import UNPARSABLE, parsed_or_none
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import AddArgument
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.executed import statement_around
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin

_KINDS = frozenset(
    {
        CauseKind.ASSERTION,
        CauseKind.CHANGED_TYPE,
        CauseKind.CHANGED_VALUE,
        CauseKind.OTHER_ERROR,
        CauseKind.WARNING_AS_ERROR,
    }
)
_SENTINELS = frozenset({"'warn'", "'deprecated'", "'auto_deprecated'", "'raise-deprecating'", "'no_default'"})
"""Defaults that say that nothing was given, and mean something else."""
_ANNOUNCED = re.compile(
    r"default (?:value )?(?:of|for) [`'\"]?(?P<argument>\w{1,60})[`'\"]? "
    r"(?:parameter |argument |keyword )?(?:will (?:be changed?|change)|is changing|changes|changed) "
    r"from (?P<old>'[^'\n]{0,40}'|\"[^\"\n]{0,40}\"|[\w.+-]{1,40}) to\b",
    re.IGNORECASE,
)
_MOST_NAMES = 300
_MOST_CALLS = 3
_MOST = 8
"""Changes that are proposed, the likeliest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _OldDefault:
    """An argument that calls at ``places`` leave out, and what it was then."""

    rewrite: AddArgument
    distribution: str
    places: tuple[SourcePlace, ...]
    why: AdviceEvidence
    announced: bool
    on_failing_lines: bool


class ChangedDefaultSource:
    """The defaults of what the failing tests run, in both environments, and what warnings said of them."""

    origin = ProposalOrigin.CHANGED_DEFAULT

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``: all old defaults at once, then each by itself.

        Nobody can tell which of them a value hangs on; what is superfluous goes when the patch is minimised.
        Those that a warning announced come first, alone. An error that is no assertion is about them and its
        own lines.
        """
        if evidence.pair is None or group.cause.kind not in _KINDS:
            return ()
        told = tuple(_announced(evidence, evidence.pair))
        known = {(one.rewrite.function, one.rewrite.argument) for one in told}
        asked = _old_defaults(group, evidence, evidence.pair)
        others = (one for one in asked if (one.rewrite.function, one.rewrite.argument) not in known)
        found = (*told, *others)
        if group.cause.kind is not CauseKind.ASSERTION:
            found = tuple(one for one in found if one.announced or one.on_failing_lines)
        ordered = sorted(found, key=lambda one: (not one.announced, not one.on_failing_lines))[:_MOST]
        announced = [one for one in ordered if one.announced]
        batches = [announced, ordered] if len(announced) < len(ordered) else [ordered]
        at_once = [one for batch in batches for one in _made(batch, evidence)]
        return (*at_once, *(_alone(one) for one in ordered))


def _made(batch: Sequence[_OldDefault], evidence: FixEvidence) -> Iterator[Proposal]:
    if len(batch) == 1:
        yield _alone(batch[0])
    elif batch:
        yield from _together(batch, evidence)


def _alone(one: _OldDefault) -> Proposal:
    return Proposal(
        origin=ProposalOrigin.CHANGED_DEFAULT,
        distribution=one.distribution,
        rewrite=one.rewrite,
        places=one.places,
        why=(one.why,),
    )


def _old_defaults(group: FailureGroup, evidence: FixEvidence, pair: EnvironmentPair) -> Iterator[_OldDefault]:
    used = dict(list(_used(evidence))[:_MOST_NAMES])
    old = pair.ask_old(used) if used else {}
    new = pair.ask_new([name for name, member in old.items() if member.present]) if old else {}
    for name, (uses, places) in used.items():
        before, after = old.get(name), new.get(name)
        if before is None or after is None or not (before.present and after.present):
            continue
        distribution = evidence.distribution_of(name)
        for argument, value, why in _changes(before, after, uses):
            leaf = name.rpartition(".")[2]
            given = uses.keywords.get(argument, {})
            left_out = tuple(place for place in places if place not in given)
            if left_out:
                yield _OldDefault(
                    rewrite=AddArgument(
                        function=f".{leaf}" if uses.of_object else name,
                        argument=argument,
                        value=value,
                        position=_position(after, argument, bound=uses.of_object),
                    ),
                    distribution=distribution,
                    places=left_out,
                    why=why,
                    announced=False,
                    on_failing_lines=not set(left_out).isdisjoint(group.places),
                )


def _position(member: Member, argument: str, *, bound: bool = False) -> int | None:
    """Where a call may give it by position instead, from 0."""
    taken = enumerate(parameters_of(member, bound=bound))
    return next((at for at, one in taken if one.name == argument and not one.keyword_only), None)


def _used(evidence: FixEvidence) -> Iterator[tuple[str, tuple[NameUses, tuple[SourcePlace, ...]]]]:
    """What executed lines use of distributions that moved, and where."""
    for name, uses in evidence.uses.names.items():
        if evidence.distribution_of(name) in evidence.versions and "." in name:
            places = evidence.executed_of(uses.places)
            if places:
                yield name, (uses, tuple(dict.fromkeys(places)))


def _changes(before: Member, after: Member, uses: NameUses) -> Iterator[tuple[str, str, AdviceEvidence]]:
    """Arguments with another default, with what it was, and why."""
    taken = _by_name(after, uses)
    for argument, was in _by_name(before, uses).items():
        now = taken.get(argument)
        if now is None or was.default is None or now.default is None:
            continue
        if was.literal and now.literal and _differ(argument, was.default, now.default):
            text = f"the default of {argument} in {before.name} was {was.default} and is {now.default}"
            yield argument, was.default, AdviceEvidence(kind=EvidenceKind.ASKED, text=text)


def _differ(argument: str, old: str, new: str) -> bool:
    """Whether calls that leave it out may do something else."""
    if old in _SENTINELS or argument == "copy":  # whether memory is shared shows in no value
        return False
    was, now = ast.literal_eval(old), ast.literal_eval(new)
    return was != now and (bool(was) or bool(now))  # 1 is True


def _by_name(member: Member, uses: NameUses) -> Mapping[str, SignatureParameter]:
    return {
        one.name: one
        for one in parameters_of(member, bound=uses.of_object)
        if not one.starred and not one.positional_only
    }


def _announced(evidence: FixEvidence, pair: EnvironmentPair) -> Iterator[_OldDefault]:
    """What warnings say of calls on executed lines: "The default value of regex will change from True"."""
    for given in evidence.warnings:
        found = _ANNOUNCED.search(given.message[:1000])
        for place in evidence.executed_of(given.places) if found is not None else ():
            assert found is not None
            value = found["old"]
            try:
                ast.literal_eval(value)
            except (TypeError, *UNPARSABLE):
                value = repr(value)
            text = f"{given.category}: {given.message}"[:240]
            for function in _called_at(place, evidence):
                is_method = function.startswith(".")
                member = None if is_method else pair.ask_new((function,)).get(function)
                position = _position(member, found["argument"]) if member is not None else None
                yield _OldDefault(
                    rewrite=AddArgument(
                        function=function, argument=found["argument"], value=value, position=position
                    ),
                    distribution=evidence.distribution_of(function),
                    places=(place,),
                    why=AdviceEvidence(kind=EvidenceKind.WARNING, text=text),
                    announced=True,
                    on_failing_lines=True,
                )


def _called_at(place: SourcePlace, evidence: FixEvidence) -> Iterator[str]:
    """What the statement at ``place`` calls: functions by their dotted names, methods as ".replace"."""
    text = evidence.texts.get(place.file, "")
    around = statement_around(text, place.line)
    dotted = {
        name.rpartition(".")[2]: name
        for name, uses in evidence.uses.names.items()
        if not uses.of_object and any(one.file == place.file and one.line in around for one in uses.places)
    }
    tree = parsed_or_none(text)
    called: dict[str, None] = {}
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and node.lineno in around:
            function = node.func
            leaf = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if leaf in dotted or isinstance(function, ast.Attribute):
                called[dotted.get(leaf, f".{leaf}")] = None
    yield from list(called)[:_MOST_CALLS]


def _together(found: Sequence[_OldDefault], evidence: FixEvidence) -> Iterator[Proposal]:
    """All of them as one change."""
    texts: dict[str, str] = {}
    for one in found:
        for file in dict.fromkeys(place.file for place in one.places):
            text = texts.get(file, evidence.texts.get(file, ""))
            if text.count("\n") != evidence.texts.get(file, "").count("\n"):
                continue  # an import was added, and the lines are others
            lines = frozenset(place.line for place in one.places if place.file == file)
            texts[file] = apply_edits(text, rewrite_source(text, one.rewrite, lines=lines).edits)
    edits = tuple(
        FileEdit(file=file, text=text)
        for file, text in sorted(texts.items())
        if text != evidence.texts.get(file, "")
    )
    if not edits:
        return
    named = sorted(f"{one.rewrite.function}({one.rewrite.argument}={one.rewrite.value})" for one in found)
    yield Proposal(
        origin=ProposalOrigin.CHANGED_DEFAULT,
        distribution=found[0].distribution if len({one.distribution for one in found}) == 1 else "",
        file_edits=edits,
        edits_key=f"old defaults: {', '.join(named)}",
        places=tuple(dict.fromkeys(place for one in found for place in one.places)),
        why=tuple(one.why for one in found),
    )
