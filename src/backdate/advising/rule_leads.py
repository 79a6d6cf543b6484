"""The rules of the knowledge tables as advice: what takes the place of a name, and what mends an error."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.knowledge.rules import Rule, rules_behind, rules_for, rules_of, value_rules_of
from backdate.rewriting.rewrite import (
    AddArgument,
    ChangeArgument,
    RenameAttribute,
    ReplaceAssignment,
    ReplaceName,
    ReplaceUse,
    Rewrite,
)

if TYPE_CHECKING:
    from backdate.advising.project_uses import CallShape

LEFT_OUT = "left out"
"""What is done to an argument, or to a call around an object, that goes without a successor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleAdvice:
    """What a rule says to write, as advice words it."""

    target: str
    """What is used: dotted, or after a dot an attribute of any object."""
    argument: str
    replacement: str
    """The dotted name, or the argument, that takes its place; "" where it is more than a name."""
    rewrite: str
    """A template, where it is more than a name."""
    evidence: AdviceEvidence
    adds: str = ""
    """The argument that a call is given, where it has not got it."""


def advice_for(
    distribution: str,
    name: str,
    argument: str = "",
    *,
    old: str = "",
    new: str = "",
    calls: Sequence[CallShape] = (),
) -> Iterator[RuleAdvice]:
    """What the rules say of a name, or of its keyword argument, in a move from release ``old`` to ``new``.

    ``calls``: how the project calls it. Rules that can carry over more of them come first, and one that can
    carry over none says nothing.
    """
    found = list(rules_for(distribution, name, argument=argument, old=old, new=new))
    carried = [sum(_carries_over(rule.rewrite, call) for call in calls) for rule in found]
    for number in sorted(range(len(found)), key=lambda number: -carried[number]):
        if carried[number] or not calls:
            yield _advice(found[number], name)


def _carries_over(rewrite: Rewrite, call: CallShape) -> bool:
    """Whether what a call gives has its place in a rewrite; only templates of calls are about that."""
    if not isinstance(rewrite, ReplaceUse) or not rewrite.called or call.starred:
        return True
    from backdate.rewriting.template import placeholders_of  # with a parser, where calls are known

    wanted = {*placeholders_of(rewrite.template), *placeholders_of(rewrite.context)} - {"self"}
    given = {str(number) for number in range(call.positional)} | call.keywords
    missing = wanted - given - set(rewrite.defaults) - {"args"}
    return not missing and ("args" in wanted or rewrite.drops_arguments or given <= wanted)


def advice_behind(distribution: str, message: str, *, old: str = "", new: str = "") -> Iterator[RuleAdvice]:
    """What the rules say that recognise an error by its line, "TypeError: load() missing …"."""
    for rule in rules_behind(distribution, message, old=old, new=new):
        yield _advice(rule, rule.target)


def advice_of_values(distribution: str, *, old: str, new: str) -> Iterator[RuleAdvice]:
    """What the rules say of calls that give another value without a word since a release between these."""
    for rule in value_rules_of(distribution, old=old, new=new):
        yield _advice(rule, rule.target)


def advice_in_warning(distribution: str, text: str, *, old: str = "", new: str = "") -> Iterator[RuleAdvice]:
    """What the rules say of the attributes that a warning names as such: "request.is_ajax() is …"."""
    for rule in rules_of(distribution, old=old, new=new):
        leaf = rule.target.removeprefix(".")
        of_objects = rule.target == f".{leaf}" and not rule.argument and not rule.row.of_value
        of_objects = of_objects and not isinstance(rule.rewrite, ReplaceAssignment)  # lines may only read it
        if of_objects and re.search(rf"(?:\.{re.escape(leaf)}|(?<!\w){re.escape(leaf)}\()(?!\w)", text):
            yield _advice(rule, rule.target)


def _advice(rule: Rule, name: str) -> RuleAdvice:
    replacement, rewrite = _written(rule, name)
    return RuleAdvice(
        target=rule.target,
        argument=rule.argument,
        replacement=replacement,
        rewrite=rewrite,
        evidence=AdviceEvidence(
            kind=EvidenceKind.KNOWN, text=rule.words, since=rule.since, source=rule.source
        ),
        adds=rule.rewrite.argument if isinstance(rule.rewrite, AddArgument) else "",
    )


def _written(rule: Rule, name: str) -> tuple[str, str]:
    """The name that is written instead of ``name``, and the template where a name is not all."""
    rewrite = rule.rewrite
    match rewrite:
        case ReplaceName():  # of something within a module or class that is called otherwise, the same in it
            return f"{rewrite.new}{name.removeprefix(rewrite.old)}", ""
        case RenameAttribute(around=around) if around:
            return "", f"{{self}}.{rewrite.new}, with @{around} below it"
        case RenameAttribute():
            return rewrite.new, ""
        case ReplaceUse():
            return "", LEFT_OUT if rewrite.template == "{self}" else rewrite.template
        case ChangeArgument() if rewrite.only_value:
            return "", f"{_argument_written(rewrite)} where it is {rewrite.only_value}"
        case ChangeArgument() if not rewrite.new:
            return "", LEFT_OUT
        case ChangeArgument() if rewrite.value and rewrite.value != "{value}":
            return "", _argument_written(rewrite)
        case ChangeArgument():
            return rewrite.new, ""
        case _:
            from backdate.rewriting.in_words import in_words

            return "", in_words(rewrite)


def _argument_written(change: ChangeArgument) -> str:
    if not change.new:
        return LEFT_OUT
    return f"{change.new}={change.value}" if change.value and change.value != "{value}" else f"{change.new}="
