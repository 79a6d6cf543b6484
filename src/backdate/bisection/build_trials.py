"""Whether an environment builds, with every result kept and classified by the reason of the failure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from backdate.bisection.points import DistributionRelease
from backdate.bisection.probe_builder import ProbeBuilder, ProbeFailure
from backdate.bisection.probes import OutOfBudget
from backdate.bisection.result import ProbeRecord
from backdate.bisection.search import MOST_BUILDS, ProbeStatus
from backdate.environments.environment import CutoffOverride, Environment, InterpreterChoice, Lock
from backdate.environments.inputs import EnvironmentRequest
from backdate.progress import Activity, Reporter
from backdate.recipes.repair.builds import tool_limits
from backdate.recipes.repair.classify import classify
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.setup_failure import read_failure
from backdate.timeline.instants import Instant

_RAISED = re.compile(
    r"^\W{0,20}((?:[A-Za-z_][\w.]{0,80})?(?:Error|Exception|Invalid\w{0,30})): (.{0,300})", re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A set-up that may build."""

    choice: InterpreterChoice
    instant: Instant
    later: tuple[str, ...] = ()
    """Distributions that are cut at ``later_until`` instead, for what is installed and what builds it."""
    later_until: Instant | None = None
    constraints: tuple[str, ...] = ()
    """Limits on what is installed."""
    build_constraints: tuple[str, ...] = ()
    """Limits on what isolated builds take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildTrial:
    """Good if it builds, bad if it fails as the newest does; otherwise unknown (``SKIP``)."""

    status: ProbeStatus
    lock: Lock | None = None
    environment: Environment | None = None
    message: str = ""


class BuildTrials:
    """Tries to build the environment that one project's unpinned tree requires."""

    def __init__(
        self,
        probe_builder: ProbeBuilder,
        request: EnvironmentRequest,
        failure: ProbeFailure,
        progress: Reporter,
    ) -> None:
        """``request``: of the newest side, which fails with ``failure``."""
        self._probe_builder, self._request, self._progress = probe_builder, request, progress
        self._class = failure_class(failure, request)
        self._known: dict[Trial, BuildTrial] = {}
        self._left = MOST_BUILDS
        self.journal: list[ProbeRecord] = []

    @property
    def environments(self) -> int:
        """Different environments that were built."""
        return len({trial.environment.key for trial in self._known.values() if trial.environment is not None})

    def ask(self, trial: Trial, why: str, *, leave: int = 0) -> BuildTrial:
        """What becomes of ``trial``. Raises OutOfBudget when fewer than ``leave`` more could be tried."""
        if trial not in self._known:
            if self._left <= leave:
                raise OutOfBudget
            self._left -= 1
            self._progress.report(Activity(text=f"trial {MOST_BUILDS - self._left}: {why}"))
            built_before = self._probe_builder.builds
            tried = self._known[trial] = self._try(trial)
            self.journal.append(
                ProbeRecord(
                    why=why,
                    instant=trial.instant,
                    python=trial.choice.interpreter.version,
                    constraints=trial.constraints,
                    status=tried.status,
                    detail=tried.message[:2000],
                    built=self._probe_builder.builds > built_before,
                )
            )
        return self._known[trial]

    def _try(self, trial: Trial) -> BuildTrial:
        request = self._asked(trial)
        lock = self._probe_builder.resolve(request, older_tools=False)
        if isinstance(lock, ProbeFailure):
            return self._failed(lock, None)
        built = self._probe_builder.build(request, older_tools=False)
        if isinstance(built, ProbeFailure):
            return self._failed(built, lock)
        return BuildTrial(status=ProbeStatus.GOOD, lock=lock, environment=built)

    def _asked(self, trial: Trial) -> EnvironmentRequest:
        until = trial.later_until
        later = tuple(
            CutoffOverride(name=name, until=until, reason="moved alone by a bisection")
            for name in trial.later
            if until is not None
        )
        return replace(
            self._request,
            choice=trial.choice,
            instant=trial.instant,
            constraints=trial.constraints,
            build_constraints=tuple(sorted({*self._request.build_constraints, *trial.build_constraints})),
            extra_cutoff_overrides=(*self._request.extra_cutoff_overrides, *later),
        )

    def _failed(self, failure: ProbeFailure, lock: Lock | None) -> BuildTrial:
        same = failure_class(failure, self._request) == self._class
        return BuildTrial(
            status=ProbeStatus.BAD if same else ProbeStatus.SKIP, lock=lock, message=failure.text
        )


def failure_class(failure: ProbeFailure, request: EnvironmentRequest) -> str:
    """Equal for builds that fail for one reason: the builder's class of error, and what was raised."""
    setup_failure = read_failure(
        phase="resolve" if failure.phase == "resolve" else "install",
        status="install",
        texts=[failure.text],
        python=request.choice.interpreter.version,
        instant=request.instant,
    )
    error = classify(setup_failure)
    if error is not ErrorClass.UNKNOWN:
        return str(error)
    raised = _RAISED.findall(failure.message)
    return f"{error} {raised[-1][0]}" if raised else str(error)


def named_in(message: str, names: Sequence[str]) -> tuple[str, ...]:
    """Those of ``names`` that a failed build's log mentions, the ones that it asks to limit first."""
    limited = [name for name in tool_limits(message)[0] if name in names]
    text = re.sub(r"[-_.]+", "-", message.lower())
    spoken = [name for name in names if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)]
    return tuple(dict.fromkeys((*limited, *spoken)))


def latest(releases: Sequence[DistributionRelease], before: Instant) -> str | None:
    """The newest version that was there before an instant; pre-releases and yanked ones are left out."""
    visible = [
        release
        for release in releases
        if release.uploaded < before and not release.prerelease and not release.yanked
    ]
    return visible[-1].version if visible else None
