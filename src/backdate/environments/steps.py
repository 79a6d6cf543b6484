"""The two build steps, each one run of uv in the sandbox: resolve at an instant, and install a lock.

A failed step is a value (:class:`BuildFailure`); a broken machine (index down, disk full, sandbox not
starting) is an exception.
"""

from __future__ import annotations

import shlex
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from backdate.environments import at_fault, uv
from backdate.environments.build_limits import BUILD_LIMITS
from backdate.environments.cache import Cache
from backdate.environments.environment import BuildFailure, Environment, Interpreter, Lock
from backdate.environments.inputs import (
    EnvironmentRequest,
    requirement_files,
    requirement_lines,
    variables_of_builds,
)
from backdate.environments.install_script import (
    COPIES_INSTEAD_OF_LINKS,
    compile_script,
    install_script,
    step_script,
)
from backdate.environments.lock import PROJECT, read_pylock, with_index
from backdate.environments.private_view import PrivateView
from backdate.environments.references.supply import (
    NO_REFERENCES,
    ReferenceSupply,
    stated_for,
    supply,
)
from backdate.environments.references.types import DEFAULT_POLICY, ReferencePolicy
from backdate.environments.step_files import build_files, handed_over, input_file, placed, shown
from backdate.environments.step_run import StepRun, with_refusals
from backdate.errors import ConfigurationError, StoredDataError
from backdate.index.upstream import IndexClient, open_index
from backdate.sandboxes.interface import (
    MIB,
    UNSAFE_LOCAL,
    Command,
    Limits,
    Mount,
    Network,
    Sandbox,
    Workspace,
)
from backdate.text import end_of_file

if TYPE_CHECKING:
    from backdate.environments.build_network import BuildConnection

_NO_TREE = "/tmp"  # noqa: S108 - private to the sandbox
"""Where a step starts that does not see the project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What uv resolved: our reading of it, and its own text, from which it installs."""

    lock: Lock
    pylock: str
    checked: bool
    """Whether its files are those that the index lists (``lock_check.py``)."""
    differing: tuple[str, ...] = ()
    """See ``LockCheck``."""

    @property
    def unconfirmed(self) -> tuple[str, ...] | None:
        """See ``Environment``."""
        return None if self.checked else self.differing


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """Where and how build steps are run."""

    cache: Cache
    sandbox: Sandbox
    index_url: str = uv.DEFAULT_INDEX
    limits: Limits = BUILD_LIMITS
    open_network: bool = False
    """Whether builds get the whole network, not only the index."""
    reference_policy: ReferencePolicy = DEFAULT_POLICY
    """Which repositories and archives are fetched that requirements name by address."""
    references_of: EnvironmentRequest | None = None
    """Whose tree says what is fetched; None for the request that is built."""

    @property
    def network(self) -> Network:
        """What builds reach: a sandbox without isolation has nothing to close."""
        return "on" if self.open_network or self.sandbox.name == UNSAFE_LOCAL else "gateway"

    def open_index(self) -> IndexClient:
        """A client of the index that builds use; close it."""
        return open_index(self.index_url, self.cache.index)

    def resolve(self, request: EnvironmentRequest, log: Path, view: PrivateView) -> Resolution | BuildFailure:
        """All of the request's steps together, resolved at its instant."""
        interpreter = request.choice.interpreter
        cutoff_overrides = request.cutoff_overrides
        output = view.handed_over / f"pylock.{uuid.uuid4().hex}.toml"
        references = self.references(request, view, log)
        asked = references.with_files("\n".join(requirement_lines(request)) + "\n")
        with (
            input_file("asked.txt", asked) as written,
            input_file("limits.txt", "\n".join(request.constraints) + "\n") as limits,
            input_file("overrides.txt", references.overrides()) as overrides,
            build_files(request) as builds,
        ):
            arguments = uv.resolve_arguments(
                python=interpreter.executable,
                instant=request.instant,
                cutoff_overrides=cutoff_overrides,
                index_url=self.index_url,
                inputs=requirement_files(request, "requirements"),
                constraints=[*requirement_files(request, "constraints"), str(limits)],
                overrides=[str(overrides)] if references.named else [],
                builds=builds,
                output=output,
                resolution=request.resolution,
            )
            portable = ("sed", "-i", f"s|{request.at}|{PROJECT}|g", str(output))
            script = [
                COPIES_INSTEAD_OF_LINKS,
                *references.script(),
                placed(written, request.at),
                f'{shlex.join(arguments)} "$TMPDIR/{written.name}"',
                shlex.join(portable),
            ]
            files = (written, limits, overrides, builds.limits)
            mounts = [shown(file.parent) for file in files]
            result = self.run(request, script, mounts, log, view=view, references=references)
        try:
            if not result.ok:
                return self.failure("resolve", request, result, log)
            # Code of builds runs beside the resolver, and may write where it leaves the lock.
            pylock = references.with_addresses(handed_over(output))
            lock = read_pylock(
                pylock,
                instant=request.instant,
                python=interpreter.version,
                cutoff_overrides=cutoff_overrides,
            )
        except (OSError, ConfigurationError, StoredDataError) as error:
            message = f"uv ended well, and what lies where it left the lock cannot be read as one: {error}"
            return BuildFailure(phase="resolve", message=message, choice=request.choice, log=log)
        return Resolution(lock=lock, pylock=pylock, checked=False)

    def install(
        self,
        request: EnvironmentRequest,
        pylock: str,
        root: Path,
        log: Path,
        *,
        shared: bool,
        neighbours: Sequence[Path] = (),
        view: PrivateView | None,
        with_tree: bool = True,
        below: Path | None = None,
        wheels: Sequence[Path] = (),
        further_variables: Mapping[str, str] = MappingProxyType({}),
    ) -> BuildFailure | None:
        """Make a virtual environment at ``root`` that holds what ``pylock`` names; None when it was made.

        A ``shared`` one stays where it is, and its modules are compiled now, as pip does: a suite that
        makes warnings errors would otherwise stumble over those that compiling a library gives. Another
        one can be moved. ``neighbours``: shared environments of the same interpreter, from which what was
        compiled of the same files is taken (see ``compiled.py``). ``view``: None where nothing may be
        built; then uv runs no foreign code. ``with_tree``: see ``run``. ``below``: the layer below, to be
        shown. ``wheels``: files that ``pylock`` names, to be shown. ``further_variables``: of the step.
        """
        references = NO_REFERENCES
        if view is not None:
            references = self.references(request, view, log, with_tree=with_tree, pylock=pylock)
        with (
            input_file("pylock.toml", references.lock_with_files(with_index(pylock, self.index_url))) as lock,
            build_files(request) as builds,
        ):
            install = uv.install_arguments(
                root=root,
                instant=request.instant,
                cutoff_overrides=request.cutoff_overrides,
                index_url=self.index_url,
                builds=builds,
                build=view is not None,
            )
            mounts = [shown(path) for path in (lock.parent, builds.limits.parent, *wheels)]
            others = (*neighbours, *([] if below is None else [below]))
            mounts += [
                Mount(source=folder, target=str(folder), own=True) for folder in others if view is not None
            ]
            result = self.run(
                request,
                install_script(request, root, install, lock, neighbours if shared else None),
                mounts,
                log,
                bin_folder=None if view is None else root / "bin",
                further_variables=further_variables,
                with_tree=with_tree and view is not None,
                view=view,
                root=root,
                references=references,
                lend=view is None and not shared,
            )
        return None if result.ok else self.failure("install", request, result, log)

    def references(
        self,
        request: EnvironmentRequest,
        view: PrivateView,
        log: Path,
        *,
        with_tree: bool = True,
        pylock: str | None = None,
        script: str | None = None,
    ) -> ReferenceSupply:
        """What the request's requirements, or the lock, name by address; fetched now, once for a view.

        ``with_tree``: what the tree's own files name. ``script``: the set-up script, a path in the tree.
        """
        stated = stated_for(self.references_of or request, with_tree=with_tree, pylock=pylock, script=script)
        if stated not in view.supplies:
            view.supplies[stated] = supply(
                stated,
                request,
                cache=self.cache,
                sandbox=self.sandbox,
                policy=self.reference_policy,
                folder=view.references,
                log=log,
            )
        return view.supplies[stated]

    def compile(
        self, request: EnvironmentRequest, root: Path, log: Path, neighbours: Sequence[Path] = ()
    ) -> BuildFailure | None:
        """Compile the modules at ``root`` that are not compiled yet, or were changed since.

        The failure where that meets a limit: a module can be such that it does.
        """
        script = compile_script(root, neighbours, request.choice.interpreter.executable)
        mounts = [Mount(source=folder, target=str(folder), own=True) for folder in neighbours]
        result = self.run(request, script, mounts, log, with_tree=False, root=root, offline=True)
        return None if result.ok else self.failure("install", request, result, log)

    def run(
        self,
        request: EnvironmentRequest,
        script: Sequence[str],
        mounts: Sequence[Mount],
        log: Path,
        bin_folder: Path | None = None,
        further_variables: Mapping[str, str] = MappingProxyType({}),
        *,
        with_tree: bool = True,
        view: PrivateView | None = None,
        root: Path | None = None,
        reachable: Sequence[str] = (),
        offline: bool = False,
        references: ReferenceSupply = NO_REFERENCES,
        lend: bool = False,
        beside: Sequence[str] = (),
    ) -> StepRun:
        """Run the lines of a shell script until one fails, in one sandbox.

        ``with_tree``: with a copy of the project's tree, in which the script then starts. ``root``: the
        environment that is made. ``view``: what foreign code may write to besides; without one the script
        must run none, and what no foreign code wrote is writable. ``reachable``: addresses of servers of
        ours that it reaches besides the index. ``offline``: it reaches nothing. ``references``: what was
        fetched for it. ``lend``: what it installs at ``root``, which is handed out, may be linked.
        ``beside``: lines that need no network, run while the step is connected; the script comes after them.
        """
        from backdate.environments.lent_files import CacheUse

        uv_cache, interpreter = self.uv_cache(request), request.choice.interpreter
        variables = uv.build_variables(cache=uv_cache, bin_folder=bin_folder or interpreter.executable.parent)
        if view is not None:
            variables |= {**variables_of_builds(request), **further_variables}
        own = self._writable(uv_cache, view, root)
        network: Network = "off" if offline else self.network
        with ExitStack() as stack:
            use = CacheUse(self.cache)
            if stack.enter_context(use.lending(root.name) if lend and root else use.shared()):
                variables["UV_LINK_MODE"] = "hardlink"
            git_variables, git_mounts = stack.enter_context(references.configured())
            connection = stack.enter_context(self._connected(network, interpreter, reachable))
            command = Command(
                argv=("/bin/sh", "-c", step_script(connection.start, beside, script)),
                cwd=request.at if with_tree else _NO_TREE,
                env={**variables, **git_variables, **connection.variables},
                network=network,
                limits=self.limits,
                ends_left_behind=view is not None,
            )
            shown_to_it = (*own, *connection.mounts, *mounts, *references.mounts, *git_mounts)
            run = self.sandbox.run(command, _workspace(request, shown_to_it, with_tree=with_tree), log=log)
        if view is not None:
            view.note_left_behind(run.left_behind)
        step = StepRun(run=run, refused=connection.refused, notes=references.notes)
        step.note_refusals(log)
        return step

    def _connected(
        self, network: Network, interpreter: Interpreter, reachable: Sequence[str]
    ) -> AbstractContextManager[BuildConnection]:
        from backdate.environments.build_network import connected

        return connected(
            network,
            index_url=self.index_url,
            index_cache=self.cache.index,
            reachable=reachable,
            interpreter=interpreter.executable,
        )

    def _writable(self, uv_cache: Path, view: PrivateView | None, root: Path | None) -> list[Mount]:
        clean = root is None or root.is_relative_to(self.cache.environments)
        mounts = [] if view is None else list(view.mounts(uv_cache))
        if view is None and clean:
            mounts.append(replace(shown(self.cache.clean, writable=True), counted=False))
        elif root is not None:
            root.mkdir(parents=True, exist_ok=True)
            mounts.append(Mount(source=root, target=str(root), writable=True, own=True))
        return mounts

    def uv_cache(self, request: EnvironmentRequest) -> Path:
        """uv's cache for what is built in the request's system."""
        return self.cache.of_base(self.cache.uv, self.base_key(request))

    def base_key(self, request: EnvironmentRequest) -> str | None:
        """What else than this machine's own system is built in; None for that."""
        return self.sandbox.base_key() if request.base is None else request.base.key

    def built(
        self,
        request: EnvironmentRequest,
        *,
        key: str,
        root: Path,
        lock: Lock,
        log: Path,
        started: float,
        installer: str = "",
    ) -> Environment:
        """The environment that steps have made at ``root``. ``started``: as ``time.monotonic`` tells it."""
        return Environment(
            key=key,
            root=root,
            choice=request.choice,
            lock=lock,
            build_s=time.monotonic() - started,
            reused=False,
            log=log,
            base=request.base,
            network=self.network,
            installer=installer,
        )

    def failure(
        self, phase: Literal["resolve", "install"], request: EnvironmentRequest, step: StepRun, log: Path
    ) -> BuildFailure:
        """The failure that a run of ``run`` is. Raises when the machine is at fault, not the project."""
        text = end_of_file(log, MIB)
        at_fault.require_machine(step.run, text, self.cache.folder)
        if not step.refused:
            at_fault.require_index(text, self.index_url)
        met = at_fault.limit_that_was_met(step.run, text)
        return BuildFailure(
            phase=phase if met is None else met.limit,
            limit_evidence=None if met is None else met.evidence,
            message=with_refusals(uv.explain_failure(text), step.refused, step.notes),
            choice=request.choice,
            log=log,
            certain=phase == "resolve" and at_fault.no_pip_would_resolve(text, request.instant),
            refused=step.refused,
        )


def _workspace(request: EnvironmentRequest, mounts: Sequence[Mount], *, with_tree: bool) -> Workspace:
    """What a step sees: the interpreter and uv besides ``mounts``."""
    tools = (shown(request.choice.interpreter.prefix), shown(uv.find_uv()))
    return Workspace(
        tree=request.tree if with_tree else None, at=request.at, mounts=(*tools, *mounts), base=request.base
    )
