"""The project's root in a log, and files relative to it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import replace

from backdate.testing.outcomes import Raised

_ROOT = re.compile(r"rootdir: (/[^,\n]*?)(?:, (?:inifile|configfile|testpaths).*)?\s*")


def find_root(lines: Iterable[str]) -> str | None:
    """The root folder that pytest reports."""
    return next(
        (match.group(1) for line in lines if (match := _ROOT.fullmatch(line[:1000])) is not None), None
    )


class ProjectRoot:
    """A project's root, by its path in the log; None when it is not known."""

    def __init__(self, path: str | None) -> None:
        self.path = None if path is None else posixpath.normpath(path)

    def relative(self, file: str) -> str:
        """``file`` relative to the root if it lies in it, else absolute if that can be computed."""
        if self.path is None or not file or file.startswith("<"):
            return file
        absolute = posixpath.normpath(posixpath.join(self.path, file))
        return absolute.removeprefix(self.path.rstrip("/") + "/")

    def raised(self, raised: Raised) -> Raised:
        """``raised`` with the files of all frames relative."""
        return replace(
            raised, frames=tuple(replace(frame, file=self.relative(frame.file)) for frame in raised.frames)
        )
