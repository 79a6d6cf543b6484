"""Grouping failures by their cause, even where their messages differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from backdate.diagnosis.result import SPECIFIC, CauseKind, Cluster, Failure, FrameKind, PlacedFrame
from backdate.testing.lint_items import lint_tool

MOST_MESSAGES = 20
_VARIABLE = re.compile(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?|'[^']*'|\"[^\"]*\"")
_SET = re.compile(r"\{[^{}]*(?:\}|$)")
"""The members of a set, which each process shows in another order."""
_OF_SYSTEM = re.compile(r"\[Errno \d{1,4}\] ")
"""How an OSError begins: "[Errno 2] No such file or directory: '/tmp/a'"."""
Key = tuple[str, ...]


def cause_key(failure: Failure) -> Key:
    """A key that is equal for failures with the same cause.

    If the message names a missing or unwanted thing, that thing is the key: ``np.float``, ``from numpy import
    float`` and "`np.float` was removed" have the same key. Other errors of a library are identified by the
    line that raised them, errors of the project or its tests by their own line. Only without a line, and of
    what the operating system refuses to several tests, the message counts, without numbers, addresses and
    quoted values. Items that run one linter are one.
    """
    cause = failure.cause
    if tool := lint_tool(failure.test, cause.type):
        return ("lint", tool)
    library = (cause.distribution or "").lower()
    if cause.kind is CauseKind.SYNTAX or cause.kind not in SPECIFIC:
        return _key_of_line(failure)
    if dotted := cause.dotted:
        return ("gone", dotted if cause.owner_is == "module" or not cause.owner else f"{library}:{dotted}")
    if cause.name:
        function = cause.owner.rpartition(".")[2] if cause.owner != "__init__" else ""
        return (str(cause.kind), library, function, cause.name)
    if cause.owner:
        return (str(cause.kind), library, cause.owner)
    return _key_of_line(failure)


def _key_of_line(failure: Failure) -> Key:
    cause = failure.cause
    chain = failure.chain
    frames = chain[cause.position].frames if cause.position < len(chain) else ()
    line = frames[-1] if frames else None
    if line is None or line.kind in (FrameKind.GENERATED, FrameKind.TEST):
        line = failure.responsible
    if line is None or (line.kind is FrameKind.TEST and _OF_SYSTEM.match(cause.message)):
        return (str(cause.kind), cause.type, shape(cause.message))
    return (str(cause.kind), cause.type, line.frame.file, str(line.frame.line))


def shape(message: str) -> str:
    """A message's first line without its variable parts: numbers, addresses, quotes, members of sets."""
    lines = message.strip().splitlines()
    return _VARIABLE.sub("…", _SET.sub("{…}", lines[0][:500])) if lines else ""


def group_failures(failures: Iterable[Failure]) -> tuple[Cluster, ...]:
    """The failures by cause, the largest group first."""
    groups: dict[Key, list[Failure]] = {}
    for failure in failures:
        groups.setdefault(cause_key(failure), []).append(failure)
    clusters = [_cluster(members) for members in groups.values()]
    return tuple(sorted(clusters, key=lambda cluster: -len(cluster.tests)))


def _cluster(members: Sequence[Failure]) -> Cluster:
    lines: Counter[PlacedFrame] = Counter(
        member.responsible for member in members if member.responsible is not None
    )
    messages: dict[str, None] = {}
    for member in members:
        text = member.cause.message.strip().splitlines()
        messages[f"{member.cause.type}: {text[0][:300]}" if text else member.cause.type] = None
    return Cluster(
        cause=members[0].cause,
        tests=tuple(dict.fromkeys(member.test for member in members if member.test)),
        places=tuple(line for line, _ in lines.most_common()),
        messages=tuple(message for message in messages if message)[:MOST_MESSAGES],
    )
