"""Small commands that try to break out: what they achieve shows what a sandbox provides."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from pathlib import Path
from typing import Protocol

from backdate.sandboxes import scratch, seccomp
from backdate.sandboxes.interface import (
    MIB,
    Capability,
    Command,
    Limits,
    Mount,
    RunResult,
    RunStatus,
    Workspace,
)

_CALLS = """
import ctypes, errno, sys
libc = ctypes.CDLL(None, use_errno=True)
def fails(number, first=-1):
    return libc.syscall(number, first, -1, -1, -1, -1, -1) == -1 and ctypes.get_errno() == errno.EPERM
allowed = [call for call in sys.argv[1:] if not fails(*map(int, call.split(",")))]
print("allowed:", *allowed) if allowed else print("all denied")
"""
"""A Python program that makes these calls, each "NUMBER" or "NUMBER,FIRST", with arguments that are wrong."""


class CommandRunner(Protocol):
    """Runs one command, as ``Sandbox.run`` does."""

    def __call__(self, command: Command, workspace: Workspace, *, log: Path) -> RunResult: ...


class SandboxCanaries:
    """The canaries, each run by ``runner``."""

    def __init__(self, runner: CommandRunner) -> None:
        self._runner = runner

    def _try(
        self,
        script: str,
        *arguments: str,
        limits: Limits | None = None,
        workspace: Workspace | None = None,
    ) -> tuple[RunResult, str]:
        with tempfile.TemporaryDirectory(prefix="backdate-canary-") as folder:
            command = Command(
                argv=("/bin/sh", "-c", script, "sh", *arguments),
                cwd="/tmp",  # noqa: S108 - the private one, inside
                limits=limits or Limits(wall_s=30),
            )
            log = Path(folder, "log")
            result = self._runner(command, workspace or Workspace(), log=log)
            return result, log.read_text(encoding="utf-8", errors="replace")

    def first(self) -> str | None:
        """None when a command runs and its exit status is reported correctly; else what went wrong."""
        result, text = self._try("kill -SEGV $$")
        if result.status is RunStatus.EXITED and result.signal == 11:
            return None
        if result.status is RunStatus.EXITED and result.exit_code in (11, 139):
            return "the system's awk does not tell exit codes from signals; install gawk or mawk as awk"
        return text.strip() or f"the first canary ended as {result.status} without output"

    def all(self) -> tuple[Capability, ...]:
        """Every capability."""
        return (
            self._files(),
            self._network(),
            self._memory(),
            self._processes(),
            self._tree(),
            self._namespaces(),
            self._system_calls(),
            self._private_view(),
        )

    def _files(self) -> Capability:
        descriptor, secret = tempfile.mkstemp(prefix="backdate-secret-")
        os.close(descriptor)
        try:
            outside = Path(secret).parent / f"{Path(secret).name}.written"
            script = f"test ! -e {secret} && ! touch /x /usr/x 2>/dev/null; echo $?; touch {outside}"
            _, text = self._try(script)
            isolated = text.strip().splitlines()[:1] == ["0"] and not outside.exists()
        finally:
            Path(secret).unlink()
        return _line(
            "files isolated", isolated, "files outside of the workspace are invisible and unwritable"
        )

    def _network(self) -> Capability:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            # No networking program exists on every system, so the kernel's own list of interfaces is read.
            _, text = self._try(f"cat /proc/net/dev; cat /proc/net/tcp # {port}")
        interfaces = {
            line.partition(":")[0].strip() for line in text.splitlines() if ":" in line and "|" not in line
        }
        foreign = interfaces - {"lo"} - {name for name in interfaces if name.isdigit()}
        hidden = f":{port:04X}" not in text
        return _line("network off", not foreign and hidden, "only a loopback interface of its own")

    def _memory(self) -> Capability:
        limits = Limits(wall_s=30, memory_bytes=128 * MIB)
        result, text = self._try("head -c 1G /dev/zero | tail -c 1G | wc -c", limits=limits)
        limited = result.status is RunStatus.OOM or "1073741824" not in text
        kind = result.enforced.memory
        details = {
            "tree": "of the whole tree (control group)",
            "per-process": "of each process by itself (RLIMIT_AS); "
            "run as root, or in a systemd user session, to limit the whole tree",
            "none": "none",
        }
        return _line("memory limit", limited and kind != "none", details[kind])

    def _processes(self) -> Capability:
        limits = Limits(wall_s=30, processes=20)
        _, text = self._try("for i in $(seq 60); do sleep 20 & done; echo all", limits=limits)
        return _line(
            "process limit", "all" not in text.splitlines(), "a command cannot start processes without end"
        )

    def _tree(self) -> Capability:
        mark = f"{os.getpid()}{id(self)}"[-9:]
        self._try(f"trap '' TERM HUP; setsid sh -c 'trap \"\" TERM HUP; sleep 1{mark}' & sleep 0.1")
        return _line("tree kill", not _runs(f"1{mark}"), "nothing that a command started outlives it")

    def _namespaces(self) -> Capability:
        _, text = self._try("unshare --user true 2>&1 && echo created; id -u")
        created = "created" in text.splitlines()
        return _line("user namespaces", not created, "the command cannot make any")

    def _system_calls(self) -> Capability:
        """Python makes the calls, this process's own: no program of every system makes all of them."""
        prefix = Path(sys.base_prefix).resolve()
        interpreter = str(Path(sys.executable).resolve())
        workspace = Workspace(mounts=(Mount(source=prefix, target=str(prefix)),))
        processor = seccomp.architecture()
        calls = [str(number) for number in processor.numbers.values()]
        calls += [f"{processor.socket},{family}" for family in seccomp.DENIED_FAMILIES.values()]
        _, text = self._try('exec "$@"', interpreter, "-I", "-S", "-c", _CALLS, *calls, workspace=workspace)
        return _line(
            "system calls", "all denied" in text.splitlines(), "none that traces or reads other processes"
        )

    def _private_view(self) -> Capability:
        """No protection hangs on it: without it the view of a build begins empty."""
        with scratch.scratch_folder(scratch.default_root()) as folder:
            source, changes = folder / "source", folder / "changes"
            source.mkdir()
            changes.mkdir()
            (source / "kept").touch()
            mount = Mount(source=source, target="/seen", writable=True, changes=changes, own=True)
            _, text = self._try("test -e /seen/kept && echo seen", workspace=Workspace(mounts=(mount,)))
        if "seen" in text.splitlines():
            return _line("private views", True, "builds read uv's cache and change nothing of it")
        return Capability(
            name="private views",
            ok=False,
            needed=False,
            detail="no overlays here: builds begin with an empty cache, and download their tools again",
        )


def _line(name: str, ok: bool, detail: str) -> Capability:
    if ok:
        return Capability(name=name, ok=True, detail=detail)
    remedy = (
        "do not run foreign code here; report this with the output of `uname -r` and the sandbox's version"
    )
    return Capability(name=name, ok=False, detail=f"a canary got through: not {detail!r}", remedy=remedy)


def _runs(mark: str) -> bool:
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if mark.encode() in (process / "cmdline").read_bytes():
                    return True
            except OSError:
                continue
    return False
