"""Running a suite so that the outcome of every single test is known, whatever crashes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Unpack

from backdate.environments.environment import Environment
from backdate.recipes.recipe import SuitePlan
from backdate.sandboxes.interface import Limits, RunResult, RunStatus, Sandbox, SecretUse
from backdate.sandboxes.services.running import started_with
from backdate.sandboxes.services.wanted import ServiceRecord
from backdate.testing import command as commands
from backdate.testing.assembly import Capture
from backdate.testing.canaries import canary_names, new_secret
from backdate.testing.command import Selection, runs_copies
from backdate.testing.ending import ending_of
from backdate.testing.events import LARGEST_FILE, read_event_file
from backdate.testing.integrity import Integrity, merge_integrities
from backdate.testing.judging import judge
from backdate.testing.outcomes import CaseResult, Outcome, SuiteRun
from backdate.testing.plain_scripts import is_plain
from backdate.testing.run_options import RunKeywords, RunOptions
from backdate.testing.suspicions import find_suspicions, missing_choices
from backdate.testing.verdict import RunConclusion, reach_verdict
from backdate.testing.watching import Watch
from backdate.testing.witnessing import process_integrity

MOST_ATTEMPTS = 5
"""Processes that one suite may take before the tests that never ran are given up."""
LEAST_WALL_S = 1.0
"""Less time than this is not worth another attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerProcess:
    """One process of a suite."""

    run: RunResult
    capture: Capture
    results: tuple[CaseResult, ...]
    integrity: Integrity
    log: Path
    stopped: bool = False
    """Whether a single test used up its time."""
    services: tuple[ServiceRecord, ...] = ()


@dataclass(slots=True)
class _SuiteState:
    """What is known after some attempts."""

    attempts: list[RunnerProcess] = field(default_factory=list)
    uncollected: dict[str, CaseResult] = field(default_factory=dict)
    results: dict[str, CaseResult] = field(default_factory=dict)
    wanted: dict[str, None] = field(default_factory=dict)
    """Every id that an attempt collected."""
    modules: list[str] = field(default_factory=list)
    """Modules whose import killed an attempt."""

    def take(self, attempt: RunnerProcess) -> bool:
        """Add what ``attempt`` found out; whether anything was new."""
        before = len(self.results) + len(self.modules)
        self.attempts.append(attempt)
        capture = attempt.capture
        self.wanted.update(dict.fromkeys(capture.collected))
        tests = {record.id for record in capture.tests} | set(capture.collected)
        for result in attempt.results:
            known = self.results if result.id in tests else self.uncollected
            known.setdefault(result.id, result)
        if capture.collecting is not None and not capture.collected:
            self.modules.append(capture.collecting.module)
        return len(self.results) + len(self.modules) > before

    def selection(self, only: Sequence[str] | None, exclude: Sequence[str]) -> Selection:
        """What the next attempt runs: nothing of which the outcome is known, no module that kills it."""
        return Selection(
            only=None if only is None else tuple(only),
            exclude=(*exclude, *self.results),
            modules=tuple(self.modules),
        )

    @property
    def missing(self) -> tuple[str, ...]:
        """Tests that were collected and of which nothing more is known."""
        return tuple(one for one in self.wanted if one not in self.results)

    @property
    def spent_s(self) -> float:
        return sum(attempt.run.duration_s for attempt in self.attempts)

    def all_results(self) -> tuple[CaseResult, ...]:
        return (*self.uncollected.values(), *self.results.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What ``run_suite`` was asked for, which is the same for each of its processes."""

    sandbox: Sandbox
    environment: Environment
    tree: Path
    plan: SuitePlan
    limits: Limits
    folder: Path
    only: Sequence[str] | None
    exclude: Sequence[str]
    options: RunOptions


def run_suite(
    sandbox: Sandbox,
    environment: Environment,
    tree: Path,
    plan: SuitePlan,
    *,
    limits: Limits,
    log_folder: Path,
    only: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    **options: Unpack[RunKeywords],
) -> SuiteRun:
    """Run the suite of ``plan`` in a fresh copy of ``tree`` and tell every outcome.

    When the process dies, the tests that it had not come to are run by another one, without the
    test that killed it: up to ``MOST_ATTEMPTS`` processes, which share ``limits.wall_s``. Only the end of
    that time ends it all.

    ``only`` and ``exclude`` hold exact ids, as in :class:`CaseResult`; everything is still collected.
    ``log_folder`` gets ``tests.log`` (``tests-2.log``, … for further attempts) and the event files.
    ``options``: see :class:`RunOptions`.

    Raises SandboxUnavailable, before anything runs, when a protection cannot be given. However the
    suite ends, that is a value.
    """
    log_folder.mkdir(parents=True, exist_ok=True)
    asked = _Asked(
        sandbox=sandbox,
        environment=environment,
        tree=tree,
        plan=plan,
        limits=limits,
        folder=log_folder,
        only=only,
        exclude=exclude,
        options=RunOptions(**options),
    )
    return _run_in_turn(asked)


def _run_in_turn(asked: _Asked) -> SuiteRun:
    """One process after the other, as long as another could tell more."""
    state = _SuiteState()
    for number in range(1, MOST_ATTEMPTS + 1):
        left = asked.limits.wall_s - state.spent_s
        if number > 1 and left < LEAST_WALL_S:
            break
        attempt = _attempt(asked, state, wall_s=left, suffix="" if number == 1 else f"-{number}")
        if not state.take(attempt) or not _worth_another(attempt, state):
            break
    return _conclude(state, asked.plan, asked.only, asked.options.at)


def _worth_another(attempt: RunnerProcess, state: _SuiteState) -> bool:
    """Whether another process could tell more."""
    late = attempt.run.status is RunStatus.TIMEOUT and not attempt.stopped
    if late or attempt.run.status is RunStatus.SANDBOX_ERROR:
        return False
    died_importing = attempt.capture.collecting is not None and not attempt.capture.collected
    return bool(state.missing) or died_importing


def _attempt(asked: _Asked, state: _SuiteState, *, wall_s: float, suffix: str) -> RunnerProcess:
    log = asked.folder / f"tests{suffix}.log"
    events = asked.folder / f"events{suffix}.jsonl"
    plan, environment, tree, options = asked.plan, asked.environment, asked.tree, asked.options
    script = plan.runner == "script"
    # whatever else a script runs could read the secret before the runner that it starts
    secret = new_secret() if not script or (is_plain(tree, plan) and commands.can_boot(environment)) else None
    workspace = commands.prepare(
        environment,
        tree,
        options.at,
        state.selection(asked.only, asked.exclude),
        events,
        asked.folder / f"selection{suffix}.json",
        shims=script,
        booted=script and secret is not None,
    )
    command = commands.command(
        replace(plan, environment=(*plan.environment, *options.host_variables)),
        environment,
        options.at,
        replace(asked.limits, wall_s=wall_s),
        python_warnings=options.python_warnings,
        secret=secret,
        witness=options.witness,
    )
    canaries = canary_names(secret)
    watch = _watch(asked, state, events, canaries)
    command = replace(command, network=options.network)
    if options.case_wall_s is not None:
        command = replace(command, stop=watch.stop)
    if options.clock is not None:
        command, workspace = options.clock.applied(command, workspace)
    python = environment.choice.interpreter.executable
    with started_with(options.services, command, workspace, sandbox=asked.sandbox, python=python) as started:
        with watch:
            run = asked.sandbox.run(started.command, started.workspace, log=log)
        records = started.records()
    key = secret if run.secret_use is SecretUse.READ else None
    capture = read_event_file(events, secret=key, canaries=canaries)
    looked_at = tree if options.witness else None
    of_copies = runs_copies(plan)
    judged = _judged(run, capture, key, looked_at, of_copies=of_copies, log=log, stopped=watch.stop.is_set())
    return replace(judged, services=records)


def _watch(asked: _Asked, state: _SuiteState, events: Path, canaries: frozenset[str]) -> Watch:
    return Watch(
        events,
        asked.options.progress,
        subject=asked.options.subject,
        finished=len(state.results),
        total=len(state.wanted) if state.wanted else None,
        largest=LARGEST_FILE,
        unseen=canaries,
        case_wall_s=asked.options.case_wall_s,
    )


def _judged(
    run: RunResult,
    capture: Capture,
    key: bytes | None,
    looked_at: Path | None,
    *,
    of_copies: bool,
    log: Path,
    stopped: bool,
) -> RunnerProcess:
    """What one process says of the tests. ``looked_at``: the tree whose tests' bodies are looked for."""
    results = judge(capture, ending_of(capture, run))
    integrity = process_integrity(capture, run, key)
    if looked_at is not None:
        from backdate.testing.bodies import look_at_bodies

        integrity = merge_integrities(
            (integrity, look_at_bodies(capture, results, looked_at, of_copies=of_copies))
        )
    return RunnerProcess(
        run=run, capture=capture, results=results, integrity=integrity, log=log, stopped=stopped
    )


def _conclude(state: _SuiteState, plan: SuitePlan, only: Sequence[str] | None, at: str) -> SuiteRun:
    first, last = state.attempts[0], state.attempts[-1]
    results = state.all_results()
    verdict = reach_verdict(last.run, last.capture, results, state.missing, last.log, root=at)
    peaks = [peak for attempt in state.attempts if (peak := attempt.run.peak_memory_bytes) is not None]
    session = first.capture.session
    return SuiteRun(
        status=verdict.status,
        exit_code=last.run.exit_code,
        signal=last.run.signal,
        results=results,
        trouble=_trouble(state, verdict),
        log_end=verdict.log_end,
        raised=verdict.raised,
        suspicions=_suspicions(state, only, results),
        runner=plan.runner if session is None else session.runner[:100],
        duration_s=state.spent_s,
        peak_memory_bytes=max(peaks, default=None),
        attempts=len(state.attempts),
        enforced=last.run.enforced,
        log=first.log,
        integrity=merge_integrities(attempt.integrity for attempt in state.attempts),
        services=first.services,
    )


def _trouble(state: _SuiteState, verdict: RunConclusion) -> str:
    parts = [verdict.trouble] if verdict.trouble else []
    killers = [
        result
        for result in state.all_results()
        if result.outcome is Outcome.CRASHED
        or (result.outcome is Outcome.NOT_COLLECTED and result.id in state.modules)
    ]
    if len(state.attempts) > 1:
        names = ", ".join(f"{result.id} ({result.reason})" for result in killers[:5])
        more = f" and {len(killers) - 5} more" if len(killers) > 5 else ""
        because = f": {names}{more}" if names else ""
        parts.append(f"The suite took {len(state.attempts)} processes{because}.")
    if state.missing:
        some = ", ".join(state.missing[:3])
        parts.append(
            f"{len(state.missing)} collected tests were not run: {some}" + ", …" * (len(state.missing) > 3)
        )
    return " ".join(parts)


def _suspicions(
    state: _SuiteState, only: Sequence[str] | None, results: Sequence[CaseResult]
) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for attempt in state.attempts:
        another_followed = attempt is not state.attempts[-1]
        died = attempt.run.status is RunStatus.EXITED and attempt.capture.finish is None
        signs = find_suspicions(attempt.capture, attempt.run, attempt.results, died=died and another_followed)
        found |= dict.fromkeys(signs)
    missing = None if only is None else missing_choices(only, results)
    return (*found, missing) if missing else tuple(found)
