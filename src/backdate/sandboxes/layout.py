"""What a command sees: the arguments for bubblewrap, computed from a workspace.

Nothing here touches the host, except for looking which top folders a base system has.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from backdate.errors import SandboxUnavailable, UsageError
from backdate.sandboxes.identity import HOME, HOSTNAME, INSIDE_ID, PATH
from backdate.sandboxes.interface import BaseSystem, Command, Limits, Mount, Workspace

COMMAND_FILE = "/run/backdate/command"

_TOP = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC = (
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/protocols",
    "/etc/services",
    "/etc/timezone",
    "/etc/ssl/openssl.cnf",
)
"""Shown from the host."""
_CERTIFICATES = (
    "/etc/ca-certificates",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/cert.pem",
    "/etc/ssl/certs",
    "/etc/ssl/cert.pem",
)
"""Never keys: /etc/ssl/private and /etc/pki/tls/private stay out. Without the network too: libraries read
these when they are imported (pygit2)."""
_MADE = ("group", "gshadow", "hostname", "hosts", "mtab", "nsswitch.conf", "passwd", "resolv.conf", "shadow")
"""Files of /etc that a separate base system does not show: made for the command, or for root only."""
_FURTHER = ("opt", "var/lib")
"""Folders that packages install into besides /usr and /etc; shown from a separate base system."""
_RESERVED = ("proc", "dev", "sys", "usr", "etc", *_TOP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bind:
    """A path of the host that is shown at ``target``."""

    source: Path
    target: str
    writable: bool
    changes: Path | None = None
    """Where changes are kept, in ``upper`` and ``work`` (overlayfs); None for a plain view of ``source``."""


def is_there_anyway(mount: Mount) -> bool:
    """Whether ``mount`` shows a part of this machine's system: a system's own interpreter lies in /usr."""
    return not mount.writable and mount.target == str(mount.source) and mount.source.is_relative_to("/usr")


def check_base(base: BaseSystem | None, sandbox: str | None) -> None:
    """Raise UsageError for a base system that was made for another sandbox than ``sandbox``."""
    if base is not None and base.sandbox != sandbox:
        raise UsageError(
            f"this base system was made for the sandbox {base.sandbox}; "
            f"{sandbox or 'without a sandbox there is only this machine'}"
            + ("" if sandbox is None else " cannot show it")
        )


def require_apart(mounts: Sequence[Mount], base: Path | None) -> None:
    """Raise SandboxUnavailable for mounts from this machine's /usr without a mount point in another system.

    ``base`` is the other system's folder; None for an image, in which mount points can be made.
    """
    for mount in mounts:
        placed = base is None or Path(base, mount.target.lstrip("/")).exists()
        if is_there_anyway(mount) and (mount.source == Path("/usr") or not placed):
            raise SandboxUnavailable(
                f"{mount.source} is part of this machine's system, which is not the system that the "
                "command would see; use a backdate in a virtual environment, and name an interpreter of "
                "its own folder with --python ('uv python install 3.11' gets one)"
            )


def check(command: Command, workspace: Workspace) -> None:
    """Raise UsageError for a command or workspace that no sandbox could run."""
    if not command.argv or any("\0" in part for part in command.argv):
        raise UsageError("a command needs at least one argument, and none may hold a NUL character")
    if "=" in command.argv[0]:
        raise UsageError(f"{command.argv[0]!r} cannot be run: its path holds '='; give it another name")
    for name, value in command.env.items():
        if not name or "=" in name or "\0" in name + value:
            raise UsageError(
                f"{name!r} cannot be the name, or its value the value, of an environment variable"
            )
    if not command.cwd.startswith("/"):
        raise UsageError(f"the working directory {command.cwd!r} is not absolute")
    targets = [mount.target for mount in workspace.mounts if not is_there_anyway(mount)]
    targets += [workspace.at] if workspace.tree else []
    for target in targets:
        parts = PurePosixPath(target).parts
        if len(parts) < 2 or parts[0] != "/" or ".." in parts or "\0" in target:
            raise UsageError(
                f"{target!r} is not an absolute path without '..' at which something can be shown"
            )
        if (parts[1] in _RESERVED and len(parts) == 2) or parts[1] in ("proc", "dev", "sys"):
            raise UsageError(f"nothing can be shown at {target}: it belongs to the base system")
    if workspace.tree is not None and not workspace.tree.is_dir():
        raise UsageError(f"the source tree {workspace.tree} is not a folder")
    for mount in workspace.mounts:
        if not mount.source.exists():
            raise UsageError(f"{mount.source}, which is to be shown at {mount.target}, does not exist")


def home_of(command: Command, binds: Sequence[Bind]) -> str | None:
    """Where the private home goes; None when HOME lies in something that is shown anyway."""
    home = command.env.get("HOME", HOME)
    path = PurePosixPath(home)
    shown = [PurePosixPath(bind.target) for bind in binds]
    if not path.is_absolute() or len(path.parts) < 2 or path.parts[1] in (*_RESERVED, "tmp", "run"):
        return None
    return None if any(path.is_relative_to(target) for target in shown) else home


def environment_of(command: Command, *, home: str | None = None, temporary: str = "/tmp") -> dict[str, str]:  # noqa: S108
    """The whole environment of the command."""
    added = {"HOME": home or HOME, "TMPDIR": temporary, "PATH": PATH}
    return {**added, **command.env}


def script(command: Command, prefix: Sequence[str] = ()) -> bytes:
    """What the shell inside executes: the command in a session of its own with exactly its environment."""
    environment = (f"{name}={value}" for name, value in environment_of(command).items())
    argv = ("exec", "setsid", *prefix, "env", "-i", *environment, *command.argv)
    return shlex.join(argv).encode(errors="surrogateescape") + b"\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseRoot:
    """The folder that holds a base system: this machine's root, or one with another system."""

    folder: Path = Path("/")
    seen: Path = Path("/")
    """The path under which bubblewrap sees that folder."""

    @property
    def own(self) -> bool:
        """Whether it is another system than this machine's."""
        return self.folder != Path("/")


def base_system(root: BaseRoot) -> list[str]:
    """Arguments that show a system's programs and libraries read-only."""
    arguments = ["--ro-bind", str(root.seen / "usr"), "/usr"]
    for name in _TOP:
        path = root.folder / name
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), f"/{name}"]
        elif path.is_dir():
            arguments += ["--ro-bind", str(root.seen / name), f"/{name}"]
    if root.own:
        arguments += ["--perms", "0755", "--dir", "/var"]
        for name in _FURTHER:
            if (root.folder / name).is_dir():
                arguments += ["--ro-bind", str(root.seen / name), f"/{name}"]
    return arguments


def arguments(
    command: Command,
    binds: Sequence[Bind],
    *,
    files: dict[str, int],
    status: int,
    seccomp: int,
    root: BaseRoot,
) -> list[str]:
    """All arguments for bubblewrap up to the program it is to run.

    ``files`` maps paths of files to be made to open descriptors with their content; ``status`` is
    the descriptor for bubblewrap's own report, ``seccomp`` one with the filter of system calls. ``binds``
    hold the source tree's copy, /tmp and the home too.
    """
    ordered = sorted(binds, key=lambda bind: len(PurePosixPath(bind.target).parts))
    return [
        *_isolation(command, status),
        *("--seccomp", str(seccomp)),
        *base_system(root),
        *_folders(
            ["/etc/ssl/x", "/etc/pki/tls/x", COMMAND_FILE, "/var/x", *(bind.target for bind in ordered)]
        ),
        *_etc(root),
        *(part for path, file in files.items() for part in ("--perms", "0644", "--file", str(file), path)),
        *("--symlink", "/tmp", "/var/tmp"),  # noqa: S108 - the private one
        *("--proc", "/proc", "--dev", "/dev"),
        *("--perms", "1777", *_size(command.limits), "--tmpfs", "/dev/shm"),  # noqa: S108 - the private one
        *(part for bind in ordered for part in _bind(bind)),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", command.cwd),
    ]


def _isolation(command: Command, status: int) -> list[str]:
    identity = str(INSIDE_ID)
    return [
        *(
            "--unshare-all",
            *(["--share-net"] if command.network == "on" else []),
            "--unshare-user",
            "--disable-userns",
        ),
        *("--uid", identity, "--gid", identity, "--hostname", HOSTNAME),
        *("--new-session", "--die-with-parent", "--json-status-fd", str(status)),
        *("--clearenv", "--setenv", "PATH", PATH),
    ]


def _size(limits: Limits) -> list[str]:
    """The size of shared memory: half of what the command may use, as on an ordinary system."""
    return [] if limits.memory_bytes is None else ["--size", str(max(limits.memory_bytes // 2, 1 << 20))]


def _etc(root: BaseRoot) -> list[str]:
    """Harmless parts of this machine's /etc, or of another system's all that is not made for the command."""
    certificates = [(path, path) for path in _CERTIFICATES]
    shown = [(path, path) for path in _ETC]
    links: list[tuple[str, str]] = []
    if root.own:
        entries = [path for path in sorted((root.folder / "etc").iterdir()) if path.name not in _MADE]
        links = [(str(path.readlink()), f"/etc/{path.name}") for path in entries if path.is_symlink()]
        names = [path.name for path in entries if path.name != "ssl" and not path.is_symlink()]
        shown = [
            (str(root.seen / "etc" / name), f"/etc/{name}")
            for name in (*names, "ssl/openssl.cnf", "ssl/certs")
        ]
    return [
        *(part for source, target in (*shown, *certificates) for part in ("--ro-bind-try", source, target)),
        *(part for text, target in links for part in ("--symlink", text, target)),
    ]


def _folders(targets: Sequence[str]) -> list[str]:
    """Make the parents of ``targets``; bubblewrap itself would make them for their owner only."""
    parents = {str(parent) for target in targets for parent in PurePosixPath(target).parents}
    missing = sorted(path for path in parents if path != "/" and not _in_base(path))
    return [argument for path in missing for argument in ("--perms", "0755", "--dir", path)]


def _in_base(path: str) -> bool:
    return PurePosixPath(path).parts[1] in ("usr", *_TOP)


def _bind(bind: Bind) -> list[str]:
    return ["--bind" if bind.writable else "--ro-bind", str(bind.source), bind.target]
