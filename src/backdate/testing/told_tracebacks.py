"""Exceptions that hold the traceback of another one as text, as testtools hands it to a runner."""

from __future__ import annotations

from dataclasses import replace

from backdate.testing.outcomes import Raised
from backdate.testing.traceback_text import TRACEBACK, read_chain

_TOLD = "_StringException"


def told_exceptions(chain: tuple[Raised, ...]) -> tuple[Raised, ...]:
    """``chain`` with what was raised in the place of the exception that only tells of it."""
    if not chain or chain[-1].type.rpartition(".")[2] != _TOLD:
        return chain
    lines = chain[-1].message.splitlines()
    starts = [number for number, line in enumerate(lines) if TRACEBACK.fullmatch(line.strip())]
    if not starts:
        return chain
    inside = [line.removesuffix("}}}") for line in lines[starts[0] :]]
    told = read_chain(inside, to_the_end=True)
    return (*told[:-1], replace(told[-1], message=told[-1].message.strip())) if told else chain
