"""What is asked of the resolver: a recipe's install steps as requirement files, and the seeds."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from packaging.utils import canonicalize_name

from backdate.environments.cutoff_overrides import cutoff_overrides_at
from backdate.environments.environment import CutoffOverride, InterpreterChoice
from backdate.environments.lock import PROJECT
from backdate.recipes.declared import read_declared
from backdate.recipes.recipe import PROJECT_FOLDER, InstallStep
from backdate.sandboxes.interface import BaseSystem
from backdate.serial import digest, to_json
from backdate.timeline.instants import Instant

if TYPE_CHECKING:
    from backdate.index.closed import AllowedFiles

_LAST_MINOR_WITH_SETUPTOOLS = 11
ResolutionMode = Literal["highest", "lowest-direct"]
"""uv's ``--resolution``: the newest versions that fit, or the oldest of what is asked for by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentRequest:
    """Everything that an environment is a function of, besides the machine."""

    name: str
    """The project's name, for its folder inside the sandbox and for messages."""
    tree: Path
    digest: str
    """``tree_digest(tree)``."""
    steps: tuple[InstallStep, ...]
    choice: InterpreterChoice
    instant: Instant
    version_variables: Mapping[str, str] = field(default_factory=dict)
    """What tells build back-ends the version; there is no .git inside that they could ask."""
    constraints: tuple[str, ...] = ()
    """Further limits, written out (PEP 508): they install nothing, but what is installed obeys them."""
    variables: tuple[tuple[str, str], ...] = ()
    """Further environment variables of every build step; ``PROJECT_FOLDER`` stands for the tree's place."""
    build_constraints: tuple[str, ...] = ()
    """Limits (PEP 508) on what isolated builds (PEP 517) take: their setuptools, their Cython."""
    build_requirements: tuple[tuple[str, str], ...] = ()
    """What isolated builds need besides what they declare: whose build (normalised), and a requirement."""
    extra_cutoff_overrides: tuple[CutoffOverride, ...] = ()
    """Distributions that are cut later than at the instant, besides those that always are."""
    resolution: ResolutionMode = "highest"
    """With ``lowest-direct`` no pip and no setuptools are installed besides: of these, too, uv would take the
    oldest."""
    allowed_files: tuple[AllowedFiles, ...] = ()
    """Of which versions only these files are installed; of all others whatever the index has."""
    base: BaseSystem | None = None
    """What it is built and used in; None for the sandbox's own system (see ``environments/system.py``)."""

    @property
    def at(self) -> str:
        """Where the tree is seen inside the sandbox: one path for each content and each way to build it.

        uv remembers what it built from a folder by the folder's path, so two different trees must
        never be seen at one path.
        """
        content = digest(self.digest, *self.build_variations) if self.build_variations else self.digest
        return f"/work/{content[:16]}/{self.name}"

    @property
    def build_variations(self) -> tuple[object, ...]:
        """How builds differ from the usual: part of every key; empty where they do not."""
        return tuple(
            (name, value)
            for name, value in (
                ("variables", self.variables),
                ("build constraints", self.build_constraints),
                ("build requirements", self.build_requirements),
                ("later cuts", self.extra_cutoff_overrides),
            )
            if value
        )

    @property
    def cutoff_overrides(self) -> tuple[CutoffOverride, ...]:
        """Every later cutoff, sorted by name; the later one of two for a distribution."""
        latest: dict[str, CutoffOverride] = {}
        for override in (*cutoff_overrides_at(self.instant), *self.extra_cutoff_overrides):
            if override.until > self.instant and (
                override.name not in latest or latest[override.name].until < override.until
            ):
                latest[override.name] = override
        return tuple(latest[name] for name in sorted(latest))


def seeds(python: str) -> tuple[str, ...]:
    """What an interpreter's own ``python -m venv`` would put in: pip, and setuptools until 3.11."""
    minor = int(python.split(".")[1])
    return ("pip", "setuptools") if minor <= _LAST_MINOR_WITH_SETUPTOOLS else ("pip",)


def requirement_lines(request: EnvironmentRequest) -> tuple[str, ...]:
    """The requirements that are not in files of the project: itself, written-out packages, seeds.

    ``PROJECT`` stands for the folder in which the sandbox shows the project.
    """
    lines: list[str] = []
    for step in request.steps:
        if step.kind == "project":
            extras = f"[{','.join(step.extras)}]" if step.extras else ""
            path = posixpath.normpath(posixpath.join(PROJECT, step.file or "."))
            name = _named(request, step)
            lines.append(f"{name}{extras} @ file://{path}" if name else path + extras)
        elif step.kind == "packages":
            lines.extend(step.packages)
    if request.resolution == "lowest-direct":
        return tuple(lines)
    return (*lines, *seeds(request.choice.interpreter.version))


def configuration(request: EnvironmentRequest) -> str:
    """uv's own configuration for ``request``: what builds need besides what they declare, and metadata of
    releases that it cannot read itself."""
    from backdate.environments.restated_metadata import restated_metadata  # a warm check resolves nothing

    needed: dict[str, list[str]] = {}
    for distribution, requirement in request.build_requirements:
        needed.setdefault(canonicalize_name(distribution), []).append(requirement)
    lines = [f"{to_json(name).decode()} = {to_json(needed[name]).decode()}" for name in sorted(needed)]
    needs = "\n".join(("[extra-build-dependencies]", *lines, "")) if lines else ""
    return "\n".join(filter(None, (needs, restated_metadata())))


def _named(request: EnvironmentRequest, step: InstallStep) -> str | None:
    """The project's name where uv has to know it before it builds: to give the build what it needs."""
    if step.file not in (None, ".") or not request.build_requirements:
        return None
    name = read_declared(request.tree).name
    needed = {canonicalize_name(distribution) for distribution, _ in request.build_requirements}
    return name if name is not None and canonicalize_name(name) in needed else None


def requirement_files(request: EnvironmentRequest, kind: str) -> Sequence[str]:
    """The project's files of ``kind`` ("requirements" or "constraints"), as seen in the sandbox."""
    return [
        posixpath.join(request.at, step.file) for step in request.steps if step.kind == kind and step.file
    ]


def variables_of_builds(request: EnvironmentRequest) -> dict[str, str]:
    """The request's own environment variables of steps that build."""
    own = {name: value.replace(PROJECT_FOLDER, request.at) for name, value in request.variables}
    return {**own, **request.version_variables}


def can_be_layered(request: EnvironmentRequest) -> bool:
    """Whether dependencies can be built without the tree: not where a build variable leads into it."""
    return not any(PROJECT_FOLDER in value for _, value in request.variables)
