"""Empty databases, made once and copied for each run: making one takes seconds.

A template is made in the sandbox, in which nothing but the server's own program runs, and is never shown to
anything afterwards: runs get copies.
"""

from __future__ import annotations

import posixpath
from pathlib import Path
from types import MappingProxyType

from backdate.errors import MachineError
from backdate.sandboxes import copying, scratch
from backdate.sandboxes.file_lock import held_file
from backdate.sandboxes.interface import BaseSystem, Command, Limits, Mount, Sandbox, Workspace
from backdate.sandboxes.services.installed import InstalledService
from backdate.sandboxes.services.wanted import ServiceKind
from backdate.serial import digest
from backdate.text import end_of_file

_FORMAT = 1
"""Part of every key: raise it when the same server gets another template."""
_PLACE = "/backdate/template"
_LIMITS = Limits(wall_s=600)
_SHOWN = 2_000


def _postgresql(program: str) -> tuple[str, ...]:
    return (
        posixpath.join(posixpath.dirname(program), "initdb"),
        *("-D", f"{_PLACE}/data", "-U", "postgres", "--auth=trust", "--encoding=UTF8"),
        *("--locale=C.UTF-8", "--no-sync"),
    )


def _mysql(_: str) -> tuple[str, ...]:
    return (
        "/usr/bin/mariadb-install-db",
        *("--no-defaults", f"--datadir={_PLACE}/data", "--auth-root-authentication-method=normal"),
        *("--skip-test-db", "--skip-name-resolve", "--innodb-log-file-size=16M"),
    )


_MAKING = MappingProxyType({ServiceKind.POSTGRESQL: _postgresql, ServiceKind.MYSQL: _mysql})


def copy_template(
    installed: InstalledService,
    target: Path,
    *,
    sandbox: Sandbox,
    base: BaseSystem | None,
    folder: Path,
) -> None:
    """Put the empty database of ``installed`` at ``target``; nothing for a server that needs none.

    ``folder`` keeps templates. Raises MachineError when the server's own program cannot make one.
    """
    if installed.kind not in _MAKING:
        return
    key = digest("service template", _FORMAT, installed, sandbox.name, None if base is None else base.key)
    folder.mkdir(parents=True, exist_ok=True)
    template = folder / key
    with held_file(folder / f"{key}.lock"):
        if not template.is_dir():
            _make(installed, template, sandbox=sandbox, base=base)
        copying.copy_tree(template, target, owner=None, limit=None)


def _make(installed: InstalledService, template: Path, *, sandbox: Sandbox, base: BaseSystem | None) -> None:
    with scratch.scratch_folder(template.parent / "making") as folder:
        made = folder / "made"
        made.mkdir()
        log = folder / "log"
        command = Command(
            argv=_MAKING[installed.kind](installed.program),
            cwd="/tmp",  # noqa: S108 - the private one
            env={"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8"},
            limits=_LIMITS,
        )
        mounts = (Mount(source=made, target=_PLACE, writable=True, own=True),)
        run = sandbox.run(command, Workspace(base=base, mounts=mounts), log=log)
        if not run.ok:
            raise MachineError(
                f"no empty database of {installed.kind.value} {installed.version} could be made: "
                f"{end_of_file(log, _SHOWN)}"
            )
        (made / "data").rename(template)
