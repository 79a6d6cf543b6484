"""Loosening one requirement (PEP 508, and the older spellings that setuptools still reads)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backdate.editing.spans import Fragment
from backdate.errors import ConfigurationError
from backdate.projects.unpinning.draft import Draft
from backdate.projects.unpinning.report import Kind
from backdate.projects.unpinning.specifiers import loosen_specifier

_HEAD = re.compile(r"\s*(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:\s*\[[^\[\]]*\])?")
_ADDRESS = re.compile(r"\s*(?:[A-Za-z][A-Za-z0-9+.-]*://|git\+|hg\+|svn\+|bzr\+|git@)")
_PATH = re.compile(r"\s*(?:[./~]|file:)|[^\s;=<>!@]+[/\\]|\S+\.(?:whl|zip|tar\.gz|tgz)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loosened:
    """Replace ``text[start:end]`` by ``replacement`` and the requirement is loose."""

    name: str
    start: int
    end: int
    replacement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotLoosened:
    """The requirement is left as it is."""

    reason: str
    readable: bool = False
    """Whether it is a requirement (a direct URL), rather than something that cannot be read."""


def loosen_requirement(text: str) -> Loosened | NotLoosened | None:
    """How to loosen the requirement ``text``; None when there is nothing in it to loosen.

    Its name, extras and environment marker are never part of the edit. A direct URL (PEP 508,
    ``name @ https://…``, ``git+https://…@tag``) is not loosened, as it names one artefact.
    """
    if _ADDRESS.match(text):
        return NotLoosened(reason=f"a direct URL is not loosened: {text.strip()}", readable=True)
    if not text.strip() or _PATH.match(text):
        return None
    head = _HEAD.match(text)
    if head is None:
        return NotLoosened(reason=f"not a requirement: {text.strip()}")
    if text[head.end() :].lstrip().startswith("@"):
        return NotLoosened(reason=f"a direct URL is not loosened: {text.strip()}", readable=True)
    rest, _, _ = text[head.end() :].partition(";")
    rest = rest.rstrip()
    core = rest.strip()
    if not core:
        return None
    parenthesised = core.startswith("(") and core.endswith(")")
    inner = core[1:-1] if parenthesised else core
    try:
        loose = loosen_specifier(inner)
    except ConfigurationError:
        return NotLoosened(reason=f"not a requirement: {text.strip()}")
    if loose == inner:
        return None
    if not loose.strip():
        return Loosened(name=head["name"], start=head.end(), end=head.end() + len(rest), replacement="")
    start = head.end() + rest.index(inner)
    return Loosened(name=head["name"], start=start, end=start + len(inner), replacement=loose)


def loosen_in(draft: Draft, fragment: Fragment, kind: Kind) -> Loosened | NotLoosened | None:
    """Loosen the requirement that ``fragment`` holds, or record why it is left as it is."""
    loosened = loosen_requirement(fragment.text)
    if isinstance(loosened, NotLoosened):
        draft.skip(fragment.starts[0] if fragment.text else 0, loosened.reason)
    elif loosened is not None:
        text = fragment.text
        draft.change(
            fragment.replace(loosened.start, loosened.end, loosened.replacement),
            kind=kind,
            name=loosened.name,
            before=text.strip(),
            after=(text[: loosened.start] + loosened.replacement + text[loosened.end :]).strip(),
        )
    return loosened
