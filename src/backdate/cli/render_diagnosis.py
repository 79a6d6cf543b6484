"""A diagnosis as text: lines with their styles, for the same printer as a check's result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from backdate.diagnosis.result import Cause, CauseKind, Cluster, Diagnosis, FilterName, FrameKind, PlacedFrame
from backdate.text import counted, first_line

Line = tuple[str, str]
"""A line's text and its style ("" for none)."""

_MOST_TESTS = 8
_MOST_PLACES = 3
_WORDS = {
    CauseKind.MISSING_ATTRIBUTE: "is gone",
    CauseKind.MISSING_NAME: "cannot be imported",
    CauseKind.MISSING_MODULE: "is missing",
    CauseKind.REMOVED: "was removed",
}
_FILTERS = {
    FilterName.TIMED_OUT: "Timed out",
    FilterName.OUTSIDE_USER_CODE: "Cause outside the project's code",
    FilterName.MISSING_TOP_LEVEL_MODULE: "Missing top-level module",
    FilterName.ONLY_TESTS: "Only tests affected",
}


def cause_in_words(cause: Cause) -> str:
    """One line: "numpy.float is gone (numpy 2.1.0)"."""
    return f"{_what(cause)}{_whose(cause)}"


def _what(cause: Cause) -> str:
    if cause.dotted and cause.kind in _WORDS:
        return f"{cause.dotted} {_WORDS[cause.kind]}"
    call = f"{cause.owner}()" if cause.owner else "the call"
    if cause.kind is CauseKind.UNEXPECTED_ARGUMENT:
        return f"{call} does not take {cause.name}=" if cause.name else f"{call} takes no keywords"
    if cause.kind is CauseKind.ARGUMENT_COUNT:
        return f"{call} wants {cause.name}" if cause.name else f"{call} takes another number of arguments"
    first = first_line(cause.message)
    if cause.type:
        return f"{cause.type}: {first}" if first else cause.type
    return first or cause.kind.value


def _whose(cause: Cause) -> str:
    if cause.kind is CauseKind.MISSING_MODULE and cause.related == (cause.name,):
        return ""  # said already
    names = []
    for name in cause.related or filter(None, (cause.distribution,)):
        shown = "the standard library" if name == "builtin" else name
        names.append(f"{shown} {cause.version}" if name == cause.distribution and cause.version else shown)
    return f" ({', '.join(names)})" if names else ""


def cluster_lines(cluster: Cluster, *, verbose: bool = False) -> Iterator[Line]:
    """One cluster: its cause, what the library says of it, the responsible lines, the tests."""
    yield f"  {cause_in_words(cluster.cause)}", "red"
    if cluster.cause.hint:
        yield f"    it says: {cluster.cause.hint}", "green"
    for message in cluster.messages if verbose else ():
        yield f"    {message}", "dim"
    places = [f"at {_place(placed)}" for placed in cluster.places]
    yield from _limited(places, None if verbose else _MOST_PLACES, "    ")
    yield from _limited(cluster.tests, None if verbose else _MOST_TESTS, "      ")


def glance_lines(clusters: Sequence[Cluster]) -> Iterator[Line]:
    """One line for each cause, the most frequent first, where there are several; details follow elsewhere."""
    if len(clusters) < 2:
        return
    ordered = sorted(clusters, key=lambda cluster: -len(cluster.tests))
    counts = [counted(len(cluster.tests), "test") if cluster.tests else "" for cluster in ordered]
    width = max(map(len, counts))
    for cluster, count in zip(ordered, counts, strict=True):
        yield f"  {count:>{width}}  {first_line(cause_in_words(cluster.cause), most=100)}", "bold red"
    yield "", ""


def related_lines(diagnosis: Diagnosis) -> Iterator[Line]:
    """The libraries that take part."""
    if diagnosis.related:
        shown = ("the standard library" if name == "builtin" else name for name in diagnosis.related)
        yield f"Related libraries: {', '.join(shown)}", ""


def filter_lines(diagnosis: Diagnosis) -> Iterator[Line]:
    """The filters that hold."""
    for filtered in diagnosis.filters:
        yield f"{_FILTERS[filtered.name]}: {filtered.why}", "yellow"


def _place(placed: PlacedFrame) -> str:
    frame = placed.frame
    kind = " [test]" if placed.kind is FrameKind.TEST else ""
    return (
        f"{frame.file}:{frame.line} in {frame.function}{kind}{f':  {frame.source}' if frame.source else ''}"
    )


def _limited(texts: Sequence[str], most: int | None, indent: str) -> Iterator[Line]:
    shown = texts[:most]
    for text in shown:
        yield f"{indent}{text}", ""
    if len(shown) < len(texts):
        yield f"{indent}and {len(texts) - len(shown)} more (--verbose shows all)", "dim"
