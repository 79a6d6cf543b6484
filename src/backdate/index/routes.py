"""The routes of the server. A path is one of these, or an UnknownPath with the reason.

::

    /                                          what this is
    /healthz                                   whether it runs
    /simple/NAME/                              today
    /snapshot/INSTANT/simple/NAME/             as of the instant
    /snapshot/INSTANT,NAME=INSTANT/simple/…    the same, one project cut elsewhere
    …/files/NAME/FILENAME[.metadata]           a file, when files go through the server
    /snapshot/INSTANT/NAME/                    pypi-timemachine's form: redirected
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

from backdate.errors import UsageError
from backdate.index.names import is_file_name, is_project_name, normalise
from backdate.index.policy import parse_overrides
from backdate.timeline.instants import Instant, format_instant, now, parse_instant

MAX_PATH = 2048
_MAX_OVERRIDES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """The instant that a path names; None: today."""

    instant: Instant | None = None
    overrides: Mapping[str, Instant] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectRoute:
    """A project's page."""

    when: When
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRoute:
    """A file of a project, or the metadata file beside it."""

    when: When
    name: str
    filename: str
    metadata: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RootRoute:
    """The list of all projects."""

    when: When


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect:
    """A redirect to another path."""

    location: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Banner:
    """The page about this server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The health check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownPath:
    """A path that is not a route."""

    status: int
    message: str


Route: TypeAlias = ProjectRoute | FileRoute | RootRoute | Redirect | Banner | Health | UnknownPath


def parse_path(raw: bytes) -> Route:
    """The route of a request's path as it was sent (percent-encoded, without the query)."""
    if len(raw) > MAX_PATH:
        return UnknownPath(status=414, message="the path is too long")
    try:
        encoded = raw.decode("ascii")
        parts = [unquote_to_bytes(part).decode() for part in encoded.split("/")]
    except UnicodeDecodeError:
        return UnknownPath(status=400, message="the path is not UTF-8")
    if parts[0] or any(part in (".", "..") or "/" in part or "\\" in part or "\0" in part for part in parts):
        return UnknownPath(
            status=400, message="the path tries to escape: names hold no slashes and are not '..'"
        )
    if parts == ["", ""]:
        return Banner()
    if parts == ["", "healthz"]:
        return Health()
    if parts[1] == "snapshot":
        return _snapshot(parts, encoded)
    return _beneath(parts[1:], When(), "")


def _snapshot(parts: list[str], encoded: str) -> Route:
    if len(parts) < 3 or not parts[2]:
        return UnknownPath(status=404, message="write /snapshot/2021-03-01/simple/NAME/")
    base = "/".join(encoded.split("/")[:3])
    try:
        when = parse_when(parts[2])
    except UsageError as error:
        return UnknownPath(status=400, message=str(error))
    rest = parts[3:]
    if rest in ([], [""]):
        return Redirect(location=f"{base}/simple/")
    if (
        rest[0] not in ("simple", "files")
        and (len(rest) == 1 or rest[1:] == [""])
        and is_project_name(rest[0])
    ):
        return Redirect(location=f"{base}/simple/{normalise(rest[0])}/")
    return _beneath(rest, when, base)


def _beneath(parts: list[str], when: When, base: str) -> Route:
    match parts:
        case ["simple"]:
            return Redirect(location=f"{base}/simple/")
        case ["simple", ""]:
            return RootRoute(when=when)
        case ["simple", name] | ["simple", name, ""]:
            if not is_project_name(name):
                return UnknownPath(status=400, message=f"{name!r} is not a project's name (PEP 508)")
            if len(parts) == 2 or name != normalise(name):
                return Redirect(location=f"{base}/simple/{normalise(name)}/")
            return ProjectRoute(when=when, name=name)
        case ["files", name, filename]:
            metadata = filename.endswith(".metadata")
            filename = filename.removesuffix(".metadata")
            if not is_project_name(name) or name != normalise(name) or not is_file_name(filename):
                return UnknownPath(status=400, message=f"{name!r}, {filename!r} do not name a project's file")
            return FileRoute(when=when, name=name, filename=filename, metadata=metadata)
        case _:
            return UnknownPath(
                status=404,
                message="no such page: pages are at /simple/NAME/ and /snapshot/INSTANT/simple/NAME/",
            )


def parse_when(text: str) -> When:
    """``INSTANT[,NAME=INSTANT]…`` as in a URL. Raises InstantError, UsageError."""
    first, *rest = text.split(",")
    instant = parse_instant(first)
    moment = now()
    if len(rest) > _MAX_OVERRIDES:
        raise UsageError(f"more than {_MAX_OVERRIDES} projects with an instant of their own")
    overrides = parse_overrides(rest)
    for value in (instant, *overrides.values()):
        if value > moment:
            raise UsageError(
                f"{format_instant(value)} lies in the future (it is {format_instant(moment)}): "
                "nobody knows what will be visible then"
            )
    return When(instant=instant, overrides=overrides)


def format_when(when: When) -> str:
    """``when`` as it stands in a URL; ``parse_when`` reads it."""
    assert when.instant is not None
    parts = [format_instant(when.instant)]
    parts += [f"{name}={format_instant(value)}" for name, value in sorted(when.overrides.items())]
    return ",".join(parts)
