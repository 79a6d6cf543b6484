"""When a repository was tagged, and where it comes from, read without running anything of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from backdate.errors import SourceError
from backdate.projects.project import DatedTag, History
from backdate.projects.sources.git import run_git

_MOST_TAGS = 200
_TIMEOUT_S = 30.0
_NAME_CHARACTERS = 100
_MOST_REMOTES = 20
_ADDRESS_CHARACTERS = 500


def read_history(git_dir: Path) -> History:
    """The newest tags of a repository, whatever branch they are on, the newest first.

    A tag's date is that of its making, or of its commit where it is nothing but a name. Tags without a date
    are left out. Where tags cannot be read (partial copies, damage) there are none, and ``problem`` says why.
    """
    try:
        listed = run_git(
            "for-each-ref",
            *(
                "--sort=-creatordate",
                f"--count={_MOST_TAGS}",
                "--format=%(creatordate:unix) %(refname:lstrip=2)",
            ),
            "refs/tags",
            git_dir=git_dir,
            timeout_s=_TIMEOUT_S,
        )
        shallow = run_git("rev-parse", "--is-shallow-repository", git_dir=git_dir).strip() == b"true"
    except SourceError as error:
        return History(problem=str(error)[:500], remotes=_remotes(git_dir))
    tags = (_tag(line) for line in listed.decode("utf-8", errors="replace").splitlines())
    return History(
        tags=tuple(tag for tag in tags if tag is not None), shallow=shallow, remotes=_remotes(git_dir)
    )


def _remotes(git_dir: Path) -> tuple[str, ...]:
    """The addresses of its remotes; none where the repository names none, or they cannot be read."""
    try:
        listed = run_git(
            "config",
            *("--local", "--no-includes", "--null", "--get-regexp", r"^remote\..*\.url$"),
            git_dir=git_dir,
            timeout_s=_TIMEOUT_S,
        )
    except SourceError:  # git's status 1 also says that there are none
        return ()
    entries = listed.decode("utf-8", errors="replace").split("\0")
    return tuple(entry.partition("\n")[2][:_ADDRESS_CHARACTERS] for entry in entries if entry)[:_MOST_REMOTES]


def _tag(line: str) -> DatedTag | None:
    seconds, _, name = line.partition(" ")
    try:
        made = datetime.fromtimestamp(int(seconds), UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return DatedTag(name=name[:_NAME_CHARACTERS], made=made) if name else None
