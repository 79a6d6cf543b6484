"""Downloading wheels while an sdist is built that the resolver has to know before it goes on.

What else is wanted hardly depends on what that sdist requires. So meanwhile the resolver goes on as if it
required nothing, and uv unpacks into its cache what it finds then. Nothing else is kept of it: the step that
is begun again after the build resolves anew, and finds in the cache what it downloads first of all. Nothing
foreign runs here, as in that step.
"""

from __future__ import annotations

import shlex
import uuid
from collections.abc import Sequence
from pathlib import Path

from backdate.environments import uv
from backdate.environments.built_metadata import BuiltSdist
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.lock_wheels import LockedSdist
from backdate.environments.named_requirements import NamedRequirements
from backdate.environments.stated_metadata import StatedMetadata
from backdate.environments.steps import Steps
from backdate.environments.wheels_alone import resolving_by_name
from backdate.errors import BackdateError

_UNPACKED = Path("/dev/shm/unpacked")  # noqa: S108 - the private one
"""Links by the thousand take seconds on a disk, and none of them is kept."""
_PINS = (
    r'/^name = /{s/.*"\(.*\)".*/\1/;h}',
    r'/^version = /{s/.*"\(.*\)".*/==\1/;H}',
    r"/^wheels = /{x;s/\n//;p}",
)
"""For sed: "name==version" of all that the lock has wheels of."""


def prefetch(
    steps: Steps,
    request: EnvironmentRequest,
    asked: NamedRequirements,
    built: Sequence[BuiltSdist],
    sdist: LockedSdist,
    log: Path,
) -> None:
    """Download what ``asked`` seems to need beside ``sdist``, which is built meanwhile, and ``built``.

    What does not work here is met again by the step that it is for, and told there.
    """
    work = steps.cache.clean / f"prefetch-{uuid.uuid4().hex}"
    known = [one.metadata for one in built]
    assumed = StatedMetadata(name=sdist.name, version=sdist.version)
    try:
        steps.cache.make_clean(work)
        with resolving_by_name(steps, request, asked, [*known, assumed], work) as (resolving, mounts):
            fetched = [one.name for one in (*known, assumed)]
            script = [resolving, _pinned(work, fetched), _unpacking(steps, request, work)]
            steps.run(request, script, mounts, log, with_tree=False)
    except (BackdateError, OSError):
        return
    finally:
        steps.cache.discard(work)


def _pinned(work: Path, without: Sequence[str]) -> str:
    """A shell line: what has wheels in the lock, each at its version, but for those of these names."""
    pins = shlex.join(
        ("sed", "-n", *(part for line in _PINS for part in ("-e", line)), str(work / "pylock.toml"))
    )
    others = shlex.join(("grep", "-v", *(part for name in without for part in ("-e", f"^{name}=="))))
    return f"{pins} | {others} >{shlex.quote(str(work / 'wanted.txt'))}"


def _unpacking(steps: Steps, request: EnvironmentRequest, work: Path) -> str:
    return shlex.join(
        uv.unpack_arguments(
            python=request.choice.interpreter.executable,
            folder=_UNPACKED,
            instant=request.instant,
            cutoff_overrides=request.cutoff_overrides,
            index_url=steps.index_url,
            pins=work / "wanted.txt",
        )
    )
