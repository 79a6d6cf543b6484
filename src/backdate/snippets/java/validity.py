"""What a Java row's claim is worth: its names are deprecated in one release, or gone in a later one."""

from __future__ import annotations

from collections.abc import Sequence

from backdate.snippets.java.compiler import JavaState, JavaVerdict
from backdate.snippets.snippet import Snippet, Validity, ValidityClass

_FLAGGED = (JavaState.DEPRECATED, JavaState.FOR_REMOVAL)


def java_validity(snippet: Snippet, verdicts: Sequence[JavaVerdict]) -> Validity:
    """Whether the compiler confirms the names that the row lists. Nothing of it is run."""
    names = [api.name for api in snippet.apis]
    evidence: list[str] = []
    for verdict in verdicts:
        for name in names:
            state = verdict.names.get(name)
            if state is not None:
                warned = ", and the code is warned of it" if verdict.warns_of(name) else ""
                evidence.append(f"Java {verdict.release}: {name} is {state.value}{warned}")
        if verdict.trouble:
            evidence.append(f"Java {verdict.release}: the compiler did not end: {verdict.trouble}")
    states = [verdict.names[name] for name in names for verdict in verdicts if name in verdict.names]
    if not states:
        found = ValidityClass.OTHER
    elif was_there(verdicts, names) and all(_confirmed(name, verdicts) for name in names):
        found = ValidityClass.CONFIRMED_STATICALLY
    else:
        found = ValidityClass.NONE_SEEN
    return Validity(found=found, evidence=tuple(evidence))


def was_there(verdicts: Sequence[JavaVerdict], names: Sequence[str]) -> bool:
    """Whether the first of the releases that were asked has all names: else nothing was lost."""
    first = verdicts[0].names if verdicts else {}
    return all(first.get(name) not in (None, JavaState.GONE) for name in names)


def _confirmed(name: str, verdicts: Sequence[JavaVerdict]) -> bool:
    """Whether a release announces that the name goes, or lacks it."""
    states = [verdict.names.get(name) for verdict in verdicts]
    return any(state in _FLAGGED for state in states) or states[-1] is JavaState.GONE
