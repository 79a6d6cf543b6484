"""The third installer: a shell script sets the environment up, as published tasks do.

The script runs as it is, in the sandbox, inside an empty environment with the tools of the time; project
managers that it installs have one of their own (``script_tools.py``). Its ``pip`` is a stand-in that asks uv,
cut at the instant; where that fails, the script is run again from the beginning with a real pip of the time
through the index as of the instant, which every other client (Poetry, ``setup.py``'s own fetching) is
pointed at too. Nobody is root there: ``apt-get`` says what is there already (on this machine, or in the
request's base system), and fails honestly when something is not.
"""

from __future__ import annotations

import tempfile
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.environments import uv
from backdate.environments.build import Builder
from backdate.environments.cutoff_overrides import cutoff_overrides_at
from backdate.environments.environment import BuildFailure, Environment, Lock, with_incidents
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.pip_choice import (
    ChoiceInputs,
    InstalledMetadata,
    read_installed,
    unlike_pip,
)
from backdate.environments.pip_installer import lock_of_list
from backdate.environments.private_view import PrivateView
from backdate.environments.script_requirements import stated_requirements
from backdate.environments.script_shims import write_stand_ins
from backdate.environments.script_step import (
    Installer,
    ScriptRun,
    install_commands,
    package_list,
    script_lines,
    script_variables,
)
from backdate.environments.script_tools import managers_apart
from backdate.environments.step_files import handed_over, shown
from backdate.environments.step_run import StepRun, with_refusals
from backdate.environments.steps import Steps
from backdate.errors import ConfigurationError, StoredDataError
from backdate.index.client_environment import write_client_files
from backdate.index.page import IndexFile
from backdate.index.server import SnapshotServer
from backdate.index.upstream import IndexClient
from backdate.progress import NO_PROGRESS, ONLY, StageReporter
from backdate.serial import digest
from backdate.text import end_of_file, first_line, last_lines

SCRIPT_FORMAT = 6
"""Part of every key: raise it when what is made from the same inputs changes."""

_CHOICES = "choices"
"""Where ``ChoiceOfUv`` records are kept, by the key of the environment."""
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceOfUv:
    """What of an environment that uv made pip would have chosen otherwise; kept beside its record."""

    unlike_pip: tuple[str, ...]
    pip_failed: bool = False
    """Whether pip could not make it."""


def prepare_by_script(
    builder: Builder, request: EnvironmentRequest, script: str
) -> Environment | BuildFailure:
    """The environment that the shell script ``script`` (a path in the tree) sets up, from the cache or made
    now.

    ``request`` names tree, interpreter and instant; its steps are not looked at. Raises as
    ``Builder.prepare`` does.
    """
    interpreter = request.choice.interpreter
    key = digest(
        *("environment by script", SCRIPT_FORMAT, uv.uv_version(), script),
        *(
            interpreter.version,
            str(interpreter.executable),
            request.instant,
            cutoff_overrides_at(request.instant),
        ),
        *(builder.index_url, request.digest, request.name, dict(request.version_variables)),
        *builder.keys.base(request),
    )

    def make(root: Path) -> Environment | BuildFailure:
        first = _run(builder, request, script, root, key, "uv")
        if isinstance(first, Environment) or first.phase not in ("resolve", "install"):
            return first
        builder.cache.discard(root)
        second = _run(builder, request, script, root, key, "pip")
        why = first_line(first.message) or "it gave no reason"
        if isinstance(second, BuildFailure):
            both = f"{first.message}\n\nWith a pip of the time:\n{second.message}"
            return replace(second, message=both)
        return replace(
            second,
            installer=f"{second.installer} through the index as of the instant, as uv could not: {why}",
        )

    found = builder.finished.keep(key, StageReporter(NO_PROGRESS, ONLY), make)
    choice = builder.cache.read(ChoiceOfUv, _CHOICES, key)
    if isinstance(found, Environment) and choice is not None and choice.unlike_pip:
        found = _as_pip(builder, request, script, key, found, choice)
    return replace(found, choice=request.choice)


def _as_pip(
    builder: Builder,
    request: EnvironmentRequest,
    script: str,
    key: str,
    made: Environment,
    choice: ChoiceOfUv,
) -> Environment:
    """The environment that pip makes, which would not have chosen as uv did in ``made``; that one where pip
    cannot."""
    differs = ", ".join(choice.unlike_pip[:_MOST_NAMED])
    if choice.pip_failed:
        return replace(made, installer=f"uv, though pip would choose otherwise and fails: {differs}")
    key = digest(key, "pip")

    def make(root: Path) -> Environment | BuildFailure:
        answer = _run(builder, request, script, root, key, "pip")
        if isinstance(answer, BuildFailure):
            return answer
        note = f"{answer.installer} through the index as of the instant, which chooses otherwise than uv"
        return replace(answer, installer=f"{note}: {differs}")

    found = builder.finished.keep(key, StageReporter(NO_PROGRESS, ONLY), make)
    if isinstance(found, Environment):
        return found
    if found.phase in ("resolve", "install"):  # another time it may not hit a limit
        builder.cache.write(_CHOICES, made.key, replace(choice, pip_failed=True))
    return replace(made, installer=f"uv, though pip would choose otherwise and fails: {differs}")


def _choice(
    request: EnvironmentRequest,
    script: str,
    lock: Lock,
    installed: Sequence[InstalledMetadata],
    client: IndexClient,
) -> ChoiceOfUv:
    """What of ``lock`` pip would not have taken."""
    requirements, extras = stated_requirements(request.tree, script)
    until = {one.name: one.until for one in request.cutoff_overrides}

    def files_of(name: str) -> list[IndexFile]:
        cut = until.get(name, request.instant)
        return list(client.project_page(name, at=cut).before(cut))

    pip = next((one.version for one in lock.distributions if one.name == "pip"), "")
    inputs = ChoiceInputs(
        installed=installed, requirements=requirements, extras=extras, python=lock.python, pip=pip
    )
    unlike = unlike_pip([one for one in lock.distributions if one.name != "pip"], inputs, files_of)
    return ChoiceOfUv(unlike_pip=unlike)


def _run(
    builder: Builder, request: EnvironmentRequest, script: str, root: Path, key: str, installer: Installer
) -> Environment | BuildFailure:
    """Run the script once, with one of the two installers."""
    started = time.monotonic()
    steps = builder.steps
    cutoff_overrides = cutoff_overrides_at(request.instant)
    log = builder.cache.logs / f"{key}.{installer}.log"
    with (
        steps.open_index() as client,
        SnapshotServer(client) as server,
        PrivateView(steps.cache) as view,
        tempfile.TemporaryDirectory(prefix="backdate-") as folder,
    ):
        url = server.url(request.instant, {one.name: one.until for one in cutoff_overrides})
        place = _place_in(Path(folder), view, root)
        write_client_files(url, request.instant, place.home)
        write_stand_ins(
            place.paths(request),
            install_commands(request, root, cutoff_overrides, steps.index_url, installer),
            apart=managers_apart(request.tree, script),
        )
        references = steps.references(request, view, log, script=script)
        result = steps.run(
            request,
            [
                *references.script(),
                *script_lines(request, script, place, cutoff_overrides, steps.index_url, url),
            ],
            [shown(Path(folder)), *package_list(request)],
            log,
            bin_folder=place.shims,
            reachable=(server.origin,),
            further_variables=script_variables(url, place, view),
            view=view,
            root=root,
            references=references,
        )
        incidents = view.incidents()
        if not result.ok:
            return with_incidents(_failure(steps, request, result, log, installer), incidents)
        try:
            installed = read_installed(handed_over(place.metadata))
            lock, version = _lock_of(installed, handed_over(place.listed), client, request)
            if installer == "uv":
                choice = _choice(request, script, lock, installed, client)
                builder.cache.write(_CHOICES, key, choice)
            # Compiled in a step in which no foreign code runs: it sees other environments.
            compiling = log.with_suffix(".compile.log")
            neighbours = builder.filler.neighbours.of(request.choice.interpreter, lock)
            failure = steps.compile(request, root, compiling, neighbours)
            if failure is not None:
                return with_incidents(failure, incidents)
        except (OSError, ConfigurationError, StoredDataError) as error:
            message = f"the script left no environment that can be listed: {error}"
            unlisted = BuildFailure(phase="install", message=message, choice=request.choice, log=log)
            return with_incidents(unlisted, incidents)
    used = "" if installer == "uv" else f"pip {version}"
    made = steps.built(request, key=key, root=root, lock=lock, log=log, started=started, installer=used)
    return with_incidents(made, incidents)


def _lock_of(
    installed: Sequence[InstalledMetadata], listed: str, client: IndexClient, request: EnvironmentRequest
) -> tuple[Lock, str]:
    """The lock of what the script has ``installed``, and the version of the pip in it. ``listed``: by pip."""
    local = {one.name for one in installed if one.local}
    return lock_of_list(listed, client, request, cutoff_overrides_at(request.instant), local)


def _place_in(folder: Path, view: PrivateView, root: Path) -> ScriptRun:
    """Where the script finds its home and our stand-ins, and where it leaves what it has installed."""
    place = ScriptRun(
        root=root,
        home=folder / "home",
        shims=folder / "bin",
        listed=view.handed_over / f"freeze.{uuid.uuid4().hex}.txt",
        metadata=view.handed_over / f"metadata.{uuid.uuid4().hex}.txt",
    )
    folder.chmod(0o755)
    place.home.mkdir()
    return place


def _failure(
    steps: Steps, request: EnvironmentRequest, result: StepRun, log: Path, installer: Installer
) -> BuildFailure:
    failure = steps.failure("install", request, result, log)
    if installer == "uv":
        return failure
    output = last_lines(end_of_file(log, 1 << 20), 30) or "no output"
    return replace(failure, message=with_refusals(output, result.refused, result.notes))
