"""What a request asks of the index by name alone, written out: the resolver need not see the project's files.

Requirement files are a project's own: their options could lead a resolver to files and addresses of the
project's choice, and so put its own files, under the name of any distribution, among the downloads that all
environments are installed from. So each line is read here, and only what names a distribution of the index
is written out anew. Where a line says anything else nothing is written out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from backdate.environments.declared_metadata import declared_metadata
from backdate.environments.inputs import EnvironmentRequest, requirement_lines
from backdate.environments.lock import PROJECT
from backdate.environments.stated_metadata import StatedMetadata
from backdate.recipes.files import Files, normal_path
from backdate.text import UNREADABLE

_MOST_FILES = 60
_COMMENT = re.compile(r"(?:\A|\s)#.*\Z")
_INCLUDED = re.compile(
    r"(?:-(?P<short>[rc])\s*|--(?P<long>requirement|constraint)(?:\s*=\s*|\s+))(?P<path>[\w./-]+)\Z"
)
_FILE = re.compile(r"\.(?:whl|zip|tar|t?gz|bz2|tbz2?|t?xz|zst|tlz|lz|lzma|tzst)\Z", re.IGNORECASE)
"""How the names of archives end: a resolver takes such a word for a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRequirements:
    """Requirements and limits, PEP 508 without addresses, as they were read."""

    asked: tuple[str, ...]
    limits: tuple[str, ...]
    project: StatedMetadata | None = None
    """What the project at the tree's root says of itself, where ``asked`` names that place (``PROJECT``)."""


def with_project(
    request: EnvironmentRequest, in_files: NamedRequirements, project: StatedMetadata
) -> NamedRequirements | None:
    """All that ``request`` asks for, which is ``in_files`` and the project at the root of its tree.

    None where it asks for anything else but by name.
    """
    steps = [step for step in request.steps if step.kind == "project"]
    if any(step.file not in (None, ".") for step in steps):
        return None
    others = [line for line in requirement_lines(request) if PROJECT not in line]
    try:
        return NamedRequirements(
            asked=(
                *in_files.asked,
                *(_at_root(project.name, step.extras) for step in steps),
                *map(_named, others),
            ),
            limits=(*in_files.limits, *map(_named, request.constraints)),
            project=project,
        )
    except _NotByName:
        return None


def _at_root(name: str, extras: Sequence[str]) -> str:
    """The requirement of the project, called ``name``, at the root of the tree."""
    try:
        wanted = [canonicalize_name(extra, validate=True) for extra in extras]
    except UNREADABLE:
        raise _NotByName from None
    listed = f"[{','.join(wanted)}]" if wanted else ""
    return f"{name}{listed} @ file://{PROJECT}"


class _NotByName(Exception):
    """Something is asked for otherwise than by name."""


def named_requirements(request: EnvironmentRequest) -> NamedRequirements | None:
    """What the request asks for and how it limits that; None where it asks for anything but by name.

    A project at the root of the tree is asked for by name where its file states its metadata.
    """
    written = requirements_in_files(request)
    if written is None:
        return None
    if any(step.kind == "project" for step in request.steps):
        if request.resolution != "highest":
            return None  # what a project requires is then cut otherwise than what is asked for by name
        stated = declared_metadata(request.tree)
        return None if stated is None else with_project(request, written, stated)
    try:
        asked = (*written.asked, *map(_named, requirement_lines(request)))
        return NamedRequirements(asked=asked, limits=(*written.limits, *map(_named, request.constraints)))
    except _NotByName:
        return None


def requirements_in_files(request: EnvironmentRequest) -> NamedRequirements | None:
    """What the requirement files that the request names ask for; None where that is anything but names."""
    reading = _Reading(Files(request.tree))
    try:
        for step in request.steps:
            if step.kind in ("requirements", "constraints"):
                reading.file(step.file or "", ".", limits=step.kind == "constraints")
    except _NotByName:
        return None
    return NamedRequirements(asked=tuple(reading.asked), limits=tuple(reading.limits))


class _Reading:
    """Requirement files, each read where it is named, as resolvers do."""

    def __init__(self, files: Files) -> None:
        self.asked: list[str] = []
        self.limits: list[str] = []
        self._files = files
        self._left = _MOST_FILES

    def file(self, name: str, folder: str, *, limits: bool) -> None:
        path = normal_path(folder, name)
        text = None if path is None else self._files.text(path)
        self._left -= 1
        if path is None or text is None or self._left < 0:  # files may name themselves
            raise _NotByName
        for line in _lines(text):
            included = _INCLUDED.match(line)
            if included is None:
                (self.limits if limits else self.asked).append(_named(line))
            else:
                only_limits = limits or (included["short"] or included["long"][0]) == "c"
                self.file(included["path"], path.rpartition("/")[0] or ".", limits=only_limits)


def _lines(text: str) -> Iterator[str]:
    """The lines that say anything, without comments."""
    if "\\" in text or "${" in text:  # joined lines, and the environment: left to the resolver
        raise _NotByName
    for line in text.removeprefix("\ufeff").splitlines():
        content = _COMMENT.sub("", line).strip()
        if content:
            yield content


def _named(line: str) -> str:
    """The requirement ``line``, written anew. Raises _NotByName unless it names a distribution."""
    try:
        requirement = Requirement(line)
    except UNREADABLE:
        raise _NotByName from None
    if requirement.url is not None or _FILE.search(requirement.name) or "${" in line:
        raise _NotByName
    return str(requirement)
