"""The Docker sandbox: each run is a container of an image, which is removed afterwards.

Interpreters, environments and the copy of the tree are shown in the container at the paths that they have
under bubblewrap, so the image has to be a GNU/Linux with a C library at least as new as this machine's.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import threading
import uuid
from dataclasses import replace
from pathlib import Path

from backdate.errors import SandboxUnavailable, UsageError
from backdate.sandboxes import copying, docker_run, endings, layout, preparation, scratch, secret
from backdate.sandboxes.canaries import SandboxCanaries
from backdate.sandboxes.docker_container import LABEL, container_options, shown
from backdate.sandboxes.docker_engine import Engine
from backdate.sandboxes.identity import DROPPED_ID, Identity, outer_identity
from backdate.sandboxes.interface import (
    Capability,
    Command,
    Enforced,
    Limits,
    RunResult,
    Workspace,
)
from backdate.sandboxes.layout import Bind
from backdate.sandboxes.left_behind import LeftBehind
from backdate.sandboxes.log import BoundedLog
from backdate.sandboxes.supervision import ProcessEnd
from backdate.text import version_numbers

DEFAULT_IMAGE = "buildpack-deps:bookworm"
"""Debian with compilers and the headers that much of the index wants."""

_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@-]{0,250}\Z")


class Docker:
    """Runs commands in containers (``docs/how-it-works/sandbox.md`` says what it protects from)."""

    name = "docker"

    def __init__(self, image: str = DEFAULT_IMAGE, *, scratch_root: Path | None = None) -> None:
        """``scratch_root``: the folder for private copies, which only the current user may write.

        Raises UsageError for an invalid image name.
        """
        if not _IMAGE.match(image):
            raise UsageError(f"{image!r} is not the name of an image, such as {DEFAULT_IMAGE}")
        self.image = image
        self._scratch_root = scratch_root
        self._lock = threading.Lock()
        self._image_id: str | None = None

    def probe(self) -> tuple[Capability, ...]:
        """What this sandbox can provide on this machine, found by running canaries (some seconds)."""
        try:
            self.require()
        except (SandboxUnavailable, UsageError) as error:
            return (Capability(name="docker", ok=False, detail=str(error), remedy=str(error), needed=False),)
        return SandboxCanaries(self.run).all()

    def base_key(self) -> str:
        """The id of the image."""
        return self._proven_image()

    def require(self) -> None:
        """Raise SandboxUnavailable, saying what to do, unless a canary runs in a container.

        Once a canary ran, this is not checked again. Raises UsageError without docker-py.
        """
        self._proven_image()

    def _proven_image(self) -> str:
        with self._lock:
            if self._image_id is None:
                with contextlib.closing(Engine()) as engine:
                    image = _fitting_image(engine, self.image)
                    _clear_stale(engine, self._root())
                text = _canary(self, image)
                _check_c_library(text, self.image)
                self._image_id = image
            return self._image_id

    def _root(self) -> Path:
        return self._scratch_root or scratch.default_root()

    def run(self, command: Command, workspace: Workspace, *, log: Path) -> RunResult:
        """Run ``command`` and write its output to ``log`` (see the protocol)."""
        layout.check_base(workspace.base, self.name)
        image = self._proven_image() if workspace.base is None else workspace.base.place
        return self.run_image(command, workspace, image, log=log)

    def run_image(self, command: Command, workspace: Workspace, image: str, *, log: Path) -> RunResult:
        """As ``run``, without the check of ``require``."""
        layout.check(command, workspace)
        layout.require_apart(workspace.mounts, None)
        identity = outer_identity()
        if identity.uid == 0:
            identity = Identity(uid=DROPPED_ID, gid=DROPPED_ID, dropped=True)
        enforced = _enforced(command)
        with (
            scratch.scratch_folder(self._root()) as folder,
            BoundedLog(log, command.limits.log_bytes) as output,
            contextlib.closing(Engine()) as engine,
        ):
            try:
                binds = preparation.prepare(command, workspace, folder, identity, apart=True)
            except copying.TreeTooLarge:
                return endings.result_of(endings.refused_tree(output), None, 0, enforced)
            if any(mount.changes for mount in workspace.mounts):
                output.write(
                    b"backdate: the private view begins empty, as containers have no overlay of it\n"
                )
            name = f"backdate-{uuid.uuid4().hex}"
            with secret.named_secret_pipe(command, folder) as pipe:
                told = pipe.shown_to(command)
                if pipe.path is not None:
                    binds.append(Bind(source=pipe.path, target=secret.NAMED_PIPE, writable=False))
                everything = shown(binds, told, identity, folder)
                try:
                    engine.create(
                        name,
                        image,
                        docker_run.shim(command.cwd, secret=pipe.path is not None),
                        **container_options(told, everything, identity, folder),
                    )
                    with engine.attached(name) as connection:
                        container = docker_run.Container(engine, name, connection, output)
                        left_behind = LeftBehind(output)
                        ending = _follow(container, command, workspace, folder, left_behind)
                finally:
                    engine.remove(name)
                used = pipe.use()
            output.close()
            result = endings.result_of(ending, container.peak_memory_bytes, output.dropped, enforced)
            return replace(result, secret_use=used, left_behind=left_behind.ended)


def _fitting_image(engine: Engine, name: str) -> str:
    """The id of the image. Raises SandboxUnavailable when the image or the engine cannot be used."""
    information = engine.information()
    options = " ".join(information.get("SecurityOptions") or ())
    if "name=rootless" in options or "name=userns" in options:
        raise SandboxUnavailable(
            "this Docker engine maps users to others (rootless, or userns-remap), so that a container cannot "
            "write what it is to write; use an engine that does not, or --sandbox bwrap"
        )
    for limit, text in (("MemoryLimit", "memory"), ("PidsLimit", "processes")):
        if not information.get(limit):
            raise SandboxUnavailable(
                f"this Docker engine cannot limit {text}; let the kernel have that control group"
            )
    image = engine.image(name)
    if image is None:
        raise SandboxUnavailable(
            f"the Docker engine has no image {name}; get it with 'docker pull {name}', "
            "or name another: --sandbox docker:IMAGE"
        )
    if image.volumes:
        raise SandboxUnavailable(
            f"the image {name} has volumes of its own ({', '.join(image.volumes)}), which nothing limits; "
            "name another: --sandbox docker:IMAGE"
        )
    return image.id


def _canary(sandbox: Docker, image: str) -> str:
    import tempfile

    with tempfile.TemporaryDirectory(prefix="backdate-canary-") as temporary:
        log = Path(temporary, "log")
        command = Command(
            argv=("/bin/sh", "-c", "getconf GNU_LIBC_VERSION; kill -SEGV $$"),
            cwd="/",
            limits=Limits(wall_s=30),
        )
        result = sandbox.run_image(command, Workspace(), image, log=log)
        text = log.read_text(encoding="utf-8", errors="replace").strip()
    if result.signal != signal.SIGSEGV:
        raise SandboxUnavailable(
            f"the image {sandbox.image} does not run commands as a Debian does ({text or result.status}): it "
            "needs sh, awk, setsid and env, and this machine's folders; name another: --sandbox docker:IMAGE"
        )
    return text


def _check_c_library(text: str, image: str) -> None:
    """Raise SandboxUnavailable when interpreters of this machine would not start in the image."""
    here = version_numbers((os.confstr("CS_GNU_LIBC_VERSION") or "").removeprefix("glibc "))
    there = version_numbers(next((line[6:] for line in text.splitlines() if line.startswith("glibc ")), ""))
    dotted = ".".join(map(str, here))
    if not there:
        raise SandboxUnavailable(
            f"the image {image} has no GNU C library (Alpine has another), which this machine's interpreters "
            f"need; name one that has glibc {dotted} or newer: --sandbox docker:IMAGE"
        )
    if there < here:
        raise SandboxUnavailable(
            f"the image {image} has glibc {'.'.join(map(str, there))}, and this machine's interpreters may "
            f"need its {dotted}; name an image of a release as new as this machine's: --sandbox docker:IMAGE"
        )


def _clear_stale(engine: Engine, root: Path) -> None:
    """Remove the containers whose run was killed: their folder is gone, or its lock is free."""
    if root.is_dir():
        scratch.clear_stale(root)
    for container, folder in engine.labelled(LABEL).items():
        if Path(folder).is_relative_to(root) and not Path(folder).exists():
            engine.remove(container)


def _follow(
    container: docker_run.Container,
    command: Command,
    workspace: Workspace,
    folder: Path,
    left_behind: LeftBehind,
) -> ProcessEnd:
    limits = command.limits
    watched = endings.run_watches(command, workspace, folder, left_behind)
    ending = container.follow(wall_s=limits.wall_s, watches=watched.watches, on_start=watched.on_start)
    return endings.with_disk_limit(ending, limits)


def _enforced(command: Command) -> Enforced:
    limits = command.limits
    return Enforced(
        sandbox="docker",
        memory="none" if limits.memory_bytes is None else "tree",
        processes="none" if limits.processes is None else "tree",
        disk="none" if limits.disk_bytes is None else "watched",
        network=command.network,
        files="isolated",
        seccomp="on",
    )
