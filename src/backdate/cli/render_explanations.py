"""What the culprits' releases say about the change, as text."""

from __future__ import annotations

from collections.abc import Iterator

from backdate.bisection.result import ChangedName, Explanation
from backdate.cli.render import Line
from backdate.diagnosis.api import NameChange
from backdate.output.advice_text import places_in_line

_MOST_LINES = 5
_WORDS = {
    NameChange.GONE: "is gone",
    NameChange.MOVED: "is gone",
    NameChange.SIGNATURE: "has another signature",
    NameChange.APPEARED: "is new",
}


def explanations_lines(explanations: Explanation) -> Iterator[Line]:
    """Warnings, changelog and names, each with where it was said."""
    given = {f"{one.category}: {one.message}" for one in explanations.warnings[:_MOST_LINES]}
    for name in explanations.names:
        if name.change is NameChange.SAME:
            continue  # of an older result: it says nothing of the change
        yield f"  Name: {_name(name)}", ""
        for warned in name.warned[:1]:
            if warned not in given:
                yield f"      it warned: {warned}", ""
    for warning in explanations.warnings[:_MOST_LINES]:
        places = places_in_line(warning.places)
        yield f"  Warned before: {warning.category}: {warning.message} ({places})", ""
    for excerpt in explanations.changelog:
        of = f"{excerpt.distribution} {excerpt.version}, of {excerpt.about}"
        yield f"  Changelog of {of} ({excerpt.file}):", ""
        for line in excerpt.lines:
            yield f"      | {line}", "dim"
    for note in explanations.notes:
        yield f"  Note: {note}", "dim"


def _name(changed: ChangedName) -> str:
    text = f"{changed.name} {_WORDS.get(changed.change, str(changed.change))}"
    if changed.moved_to:
        text += f"; look at {', '.join(changed.moved_to)}"
    changes = [
        *([f"without {', '.join(changed.removed_parameters)}"] if changed.removed_parameters else []),
        *([f"new {', '.join(changed.added_parameters)}"] if changed.added_parameters else []),
    ]
    if changed.change is NameChange.SIGNATURE and not changes:
        changes = [f"{changed.old_signature} -> {changed.new_signature}"]
    if changes:
        text += f": {'; '.join(changes)}"
    return text
