"""What a call has to give, or may not give any more, where a signature changed below it. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from backdate.advice import AdviceEvidence, AdvisedChange, EvidenceKind
from backdate.advising.parameters import SignatureParameter, parameters_in
from backdate.advising.project_uses import ProjectUses
from backdate.advising.rule_leads import LEFT_OUT
from backdate.bisection.explained import Explained, called_places
from backdate.bisection.result import ChangedName
from backdate.diagnosis.api import NameChange
from backdate.diagnosis.messages import missing_arguments
from backdate.diagnosis.result import CauseKind

_GIVEN = re.compile(r"\bbut (\d{1,3}) (?:positional arguments? \(and|were given|was given)")
"""How many arguments a call gave by their places, in Python's own message; the object of a method counts."""
_LONGEST = 200
_CONSTRUCTORS = ("__init__", "__new__", "__call__")


TakenBy = Callable[[str, str], str]
"""The method that takes an argument now that a name took before, by that name and the argument's; or ""."""


def changed_calls(
    one: Explained, distribution: str, uses: ProjectUses, taken_by: TakenBy = lambda *_: ""
) -> Iterator[AdvisedChange]:
    """Of an error about the number of arguments, given on a line of the project, which argument it is about.

    One that has no default any more has to be given; one that is not taken any more is left out, or given to
    the method that takes it now; one that is taken only by its name is given so. Nothing where both
    environments' signatures do not tell.
    """
    cause, explanation = one.cause, one.finding.explanations
    places = called_places(one, uses)
    if cause is None or cause.kind is not CauseKind.ARGUMENT_COUNT or explanation is None or not places:
        return
    owner = cause.owner.split(".")
    called = next((part for part in reversed(owner) if part not in _CONSTRUCTORS), "")
    itself = int(owner[-1] in _CONSTRUCTORS)  # the new object counts, and is in no signature of its class
    for changed in explanation.names:
        if changed.change is not NameChange.SIGNATURE or changed.name.rpartition(".")[2] != called:
            continue
        for argument, what in _arguments(changed, cause.name, cause.message, itself):
            now = f"its signature is {changed.new_signature[:_LONGEST]} now"
            taker = taken_by(changed.name, argument) if what == LEFT_OUT else ""
            if taker:
                now = f"which takes {argument}= now; {now}"
            yield AdvisedChange(
                distribution=distribution,
                name=changed.name,
                argument=argument,
                replacement=taker,
                rewrite="" if taker else what,
                places=places,
                evidence=(AdviceEvidence(kind=EvidenceKind.ASKED, text=now),),
            )


def _arguments(changed: ChangedName, missing: str, message: str, itself: int) -> Iterator[tuple[str, str]]:
    """The arguments that a call has to give otherwise, and how. ``missing``: the one that Python misses."""
    old, new = parameters_in(changed.old_signature), parameters_in(changed.new_signature)
    after = {parameter.name: parameter for parameter in new}
    before = {parameter.name: parameter for parameter in old}
    if missing:
        all_of_them = missing_arguments(message)
        for name in dict.fromkeys((missing, *(all_of_them.names if all_of_them is not None else ()))):
            required = name in after and after[name].default is None and not after[name].starred
            if required and (name not in before or before[name].default is not None):
                yield name, "has to be given"
        return
    given = _GIVEN.search(message)
    if given is None or any(parameter.starred for parameter in new):
        return
    for parameter in _by_place(old)[: int(given[1]) - itself]:
        if parameter.name not in after:
            yield parameter.name, LEFT_OUT
        elif after[parameter.name].keyword_only:
            yield parameter.name, "given by its name"


def _by_place(parameters: Sequence[SignatureParameter]) -> list[SignatureParameter]:
    """Those that may be given by their places, up to the first that takes any."""
    names: list[SignatureParameter] = []
    for parameter in parameters:
        if parameter.starred or parameter.keyword_only:
            break
        names.append(parameter)
    return names
