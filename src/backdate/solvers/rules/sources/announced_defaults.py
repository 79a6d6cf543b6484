"""What warnings say of the arguments that calls leave out: how it was, or how it stays as it was."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.editing.python_source import UNPARSABLE, parsed_or_none
from backdate.rewriting.rewrite import AddArgument
from backdate.solvers.rules.executed import statement_around
from backdate.solvers.rules.proposals import FixEvidence
from backdate.solvers.rules.sources.old_behaviour import OldBehaviour, position_of

_ARGUMENT = r"[`'\"]*(?P<argument>[A-Za-z_]\w{0,60})"
_VALUE = r"(?P<old>'[^'\n]{0,40}'|\"[^\"\n]{0,40}\"|[-\w.+]{0,39}\w)"
_OLD = r"(?:current|old|previous|existing|original|legacy|earlier|former)"
_KEEP = r"(?:retain|keep|preserve|maintain|restore|get back)"
_ANNOUNCED = (
    re.compile(
        rf"default (?:value )?(?:of|for) (?:the )?{_ARGUMENT}[`'\"]* "
        r"(?:parameter |argument |keyword )?(?:will (?:be changed?|change)|is changing|changes|changed) "
        rf"from {_VALUE}(?: in (?:version )?v?[\d.]{{1,9}})? to\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\bto {_KEEP}(?: using)? the {_OLD}\b[^\n]{{0,60}}?,? (?:explicitly )?"
        rf"(?:pass|use|set|specify)\b[^=\n]{{0,40}}?(?<![\w.]){_ARGUMENT}={_VALUE}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:pass|use|set|specify)(?: explicitly)? {_ARGUMENT}={_VALUE}[`'\"]* (?:explicitly )?"
        rf"to {_KEEP} (?:the )?{_OLD}\b",
        re.IGNORECASE,
    ),
)
_LONGEST = 1_000
_MOST_CALLS = 3


def announced_defaults(evidence: FixEvidence, pair: EnvironmentPair) -> Iterator[OldBehaviour]:
    """Of calls on executed lines: "The default value of regex will change from True to False", "To retain the
    current behavior and silence the warning, pass 'sort=True'"."""
    for given in evidence.warnings:
        line = " ".join(given.message[:_LONGEST].split())
        found = next(filter(None, (pattern.search(line) for pattern in _ANNOUNCED)), None)
        for place in evidence.executed_of(given.places) if found is not None else ():
            assert found is not None
            value = found["old"]
            try:
                ast.literal_eval(value)
            except (TypeError, *UNPARSABLE):
                value = repr(value)
            text = f"{given.category}: {given.message}"[:240]
            called = tuple(_called_at(place, evidence))
            taking = [one for one in called if _takes(one, found["argument"], place, evidence, pair)]
            for function in taking or called:
                member = None if function.startswith(".") else pair.ask_new((function,)).get(function)
                position = position_of(member, found["argument"]) if member is not None else None
                yield OldBehaviour(
                    rewrite=AddArgument(
                        function=function, argument=found["argument"], value=value, position=position
                    ),
                    distribution=evidence.distribution_of(function),
                    places=(place,),
                    why=AdviceEvidence(kind=EvidenceKind.WARNING, text=text),
                    told=True,
                )


def _takes(
    function: str, argument: str, place: SourcePlace, evidence: FixEvidence, pair: EnvironmentPair
) -> bool:
    """Whether the function, or a method of a class that was seen at ``place``, is known to take it."""
    names = [function]
    if function.startswith("."):
        names = [
            name
            for name, uses in evidence.uses.names.items()
            if uses.of_object and name.endswith(function) and place in uses.places
        ]
    return any(argument in member.keywords for member in pair.ask_new(names).values())


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
