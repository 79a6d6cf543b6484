"""Which services a sandbox can start: looked up inside it, in this machine's system or in a base."""

from __future__ import annotations

import functools
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from backdate.sandboxes.interface import BaseSystem, Command, Limits, Sandbox, Workspace
from backdate.sandboxes.services.wanted import ServiceKind
from backdate.sandboxes.wrapped import innermost

_LOOK = r"""
version() { "$1" "$2" 2>/dev/null </dev/null | head -n 1; }
[ -x /usr/bin/redis-server ] && echo "redis /usr/bin/redis-server $(version /usr/bin/redis-server --version)"
for program in /usr/lib/postgresql/*/bin/postgres; do
    [ -x "$program" ] && echo "postgresql $program $(version "$program" --version)"
done
for program in /usr/sbin/mariadbd; do
    [ -x "$program" ] && echo "mysql $program $(version "$program" --version)"
done
[ -x /usr/bin/memcached ] && echo "memcached /usr/bin/memcached $(version /usr/bin/memcached --version)"
for program in /usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server; do
    [ -x "$program" ] && echo "rabbitmq $program ${program#*/rabbitmq_server-}"
done
exit 0
"""
"""Where Debian's packages have the servers: Debian's names alone, as only its packages can be asked for."""
_VERSION = re.compile(r"(\d{1,4}(?:\.\d{1,6}){1,3})")
_MOST_LINES = 40
_LIMITS = Limits(wall_s=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledService:
    """A server that can be started."""

    kind: ServiceKind
    program: str
    """Its absolute path inside the sandbox."""
    version: str


def can_start(sandbox: Sandbox, base: BaseSystem | None) -> bool:
    """Whether services may be started there at all.

    Not without a sandbox: they would listen on this machine. Under Docker in a base of ours alone, as nothing
    is known of what lies in other images.
    """
    if sandbox.name == "docker":
        return base is not None
    return sandbox.name == "bwrap"


def installed_services(sandbox: Sandbox, base: BaseSystem | None) -> tuple[InstalledService, ...]:
    """What can be started in ``sandbox`` with ``base``; of several releases of one server the newest.

    Looked up by one short run in the sandbox, once a process for each system. Raises SandboxUnavailable.
    """
    if not can_start(sandbox, base):
        return ()
    return _look(innermost(sandbox), base)


@functools.lru_cache(maxsize=32)
def _look(sandbox: Sandbox, base: BaseSystem | None) -> tuple[InstalledService, ...]:
    command = Command(argv=("/bin/sh", "-c", _LOOK), cwd="/tmp", limits=_LIMITS)  # noqa: S108 - the private one
    with tempfile.TemporaryDirectory(prefix="backdate-services-") as folder:
        log = Path(folder, "log")
        sandbox.run(command, Workspace(base=base), log=log)
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    found: dict[ServiceKind, InstalledService] = {}
    for line in lines[:_MOST_LINES]:
        kind, _, rest = line.partition(" ")
        program, _, said = rest.partition(" ")
        version = _VERSION.search(said)
        if kind in set(ServiceKind) and program.startswith("/usr/") and version:
            one = InstalledService(kind=ServiceKind(kind), program=program, version=version[1])
            if one.kind not in found or _numbers(found[one.kind].version) < _numbers(one.version):
                found[one.kind] = one
    return tuple(found.values())


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
