"""The library: a ``Session`` and its verbs, and for each verb a function that opens one for a single call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from backdate.bisection.bisect import bisect_project
from backdate.bisection.result import BisectResult
from backdate.checking.build_environment import EnvironmentResult, build_project_environment
from backdate.checking.check import check_project
from backdate.checking.resources import Resources
from backdate.checking.result import CheckResult
from backdate.checking.set_up import set_up_project
from backdate.checking.settings import AuditOptions, Settings, SetupOptions
from backdate.checking.setup_result import SetupResult
from backdate.progress import NO_PROGRESS, Reporter
from backdate.timeline.instants import Instant


class Session(Resources):
    """Checks, bisections, set-ups and environments that share a sandbox, a cache and an index connection.

    ``with Session(settings) as session: session.check(…)``. Safe to share between threads. Opening one raises
    SandboxUnavailable when the sandbox cannot be had, MachineError for a cache that cannot be written.

    Every verb takes ``source``: a folder, ``GIT-URL[@REV]`` or ``pypi:NAME[==VERSION]``. What the project
    does (builds that fail, tests that crash) is in the result; UsageError is raised for sources and instants
    that cannot be, MachineError for what this machine lacks.
    """

    def check(
        self,
        source: str | Path,
        *,
        from_instant: Instant | None = None,
        to_instant: Instant | None = None,
        python: str | None = None,
        audit: AuditOptions | None = None,
        keep: Path | None = None,
        progress: Reporter = NO_PROGRESS,
    ) -> CheckResult:
        """What dependency updates between two instants broke in the project that ``source`` names.

        ``from_instant``: None for the commit's committer date or the sdist's upload time. ``to_instant``:
        None for now. ``python``: "3.8" or "3.8.18" on both sides instead of what the rule says
        (TimeMachine-bench, arXiv 2601.22597, step 2). ``audit``: how the tests are audited, that is, whether
        they assert something; None for not at all. ``keep``: where trees, logs, patch and result are
        kept, a folder that is empty or not there yet; None for what the settings say.
        """
        return check_project(
            self,
            source,
            from_instant=from_instant,
            to_instant=to_instant,
            python=python,
            audit=audit,
            keep=keep or self.settings.keep,
            progress=progress,
        )

    def bisect(
        self,
        source: str | Path,
        *,
        from_instant: Instant | None = None,
        to_instant: Instant | None = None,
        python: str | None = None,
        tests: Sequence[str] = (),
        explanations: bool = True,
        keep: Path | None = None,
        progress: Reporter = NO_PROGRESS,
    ) -> BisectResult:
        """Since when and because of what tests of the project that ``source`` names fail.

        The parameters are those of ``check``, which runs first. ``tests``: ids to which the search is
        limited; all that broke when empty. ``explanations``: whether warnings, changelogs and changed names
        of culprits are collected, which takes another test run and a download for each. Raises UsageError
        also for a test that the old side does not have.
        """
        return bisect_project(
            self,
            source,
            from_instant=from_instant,
            to_instant=to_instant,
            python=python,
            tests=tests,
            explanations=explanations,
            keep=keep or self.settings.keep,
            progress=progress,
        )

    def set_up(
        self,
        source: str | Path,
        *,
        instant: Instant | None = None,
        python: str | None = None,
        options: SetupOptions | None = None,
        keep: Path | None = None,
        progress: Reporter = NO_PROGRESS,
    ) -> SetupResult:
        """Find how the project is installed and tested as of ``instant``, and prove it by its own tests.

        ``instant``: None for the commit's committer date or the sdist's upload time. ``python``: "3.8" or
        "3.8.18" instead of what the project says. ``keep``: where the logs are kept. Raises StoredDataError
        also for a damaged store of recipes.
        """
        return set_up_project(
            self,
            source,
            instant=instant,
            python=python,
            options=options,
            keep=keep or self.settings.keep,
            progress=progress,
        )

    def build_environment(
        self,
        source: str | Path,
        *,
        instant: Instant,
        output: Path,
        packages: tuple[str, ...] = (),
        tests: bool = False,
        python: str | None = None,
        progress: Reporter = NO_PROGRESS,
    ) -> EnvironmentResult:
        """Build the environment of a project, or of ``packages`` alone, as of ``instant`` at ``output``.

        ``output`` becomes a virtual environment with its lock beside (``pylock.toml``, PEP 751); it must not
        exist or be empty. With ``tests`` what the project's tests need is in it as well.
        """
        return build_project_environment(
            self,
            source,
            instant=instant,
            output=output,
            packages=packages,
            tests=tests,
            python=python,
            progress=progress,
        )


def check(
    source: str | Path,
    *,
    from_instant: Instant | None = None,
    to_instant: Instant | None = None,
    python: str | None = None,
    audit: AuditOptions | None = None,
    settings: Settings | None = None,
    progress: Reporter = NO_PROGRESS,
) -> CheckResult:
    """``Session(settings).check(…)``."""
    with Session(settings) as session:
        return session.check(
            source,
            from_instant=from_instant,
            to_instant=to_instant,
            python=python,
            audit=audit,
            progress=progress,
        )


def bisect(
    source: str | Path,
    *,
    from_instant: Instant | None = None,
    to_instant: Instant | None = None,
    python: str | None = None,
    tests: Sequence[str] = (),
    explanations: bool = True,
    settings: Settings | None = None,
    progress: Reporter = NO_PROGRESS,
) -> BisectResult:
    """``Session(settings).bisect(…)``."""
    with Session(settings) as session:
        return session.bisect(
            source,
            from_instant=from_instant,
            to_instant=to_instant,
            python=python,
            tests=tests,
            explanations=explanations,
            progress=progress,
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
            progress=progress,
        )
