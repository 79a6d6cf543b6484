"""What a finished environment is held to, so that a change of it is seen before it is used.

A finished environment is given away: as root to another user than the one that sandboxed commands run as,
and nobody but the owner may write to it. Sandboxes show it read-only. Should it be changed all the same, by
whatever way, two digests tell:

* of its *state*: names, kinds, modes, owners, sizes, times of modification and of change (ctime, which no
  program can set), where links lead, and the content of what Python runs without being asked to. Compared
  before each use, and with what it is after an answer was scored; nothing else is read.
* of its *contents*: names, kinds, modes, links, the SHA-256 of every file. Compared where the state differs
  (a cache that was restored from a backup has other times and is as good as before), when it is used for the
  first time after the machine was started again (files may have been lost then), and by
  ``backdate doctor --verify-cache``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.errors import ConfigurationError
from backdate.projects.hostile import Folder
from backdate.sandboxes.identity import outer_identity

_STATE = r"%P\0%y %m %U %G %s %T@ %C@ %n %l\0"
_CONTENTS = r"%P\0%y %m %l\0"
_REGULAR = b"f "
_NOBODY_ELSE_WRITES = "u+rwX,a+rX,go-w,ug-s,o-t"

_UNASKED = re.compile(
    rb"pyvenv\.cfg|bin/[^/]+|"
    rb"lib(?:64)?/python[^/]+/site-packages/(?:[^/]+\.(?:pth|start)|(?:__pycache__/)?(?:site|user)customize\b.*)"
)
_LARGEST_UNASKED = 1024 * 1024
"""Of larger files, programs all, the rest is left to the times of change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """What the folder of an environment was when it was finished."""

    state: str
    contents: str
    boot: str
    """The start of the machine in which it was written; empty once it was read back in a later one."""


def seal(root: Path) -> Seal:
    """Close the finished environment at ``root``, in which nothing runs any more, to all but its owner.

    Raises ConfigurationError when what a build left there cannot be closed or read.
    """
    _close(root)
    state, contents = _state(root), _contents(root)
    if state is None or contents is None:
        raise ConfigurationError(f"what a build left at {root} cannot be read")
    return Seal(state=state, contents=contents, boot=_boot())


def compare(kept: Seal, root: Path, *, thoroughly: bool = False) -> Seal | None:
    """The seal of the environment at ``root`` from now on; None when it is not as it was sealed.

    ``thoroughly``: whether every file is read.
    """
    started_again = kept.boot not in ("", _boot())
    if not thoroughly and not started_again and _state(root) == kept.state:
        return kept
    if _contents(root) != kept.contents:
        return None
    renewed = replace(kept, boot="" if started_again else kept.boot)
    if _state(root) == kept.state:
        return renewed
    _close(root)
    state = _state(root)
    return None if state is None else replace(renewed, state=state)


def state_of(roots: Sequence[Path]) -> str:
    """One digest of the states of several folders, as they are; none of their seals is looked at.

    What cannot be seen whole is unlike any folder that can.
    """
    return joined(_state(root) or "" for root in roots)


def joined(states: Iterable[str]) -> str:
    """The digest of several states in one, in their order."""
    return hashlib.sha256("\n".join(states).encode()).hexdigest()


def _close(root: Path) -> None:
    """Let nobody but the owner write below ``root``; as root, let root be the owner."""
    with Folder.at(root) as folder:
        if outer_identity().dropped:
            folder.give_to(0, 0)
        folder.limit_modes(_NOBODY_ELSE_WRITES)


def _state(root: Path) -> str | None:
    """The digest of what is seen without reading; None when not all of it can be seen."""
    try:
        with Folder.at(root) as top:
            entries = _entries(top, _STATE)
            found = hashlib.sha256()
            for path, facts in entries:
                found.update(b"%b\0%b\0" % (path, facts))
                if facts.startswith(_REGULAR) and _UNASKED.fullmatch(path):
                    found.update(hashlib.sha256(_head(top, path)).digest())
    except ConfigurationError:
        return None
    return found.hexdigest()


def _contents(root: Path) -> str | None:
    """The digest of all that is to be read; None when not all of it can be."""
    try:
        with Folder.at(root) as top:
            entries = _entries(top, _CONTENTS)
            folders: dict[bytes, list[bytes]] = {}
            for path, facts in entries:
                if facts.startswith(_REGULAR):
                    folder, _, name = path.rpartition(b"/")
                    folders.setdefault(folder, []).append(name)
            digests: dict[bytes, bytes] = {}
            # One after the other: files are small, and threads wait for each other at each of them. Two took
            # twice as long as one, and five times as long in a process in which others run.
            for folder, names in folders.items():
                digests.update(_digests(top, folder, names))
    except ConfigurationError:
        return None
    found = hashlib.sha256()
    for path, facts in entries:
        found.update(b"%b\0%b\0%b" % (path, facts, digests.get(path, b"")))
    return found.hexdigest()


def _entries(top: Folder, form: str) -> list[tuple[bytes, bytes]]:
    """The path of every entry below ``top`` with what ``form`` says of it, sorted."""
    listed = top.listing(form)
    if listed is None:
        raise ConfigurationError(f"not all of {top.path} can be seen")
    parts = listed.split(b"\0")
    return sorted(zip(parts[:-1:2], parts[1::2], strict=True))


def _digests(top: Folder, folder: bytes, names: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
    with top.below(_parts(folder)) as here:
        for name in names:
            yield (folder + b"/" + name if folder else name), here.sha256(_text(name))


def _head(top: Folder, path: bytes) -> bytes:
    folder, _, name = path.rpartition(b"/")
    with top.below(_parts(folder)) as here:
        return here.head(_text(name), limit=_LARGEST_UNASKED)


def _parts(folder: bytes) -> tuple[str, ...]:
    return tuple(_text(part) for part in folder.split(b"/")) if folder else ()


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _boot() -> str:
    """Which start of this machine it is; empty where the system does not say."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
