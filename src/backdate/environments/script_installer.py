"""The third installer: a shell script sets the environment up, as published tasks do.

The script runs as it is, in the sandbox, inside an empty environment with the tools of the time; project
managers that it installs have one of their own (``script_tools.py``). Its ``pip`` is a stand-in that asks uv,
cut at the instant; where that fails, the script is run again from the beginning with a real pip of the time
through the index as of the instant, which every other client (Poetry, ``setup.py``'s own fetching) is
pointed at too. Nobody is root there: ``apt-get`` says what is there already (on this machine, or in the
request's base system), and fails honestly when something is not.
"""

from __future__ import annotations

import shlex
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from backdate.environments import uv
from backdate.environments.build import Builder
from backdate.environments.cutoff_overrides import cutoff_overrides_at, editable_cutoff_override
from backdate.environments.environment import LEFT_BEHIND, BuildFailure, CutoffOverride, Environment
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.pip_installer import lock_of_list
from backdate.environments.private_view import PrivateView
from backdate.environments.script_shims import InstallCommands, ShimPaths, write_stand_ins
from backdate.environments.script_tools import managers_apart
from backdate.environments.step_files import handed_over, shown
from backdate.environments.step_run import StepRun, with_refusals
from backdate.environments.steps import Steps
from backdate.errors import ConfigurationError, StoredDataError
from backdate.index.client_environment import client_environment, write_client_files
from backdate.index.server import SnapshotServer
from backdate.progress import NO_PROGRESS, ONLY, StageReporter
from backdate.sandboxes.identity import HOME
from backdate.sandboxes.interface import Mount
from backdate.serial import digest
from backdate.text import end_of_file, first_line, last_lines

_FORMAT = 5
"""Part of every key: raise it when what is made from the same inputs changes."""

_DPKG = Path("/var/lib/dpkg")
_LAST_MINOR_WITH_WHEEL = 11
_MANAGERS = Path(HOME, ".backdate", "managers")
"""Project managers that the script installs are there while it runs."""

Installer = Literal["uv", "pip"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ScriptRun:
    """Where one run of the script happens."""

    root: Path
    home: Path
    """Files for the private home."""
    shims: Path
    listed: Path
    """Where the script's outcome is listed."""

    def paths(self, request: EnvironmentRequest) -> ShimPaths:
        """What the stand-ins name."""
        return ShimPaths(
            folder=self.shims,
            root=self.root,
            interpreter=request.choice.interpreter.executable,
            uv=uv.find_uv(),
            managers=_MANAGERS,
            starter=Path(HOME, "bin", "poetry"),
        )


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
        *("environment by script", _FORMAT, uv.uv_version(), script),
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
    return replace(found, choice=request.choice)


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
        place = _ScriptRun(
            root=root,
            home=Path(folder, "home"),
            shims=Path(folder, "bin"),
            listed=view.handed_over / f"freeze.{uuid.uuid4().hex}.txt",
        )
        Path(folder).chmod(0o755)
        place.home.mkdir()
        write_client_files(url, request.instant, place.home)
        write_stand_ins(
            place.paths(request),
            _install_commands(request, root, cutoff_overrides, steps.index_url, installer),
            apart=managers_apart(request.tree, script),
        )
        references = steps.references(request, view, log, script=script)
        result = steps.run(
            request,
            [*references.script(), *_lines(request, script, place, cutoff_overrides, steps.index_url, url)],
            [shown(Path(folder)), *_dpkg(request)],
            log,
            bin_folder=place.shims,
            reachable=(server.origin,),
            further_variables=_variables(url, place, view),
            view=view,
            root=root,
            references=references,
        )
        try:
            if not result.ok:
                return _failure(steps, request, result, log, installer)
            lock, version = lock_of_list(handed_over(place.listed), client, request, cutoff_overrides)
            # Compiled in a step in which no foreign code runs: it sees other environments.
            compiling = log.with_suffix(".compile.log")
            steps.compile(request, root, compiling, builder.neighbours(request, lock))
        except (OSError, ConfigurationError, StoredDataError) as error:
            message = f"the script left no environment that can be listed: {error}"
            return BuildFailure(phase="install", message=message, choice=request.choice, log=log)
    used = "" if installer == "uv" else f"pip {version}"
    return steps.built(request, key=key, root=root, lock=lock, log=log, started=started, installer=used)


def _failure(
    steps: Steps, request: EnvironmentRequest, result: StepRun, log: Path, installer: Installer
) -> BuildFailure:
    failure = steps.failure("install", request, result, log)
    if installer == "uv":
        return failure
    output = last_lines(end_of_file(log, 1 << 20), 30) or "no output"
    return replace(failure, message=with_refusals(output, result.refused, result.notes))


def _lines(
    request: EnvironmentRequest,
    script: str,
    place: _ScriptRun,
    cutoff_overrides: Sequence[CutoffOverride],
    index_url: str,
    served: str,
) -> list[str]:
    """Shell lines: an environment with the tools of the time, the script, what came of it.

    ``served``: the index at the instant, for whatever the script runs.
    """
    root, python = place.root, str(place.root / "bin" / "python")
    tools = uv.tools_arguments(
        root=root,
        tools=_tools(request.choice.interpreter.version),
        instant=request.instant,
        cutoff_overrides=cutoff_overrides,
        index_url=index_url,
    )
    # What a program of the tree's own does to the tree is seen by its times of change, and kept beside the
    # environment: an in-place build, a file that was fetched. Caches of bytecode are not.
    changed = (
        'find . -cnewer "$TMPDIR/.started" \\( -type f -o -type l \\) '
        "-not -path '*/__pycache__/*' -not -path './build/*' -print0"
    )
    left = f"tar --create --null --no-recursion --files-from=- --file={shlex.quote(str(root / LEFT_BEHIND))}"
    listing = (str(uv.find_uv()), "pip", "list", "--quiet", "--format=freeze", "--python", python)
    return [
        f'cp -R {shlex.quote(str(place.home))}/. "$HOME"/',
        shlex.join(uv.create_arguments(python=request.choice.interpreter.executable, root=root)),
        shlex.join(tools),
        'touch "$TMPDIR/.started"',
        shlex.join(("env", *_variables_of_uv(served, root), "bash", f"./{script}")),
        f"{changed} | {left}",
        f"{shlex.join(listing)} > {shlex.quote(str(place.listed))}",
        f"{_eggs_listed(root)} >> {shlex.quote(str(place.listed))}",
    ]


def _eggs_listed(root: Path) -> str:
    """A shell line that lists what ``setup.py install`` and easy_install put in as eggs; uv sees none."""
    eggs = f"find {shlex.quote(str(root / 'lib'))} -maxdepth 3 -path '*/site-packages/*' -name '*.egg'"
    return f"{eggs} | sed -nE 's|^.*/([^/]+)-([^/-]+)-py[0-9.]+(-[^/]*)?[.]egg$|\\1==\\2|p' | sort"


def _tools(python: str) -> tuple[str, ...]:
    """What the official image of that Python holds besides: pip, and until 3.11 setuptools and wheel."""
    minor = int(python.split(".")[1])
    return ("pip", "setuptools", "wheel") if minor <= _LAST_MINOR_WITH_WHEEL else ("pip",)


def _install_commands(
    request: EnvironmentRequest,
    root: Path,
    cutoff_overrides: tuple[CutoffOverride, ...],
    index_url: str,
    installer: Installer,
) -> InstallCommands:
    """What the stand-in for ``pip install`` calls: for plain installs, and for editable ones."""

    def command(overrides: tuple[CutoffOverride, ...]) -> tuple[str, ...]:
        return uv.tools_arguments(
            root=root, tools=(), instant=request.instant, cutoff_overrides=overrides, index_url=index_url
        )

    editable = editable_cutoff_override(cutoff_overrides, request.instant, request.choice.interpreter.version)
    return InstallCommands(
        plain=command(cutoff_overrides), editable=command(editable), by_pip=installer == "pip"
    )


def _variables(url: str, place: _ScriptRun, view: PrivateView) -> Mapping[str, str]:
    given = client_environment(url, Path(HOME))
    # Poetry's starter stands before every Poetry that the script may install.
    folders = (place.shims, f"{HOME}/bin", _MANAGERS / "bin", place.root / "bin", "/usr/local/bin")
    return {
        **{name: value for name, value in given.items() if not name.startswith("UV_")},
        "PATH": ":".join((*map(str, folders), "/usr/bin", "/bin")),
        "VIRTUAL_ENV": str(place.root),
        "PIP_NO_INPUT": "1",
        "PIP_PROGRESS_BAR": "off",
        "PIP_CACHE_DIR": str(view.handed_over / "pip"),
        "POETRY_NO_INTERACTION": "1",
        "PIPENV_YES": "1",
        "PDM_USE_VENV": "1",
        "DEBIAN_FRONTEND": "noninteractive",
    }


def _variables_of_uv(served: str, root: Path) -> list[str]:
    """For a uv that the script has. Ours is told the index itself: a served one would not share its cache."""
    given = client_environment(served, Path(HOME))
    named = {name: value for name, value in given.items() if name.startswith("UV_")}
    return [f"{name}={value}" for name, value in {**named, "UV_PROJECT_ENVIRONMENT": str(root)}.items()]


def _dpkg(request: EnvironmentRequest) -> list[Mount]:
    """The list of installed system packages, which the stand-in for apt-get reads; a base shows its own."""
    return [shown(_DPKG)] if request.base is None and _DPKG.is_dir() else []
