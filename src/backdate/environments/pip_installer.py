"""The second installer: a pip of the time, through our index, where uv cannot install.

uv rejects some metadata that old pips took, builds in ways that some old ``setup.py`` cannot stand, and
resolves all files together where people installed one after the other. A pip, setuptools and wheel of
the time, pointed at the index as of the instant, do what was done then: the recipe's steps in their order.
"""

from __future__ import annotations

import shlex
import tempfile
import uuid
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from packaging.utils import InvalidName, canonicalize_name

from backdate.environments import uv
from backdate.environments.environment import BuildFailure, CutoffOverride, Lock, LockedDistribution
from backdate.environments.inputs import EnvironmentRequest, seeds
from backdate.environments.install_script import COPIES_INSTEAD_OF_LINKS
from backdate.environments.private_view import PrivateView
from backdate.environments.references.supply import ReferenceSupply
from backdate.environments.step_files import handed_over, shown
from backdate.environments.step_run import with_refusals
from backdate.environments.steps import Steps
from backdate.errors import ConfigurationError, StoredDataError
from backdate.index.client_environment import client_environment, write_client_files
from backdate.index.names import requirement_name
from backdate.index.server import SnapshotServer
from backdate.index.upstream import IndexClient
from backdate.recipes.declared import read_declared
from backdate.recipes.recipe import InstallStep
from backdate.sandboxes.identity import HOME
from backdate.text import last_lines
from backdate.timeline.instants import Instant

_TOOLS = ("pip", "setuptools", "wheel")
_MOST_ERROR_LINES = 30


def install_with_pip(
    steps: Steps, request: EnvironmentRequest, root: Path, log: Path, view: PrivateView
) -> tuple[Lock, str] | BuildFailure:
    """Make the environment at ``root`` with a pip of the time; its lock, and that pip's version."""
    cutoff_overrides = request.cutoff_overrides
    moved = {one.name: one.until for one in cutoff_overrides}
    with (
        steps.open_index() as client,
        SnapshotServer(client) as server,
        tempfile.TemporaryDirectory(prefix="backdate-") as folder,
    ):
        home = Path(folder)
        home.chmod(0o755)
        url = server.url(request.instant, moved)
        write_client_files(url, request.instant, home)
        listed = view.handed_over / f"freeze.{uuid.uuid4().hex}.txt"
        references = steps.references(request, view, log)
        script = _script(request, root, home, steps.index_url, cutoff_overrides, listed, references)
        variables = {
            **client_environment(url, Path(HOME)),
            "PIP_NO_INPUT": "1",
            "PIP_PROGRESS_BAR": "off",
            "PIP_CACHE_DIR": str(view.handed_over / "pip"),
        }
        if request.build_constraints:  # isolated builds are pips of their own, which read this
            limits = home / ".backdate" / "build-constraints.txt"
            limits.write_text("\n".join(request.build_constraints) + "\n", encoding="utf-8")
            variables["PIP_CONSTRAINT"] = str(limits)  # until pip 25.3, for the environment as well
            variables["PIP_BUILD_CONSTRAINT"] = str(limits)
        result = steps.run(
            request,
            script,
            [shown(home)],
            log,
            bin_folder=root / "bin",
            further_variables=variables,
            reachable=(server.origin,),
            view=view,
            root=root,
            references=references,
        )
        try:
            if not result.ok:
                failure = steps.failure("install", request, result, log)
                said = with_refusals(_pip_errors(log), result.refused, result.notes)
                return replace(failure, message=said)
            frozen = handed_over(listed)
        except (OSError, ConfigurationError, StoredDataError) as error:
            return BuildFailure(
                phase="install", message=f"pip left no list: {error}", choice=request.choice, log=log
            )
        return lock_of_list(frozen, client, request, cutoff_overrides)


def _script(
    request: EnvironmentRequest,
    root: Path,
    home: Path,
    index_url: str,
    cutoff_overrides: Sequence[CutoffOverride],
    listed: Path,
    references: ReferenceSupply,
) -> list[str]:
    """Shell lines: an environment with the tools of the time, the recipe's steps, what came of them."""
    interpreter = request.choice.interpreter
    tools = _tools(request)
    pip = ("python", "-m", "pip", "install")
    written = home / ".backdate" / "constraints.txt"
    written.write_text("\n".join(request.constraints) + "\n", encoding="utf-8")
    needed = [requirement for _, requirement in request.build_requirements]
    of_project = [f"{request.at}/{step.file}" for step in request.steps if step.kind == "constraints"]
    constraints = [word for file in (str(written), *of_project) for word in ("-c", file)]
    return [
        f'cp -R {shlex.quote(str(home))}/. "$HOME"/',
        COPIES_INSTEAD_OF_LINKS,
        *references.script(),
        shlex.join(uv.create_arguments(python=interpreter.executable, root=root)),
        shlex.join(
            uv.tools_arguments(
                root=root,
                tools=tools,
                instant=request.instant,
                cutoff_overrides=cutoff_overrides,
                index_url=index_url,
            )
        ),
        # Builds that are not isolated see what is installed: it has to be there before them.
        *((shlex.join((*pip, *needed, *constraints)),) if needed else ()),
        *(
            shlex.join((*pip, *map(references.with_files, asked), *constraints))
            for step in request.steps
            if (asked := _asked(step, request.at))
        ),
        f"python -m pip list --format=freeze > {shlex.quote(str(listed))}",
    ]


def _tools(request: EnvironmentRequest) -> tuple[str, ...]:
    """What builds that are not isolated use, within the limits that the request has for builds."""
    limited = {
        name: limit
        for limit in request.build_constraints
        if ";" not in limit and (name := requirement_name(limit)) is not None
    }
    usual = _TOOLS if "setuptools" in seeds(request.choice.interpreter.version) else ("pip",)
    return tuple(limited.get(canonicalize_name(tool), tool) for tool in usual)


def _asked(step: InstallStep, at: str) -> tuple[str, ...]:
    """What follows ``pip install`` for one step; nothing for constraints, which follow every step."""
    if step.kind == "requirements" and step.file:
        return ("-r", f"{at}/{step.file}")
    if step.kind == "project":
        extras = f"[{','.join(step.extras)}]" if step.extras else ""
        folder = "" if step.file in (None, ".") else f"/{step.file}"
        return (f"{at}{folder}{extras}",)
    return step.packages


def lock_of_list(
    frozen: str,
    client: IndexClient,
    request: EnvironmentRequest,
    cutoff_overrides: Sequence[CutoffOverride],
    local: Collection[str] = (),
) -> tuple[Lock, str]:
    """The lock that a list of ``name==version`` lines is, with hashes and dates from the index, and the
    version of the pip in it. ``local``: distributions that are known to be of the tree."""
    declared = read_declared(request.tree).name
    own = {*local, *([canonicalize_name(declared)] if declared is not None else [])}
    moved = {one.name: one for one in cutoff_overrides}
    found: list[LockedDistribution] = []
    mattered: list[CutoffOverride] = []
    for line in frozen.splitlines():
        name, separator, version = line.strip().partition("==")
        try:
            normalised = canonicalize_name(name, validate=True)
        except InvalidName:
            continue  # a warning of pip's among the lines
        if not separator or any(one.name == normalised for one in found):
            continue  # of an egg that lies beside the same distribution, which comes first on the path
        if normalised in own:
            found.append(LockedDistribution(name=normalised, version=version, source="."))
            continue
        cut = moved[normalised].until if normalised in moved else request.instant
        one = _from_index(client, normalised, version, cut)
        if normalised in moved and one.uploaded is not None and one.uploaded >= request.instant:
            mattered.append(moved[normalised])
        found.append(one)
    pip = next((one.version for one in found if one.name == "pip"), "")
    lock = Lock(
        instant=request.instant,
        python=request.choice.interpreter.version,
        distributions=tuple(sorted(found, key=lambda one: one.name)),
        cutoff_overrides=tuple(mattered),
    )
    return lock, pip


def _from_index(client: IndexClient, name: str, version: str, cut: Instant) -> LockedDistribution:
    """The distribution with the hashes of its files that were visible; none if the index has no such."""
    page = client.project_page(name, at=cut)
    files = [file for file in page.before(cut) if file.version == version]
    return LockedDistribution(
        name=name,
        version=version,
        hashes=tuple(sorted(one for file in files for one in file.hashes)),
        uploaded=min((file.upload_time for file in files), default=None),
    )


def _pip_errors(log: Path) -> str:
    lines = log.read_bytes().decode("utf-8", "replace").splitlines()
    first = next(
        (number for number, line in enumerate(lines) if "error" in line.lower()), max(0, len(lines) - 10)
    )
    return last_lines("\n".join(lines[first:]), _MOST_ERROR_LINES) or "no output"
