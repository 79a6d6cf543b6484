"""The library: a ``Session`` and its verbs, and for each verb a function that opens one for a single call."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from backdate.checking.question import AskedQuestions, Question
from backdate.checking.resources import Resources
from backdate.checking.settings import Settings, SetupOptions
from backdate.progress import NO_PROGRESS, Reporter
from backdate.timeline.instants import Instant

if TYPE_CHECKING:
    from backdate.bisection.result import BisectResult
    from backdate.checking.answer import answer_project
    from backdate.checking.answers import CheckAnswers
    from backdate.checking.build_environment import EnvironmentResult, build_project_environment
    from backdate.checking.check import check_project
    from backdate.checking.options import CheckKeywords, SideKeywords
    from backdate.checking.result import CheckResult
    from backdate.checking.set_up import set_up_project
    from backdate.checking.setup_result import SetupResult
    from backdate.fixing.bisected import bisect_with_edit
    from backdate.fixing.fix import fix_project
    from backdate.lowest.lowest import check_lowest


class _Verb:
    """A method that is imported when it is first used: who checks needs nothing of bisections."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    def __get__(self, session: Session | None, kind: type[Session]) -> Any:
        function = getattr(import_module(self._module), self._name)
        return function if session is None else function.__get__(session, kind)


class Session(Resources):
    """Checks, bisections, set-ups and environments that share a sandbox, a cache and an index connection.

    ``with Session(settings) as session: session.check(…)``. Safe to share between threads. Opening one raises
    SandboxUnavailable when the sandbox cannot be had, MachineError for a cache that cannot be written.

    Every verb takes ``source``: a folder, ``GIT-URL[@REV]`` or ``pypi:NAME[==VERSION]``. What the project
    does (builds that fail, tests that crash) is in the result; UsageError is raised for sources and instants
    that cannot be, MachineError for what this machine lacks.
    """

    if TYPE_CHECKING:
        answer = answer_project  # what it is called with; advice is added to its result
        check = check_project
        bisect = bisect_with_edit
        check_lowest = check_lowest
        fix = fix_project
        set_up = set_up_project
        build_environment = build_project_environment
    else:
        answer = _Verb("backdate.advising.advised_check", "answer_with_advice")
        check = _Verb("backdate.advising.advised_check", "check_with_advice")
        bisect = _Verb("backdate.fixing.bisected", "bisect_with_edit")
        check_lowest = _Verb("backdate.lowest.lowest", "check_lowest")
        fix = _Verb("backdate.fixing.fix", "fix_project")
        set_up = _Verb("backdate.checking.set_up", "set_up_project")
        build_environment = _Verb("backdate.checking.build_environment", "build_project_environment")


def answer(
    source: str | Path,
    *,
    decided_by: AskedQuestions = AskedQuestions.DECLARED,
    settings: Settings | None = None,
    progress: Reporter = NO_PROGRESS,
    **asked: Unpack[CheckKeywords],
) -> CheckAnswers:
    """``Session(settings).answer(…)``."""
    with Session(settings) as session:
        return session.answer(
            source,
            decided_by=decided_by,
            progress=progress,
            **asked,
        )


def check(
    source: str | Path,
    *,
    question: Question = Question.DECLARED,
    settings: Settings | None = None,
    progress: Reporter = NO_PROGRESS,
    **asked: Unpack[CheckKeywords],
) -> CheckResult:
    """``Session(settings).check(…)``."""
    with Session(settings) as session:
        return session.check(
            source,
            question=question,
            progress=progress,
            **asked,
        )


def bisect(
    source: str | Path,
    *,
    question: Question = Question.DECLARED,
    tests: Sequence[str] = (),
    explanations: bool = True,
    settings: Settings | None = None,
    progress: Reporter = NO_PROGRESS,
    **asked: Unpack[SideKeywords],
) -> BisectResult:
    """``Session(settings).bisect(…)``."""
    with Session(settings) as session:
        return session.bisect(
            source,
            question=question,
            tests=tests,
            explanations=explanations,
            progress=progress,
            **asked,
        )


def set_up(
    source: str | Path,
    *,
    instant: Instant | None = None,
    python: str | None = None,
    options: SetupOptions | None = None,
    settings: Settings | None = None,
    progress: Reporter = NO_PROGRESS,
) -> SetupResult:
    """``Session(settings).set_up(…)``."""
    with Session(settings) as session:
        return session.set_up(source, instant=instant, python=python, options=options, progress=progress)


def build_environment(
    source: str | Path,
    *,
    instant: Instant,
    output: Path,
    packages: tuple[str, ...] = (),
    tests: bool = False,
    python: str | None = None,
    lock_builds: bool = False,
    settings: Settings | None = None,
    progress: Reporter = NO_PROGRESS,
) -> EnvironmentResult:
    """``Session(settings).build_environment(…)``."""
    with Session(settings) as session:
        return session.build_environment(
            source,
            instant=instant,
            output=output,
            packages=packages,
            tests=tests,
            python=python,
            lock_builds=lock_builds,
            progress=progress,
        )
