"""Ids of tests as every pytest writes them, as ``backdate_capture_events.plain_id`` says inside a run."""

from __future__ import annotations


def plain_id(identity: str) -> str:
    """``identity`` without the instances that pytest named before 4.0.

    >>> plain_id("a.py::A::()::test_a[x::()::y]")
    'a.py::A::test_a[x::()::y]'
    """
    start = identity.find("::")
    if start < 0 or "::()" not in identity:
        return identity
    parameters = identity.find("[", start)
    end = len(identity) if parameters < 0 else parameters
    names = [part for part in identity[start:end].split("::") if part != "()"]
    return identity[:start] + "::".join(names) + identity[end:]
