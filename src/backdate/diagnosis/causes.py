"""From a chain of exceptions to the one cause of a failure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from backdate.diagnosis.distributions import Installed
from backdate.diagnosis.frames import relocated, responsible
from backdate.diagnosis.messages import ParsedMessage, read_message
from backdate.diagnosis.owners import BUILTIN, Owners, in_builtins
from backdate.diagnosis.result import SPECIFIC, Cause, CauseKind, FrameKind, PlacedFrame, PlacedRaised
from backdate.knowledge.modules import aliases

_OWN = (FrameKind.PROJECT, FrameKind.TEST)
_RUNNERS = frozenset(
    {"pytest", "pluggy", "pytest-asyncio", "pytest-django", "nose", "nose2", "unittest2", "trial"}
)
"""Distributions whose frames carry tests and take no part in what goes wrong in them."""
_IMPORTED_FROM = re.compile(r"^(?:>>> )?from\s+([\w.]+)\s+import\b")
_ATTRIBUTE_OF = re.compile(r"([A-Za-z_][\w.]*)\.(\w+)")
_ASSERTION_ALIASES = re.compile(r"(?:assert[A-Z_]|fail(?:If|Unless))\w*")
_IMPORTING = (CauseKind.MISSING_MODULE, CauseKind.MISSING_NAME)


@dataclass(frozen=True, slots=True)
class _Read:
    """One exception of the chain and what it says."""

    position: int
    raised: PlacedRaised
    said: ParsedMessage


def find_cause(chain: Sequence[PlacedRaised], owners: Owners) -> Cause:
    """The cause that ``chain``, the first raised first, tells of.

    Which exception counts: where one was translated into another (``raise … from …``, or a ``raise``
    statement in the handler), the first that names what is missing, else the first; where the handler
    failed by itself, that is an accident of its own, and the last one counts: ``try: import cPickle except
    ImportError: import _pickle_gone`` lacks the latter. Of a group's members any that names something.
    """
    if not chain:
        return Cause(kind=CauseKind.UNKNOWN, type="", message="")
    reads = [_Read(number, one, read_message(one.type, one.message)) for number, one in enumerate(chain)]
    chosen = _choose(reads)
    line = responsible(chain, chosen.position)
    frames = relocated(chosen.raised.frames)
    said = _completed(chosen.said, frames, line, owners)
    owner = _owner(said, chosen.raised, line, owners)
    library = _library_called(frames)
    used = () if line is None else owners.modules_in_line(line.frame.source, line.frame.file)
    if owner is None and said.kind is not CauseKind.ASSERTION:
        owner = library or next((one for name in used if (one := owners.of_module(name)) is not None), None)
    distribution, version = _named(owner)
    return Cause(
        kind=said.kind,
        type=chosen.raised.type,
        message=chosen.raised.message,
        name=said.name,
        owner=said.owner,
        owner_is=said.owner_is,
        distribution=distribution,
        version=version,
        related=_related(owner, frames, [owners.of_module(name) for name in used]),
        hint=said.hint,
        position=chosen.position,
    )


def _choose(reads: Sequence[_Read]) -> _Read:
    """Walk back from the last exception to the one that counts (see ``find_cause``)."""
    run = [reads[-1]]
    for number in range(len(reads) - 1, 0, -1):
        later, earlier = reads[number], reads[number - 1]
        if later.raised.link == "context" and not _translates(earlier, later):
            break
        if not later.raised.link and not any(one.raised.link == "member" for one in run):
            break
        run.append(earlier)
    run.reverse()
    return next((one for one in run if one.said.kind in SPECIFIC), run[0])


def _translates(earlier: _Read, later: _Read) -> bool:
    """Whether the later exception, raised while the earlier one was handled, was raised on purpose.

    One import after another that failed is a fallback, and not a translation.
    """
    if earlier.said.kind in _IMPORTING and later.said.kind in _IMPORTING:
        return False
    source = later.raised.frames[-1].frame.source if later.raised.frames else ""
    return not source or source.startswith("raise")


def _completed(
    said: ParsedMessage, frames: Sequence[PlacedFrame], line: PlacedFrame | None, owners: Owners
) -> ParsedMessage:
    """``said`` with its owner in full: what old wordings leave out is read off the line that raised."""
    if said.owner_is == "module":
        first, dot, rest = said.owner.partition(".")  # libraries call themselves by their usual alias
        return replace(said, owner=f"{aliases().get(first, first)}{dot}{rest}")
    innermost = frames[-1] if frames else line
    if innermost is None or said.owner:
        return said
    source, path = innermost.frame.source, innermost.frame.file
    if said.kind is CauseKind.MISSING_NAME:
        match = _IMPORTED_FROM.match(source)
        return said if match is None else replace(said, owner=match.group(1), owner_is="module")
    if said.kind is CauseKind.MISSING_ATTRIBUTE:
        for match in _ATTRIBUTE_OF.finditer(source[:1000]):
            if match.group(2) == said.name:
                home = owners.resolve(match.group(1), path)
                return replace(said, owner=home, owner_is="module") if home else said
    return said


Found = Installed | str | None


def _owner(said: ParsedMessage, raised: PlacedRaised, line: PlacedFrame | None, owners: Owners) -> Found:
    """Whose what is missing was: from what the message names, else from the exception's own type."""
    path = "" if line is None else line.frame.file
    if said.kind is CauseKind.MISSING_MODULE:
        return owners.of_module(said.name)
    if said.owner_is == "module":
        return owners.of_module(said.owner)
    if said.owner_is == "type" and said.kind is CauseKind.CHANGED_TYPE and in_builtins(said.owner):
        return None  # whoever gave the value
    if said.owner_is == "type":
        if _ASSERTION_ALIASES.fullmatch(said.name):
            return BUILTIN  # of unittest.TestCase, removed in Python 3.12
        return _asked(raised.frames) or owners.of_type(said.owner, path)
    if said.owner_is == "function":
        return _of_call(said.owner, line, owners)
    module = raised.type.rpartition(".")[0]
    if module and said.kind is not CauseKind.WARNING_AS_ERROR:
        return owners.of_module(module)
    if said.kind in (CauseKind.REMOVED, CauseKind.WARNING_AS_ERROR) and "." in said.name:
        home = owners.resolve(said.name, path) or said.name
        return owners.of_module(home)
    return None


def _asked(frames: Sequence[PlacedFrame]) -> Found:
    """The distribution of a library's frame in which the exception was raised, if any."""
    if frames and frames[-1].kind is FrameKind.SITE_PACKAGES:
        return _of_frame(frames[-1])
    return None


def _of_call(function: str, line: PlacedFrame | None, owners: Owners) -> Found:
    """Whose function, by its name, a line of the project calls: ``yaml.load(f)`` for "load"."""
    if line is None:
        return None
    parts = function.split(".")
    wanted = {part for part in parts if part != "__init__"}
    source, path = line.frame.source, line.frame.file
    for match in re.finditer(r"([A-Za-z_][\w.]*)\s*\(", source[:1000]):
        called = match.group(1)
        home = owners.resolve(called, path)
        if home is not None and (called.rpartition(".")[2] in wanted or not wanted):
            return owners.of_module(home)
    for part in parts:
        if part in owners.imports_of(path):
            return owners.of_module(owners.imports_of(path)[part])
    return owners.of_type(parts[0], path) if len(parts) > 1 else None


def _library_called(frames: Sequence[PlacedFrame]) -> Found:
    """The library that the project's innermost line called: the first installed one, else builtin."""
    after: Sequence[PlacedFrame] = ()
    for number in range(len(frames) - 1, -1, -1):
        if frames[number].kind in _OWN:
            after = frames[number + 1 :]
            break
    else:
        after = frames
    for placed in after:
        if placed.kind is FrameKind.SITE_PACKAGES and _is_library(placed):
            return _of_frame(placed)
    return BUILTIN if any(placed.kind is FrameKind.STANDARD_LIBRARY for placed in after) else None


def _is_library(placed: PlacedFrame) -> bool:
    return placed.distribution is not None and placed.distribution.lower() not in _RUNNERS


def _of_frame(placed: PlacedFrame) -> Found:
    if placed.distribution is None:
        return None
    return Installed(name=placed.distribution, version=placed.version or "")


def _named(owner: Found) -> tuple[str | None, str | None]:
    if isinstance(owner, Installed):
        return owner.name, owner.version or None
    return owner, None


def _related(owner: Found, frames: Sequence[PlacedFrame], used: Sequence[Found]) -> tuple[str, ...]:
    """The owner, then the library that the project called, then the one in which it was raised.

    What the line merely uses counts only when nothing else is known.
    """
    found: dict[str, None] = {}
    innermost = _of_frame(frames[-1]) if frames and _is_library(frames[-1]) else None
    for one in (owner, _library_called(frames), innermost):
        name, _ = _named(one)
        if name is not None and (name != BUILTIN or one is owner):
            found[name] = None
    if not found:
        found.update((name, None) for one in used if (name := _named(one)[0]) is not None)
    return tuple(found)
