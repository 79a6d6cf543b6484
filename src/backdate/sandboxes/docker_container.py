"""What a container of the Docker sandbox can see and use."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from backdate.sandboxes import layout
from backdate.sandboxes.identity import HOSTNAME, Identity, user_files
from backdate.sandboxes.interface import Command
from backdate.sandboxes.layout import Bind
from backdate.sandboxes.seccomp import docker_profile

LABEL = "backdate.folder"
"""The label of a container that names its scratch folder."""
_HELD_BACK = 8
"""Processes of the sandbox itself that live in the container beside the command's."""
_CLOSED = ("root", "home")
"""Top folders that an image may close to an ordinary user: mounts below them get new, open ones."""
_CERTIFICATES = ("/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/ssl/cert.pem")


def shown(binds: Sequence[Bind], command: Command, identity: Identity, folder: Path) -> list[Bind]:
    """Everything that is mounted: ``binds``, the command itself, and what the image may lack."""
    return _placed([*binds, *_made_files(command, folder, identity)], folder)


def _made_files(command: Command, folder: Path, identity: Identity) -> Iterator[Bind]:
    """The command itself, and the names of its user; this machine's certificates."""
    files = {**user_files(identity.uid, identity.gid), layout.COMMAND_FILE: layout.script(command)}
    for target, content in files.items():
        source = folder / "made" / PurePosixPath(target).name
        source.parent.mkdir(exist_ok=True)
        source.write_bytes(content)
        source.chmod(0o644)
        yield Bind(source=source, target=target, writable=False)
    yield Bind(source=folder / "tmp", target="/var/tmp", writable=True)  # noqa: S108 - the target inside
    for path in map(Path, _CERTIFICATES):
        if path.exists():
            yield Bind(source=path.resolve(), target=str(path), writable=False)


def _placed(binds: Sequence[Bind], folder: Path) -> list[Bind]:
    """``binds`` and, for those below a folder that the image may close, that folder, open and else empty."""
    tops: dict[str, Bind] = {}
    for bind in binds:
        parts = PurePosixPath(bind.target).parts
        if len(parts) > 2 and parts[1] in _CLOSED and not _below_another(bind, binds):
            top = folder / "tops" / parts[1]
            tops[parts[1]] = Bind(source=top, target=f"/{parts[1]}", writable=False)
            inside = folder / "tops" / bind.target.lstrip("/")
            (inside if bind.source.is_dir() else inside.parent).mkdir(parents=True, exist_ok=True)
            if not bind.source.is_dir():
                inside.touch()
    for path in (folder / "tops").rglob("*"):
        path.chmod(0o755)
    return [*tops.values(), *binds]


def _below_another(bind: Bind, binds: Sequence[Bind]) -> bool:
    target = PurePosixPath(bind.target)
    return any(other is not bind and target.is_relative_to(other.target) for other in binds)


def container_options(
    command: Command, binds: Sequence[Bind], identity: Identity, folder: Path
) -> dict[str, Any]:
    """Options for the engine: the container's user, its limits, and everything that it may not do."""
    limits = command.limits
    unlimited_files = limits.disk_bytes is None
    ulimits = [{"Name": "core", "Soft": 0, "Hard": 0}]
    if not unlimited_files:
        ulimits.append({"Name": "fsize", "Soft": limits.disk_bytes, "Hard": limits.disk_bytes})
    memory: dict[str, Any] = {}
    if limits.memory_bytes is not None:
        # Shared memory: half of what the command may use, as on an ordinary system.
        memory = {
            "mem_limit": limits.memory_bytes,
            "memswap_limit": limits.memory_bytes,
            "shm_size": max(limits.memory_bytes // 2, 1 << 20),
        }
    return {
        "user": f"{identity.uid}:{identity.gid}",
        "hostname": None if command.network == "on" else HOSTNAME,
        "labels": {LABEL: str(folder)},
        **memory,
        "pids_limit": -1 if limits.processes is None else limits.processes + _HELD_BACK,
        "mounts": [
            {
                "Type": "bind",
                "Source": str(bind.source),
                "Target": bind.target,
                "ReadOnly": not bind.writable,
                "BindOptions": {"Propagation": "rprivate"},
            }
            for bind in binds
        ],
        "ulimits": ulimits,
        "init": True,
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true", f"seccomp={json.dumps(docker_profile())}"],
        "ipc_mode": "private",
        "network_mode": "host" if command.network == "on" else "none",
        # By default the engine keeps all output in a file of its own, without a limit.
        "log_config": {"Type": "none", "Config": {}},
    }
