"""Failures with one cause, whatever their messages say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from backdate.diagnosis.result import SPECIFIC, CauseKind, Cluster, Failure, FrameKind, PlacedFrame

MOST_MESSAGES = 20
_VARIABLE = re.compile(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?|'[^']*'|\"[^\"]*\"")
Key = tuple[str, ...]


def cause_key(failure: Failure) -> Key:
    """Equal for failures of one cause.

    What names a missing or unwanted thing is known by that thing: ``np.float``, ``from numpy import float``
    and "`np.float` was removed" are one. A library's complaint is known by the place that raised it, and
    what the project or its tests raise by their line. Only where there is no line the message counts,
    without numbers, addresses and quoted values.
    """
    cause = failure.cause
    library = (cause.distribution or "").lower()
    if cause.kind is CauseKind.SYNTAX or cause.kind not in SPECIFIC:
        return _by_place(failure)
    if dotted := cause.dotted:
        return ("gone", dotted if cause.owner_is == "module" or not cause.owner else f"{library}:{dotted}")
    if cause.name:
        function = cause.owner.rpartition(".")[2] if cause.owner != "__init__" else ""
        return (str(cause.kind), library, function, cause.name)
    if cause.owner:
        return (str(cause.kind), library, cause.owner)
    return _by_place(failure)


def _by_place(failure: Failure) -> Key:
    cause = failure.cause
    chain = failure.chain
    frames = chain[cause.position].frames if cause.position < len(chain) else ()
    place = frames[-1] if frames else None
    if place is None or place.kind in (FrameKind.GENERATED, FrameKind.TEST):
        place = failure.responsible
    if place is None:
        return (str(cause.kind), cause.type, shape(cause.message))
    return (str(cause.kind), cause.type, place.frame.file, str(place.frame.line))


def shape(message: str) -> str:
    """A message's first line without what varies: numbers, addresses, quoted values."""
    lines = message.strip().splitlines()
    return _VARIABLE.sub("…", lines[0][:500]) if lines else ""


def group_failures(failures: Iterable[Failure]) -> tuple[Cluster, ...]:
    """The failures by cause, the largest group first."""
    groups: dict[Key, list[Failure]] = {}
    for failure in failures:
        groups.setdefault(cause_key(failure), []).append(failure)
    clusters = [_cluster(members) for members in groups.values()]
    return tuple(sorted(clusters, key=lambda cluster: -len(cluster.tests)))


def _cluster(members: Sequence[Failure]) -> Cluster:
    places: Counter[PlacedFrame] = Counter(
        member.responsible for member in members if member.responsible is not None
    )
    messages: dict[str, None] = {}
    for member in members:
        lines = member.cause.message.strip().splitlines()
        messages[f"{member.cause.type}: {lines[0][:300]}" if lines else member.cause.type] = None
    return Cluster(
        cause=members[0].cause,
        tests=tuple(dict.fromkeys(member.test for member in members if member.test)),
        places=tuple(place for place, _ in places.most_common()),
        messages=tuple(one for one in messages if one)[:MOST_MESSAGES],
    )
