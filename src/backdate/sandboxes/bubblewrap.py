"""The default sandbox: bubblewrap, as an ordinary user or (dropping to one) as root.

A run is a chain of processes, each of which dies with the one before it::

    backdate ── launcher.py ── bwrap ── process 1 of the sandbox ── awk ── the command

awk is there because bubblewrap reports exit code 139 and death by signal 11 alike, and awk's
``system()`` does not; it is on every system, and it starts in a millisecond.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

from backdate.errors import SandboxUnavailable
from backdate.sandboxes import (
    cgroups,
    copying,
    endings,
    layout,
    preparation,
    scratch,
    seccomp,
    secret,
    supervision,
)
from backdate.sandboxes.canaries import SandboxCanaries
from backdate.sandboxes.cgroups import ControlGroup
from backdate.sandboxes.diagnosis import why_unavailable
from backdate.sandboxes.identity import Identity, etc_files, outer_identity
from backdate.sandboxes.interface import (
    Capability,
    Command,
    Enforced,
    Limits,
    RunResult,
    RunStatus,
    Workspace,
)
from backdate.sandboxes.layout import Bind
from backdate.sandboxes.left_behind import LeftBehind
from backdate.sandboxes.log import BoundedLog

_STAGE = "/tmp"  # noqa: S108 - covered by an empty file system in a mount namespace of the run's own

_RUN = f"exec /bin/sh {layout.COMMAND_FILE} </dev/null >&3 3>&-"
_SHIM = f"""echo ready >&0; read -r word && [ "$word" = go ] || exit 1
exec awk 'BEGIN {{ print system("{_RUN}"); fflush(); getline }}' 3>&1 >&0"""
"""It waits for the supervisor's end of the socket: until then what the command left is there to be seen."""


class Bubblewrap:
    """Runs commands under bubblewrap (``docs/how-it-works/sandbox.md`` says what it protects from)."""

    name = "bwrap"

    def __init__(self, *, scratch_root: Path | None = None, use_cgroups: bool = True) -> None:
        """``scratch_root``: the folder for private copies, which only the current user may write.

        Without ``use_cgroups`` memory is limited for each process separately.
        """
        self._scratch_root = scratch_root
        self._use_cgroups = use_cgroups
        self._lock = threading.Lock()
        self._parents: tuple[cgroups.Parent, ...] = ()
        self._proven = False

    def probe(self) -> tuple[Capability, ...]:
        """What this sandbox can provide on this machine, found by running canaries (about a second)."""
        try:
            self.require()
        except SandboxUnavailable as error:
            return (Capability(name="bubblewrap", ok=False, detail="cannot be used", remedy=str(error)),)
        return SandboxCanaries(self._run).all()

    def require(self) -> None:
        """Raise SandboxUnavailable, saying what to do, unless a canary runs in the sandbox.

        Once a canary ran, this is not checked again.
        """
        with self._lock:
            if self._proven:
                return
            program = shutil.which("bwrap")
            problem = why_unavailable(program, "")
            seccomp.architecture()
            if problem is None:
                self._parents = cgroups.find_parents() if self._use_cgroups else ()
                text = SandboxCanaries(self._run).first()
                problem = None if text is None else why_unavailable(program, text) or text
            if problem is not None:
                raise SandboxUnavailable(problem)
            self._proven = True

    def base_key(self) -> str | None:
        """None: commands see this machine's own system."""

    def run(self, command: Command, workspace: Workspace, *, log: Path) -> RunResult:
        """Run ``command`` and write its output to ``log`` (see the protocol)."""
        self.require()
        return self._run(command, workspace, log=log)

    def _run(self, command: Command, workspace: Workspace, *, log: Path) -> RunResult:
        layout.check(command, workspace)
        layout.check_base(workspace.base, self.name)
        base = None if workspace.base is None else Path(workspace.base.place)
        if base is not None:
            layout.require_apart(workspace.mounts, base)
        identity = outer_identity()
        root = self._scratch_root or scratch.default_root()
        with scratch.scratch_folder(root) as folder, BoundedLog(log, command.limits.log_bytes) as output:
            group = self._make_group(command.limits, folder)
            enforced = _enforced(command, group)
            try:
                binds = preparation.prepare(
                    command, workspace, folder, identity, apart=base is not None, overlays=True
                )
            except copying.TreeTooLarge:
                return endings.result_of(endings.refused_tree(output), None, 0, enforced)
            with (
                secret.secret_pipe(command) as pipe,
                _program(pipe.shown_to(command), binds, identity, group, base) as prepared,
            ):
                program = replace(prepared, pass_fds=(*prepared.pass_fds, *pipe.descriptors))
                left_behind = LeftBehind(output)
                ending = _supervise(program, left_behind, command, workspace, folder, group)
                used = pipe.use()
            output.close()
            result = endings.result_of(ending, group.peak_memory_bytes(), output.dropped, enforced)
            return replace(result, secret_use=used, left_behind=left_behind.ended)

    def _make_group(self, limits: Limits, folder: Path) -> ControlGroup:
        needed = {"memory": limits.memory_bytes is not None, "pids": limits.processes is not None}
        parents = tuple(
            parent for parent in self._parents if any(needed[name] for name in parent.controllers)
        )
        group = ControlGroup(parents, f"backdate-{folder.name}")
        scratch.note_groups(folder, group.folders)
        try:
            group.make(memory_bytes=limits.memory_bytes, processes=limits.processes)
        except OSError as error:
            raise SandboxUnavailable(
                f"the control group of a run cannot be made ({error}), although it could be before; "
                "look at the parent folder's permissions and limits (cgroup.max.descendants)"
            ) from error
        return group


def _enforced(command: Command, group: ControlGroup) -> Enforced:
    limits = command.limits
    by_process: Literal["per-process", "none"] = "none" if limits.memory_bytes is None else "per-process"
    by_user: Literal["per-user", "none"] = "none" if limits.processes is None else "per-user"
    return Enforced(
        sandbox="bwrap",
        memory="tree" if group.limits("memory") else by_process,
        processes="tree" if group.limits("pids") else by_user,
        disk="none" if limits.disk_bytes is None else "watched",
        network=command.network,
        files="isolated",
        seccomp="on",
    )


@contextlib.contextmanager
def _program(
    command: Command, binds: list[Bind], identity: Identity, group: ControlGroup, base: Path | None
) -> Iterator[supervision.Program]:
    """The program to start, with the files that it inherits, which are closed afterwards."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxUnavailable(why_unavailable(None, "") or "bubblewrap is gone")
    keys = _limiting_keys(command.limits, group)
    shown = binds
    root = layout.BaseRoot() if base is None else layout.BaseRoot(folder=base, seen=base)
    if not identity.dropped:
        shown = [_laid_over(bind, keys) for bind in binds]
    if identity.dropped:
        keys += ["stage", _STAGE, "user", str(identity.uid)]
        shown = []
        for number, bind in enumerate(binds):
            keys += ["show", str(bind.source)]
            if bind.changes is not None:
                keys += ["changes", f"{number}:{bind.changes}"]
            shown.append(Bind(source=Path(_STAGE, str(number)), target=bind.target, writable=bind.writable))
        if base is not None:
            keys += ["show", str(base)]
            root = layout.BaseRoot(folder=base, seen=Path(_STAGE, str(keys.count("show") - 1)))
        if not bwrap.startswith(("/usr/", "/bin/")):
            # It may lie in a folder that only root may enter, or under the folder that is covered.
            keys += ["show", bwrap]
            bwrap = f"{_STAGE}/{keys.count('show') - 1}"
    with contextlib.ExitStack() as stack:
        files = {
            path: _in_memory(stack, content)
            for path, content in {
                **etc_files(network=command.network == "on"),
                layout.COMMAND_FILE: _script(command, group),
            }.items()
        }
        status, status_end = os.pipe()
        stack.callback(os.close, status)
        stack.callback(os.close, status_end)
        filter_of_calls = _in_memory(stack, seccomp.bpf_program())
        inside = [
            *layout.arguments(
                command, shown, files=files, status=status_end, seccomp=filter_of_calls, root=root
            ),
            "--",
            "/bin/sh",
            "-c",
            _SHIM,
        ]
        yield supervision.Program(
            argv=supervision.launching(keys, [bwrap, *inside]),
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            cwd="/",
            pass_fds=(*files.values(), filter_of_calls, status_end),
            status_fd=status,
            owner=(identity.uid, identity.gid) if identity.dropped else None,
        )


def _limiting_keys(limits: Limits, group: ControlGroup) -> list[str]:
    """What the launcher is told of the processes' bounds."""
    keys = ["parent", str(os.getpid())]
    for entrance in group.entrances:
        keys += ["enter", str(entrance)]
    if limits.memory_bytes is not None and not group.limits("memory"):
        keys += ["as", str(limits.memory_bytes)]
    if limits.disk_bytes is not None:
        keys += ["fsize", str(limits.disk_bytes)]
    return keys


def _laid_over(bind: Bind, keys: list[str]) -> Bind:
    """What is shown of a bind with changes by a user who is not root (``launcher.lay_over``)."""
    if bind.changes is None:
        return bind
    keys += ["overlay", str(bind.source), "over", str(bind.changes)]
    return replace(bind, source=bind.changes / "view", changes=None)


def _in_memory(stack: contextlib.ExitStack, content: bytes) -> int:
    descriptor = os.memfd_create("backdate", os.MFD_CLOEXEC)
    stack.callback(os.close, descriptor)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _script(command: Command, group: ControlGroup) -> bytes:
    prefix = []
    if command.limits.processes is not None and not group.limits("pids"):
        # Set inside, where the kernel (5.14 and later) counts the processes of this sandbox only.
        prefix = ["prlimit", f"--nproc={command.limits.processes}"]
    return layout.script(command, prefix)


def _supervise(
    program: supervision.Program,
    left_behind: LeftBehind,
    command: Command,
    workspace: Workspace,
    folder: Path,
    group: ControlGroup,
) -> supervision.ProcessEnd:
    limits = command.limits
    watched = endings.run_watches(command, workspace, folder, left_behind)
    ending = supervision.supervise(
        program,
        left_behind.log,
        wall_s=limits.wall_s,
        watches=(lambda: RunStatus.OOM if group.out_of_memory() else None, *watched.watches),
        on_start=watched.on_start,
        on_end=left_behind.count_left if command.ends_left_behind else None,
    )
    return endings.with_disk_limit(ending, limits)
