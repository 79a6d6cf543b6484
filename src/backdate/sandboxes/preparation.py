"""Getting the files of a run ready: private folders, the copy of the tree, rights.

When root calls, commands run as another user (see ``identity.py``). What they may write is given to
that user; what they may read and that user could not is copied for them.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from backdate.errors import MachineError, UsageError
from backdate.sandboxes import copying, layout
from backdate.sandboxes.identity import Identity
from backdate.sandboxes.interface import Command, Mount, Workspace
from backdate.sandboxes.layout import Bind


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFolders:
    """The private folders of one run."""

    temporary: Path
    home: Path
    tree: Path
    copies: Path


def places(folder: Path) -> RunFolders:
    """The private folders in the folder of a run."""
    return RunFolders(
        temporary=folder / "tmp", home=folder / "home", tree=folder / "tree", copies=folder / "copies"
    )


def prepare(
    command: Command,
    workspace: Workspace,
    folder: Path,
    identity: Identity,
    *,
    apart: bool,
    overlays: bool = False,
) -> list[Bind]:
    """Make the private folders, give the command what it may write, and return what is shown where.

    ``apart``: the command sees another system than this machine's, so mounts from /usr are shown as well.
    ``overlays``: binds with ``changes`` can be shown; without it what a command may change begins empty.

    Raises TreeTooLarge when the source tree exceeds the limit of disk space.
    """
    own = places(folder)
    owner = (identity.uid, identity.gid) if identity.dropped else None
    for path, mode in ((own.temporary, 0o1777), (own.home, 0o755), (own.copies, 0o755)):
        path.mkdir()
        if owner is not None:
            os.chown(path, *owner)
        path.chmod(mode)
    binds = []
    if workspace.tree is not None:
        copying.copy_tree(workspace.tree, own.tree, owner=owner, limit=command.limits.disk_bytes)
        binds.append(Bind(source=own.tree, target=workspace.at, writable=True))
    for number, mount in enumerate(workspace.mounts):
        if not apart and layout.is_there_anyway(mount):
            continue
        if mount.own:
            _require_own(mount, identity)
        if mount.changes is not None:
            binds.append(_private_view(mount, mount.changes, identity, overlays=overlays))
            continue
        source = mount.source.resolve(strict=True)
        if identity.dropped and mount.writable:
            hand_over(source, identity)
        elif identity.dropped and not _readable(source, identity):
            source = _readable_copy(source, own.copies / str(number), identity, command.limits.disk_bytes)
        binds.append(Bind(source=source, target=mount.target, writable=mount.writable))
    home = layout.home_of(command, binds)
    if home is not None:
        binds.insert(0, Bind(source=own.home, target=home, writable=True))
    binds.insert(0, Bind(source=own.temporary, target="/tmp", writable=True))  # noqa: S108 - the target inside
    return binds


def _private_view(mount: Mount, changes: Path, identity: Identity, *, overlays: bool) -> Bind:
    """A view in which a command changes nothing of the mount's source, but what lies in ``changes``."""
    for name in ("upper", "work", "view"):
        folder = changes / name
        if not folder.is_dir():
            folder.mkdir()
            if identity.dropped:
                os.chown(folder, identity.uid, identity.gid)
    if overlays:
        source = mount.source.resolve(strict=True)
        return Bind(source=source, target=mount.target, writable=True, changes=changes)
    return Bind(source=changes / "upper", target=mount.target, writable=True)


def _require_own(mount: Mount, identity: Identity) -> None:
    """Raise MachineError when its source is a link, or closed to the user that commands run as.

    A link would show what it leads to, and copying what is closed would open it: neither is of our making.
    """
    path, given = mount.source, mount.writable  # what is writable is given to that user
    if path.is_symlink() or (identity.dropped and not given and not _readable(path, identity)):
        raise MachineError(f"{path} is not as backdate made it: a link, or closed; remove it")


def hand_over(path: Path, identity: Identity) -> None:
    """Give ``path`` and all below it to the user that commands run as.

    Root can still read and remove it. Links are not followed; chown walks with open folders, so that a
    process that writes there meanwhile cannot lead it elsewhere. Files that the user owns already stay as
    they are; a folder whose top the user owns was given to it before and is not walked again.
    """
    if path.stat().st_uid == identity.uid:
        return
    if path.is_dir():
        for previous in {path.stat().st_uid, 0} - {identity.uid}:
            user = f"{identity.uid}:{identity.gid}"
            command = ["chown", "-R", "-P", "-h", f"--from={previous}", user, "--", str(path)]
            subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    else:
        with contextlib.suppress(OSError):  # which is told below, as of a folder
            os.chown(path, identity.uid, identity.gid, follow_symlinks=False)
    if path.stat().st_uid != identity.uid:
        raise UsageError(
            f"{path} cannot be given to uid {identity.uid}, the user of sandboxed commands; is it read-only?"
        )


def _readable(path: Path, identity: Identity) -> bool:
    """Whether the user may read ``path`` (its top: below, an installation is readable as its top is)."""
    information = path.stat()
    shift = 6 if information.st_uid == identity.uid else 3 if information.st_gid == identity.gid else 0
    needed = 0o5 if path.is_dir() else 0o4
    return (information.st_mode >> shift) & needed == needed


def _readable_copy(source: Path, target: Path, identity: Identity, limit: int | None) -> Path:
    owner = (identity.uid, identity.gid)
    if source.is_dir():
        copying.copy_tree(source, target, owner=owner, limit=limit)
    else:
        copying.copy_file(source, target, owner=owner)
    return target
