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
    """Says whose code a file is, for one environment.

    Without an environment (a log from elsewhere) the usual names of folders decide, and files that are not
    installed count as the project's.
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
                canonicalize_name(locked.name)
                for locked in environment.lock.distributions
                if is_local(locked)
            )

    def classify(self, frame: Frame) -> PlacedFrame:
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
        compiled = self._compiled_frame(frame)
        if compiled is not None:
            return compiled
        if path.startswith("/") and self.known:
            kind = FrameKind.STANDARD_LIBRARY if _STANDARD.search(path) else FrameKind.ELSEWHERE
            return PlacedFrame(frame=frame, kind=kind)
        test = path in self.test_files or is_test_file(path)
        return PlacedFrame(frame=frame, kind=FrameKind.TEST if test else FrameKind.PROJECT)

    def classify_chain(self, chain: Iterable[Raised]) -> tuple[PlacedRaised, ...]:
        """Every frame of every exception."""
        return tuple(
            PlacedRaised(
                type=raised.type,
                message=raised.message,
                link=raised.link,
                frames=tuple(self.classify(frame) for frame in raised.frames),
            )
            for raised in chain
        )

    def _compiled_frame(self, frame: Frame) -> PlacedFrame | None:
        """A function that Cython compiled for a distribution; None for other code.

        It is named with its module ("pandas._libs.index.IndexEngine.get_loc"), and its file by where it lay
        when it was compiled: "pandas/_libs/index.pyx", "lib/sqlalchemy/engine/_row_cy.py", "mtrand.pyx".
        """
        module = frame.function.rpartition(".")[0]
        distribution = self.distributions.of_module(module) if module and "<" not in module else None
        if distribution is None or distribution.key in self._own:
            return None
        return PlacedFrame(
            frame=frame,
            kind=FrameKind.SITE_PACKAGES,
            distribution=distribution.name,
            version=distribution.version,
        )

    def _library_frame(self, frame: Frame) -> PlacedFrame:
        return PlacedFrame(frame=frame, kind=FrameKind.STANDARD_LIBRARY, version=self.python)

    def _installed_frame(self, frame: Frame, relative: str) -> PlacedFrame:
        distribution = self.distributions.of_file(relative)
        if distribution is None:
            guess = relative.split("/", maxsplit=1)[0].removesuffix(".py") if not self.known else None
            return PlacedFrame(frame=frame, kind=FrameKind.SITE_PACKAGES, distribution=guess)
        kind = FrameKind.SITE_PACKAGES
        if distribution.key in self._own:  # the project was installed as a copy
            kind = FrameKind.TEST if is_test_file(relative) else FrameKind.PROJECT
        return PlacedFrame(
            frame=frame, kind=kind, distribution=distribution.name, version=distribution.version
        )


def answers_lookup(placed: PlacedFrame) -> bool:
    """Whether a frame only reports a missing name: ``__getattr__`` of a module (PEP 562) or class.

    The line that looked the name up is responsible for what such a frame raises. This relocates errors that
    are raised in a package's ``__init__.py``: ``numpy/__init__.py`` raises for ``np.float``, and the
    caller's line counts.
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

    The innermost frame of the project's own code in that exception, then in the exceptions that it led to (a
    cause's own traceback begins where it was caught, so the outer frames may be only in a later one), then in
    the earlier ones; a frame of its tests if there is none of its own code; None if there is neither.
    """
    order: tuple[int, ...] = (*range(position, len(chain)), *range(position - 1, -1, -1))
    for kind in (FrameKind.PROJECT, FrameKind.TEST):
        for number in order:
            for placed in reversed(chain[number].frames):
                if placed.kind is kind:
                    return placed
    return None
