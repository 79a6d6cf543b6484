"""Whether a test fails with one error on both sides, however interpreters and libraries word it.

A test that fails on both sides with different errors may hide a breakage: what was removed since is behind
the older failure. What differs by wording alone must not look like that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backdate.testing.outcomes import CaseResult, Frame, Raised

MISSING_MODULE = re.compile(r"No module named '?([\w.]{1,200})")
"""The interpreter's words for a module that it does not find, with and without quotes."""
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_ENVIRONMENT = re.compile(r"/[^\s'\"()]*/lib/python3\.\d+/")
_TEMPORARY = re.compile(r"/(?:tmp|var/tmp|work)/[^\s'\"(),:;]*")
_NUMBER = re.compile(r"\d+(?:\.\d+)*(?:e[+-]?\d+)?")
_IMPORTED_FROM = re.compile(r"(cannot import name .?\w+.?) .*", re.DOTALL)
"""Python 3.7 and later say where from."""
_SPELLING = re.compile(r"[.;,]? ?\(?Did you (?:mean|forget)[^\n]*", re.IGNORECASE)
_QUALIFIED_CALL = re.compile(r"\b(?:\w+\.)+(?=\w+\(\))")
"""Python 3.10 and later name the class of the function in a TypeError."""
_NO_NETWORK = re.compile(
    r"name resolution|Name or service not known|Network is unreachable|nodename nor servname"
    r"|Connection refused"
)
_NETWORK_TYPES = frozenset(
    {"gaierror", "ConnectionRefusedError", "NameResolutionError", "NewConnectionError"}
)
_RENAMED_TYPES = {"ModuleNotFoundError": "ImportError", "IOError": "OSError", "EnvironmentError": "OSError"}
_WORDED_BY_INTERPRETERS = frozenset({"RecursionError"})
"""Exceptions whose messages say where the interpreter noticed: they differ from minor to minor."""
_ASSERTIONS = frozenset({"AssertionError", "DocTestFailure", "Failed", "MismatchError"})
_ALIAS = re.compile(
    r"(?:type object )?'[^'\n]+' (?:object )?has no attribute '("
    r"assert_|assert(?:Not)?(?:Almost)?Equals|assertItemsEqual|assert(?:Not)?RegexpMatches"
    r"|assertRaisesRegexp|assertDictContainsSubset|fail(?:Unless|If)\w*)'"
)
"""Methods of ``unittest.TestCase`` that Python dropped: of whichever class a test is."""

Identity = tuple[str, ...]


def normalised_line(message: str) -> str:
    """The first line of a message, without what differs between two environments that mean the same."""
    lines = _ENVIRONMENT.sub("", _ADDRESS.sub("0x…", message)).strip().splitlines()
    return lines[0].strip()[:300] if lines else ""


def grouping_line(raised: Raised) -> str:
    """What ``raised`` says in one line, equal for errors of one cause: tests are grouped by it."""
    alias = _ALIAS.match(raised.message)
    if alias is not None:
        return f"'unittest.TestCase' object has no attribute '{alias[1]}'"
    return normalised_line(raised.message)


def same_error(old: CaseResult, new: CaseResult) -> bool:
    """Whether two bad results of a test, one of each side, have one error.

    Compared are the exception that the runner saw and the one that was raised first: a library may raise
    others in between. Assertions are compared by the place that asserts, as their texts hold
    values; failures for want of the network are all one.
    """
    if not old.raised or not new.raised:
        return (old.outcome, _shape(old.reason)) == (new.outcome, _shape(new.reason))
    if _wants_network(old.raised) and _wants_network(new.raised):
        return True
    return _identities(old.raised) == _identities(new.raised)


def own_links(chain: Sequence[Raised]) -> Sequence[Raised]:
    """``chain`` without what wraps it: a runner's own exception (pytest's CollectError) says less."""
    return [error for error in chain if not error.type.startswith("_pytest.")] or chain


def project_frame(raised: Raised) -> Frame | None:
    """The innermost frame that lies in the project, or None."""
    return next((frame for frame in reversed(raised.frames) if in_project(frame)), None)


def in_project(frame: Frame) -> bool:
    """Whether a frame's file lies in the project's tree and is not an environment inside it."""
    return not frame.file.startswith(("/", "<")) and "site-packages/" not in frame.file


def _wants_network(chain: Sequence[Raised]) -> bool:
    return any(
        error.type.rpartition(".")[2] in _NETWORK_TYPES or _NO_NETWORK.search(error.message[:4000])
        for error in chain
    )


def _identities(chain: Sequence[Raised]) -> tuple[Identity, Identity]:
    links = own_links(chain)
    return _identity(links[-1]), _identity(links[0])


def _identity(raised: Raised) -> Identity:
    kind = raised.type.rpartition(".")[2]
    kind = _RENAMED_TYPES.get(kind, kind)
    if kind in _WORDED_BY_INTERPRETERS:
        return (kind,)
    place = project_frame(raised)
    if kind in _ASSERTIONS and place is not None and place.source:
        return kind, place.file, place.function, place.source
    return kind, _shape(raised.message)


def _shape(message: str) -> str:
    """The first line of ``message`` without numbers, addresses, places and what an interpreter adds to it."""
    line = _IMPORTED_FROM.sub(r"\1", normalised_line(message))
    line = _SPELLING.sub("", _QUALIFIED_CALL.sub("", line))
    return _NUMBER.sub("…", _TEMPORARY.sub("…", line)).strip()
