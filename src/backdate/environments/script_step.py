"""How a set-up script is run: its stand-ins, its variables, and the lines of the shell around it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from backdate.environments import uv
from backdate.environments.cutoff_overrides import editable_cutoff_override
from backdate.environments.environment import LEFT_BEHIND, CutoffOverride
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.private_view import PrivateView
from backdate.environments.script_shims import InstallCommands, ShimPaths
from backdate.environments.step_files import shown
from backdate.index.client_environment import client_environment
from backdate.sandboxes.identity import HOME
from backdate.sandboxes.interface import Mount

_DPKG = Path("/var/lib/dpkg")
_LAST_MINOR_WITH_WHEEL = 11
_MANAGERS = Path(HOME, ".backdate", "managers")
"""Project managers that the script installs are there while it runs."""

Installer = Literal["uv", "pip"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptRun:
    """Where one run of the script happens."""

    root: Path
    home: Path
    """Files for the private home."""
    shims: Path
    listed: Path
    """Where the script's outcome is listed."""
    metadata: Path
    """Where it is listed what the installed distributions require."""

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


def script_lines(
    request: EnvironmentRequest,
    script: str,
    place: ScriptRun,
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
        f"{_metadata_listed(root)} > {shlex.quote(str(place.metadata))}",
    ]


def _eggs_listed(root: Path) -> str:
    """A shell line that lists what ``setup.py install`` and easy_install put in as eggs; uv sees none."""
    eggs = f"find {shlex.quote(str(root / 'lib'))} -maxdepth 3 -path '*/site-packages/*' -name '*.egg'"
    return f"{eggs} | sed -nE 's|^.*/([^/]+)-([^/-]+)-py[0-9.]+(-[^/]*)?[.]egg$|\\1==\\2|p' | sort"


def _metadata_listed(root: Path) -> str:
    """A shell line that lists what each distribution requires, and whether it is of a folder or a file."""
    found = f"find {shlex.quote(str(root / 'lib'))} -maxdepth 4 -path '*/site-packages/*.dist-info/METADATA'"
    each = (
        'for file; do sed -e "s/\\r$//" -e "/^$/q" "$file" | grep -aE "^(Name|Requires-Dist):"; '
        'if grep -aqs "file://" "${file%METADATA}direct_url.json"; then echo "Local: yes"; fi; done'
    )
    return f"{found} -exec sh -c {shlex.quote(each)} sh {{}} +"


def _tools(python: str) -> tuple[str, ...]:
    """What the official image of that Python holds besides: pip, and until 3.11 setuptools and wheel."""
    minor = int(python.split(".")[1])
    return ("pip", "setuptools", "wheel") if minor <= _LAST_MINOR_WITH_WHEEL else ("pip",)


def install_commands(
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


def script_variables(url: str, place: ScriptRun, view: PrivateView) -> Mapping[str, str]:
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


def package_list(request: EnvironmentRequest) -> list[Mount]:
    """The list of installed system packages, which the stand-in for apt-get reads; a base shows its own."""
    return [shown(_DPKG)] if request.base is None and _DPKG.is_dir() else []
