"""A proven snippet as a row of a data set."""

from __future__ import annotations

from collections.abc import Mapping

from backdate.construction.snippet.changed_apis import ChangedApi
from backdate.construction.snippet.proving import ProvenSnippet
from backdate.construction.snippet.usages import DrawnSnippet, UsageKind
from backdate.snippets.snippet import (
    ApiChange,
    Collection,
    Harness,
    Snippet,
    SnippetAsk,
    SnippetSide,
    Validity,
    ValidityClass,
)

_WHERE = {
    UsageKind.FUNCTION: "a function of",
    UsageKind.EXCERPT: "a part of a function of",
    UsageKind.TEST: "a test of",
    UsageKind.DOCTEST: "an example in the documentation of",
    UsageKind.MODEL: "a function written by",
}


def snippet_of(
    proven: ProvenSnippet,
    name: str,
    *,
    library: str,
    origin: SnippetSide,
    target: SnippetSide,
    changed: Mapping[str, ChangedApi],
) -> Snippet:
    """The row called ``name``, verified by the runs that have proven it."""
    drawn = proven.drawn
    known = [changed[key] for key in drawn.names]
    from_where = f"{drawn.origin.distribution} {drawn.origin.version}".strip()
    return Snippet(
        id=name,
        collection=Collection.BUILT,
        asks=(SnippetAsk.LOCATE, SnippetAsk.EXPLAIN, SnippetAsk.MIGRATE),
        library=library,
        origin=origin,
        target=target,
        problem=drawn.document or f"{drawn.entry}: from {_WHERE[drawn.kind]} {from_where}",
        code=drawn.code,
        entry=drawn.entry,
        harness=Harness(before=drawn.before, cases=proven.cases),
        apis=tuple(map(_api, known, proven.replacements, proven.receivers or ("",) * len(known))),
        reference=proven.reference,
        expected=proven.expected,
        flags=(f"from-{drawn.kind.value}",),
        validity=Validity(
            found=ValidityClass.CONFIRMED_BY_RUNNING,
            evidence=proven.evidence,
            deterministic=True,
            reference_passes=True,
        ),
        published={
            "source": _source(drawn, from_where),
            "licence": drawn.origin.licence,
            "known_by": ", ".join(one.known_by for one in known),
        },
    )


def _source(drawn: DrawnSnippet, from_where: str) -> str:
    if drawn.kind is UsageKind.MODEL:
        return f"written by {from_where}"
    return f"{from_where}, {drawn.origin.file}:{drawn.origin.line}"


def _api(one: ChangedApi, replacement: str, receiver: str) -> ApiChange:
    """``receiver``: the class of an attribute, as running has shown it."""
    if receiver and replacement.isidentifier() and not one.argument:
        replacement = f"{receiver}.{replacement}"
    return ApiChange(
        name=f"{receiver}{one.name}" if receiver else one.name.removeprefix("."),
        spelled=one.key,
        change=one.kind,
        version=one.since,
        replacement=replacement,
        words=one.words,
    )
