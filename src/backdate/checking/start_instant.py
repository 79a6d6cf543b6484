"""Where the old side of a check lies in time, and why it lies there."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from backdate.text import counted
from backdate.timeline.instants import Instant, format_day

YOUNG_DAYS = 30
"""A commit that is younger tells nothing: updates had no time to break anything since."""
DAYS_BACK = 90


class StartReason(StrEnum):
    """Why an old side is at its instant. Where nothing is stated, the first of the others that can be had."""

    STATED = "stated"
    UPLOAD = "upload"
    """An sdist's upload time."""
    COMMIT = "commit"
    """The date of the commit that is checked, which is at least ``YOUNG_DAYS`` old."""
    TAG = "tag"
    """The date of the repository's newest tag that is as old."""
    RELEASE = "release"
    """The same of the project's releases on the package index, where the repository has no such tag. What the
    index has under its name counts where something says that it is the same project."""
    DAYS_BACK = "days-back"
    """``DAYS_BACK`` before the new instant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartInstant:
    """The instant of an old side. A tag or a release gives its date alone: the files are the present ones."""

    instant: Instant
    reason: StartReason
    name: str = ""
    """The tag, or the release's version."""
    shared: str = ""
    """What says that the release is of the same project: "the address github.com/owner/name"."""
    unrelated: str = ""
    """The release that the index has under the project's name, where nothing says that it is the same
    project: its date is not taken."""
    shallow: bool = False
    """Whether the copy of the repository was cut off, and tells little of its tags."""
    tracked: bool = True
    """Whether the files are those of a commit that has a date, or of an sdist."""
    problem: str = ""
    """Why the repository's tags could not be read."""
    modified: bool = False
    """Whether the files hold changes that are not committed."""
    at_first: Instant | None = None
    """The instant that was chosen first, where the project's requirements did not resolve then: ``instant``
    is the first day on which they do, or that instant still where they resolve on no later day either."""
    conflict: str = ""
    """What did not resolve at ``at_first``, in one line."""
    resolutions: int = 0
    """How many were made to find out."""

    @property
    def moved(self) -> bool:
        """Whether a later instant was taken than was chosen first."""
        return self.at_first is not None and self.instant > self.at_first


def start_lines(start: StartInstant) -> tuple[str, ...]:
    """What to say of ``start``, a sentence each; nothing where the user has said it."""
    if start.reason is StartReason.STATED:
        return ()
    lines = [f"old side at {format_day(start.at_first or start.instant)}: {_why(start)}"]
    if start.problem:
        lines.append(f"the repository's tags could not be read: {start.problem}")
    if start.at_first is not None:
        conflict = f": {start.conflict}" if start.conflict else ""
        lines.append(f"the present files cannot be installed as of {format_day(start.at_first)}{conflict}")
        made = counted(start.resolutions, "resolution")
        lines.append(
            f"moved to {format_day(start.instant)}, the first day on which they can ({made})"
            if start.moved
            else f"nor can they as of any later day ({made}): --from sets another instant"
        )
    if start.modified:
        lines.append("the files are checked as they are now, with changes that are not committed")
    return tuple(lines)


def _why(start: StartInstant) -> str:
    young = f"the last commit is younger than {YOUNG_DAYS} days"
    if not start.tracked:
        young = "the files are in no commit with a usable date"
    match start.reason:
        case StartReason.UPLOAD:
            return "when the sdist was uploaded"
        case StartReason.COMMIT:
            return "the date of the last commit"
        case StartReason.TAG:
            return f"{young}, so the date of the tag {start.name} is taken, with the present files"
        case StartReason.RELEASE:
            said = f" (the same project: {start.shared})" if start.shared else ""
            return (
                f"{young}, so the date of the release {start.name} that the package index has under its name "
                f"is taken{said}, with the present files"
            )
        case _:
            cut = " (the clone is shallow: it has no history)" if start.shallow else ""
            older = f"no tag or release is older{cut}"
            if start.unrelated:
                older = (
                    f"no tag is older{cut}, and nothing says that {start.unrelated} on the package index is "
                    "the same project (no address, author, summary or modules that both have)"
                )
            return f"{young} and {older}, so {DAYS_BACK} days back, with the present files"
