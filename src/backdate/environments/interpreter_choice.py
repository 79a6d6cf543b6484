"""Which of the interpreters at hand stands for the release that an instant asks for.

Nothing is substituted silently: whatever is not the wanted release says so in a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from backdate.environments.environment import Interpreter, InterpreterChoice
from backdate.errors import InterpreterMissing, UsageError
from backdate.text import minor_version, version_numbers
from backdate.timeline.calendar import PythonRelease, latest_release, load_calendar
from backdate.timeline.instants import Instant, format_day


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadFailure:
    """An interpreter that could not be downloaded: a value, not an exception."""

    message: str


class Downloads(Protocol):
    """Interpreters that can be downloaded (see ``uv_downloads.py``)."""

    def nearest(self, version: str) -> str | None:
        """The release on offer that is ``version``, else its minor's nearest patch; None without one."""
        ...

    def download(self, version: str) -> Interpreter | DownloadFailure:
        """Download and install ``version``, in bounded time."""
        ...


def choose_interpreter(
    wanted: str,
    specifier: str | None,
    instant: Instant,
    available: Sequence[Interpreter],
    *,
    reason: str = "",
    forced: str | None = None,
    downloads: Downloads | None = None,
) -> InterpreterChoice:
    """The interpreter that stands for ``wanted`` (three numbers) at ``instant``.

    In this order: the release itself; the nearest patch of its minor in ``specifier``; a download of it;
    the nearest other minor in ``specifier`` (any, when it is None), one that was released by the instant
    if there is one; the minor's nearest patch although ``specifier`` leaves it out. ``forced`` ("3.8" or
    "3.8.5", from the command line) takes the place of ``wanted``, and then no other minor is taken.

    Raises InterpreterMissing, saying what to install, when there is none, and UsageError when
    ``forced`` is no version.
    """
    if forced is not None:
        wanted, reason = _forced_release(forced, instant, available), f"asked for with --python {forced}"
    allowed = SpecifierSet(specifier or "")
    exact = next((interpreter for interpreter in available if interpreter.version == wanted), None)
    if exact is not None:
        return _choice(wanted, reason, exact, instant, allowed)
    same_minor = [interpreter for interpreter in available if _minor(interpreter.version) == _minor(wanted)]
    inside = [
        interpreter
        for interpreter in same_minor
        if forced is not None or allowed.contains(interpreter.version)
    ]
    if inside:
        return _choice(wanted, reason, _nearest_patch(wanted, inside), instant, allowed)
    downloaded, failure = _try_download(wanted, downloads)
    if downloaded is not None:
        return _choice(wanted, reason, downloaded, instant, allowed)
    others = [interpreter for interpreter in available if allowed.contains(interpreter.version)]
    if others and forced is None:
        return _choice(wanted, reason, _nearest_minor(wanted, others, instant), instant, allowed, failure)
    if same_minor:
        return _choice(wanted, reason, _nearest_patch(wanted, same_minor), instant, allowed, failure)
    raise InterpreterMissing(_missing_message(wanted, reason, specifier, available, failure))


def _forced_release(forced: str, instant: Instant, available: Iterable[Interpreter]) -> str:
    """The release that ``--python`` means: as written, or the minor's latest of the instant."""
    if re.fullmatch(r"3\.\d{1,2}(\.\d{1,3})?", forced) is None:
        raise UsageError(f"--python {forced!r} is not a version of Python 3; write 3.8 or 3.8.18")
    if forced.count(".") == 2:
        return forced
    release = latest_release(SpecifierSet(f"=={forced}.*"), instant)
    if release is not None:
        return str(release.version)
    patches = [
        interpreter.version for interpreter in available if _minor(interpreter.version) == _minor(forced)
    ]
    return min(patches, key=version_numbers, default=f"{forced}.0")


def _try_download(wanted: str, downloads: Downloads | None) -> tuple[Interpreter | None, str]:
    """What was downloaded, or why nothing was."""
    version = downloads.nearest(wanted) if downloads is not None else None
    if downloads is None or version is None:
        return None, ""
    result = downloads.download(version)
    if isinstance(result, DownloadFailure):
        return None, f"{version} could not be downloaded: {result.message}"
    return result, ""


def _nearest_patch(wanted: str, available: Sequence[Interpreter]) -> Interpreter:
    """The one whose patch is nearest, the older one of two; the first listed of equals."""
    micro = version_numbers(wanted)[2]
    return min(
        available, key=lambda f: (abs(version_numbers(f.version)[2] - micro), version_numbers(f.version)[2])
    )


def _nearest_minor(wanted: str, available: Sequence[Interpreter], instant: Instant) -> Interpreter:
    """The nearest minor; those released by the instant come first, and the older one of two."""
    minor = _minor(wanted)[1]

    def distance(candidate: Interpreter) -> tuple[bool, int, int, bool, int]:
        _, own, micro = version_numbers(candidate.version)
        first = _release(f"3.{own}.0")
        too_new = first is None or not first.visible_at(instant)
        release = _release(candidate.version)
        patch_too_new = release is None or not release.visible_at(instant)
        return too_new, abs(own - minor), own, patch_too_new, micro if patch_too_new else -micro

    return min(available, key=distance)


def _choice(
    wanted: str,
    reason: str,
    interpreter: Interpreter,
    instant: Instant,
    allowed: SpecifierSet,
    failure: str = "",
) -> InterpreterChoice:
    version = interpreter.version
    remarks: list[str] = []
    if version != wanted:
        remarks.append(f"{version} stands in for {wanted}, which is not on this machine")
        if _minor(version) != _minor(wanted):
            remarks.append("this is another minor version, with its own language and libraries")
    if failure:
        remarks.append(failure)
    if not allowed.contains(version):
        remarks.append(f"{version} is outside of the project's range {allowed}")
    release = _release(version)
    if release is not None and not release.visible_at(instant):
        remarks.append(f"{version} was released on {release.released}, not before {format_day(instant)}")
    elif release is None and Version(version) > load_calendar().releases[-1].version:
        remarks.append(f"the release calendar does not know when {version} was released")
    note = "; ".join(remarks) or None
    return InterpreterChoice(wanted=wanted, reason=reason, interpreter=interpreter, note=note)


def _missing_message(
    wanted: str, reason: str, specifier: str | None, available: Sequence[Interpreter], failure: str
) -> str:
    minor = minor_version(wanted)
    why = f" ({reason})" if reason else ""
    here = ", ".join(dict.fromkeys(interpreter.version for interpreter in available)) or "none from 3.6 on"
    range_words = f" or another in {specifier}" if specifier else ""
    return (
        f"Python {wanted} is wanted{why}, but no Python {minor}{range_words} is on this machine. "
        f"{failure + '. ' if failure else ''}"
        f"Install one, with 'pyenv install {minor}' or 'conda create -n py{minor} python={minor}', "
        f"or choose one with --python; here are: {here}"
    )


def _release(version: str) -> PythonRelease | None:
    wanted = Version(version)
    return next((release for release in load_calendar().releases if release.version == wanted), None)


def _minor(version: str) -> tuple[int, ...]:
    return version_numbers(version)[:2]
