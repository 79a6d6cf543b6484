"""What verifying snippets found, counted by library."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from backdate.snippets.snippet import Snippet, ValidityClass


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryFindings:
    """The verified snippets of one library, or of all."""

    library: str
    snippets: int
    run: int
    """Those whose code runs with its own version."""
    on_three_cases: int
    """Those of them with exactly three cases, none of which raises."""
    classes: dict[str, int]
    """By the name of their class."""
    confirmed: int
    """The claim is shown, and what is expected does not change from run to run."""
    nondeterministic: int
    with_reference: int
    """Those with a known solution that passes."""


def findings_of(snippets: Iterable[Snippet]) -> tuple[LibraryFindings, ...]:
    """A row for each library, by name, and one for all of them at the end; nothing of those not verified."""
    verified = [snippet for snippet in snippets if snippet.validity is not None]
    if not verified:
        return ()
    libraries = sorted({snippet.library for snippet in verified})
    rows = [_row(name, [one for one in verified if one.library == name]) for name in libraries]
    return (*rows, _row("all", verified))


def _row(library: str, snippets: list[Snippet]) -> LibraryFindings:
    found = [snippet.validity for snippet in snippets if snippet.validity is not None]
    classes = {
        kind.value: sum(one.found is kind for one in found)
        for kind in ValidityClass
        if any(one.found is kind for one in found)
    }
    expected = [snippet.expected for snippet in snippets]
    return LibraryFindings(
        library=library,
        snippets=len(snippets),
        run=sum(map(bool, expected)),
        on_three_cases=sum(len(cases) == 3 and not any(case.error for case in cases) for cases in expected),
        classes=classes,
        confirmed=sum(one.confirmed for one in found),
        nondeterministic=sum(one.deterministic is False for one in found),
        with_reference=sum(one.reference_passes is True for one in found),
    )
