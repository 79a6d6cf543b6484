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
from backdate.index.names import requirement_name
from backdate.knowledge import load
from backdate.knowledge.modules import aliases

_OWN = (FrameKind.PROJECT, FrameKind.TEST)
_RUNNERS = frozenset(
    {"pytest", "pluggy", "pytest-asyncio", "pytest-django", "nose", "nose2", "unittest2", "trial"}
)
"""Distributions that run tests; their frames never cause a test's failure."""
_IMPORTED_FROM = re.compile(r"^(?:>>> )?from\s+([\w.]+)\s+import\b")
_ATTRIBUTE_OF = re.compile(r"([A-Za-z_][\w.]*)\.(\w+)")
_ASSERTION_ALIASES = re.compile(r"(?:assert[A-Z_]|fail(?:If|Unless))\w*")
_DROPPED_ASSERTIONS = frozenset(
    {
        *("assert_", "assertEquals", "assertNotEquals", "assertAlmostEquals", "assertNotAlmostEquals"),
        *("assertItemsEqual", "assertRegexpMatches", "assertNotRegexpMatches", "assertRaisesRegexp"),
        *("assertDictContainsSubset", "failUnless", "failIf", "failUnlessEqual", "failIfEqual"),
        *("failUnlessRaises", "failUnlessAlmostEqual", "failIfAlmostEqual"),
    }
)
_ANNOUNCES = re.compile(r"(?:Deprecat|RemovedIn)\w*\Z")
"""In the name of a library's own warning: a change that it announced, and that is an error by now."""
_IMPORTING = (CauseKind.MISSING_MODULE, CauseKind.MISSING_NAME)


@dataclass(frozen=True, slots=True)
class _Link:
    """One exception of the chain and its parsed message."""

    position: int
    raised: PlacedRaised
    parsed: ParsedMessage


def find_cause(chain: Sequence[PlacedRaised], owners: Owners) -> Cause:
    """The cause of ``chain``, which begins with the exception that was raised first.

    Which exception counts: if one was translated into another (``raise … from …``, or a ``raise``
    statement in the handler), the first that names what is missing, else the first. If the handler failed
    by itself, the last one counts: ``try: import cPickle except ImportError: import _pickle_gone`` lacks
    the latter. Where only the first of the two was there before, it counts: the fallback is for older
    releases. In a group, any member that names something.
    """
    if not chain:
        return Cause(kind=CauseKind.UNKNOWN, type="", message="")
    links = [
        _Link(number, raised, read_message(raised.type, raised.message))
        for number, raised in enumerate(chain)
    ]
    chosen = _before_its_fallback(_choose(links), links, owners)
    line = responsible(chain, chosen.position)
    frames = relocated(chosen.raised.frames)
    parsed = _of_every_class(_completed(chosen.parsed, frames, line, owners))
    owner = _translator(chosen, links, owners) or _owner(parsed, chosen.raised, line, owners)
    library = _library_called(frames)
    used = () if line is None else owners.modules_in_line(line.frame.source, line.frame.file)
    if owner is None and parsed.kind is not CauseKind.ASSERTION:
        candidates = (owners.of_module(name) for name in used)
        owner = library or next((candidate for candidate in candidates if candidate is not None), None)
    distribution, version = _named(owner)
    return Cause(
        kind=parsed.kind,
        type=chosen.raised.type,
        message=chosen.raised.message,
        name=parsed.name,
        owner=parsed.owner,
        owner_is=parsed.owner_is,
        distribution=distribution,
        version=version,
        related=_related(owner, frames, [owners.of_module(name) for name in used]),
        hint=parsed.hint,
        position=chosen.position,
        group=_group(links[chosen.position + 1 :]),
    )


def _group(later: Sequence[_Link]) -> str:
    """The type of the group that holds an exception, given those ``later`` in its chain."""
    for link in later:
        if link.raised.link == "member":
            return link.raised.type
    return ""


def _choose(links: Sequence[_Link]) -> _Link:
    """Walk back from the last exception to the one that counts (see ``find_cause``)."""
    run = [links[-1]]
    for number in range(len(links) - 1, 0, -1):
        later, earlier = links[number], links[number - 1]
        if later.raised.link == "context" and not _translates(earlier, later):
            break
        if not later.raised.link and not any(link.raised.link == "member" for link in run):
            break
        run.append(earlier)
    run.reverse()
    return next((link for link in run if link.parsed.kind in SPECIFIC), None) or _in_words(run)


def _in_words(run: Sequence[_Link]) -> _Link:
    """The first of ``run``; of a key that a library misses within itself, what it says of that."""
    chosen = run[0]
    if chosen.raised.type != "KeyError":
        return chosen
    for later in run[1:]:
        frames = chosen.raised.frames
        libraries = {frame.distribution for frame in (*frames, *later.raised.frames[-1:])}
        inside = all(frame.kind is FrameKind.SITE_PACKAGES for frame in frames) and len(libraries) == 1
        if not frames or not inside or " " not in later.raised.message:
            break
        chosen = later
    return chosen


def _translator(chosen: _Link, links: Sequence[_Link], owners: Owners) -> Owner:
    """The library that made another library's error, which names nothing, into one of its own.

    It is what the project called, and what it expects to answer: that a parser in it gave up is its own
    choice of parser.
    """
    translator: Owner = None
    for number in range(chosen.position + 1, len(links)):
        earlier, later = links[number - 1], links[number]
        cause = later.raised.link == "cause"
        if not cause and not (later.raised.link == "context" and _translates(earlier, later)):
            break
        frames, module = later.raised.frames, later.raised.type.rpartition(".")[0]
        if module and frames and frames[-1].kind is FrameKind.SITE_PACKAGES:
            translator = owners.of_module(module)
    return translator if chosen.parsed.kind not in SPECIFIC else None


def _before_its_fallback(chosen: _Link, links: Sequence[_Link], owners: Owners) -> _Link:
    """The import in whose place another one failed, where that alone was there before."""
    first = chosen
    while (
        first.position
        and first.raised.link == "context"
        and first.parsed.kind in _IMPORTING
        and links[first.position - 1].parsed.kind in _IMPORTING
    ):
        first = links[first.position - 1]
    if first is chosen or owners.had(_imported(chosen, owners)) or not owners.had(_imported(first, owners)):
        return chosen
    return first


def _imported(link: _Link, owners: Owners) -> str:
    """The dotted name that an import lacks."""
    parsed = _completed(link.parsed, link.raised.frames, None, owners)
    return ".".join(filter(None, (parsed.owner if parsed.owner_is == "module" else "", parsed.name)))


def _translates(earlier: _Link, later: _Link) -> bool:
    """Whether the later exception, raised while the earlier one was handled, was raised on purpose.

    An import after another one that failed is a fallback, not a translation.
    """
    if earlier.parsed.kind in _IMPORTING and later.parsed.kind in _IMPORTING:
        return False
    source = later.raised.frames[-1].frame.source if later.raised.frames else ""
    return not source or source.startswith("raise")


def _completed(
    parsed: ParsedMessage, frames: Sequence[PlacedFrame], line: PlacedFrame | None, owners: Owners
) -> ParsedMessage:
    """``parsed`` with its owner in full: what old messages leave out is read from the line that raised."""
    if parsed.owner_is == "module":
        first, dot, rest = parsed.owner.partition(".")  # libraries call themselves by their usual alias
        return replace(parsed, owner=f"{aliases().get(first, first)}{dot}{rest}")
    innermost = frames[-1] if frames else line
    if innermost is None:
        return parsed
    if parsed.kind is CauseKind.MISSING_ATTRIBUTE and parsed.owner_is == "type":
        # an object of the project's class lacks what the class outside does not give any more
        base = owners.base_of_own(parsed.owner, innermost.frame.file)
        return replace(parsed, owner=base) if base else parsed
    if parsed.owner:
        return parsed
    source, path = innermost.frame.source, innermost.frame.file
    if parsed.kind is CauseKind.MISSING_NAME:
        match = _IMPORTED_FROM.match(source)
        return parsed if match is None else replace(parsed, owner=match.group(1), owner_is="module")
    if parsed.kind is CauseKind.MISSING_ATTRIBUTE:
        for match in _ATTRIBUTE_OF.finditer(source[:1000]):
            if match.group(2) == parsed.name:
                home = owners.resolve(match.group(1), path)
                return replace(parsed, owner=home, owner_is="module") if home else parsed
    return parsed


def _of_every_class(parsed: ParsedMessage) -> ParsedMessage:
    """``parsed``, with what Python dropped of ``unittest.TestCase`` as its, whichever class a test is of."""
    if parsed.owner_is == "type" and parsed.name in _DROPPED_ASSERTIONS:
        return replace(parsed, owner="unittest.TestCase")
    return parsed


Owner = Installed | str | None
"""A distribution; "builtin" or the name of a distribution that is not installed; None when unknown."""


def _owner(parsed: ParsedMessage, raised: PlacedRaised, line: PlacedFrame | None, owners: Owners) -> Owner:
    """The owner of what is missing: from what the message names, else from the exception's own type."""
    path = "" if line is None else line.frame.file
    if parsed.kind is CauseKind.MISSING_MODULE:
        return owners.of_module(parsed.name)
    if parsed.kind is CauseKind.MISSING_FIXTURE:
        return _of_fixture(parsed.name, owners)
    if parsed.owner_is == "module":
        return owners.of_module(parsed.owner)
    if parsed.owner_is == "type" and parsed.kind is CauseKind.CHANGED_TYPE and in_builtins(parsed.owner):
        return None  # the library that gave the value, which the message does not name
    if parsed.owner_is == "type":
        if _ASSERTION_ALIASES.fullmatch(parsed.name):
            return BUILTIN  # of unittest.TestCase, removed in Python 3.12
        return _raising_library(raised.frames) or owners.of_type(parsed.owner, path)
    if parsed.owner_is == "function":
        return _of_call(parsed.owner, line, owners)
    module = raised.type.rpartition(".")[0]
    if module and (parsed.kind is not CauseKind.WARNING_AS_ERROR or _ANNOUNCES.search(raised.type)):
        return owners.of_module(module)
    if parsed.kind in (CauseKind.REMOVED, CauseKind.WARNING_AS_ERROR) and "." in parsed.name:
        home = owners.resolve(parsed.name, path) or parsed.name
        return owners.of_module(home)
    return None


def _of_fixture(name: str, owners: Owners) -> Owner:
    """The plugin that has, or had, a fixture; None where the table knows none, or several are installed."""
    plugins = {requirement_name(row.install) for row in load.pytest_plugins() if name in row.fixtures}
    found = {plugin: owners.of_module(plugin.replace("-", "_")) for plugin in plugins if plugin}
    there = [owner for owner in found.values() if isinstance(owner, Installed)]
    return there[0] if len(there) == 1 else None


def _raising_library(frames: Sequence[PlacedFrame]) -> Owner:
    """The distribution of a library's frame in which the exception was raised, if any."""
    if frames and frames[-1].kind is FrameKind.SITE_PACKAGES:
        return _of_frame(frames[-1])
    return None


def _of_call(function: str, line: PlacedFrame | None, owners: Owners) -> Owner:
    """The owner of the function that a line of the project calls: ``yaml.load(f)`` for "load"."""
    if line is None:
        return None
    parts = function.split(".")
    names = {part for part in parts if part != "__init__"}
    source, path = line.frame.source, line.frame.file
    for match in re.finditer(r"([A-Za-z_][\w.]*)\s*\(", source[:1000]):
        called = match.group(1)
        home = owners.resolve(called, path)
        if home is not None and (called.rpartition(".")[2] in names or not names):
            return owners.of_module(home)
    for part in parts:
        if part in owners.imports_of(path):
            return owners.of_module(owners.imports_of(path)[part])
    return owners.of_type(parts[0], path) if len(parts) > 1 else None


def _library_called(frames: Sequence[PlacedFrame]) -> Owner:
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


def _of_frame(placed: PlacedFrame) -> Owner:
    if placed.distribution is None:
        return None
    return Installed(name=placed.distribution, version=placed.version or "")


def _named(owner: Owner) -> tuple[str | None, str | None]:
    if isinstance(owner, Installed):
        return owner.name, owner.version or None
    return owner, None


def _related(owner: Owner, frames: Sequence[PlacedFrame], used: Sequence[Owner]) -> tuple[str, ...]:
    """The owner, then the library that the project called, then the one in which it was raised.

    Other libraries that the line uses count only when nothing else is known.
    """
    names: dict[str, None] = {}
    innermost = _of_frame(frames[-1]) if frames and _is_library(frames[-1]) else None
    for library in (owner, _library_called(frames), innermost):
        name, _ = _named(library)
        if name is not None and (name != BUILTIN or library is owner):
            names[name] = None
    if not names:
        names.update((name, None) for library in used if (name := _named(library)[0]) is not None)
    return tuple(names)
