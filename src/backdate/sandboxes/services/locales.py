"""Locales that tests set beside C.UTF-8: compiled once from the system's own definitions, and shown to runs.

Debian's package ``locales`` has the definitions, and compiles none by itself. What is compiled is made in the
sandbox, in which nothing but the system's own program runs, and is never shown writable to anything.
"""

from __future__ import annotations

import functools
import re
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from backdate.errors import MachineError
from backdate.sandboxes import scratch
from backdate.sandboxes.file_lock import held_file
from backdate.sandboxes.interface import BaseSystem, Command, Limits, Mount, Sandbox, Workspace
from backdate.sandboxes.services.installed import can_start
from backdate.sandboxes.wrapped import innermost
from backdate.serial import digest
from backdate.text import end_of_file

FOLDER = "/backdate/locales"
"""Where runs see them (``LOCPATH``, locale(7))."""
MOST_LOCALES = 12
_NAME = re.compile(r"[a-z]{2,3}_[A-Z]{2}\Z", re.ASCII)
_FORMAT = 1
"""Part of every key: raise it when the same names are compiled otherwise."""
_MADE = "/backdate/made"
_LIST = 'test -x /usr/bin/localedef && test -e /usr/share/i18n/charmaps/UTF-8.gz && ls "$@"'
_COMPILE = f"""
for name in "$@"; do
    /usr/bin/localedef --no-archive -c -i "$name" -f UTF-8 {_MADE}/locales/$name.utf8
    test -d {_MADE}/locales/$name.utf8 || exit 1
done
"""
_LIMITS = Limits(wall_s=300)
_SHOWN = 2_000


def locales_there(names: Iterable[str], sandbox: Sandbox, base: BaseSystem | None) -> tuple[str, ...]:
    """Those of ``names`` ("en_US") that the system in which tests run can compile, sorted.

    What is no such name, which a stored recipe may hold, is left out. Raises SandboxUnavailable.
    """
    wanted = sorted({name for name in names if _NAME.match(name)})[:MOST_LOCALES]
    if not wanted or not can_start(sandbox, base):
        return ()
    defined = _defined(innermost(sandbox), base)
    return tuple(name for name in wanted if name in defined)


@functools.lru_cache(maxsize=32)
def _defined(sandbox: Sandbox, base: BaseSystem | None) -> frozenset[str]:
    argv = ("/bin/sh", "-c", _LIST, "list", "/usr/share/i18n/locales")
    command = Command(argv=argv, cwd="/tmp", limits=_LIMITS)  # noqa: S108 - the private one
    with tempfile.TemporaryDirectory(prefix="backdate-locales-") as folder:
        log = Path(folder, "log")
        sandbox.run(command, Workspace(base=base), log=log)
        return frozenset(filter(_NAME.match, log.read_text(encoding="utf-8", errors="replace").split()))


def with_locales(
    names: tuple[str, ...], command: Command, workspace: Workspace, *, sandbox: Sandbox, folder: Path
) -> tuple[Command, Workspace]:
    """The command and what it sees, with these locales; ``folder`` keeps what was compiled.

    ``names``: as ``locales_there`` gives them. Raises MachineError when one cannot be compiled.
    """
    if not names:
        return command, workspace
    base = workspace.base
    key = digest("locales", _FORMAT, names, sandbox.name, None if base is None else base.key)
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / key
    with held_file(folder / f"{key}.lock"):
        if not made.is_dir():
            _make(names, made, sandbox=sandbox, base=base)
    return (
        replace(command, env={**command.env, "LOCPATH": FOLDER}),
        replace(workspace, mounts=(*workspace.mounts, Mount(source=made, target=FOLDER))),
    )


def _make(names: tuple[str, ...], target: Path, *, sandbox: Sandbox, base: BaseSystem | None) -> None:
    with scratch.scratch_folder(target.parent / "making") as folder:
        made = folder / "made"
        (made / "locales").mkdir(parents=True)
        log = folder / "log"
        command = Command(
            argv=("/bin/sh", "-c", _COMPILE, "compile", *names),
            cwd="/tmp",  # noqa: S108 - the private one
            env={"PATH": "/usr/bin:/bin"},
            limits=_LIMITS,
        )
        mounts = (Mount(source=made, target=_MADE, writable=True, own=True),)
        run = sandbox.run(command, Workspace(base=base, mounts=mounts), log=log)
        if not run.ok:
            wanted = ", ".join(names)
            raise MachineError(f"no locales ({wanted}) could be compiled: {end_of_file(log, _SHOWN)}")
        (made / "locales").rename(target)
