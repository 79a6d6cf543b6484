"""Whose code a frame is, and which line of the project is responsible."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from packaging.utils import canonicalize_name

from backdate.diagnosis.distributions import Distributions, site_packages
from backdate.diagnosis.result import FrameKind, PlacedFrame, PlacedRaised
from backdate.environments.environment import Environment
from backdate.environments.lock import is_local
from backdate.testing.outcomes import Frame, Raised, SuiteRun
from backdate.text import minor_version

_INSTALLED = re.compile(r"(?:^|/)(?:site|dist)-packages/(.*)", re.DOTALL)
_STANDARD = re.compile(r"(?:^|/)lib(?:64)?/python\d+\.\d+/")
_ZIPPED = re.compile(r"(?:^|/)python\d+\.zip/")
_TEST_FOLDERS = frozenset({"test", "tests"})
_TEST_FILES = re.compile(r"(?:test_.*|.*_tests?|tests?|conftest)\.py")
_DOCTEST = re.compile(r"[^:]*::[^\[:]*\.")


def is_test_file(path: str) -> bool:
    """Whether a project's file looks like one of its tests, by the usual names of files and folders."""
    folder, name = posixpath.split(path)
    return bool(_TEST_FILES.fullmatch(name)) or not _TEST_FOLDERS.isdisjoint(folder.split("/"))


def files_of_tests(run: SuiteRun) -> frozenset[str]:
    """The files that define the tests of a run. A module with doctests alone is not one of them."""
    return frozenset(result.file for result in run.results if result.file and not _DOCTEST.match(result.id))


class PathClassifier:
    """Knows the places of one environment.

    Without an environment (a log from elsewhere) places are told by the usual names of folders, and what is
    not installed counts as the project's.
    """

    def __init__(self, environment: Environment | None = None, *, test_files: Iterable[str] = ()) -> None:
        self.test_files = frozenset(test_files)
        self.known = environment is not None
        self.python: str | None = None
        self._standard: tuple[str, ...] = ()
        self._own: frozenset[str] = frozenset()
        self.distributions = Distributions()
        self.library: Path | None = None
        if environment is not None:
            interpreter = environment.choice.interpreter
            short = minor_version(interpreter.version)
            self.python = interpreter.version
            self.library = interpreter.prefix / "lib" / f"python{short}"
            self._standard = tuple(
                f"{prefix}/{lib}/python{short}/"
                for prefix in dict.fromkeys(map(str, environment.folders))
                for lib in ("lib", "lib64")
            )
            self.distributions = Distributions(site_packages(*environment.roots))
            self._own = frozenset(
                canonicalize_name(one.name) for one in environment.lock.distributions if is_local(one)
            )

    def place(self, frame: Frame) -> PlacedFrame:
        """``frame`` with its kind, and with its distribution where it has one."""
        path = frame.file
        if path.startswith("<frozen ") or _ZIPPED.search(path):
            return self._library_frame(frame)
        if not path or path.startswith("<"):
            return PlacedFrame(frame=frame, kind=FrameKind.GENERATED)
        installed = _INSTALLED.search(path)
        if installed is not None:
            return self._installed_frame(frame, installed.group(1))
        if path.startswith(self._standard) or (not self.known and _STANDARD.search(path)):
            return self._library_frame(frame)
        if path.startswith("/") and self.known:
            kind = FrameKind.STANDARD_LIBRARY if _STANDARD.search(path) else FrameKind.ELSEWHERE
            return PlacedFrame(frame=frame, kind=kind)
        test = path in self.test_files or is_test_file(path)
        return PlacedFrame(frame=frame, kind=FrameKind.TEST if test else FrameKind.PROJECT)

    def place_chain(self, chain: Iterable[Raised]) -> tuple[PlacedRaised, ...]:
        """Every frame of every exception."""
        return tuple(
            PlacedRaised(
                type=one.type,
                message=one.message,
                link=one.link,
                frames=tuple(self.place(frame) for frame in one.frames),
            )
            for one in chain
        )

    def _library_frame(self, frame: Frame) -> PlacedFrame:
        return PlacedFrame(frame=frame, kind=FrameKind.STANDARD_LIBRARY, version=self.python)

    def _installed_frame(self, frame: Frame, relative: str) -> PlacedFrame:
        one = self.distributions.of_file(relative)
        if one is None:
            guess = relative.split("/", maxsplit=1)[0].removesuffix(".py") if not self.known else None
            return PlacedFrame(frame=frame, kind=FrameKind.SITE_PACKAGES, distribution=guess)
        kind = FrameKind.SITE_PACKAGES
        if one.key in self._own:  # the project was installed as a copy
            kind = FrameKind.TEST if is_test_file(relative) else FrameKind.PROJECT
        return PlacedFrame(frame=frame, kind=kind, distribution=one.name, version=one.version)


def answers_lookup(placed: PlacedFrame) -> bool:
    """Whether a frame only answers where a name is not: ``__getattr__`` of a module (PEP 562) or class.

    What such a frame raises is the fault of the line that asked. This is the relocation of errors that
    surface in a package's ``__init__.py``: ``numpy/__init__.py`` raises for ``np.float``, and the
    place that counts is the caller's.
    """
    return placed.kind is FrameKind.SITE_PACKAGES and placed.frame.function in (
        "__getattr__",
        "__getattribute__",
    )


def relocated(frames: Sequence[PlacedFrame]) -> tuple[PlacedFrame, ...]:
    """``frames`` without the innermost ones that only answer a lookup (see ``answers_lookup``)."""
    end = len(frames)
    while end > 1 and answers_lookup(frames[end - 1]):
        end -= 1
    return tuple(frames[:end])


def responsible(chain: Sequence[PlacedRaised], position: int) -> PlacedFrame | None:
    """The project's line that is responsible for the exception at ``position`` of ``chain``.

    The innermost frame of its own code in that exception, then in those that it led to (a cause's own
    traceback begins where it was caught, so the way in may only be in a later one), then in the earlier ones;
    a frame of its tests when there is none of its own code; None when there is neither.
    """
    order: tuple[int, ...] = (*range(position, len(chain)), *range(position - 1, -1, -1))
    for kind in (FrameKind.PROJECT, FrameKind.TEST):
        for number in order:
            for placed in reversed(chain[number].frames):
                if placed.kind is kind:
                    return placed
    return None
