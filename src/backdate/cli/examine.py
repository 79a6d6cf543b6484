"""What this machine can do: the facts behind ``backdate doctor``."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx

from backdate.checking.dated_project import Interpreters
from backdate.checking.settings import Settings
from backdate.environments import uv
from backdate.errors import BackdateError
from backdate.extensions import ExtensionGroup, all_extensions
from backdate.sandboxes.interface import Capability
from backdate.sandboxes.services.installed import installed_services
from backdate.sandboxes.services.kinds import row_of
from backdate.sandboxes.services.wanted import ServiceKind
from backdate.solvers.rules.fixers.installed import EXTRA, FixerName, find_fixer
from backdate.testing.moved_clock import HOW_TO_GET, find_libfaketime

_PROBED_PROJECT = "six"


def examine_machine(settings: Settings) -> Iterator[tuple[str, tuple[Capability, ...]]]:
    """Groups of capabilities, each found out by trying it."""
    yield "Sandbox", replace(settings, sandbox="bwrap").open_sandbox().probe()
    # One sandbox is enough: what Docker lacks is listed, and does not make the machine unfit.
    docker = replace(settings, sandbox="docker").open_sandbox()
    yield "Sandbox docker", tuple(replace(line, needed=False) for line in docker.probe())
    yield "Services", tuple(_services(settings))
    yield "Tools", (_uv(), _git(), _clock())
    yield "Fixers", tuple(_fixers())
    yield "Package index", (_index(settings.index_url),)
    yield "Cache", (_cache(settings),)
    yield "Interpreters", _interpreters()
    extensions = tuple(_extensions())
    if extensions:
        yield "Extensions", extensions


def _extensions() -> Iterator[Capability]:
    for group in ExtensionGroup:
        for extension in all_extensions(group):
            name = f"{group.removeprefix('backdate.').replace('_', ' ')}: {extension.name}"
            detail = extension.failure or "loaded"
            yield Capability(
                name=name,
                ok=not extension.failure,
                detail=f"{detail}, of {extension.distribution}",
                needed=False,
            )


def _services(settings: Settings) -> Iterator[Capability]:
    """The databases, caches and brokers that tests can have; looked up in the default sandbox."""
    sandbox = replace(settings, sandbox="bwrap").open_sandbox()
    try:
        found = {server.kind: server for server in installed_services(sandbox, None)}
    except BackdateError as error:
        yield Capability(name="services", ok=False, detail=str(error), needed=False)
        return
    for kind in ServiceKind:
        server, packages = found.get(kind), " ".join(row_of(kind).packages)
        if server is not None:
            detail = f"{server.version}, for tests that want it"
        elif packages:
            detail = f"not here; apt-get install {packages} gets it, --apt gives it to projects that want it"
        else:
            detail = "Debian has no package of it: tests that want it fail"
        yield Capability(name=kind.value, ok=server is not None, detail=detail, needed=False)


def _uv() -> Capability:
    try:
        return Capability(name="uv", ok=True, detail=f"{uv.uv_version()} at {uv.find_uv()}")
    except BackdateError as error:
        return Capability(name="uv", ok=False, detail=str(error), remedy="python -m pip install uv")


def _git() -> Capability:
    found = shutil.which("git")
    return Capability(
        name="git",
        ok=found is not None,
        detail=found or "not on PATH",
        remedy="" if found else "apt-get install git",
    )


def _clock() -> Capability:
    """What tells tests that are bound to a time from broken ones."""
    found = find_libfaketime()
    detail = (
        str(found) if found else f"not here: tests bound to a time are not told apart; {HOW_TO_GET} gets it"
    )
    return Capability(name="libfaketime", ok=found is not None, detail=detail, needed=False)


def _fixers() -> Iterator[Capability]:
    """What ``backdate fix`` asks for edits besides its own sources."""
    for name in FixerName:
        found = find_fixer(name)
        detail = f"{found.version}, for backdate fix" if found else f"not installed; {EXTRA} gets it"
        yield Capability(name=name, ok=found is not None, detail=detail, needed=False)


def _index(url: str) -> Capability:
    page = f"{url.rstrip('/')}/{_PROBED_PROJECT}/"
    remedy = "check the network, or name another index with --index-url"
    try:
        answer = httpx.get(
            page,
            headers={"Accept": "application/vnd.pypi.simple.v1+json, text/html;q=0.1"},
            timeout=20,
            follow_redirects=True,
        )
        answer.raise_for_status()
    except httpx.HTTPError as error:
        return Capability(name=url, ok=False, detail=f"does not answer: {error}", remedy=remedy)
    if "upload-time" not in answer.text:
        return Capability(
            name=url,
            ok=False,
            detail="answers without upload times",
            remedy="name one that gives them: --index-url",
        )
    return Capability(name=url, ok=True, detail="answers, with upload times")


def _cache(settings: Settings) -> Capability:
    try:
        cache = settings.open_cache()
        free = shutil.disk_usage(cache.folder).free
    except (BackdateError, OSError) as error:
        return Capability(
            name=str(settings.cache), ok=False, detail=str(error), remedy="name another with --cache"
        )
    gib = free / 1024**3
    return Capability(
        name=str(settings.cache),
        ok=gib >= 1,
        detail=f"{gib:.0f} GiB free",
        remedy="" if gib >= 1 else "free some space, or name another folder with --cache",
    )


def _interpreters() -> tuple[Capability, ...]:
    """Which minors are here; one of them is enough for most projects, and none for any."""
    with tempfile.TemporaryDirectory() as temporary:  # the cache may be what is wrong with this machine
        found = Interpreters(Path(temporary)).available
    rows = []
    for minor in range(6, 15):
        versions = sorted(
            (python for python in found if python.version.startswith(f"3.{minor}.")),
            key=lambda python: int(python.version.split(".")[2]),
        )
        detail = ", ".join(f"{python.version} ({python.source})" for python in versions)
        if versions:
            rows.append(Capability(name=f"Python 3.{minor}", ok=True, detail=detail))
        else:
            rows.append(
                Capability(
                    name=f"Python 3.{minor}",
                    ok=False,
                    detail=f"not here; {_how_to_get(minor)}",
                    needed=not found,
                )
            )
    return tuple(rows)


def _how_to_get(minor: int) -> str:
    if minor >= 8:
        return f"uv python install 3.{minor} would get it"
    return f"pyenv install 3.{minor} would get it (uv offers no download of it)"
