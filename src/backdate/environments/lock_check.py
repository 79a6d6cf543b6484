"""Whether a lock names the files of the index: asked again by a step in which nothing foreign runs.

Resolving can run code of the project and of sdists, which can change what the resolver reads and writes.
Which versions it then names is the project's own affair, for they come into its own environment. But by an
address and a hash of its choice it would put its own file, under the name of any distribution, into the
cache of downloads that all environments are installed from. A lock of which that is not ruled out is
installed in a private view, leaves nothing, and is said so.
"""

from __future__ import annotations

import shlex
import tomllib
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import Version

from backdate.environments import uv
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.lock import comes_from_index, packages_of
from backdate.environments.step_files import handed_over, input_file, shown
from backdate.environments.steps import Steps
from backdate.errors import ConfigurationError, StoredDataError


@dataclass(frozen=True, slots=True, kw_only=True)
class LockCheck:
    """What came of comparing a lock with the index."""

    agrees: bool
    differing: tuple[str, ...] = ()
    """"NAME VERSION" of what has files that the index does not list; empty where it could not be asked."""


LockedFiles = dict[tuple[str, str], frozenset[tuple[str, str]]]
"""By name and version of a distribution: addresses and hashes of its files."""


def compare_with_index(steps: Steps, request: EnvironmentRequest, pylock: str, log: Path) -> LockCheck:
    """Whether the files that the lock names of distributions of the index are those that the index lists."""
    try:
        wanted = locked_files(pylock)
    except StoredDataError:
        return LockCheck(agrees=False)
    if not wanted:
        return LockCheck(agrees=True)
    pins = "".join(f"{name}=={version}\n" for name, version in sorted(wanted))
    # Said to need nothing, no distribution is asked for its metadata, which an sdist's code would make.
    needs = (f'[[dependency-metadata]]\nname = "{name}"\nrequires-dist = []\n' for name, _ in sorted(wanted))
    output = steps.cache.clean / f"pylock.{uuid.uuid4().hex}.toml"
    with input_file("pins.txt", pins) as written, input_file("uv.toml", "".join(needs)) as settings:
        arguments = uv.resolve_arguments(
            python=request.choice.interpreter.executable,
            instant=request.instant,
            cutoff_overrides=request.cutoff_overrides,
            index_url=steps.index_url,
            inputs=[str(written)],
            constraints=(),
            output=output,
            known_metadata=settings,
        )
        mounts = [shown(written.parent), shown(settings.parent)]
        step = steps.run(request, [shlex.join(arguments)], mounts, log, with_tree=False)
    try:
        if not step.ok:
            return LockCheck(agrees=False)
        listed = locked_files(handed_over(output))
    except (StoredDataError, ConfigurationError):
        return LockCheck(agrees=False)
    finally:
        steps.cache.discard(output)
    differing = [one for one, files in wanted.items() if not files <= listed.get(one, frozenset())]
    return LockCheck(agrees=not differing, differing=tuple(" ".join(one) for one in sorted(differing)))


def locked_files(pylock: str) -> LockedFiles:
    """What the lock names of distributions of the index. Raises StoredDataError when it is no sound lock."""
    found: LockedFiles = {}
    try:
        for written in packages_of(pylock)[1]:
            (package,) = tomllib.loads(written)["packages"]
            if comes_from_index(package):
                name = canonicalize_name(package["name"], validate=True)
                key = (name, str(Version(package["version"])))
                found[key] = frozenset(_file(file) for file in _files(package))
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise StoredDataError(f"the lock cannot be read: {error!r}") from error
    return found


def _files(package: dict[str, Any]) -> list[dict[str, Any]]:
    return [*package.get("wheels", ()), *([package["sdist"]] if "sdist" in package else [])]


def _file(file: dict[str, Any]) -> tuple[str, str]:
    return str(file["url"]), str(file["hashes"]["sha256"])
