"""The old side of a check as a lock file has it: what was deployed, compared with today."""

from __future__ import annotations

from datetime import timedelta

from packaging.utils import canonicalize_version

from backdate.checking.resources import Resources
from backdate.environments.environment import BuildFailure, Environment
from backdate.errors import UsageError
from backdate.index.closed import AllowedFiles
from backdate.index.page import ProjectPage
from backdate.projects.locked_versions import LockedVersion, LockedVersions
from backdate.sandboxes.threads import in_threads
from backdate.text import counted
from backdate.timeline.instants import Instant, format_day

_AT_A_TIME = 8
_TOGETHER = timedelta(days=7)
"""Files of a version that appear within so many days of its first one count as the release."""
_AFTER = timedelta(seconds=1)
_SHOWN = 5


def instant_of_lock(locked: LockedVersions, resources: Resources) -> Instant:
    """The first instant at which the index had all that ``locked`` names: just after the newest of it.

    Raises UsageError for what the index does not list, and IndexUnavailable.
    """
    index = resources.index

    def uploaded(each: LockedVersion) -> Instant | None:
        return each.uploaded or _uploaded(each, index.project_page(each.name))

    asked = [lambda each=each: uploaded(each) for each in locked.versions]
    found = in_threads(asked, jobs=_AT_A_TIME, name="lock")
    missing = [
        f"{each.name} {each.version}"
        for each, when in zip(locked.versions, found, strict=True)
        if when is None
    ]
    if missing:
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        raise UsageError(
            f"{locked.file} names what the index does not list: {', '.join(missing[:_SHOWN])}{more}; say "
            "with --from as of when it was, or name the index that has it"
        )
    return max(when for when in found if when is not None) + _AFTER


def _uploaded(locked: LockedVersion, page: ProjectPage) -> Instant | None:
    """When the files of a version were there; None for a version that the index does not list."""
    wanted = canonicalize_version(locked.version)
    times = sorted(
        file.upload_time
        for file in page.files
        if file.version is not None and canonicalize_version(file.version) == wanted
    )
    return max((when for when in times if when <= times[0] + _TOGETHER), default=None)


def allowed_files(locked: LockedVersions) -> tuple[AllowedFiles, ...]:
    """The files that the lock names, of the versions of which it names any."""
    return tuple(
        AllowedFiles(name=each.name, version=each.version, hashes=each.hashes)
        for each in locked.versions
        if any(one.startswith("sha256:") for one in each.hashes)  # which every index and lock has
    )


def with_locked_hashes(
    built: Environment | BuildFailure, locked: LockedVersions | None
) -> Environment | BuildFailure:
    """``built``, or the failure that a locked version of it has none of the files that the lock names.

    What uv installed holds the locked files alone (``environments/allowed_files.py``); of what a pip of the
    time installed is known which files the version has.
    """
    if locked is None or isinstance(built, BuildFailure):
        return built
    allowed = {(each.name, canonicalize_version(each.version)): each.hashes for each in locked.versions}
    wrong = [
        f"{one.name} {one.version}"
        for one in built.lock.distributions
        if one.hashes
        and (hashes := allowed.get((one.name, canonicalize_version(one.version))))
        and not hashes & set(one.hashes)
    ]
    if not wrong:
        return built
    message = f"the index has none of the files that {locked.file} names of {', '.join(wrong)}: other hashes"
    return BuildFailure(phase="resolve", message=message, choice=built.choice, log=built.log, certain=True)


def note_of_lock(locked: LockedVersions, instant: Instant) -> str:
    """For people: where the old side's versions are from."""
    left = f"; left out: {', '.join(locked.left_out[:_SHOWN])}" if locked.left_out else ""
    versions = counted(len(locked.versions), "version")
    when = format_day(instant)
    return f"old side: held to {versions} of {locked.file} ({locked.tool}), as of {when}{left}"
