"""Why a run failed, and what the tests that broke between two runs have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from backdate.checking.compare import blocker_of
from backdate.diagnosis.causes import find_cause
from backdate.diagnosis.clusters import group_failures
from backdate.diagnosis.distributions import Distributions, site_packages
from backdate.diagnosis.filters import filters_of
from backdate.diagnosis.frames import PathClassifier, files_of_tests, responsible
from backdate.diagnosis.logs import Log
from backdate.diagnosis.owners import Owners
from backdate.diagnosis.result import Cause, CauseKind, Cluster, Diagnosis, Failure
from backdate.environments.environment import Environment
from backdate.testing.outcomes import CaseResult, Outcome, Raised, SuiteRun

_ENDED = {Outcome.CRASHED: CauseKind.CRASH, Outcome.TIMED_OUT: CauseKind.TIMEOUT}
_LOGGED = {
    "call": Outcome.FAILED,
    "setup": Outcome.ERROR,
    "teardown": Outcome.ERROR,
    "collection": Outcome.NOT_COLLECTED,
}
_RUN_ENDED = {
    "crashed": CauseKind.CRASH,
    "oom": CauseKind.CRASH,
    "disk-limit": CauseKind.CRASH,
    "timeout": CauseKind.TIMEOUT,
}


class _Examiner:
    """Diagnoses single failures of one run."""

    def __init__(
        self,
        environment: Environment | None,
        before: Environment | None,
        tree: Path | None,
        test_files: Collection[str] = (),
    ) -> None:
        self.classifier = PathClassifier(environment, test_files=test_files)
        earlier = None if before is None else Distributions(site_packages(*before.roots))
        self.owners = Owners(
            self.classifier.distributions, earlier, library=self.classifier.library, tree=tree
        )

    def failure(self, result: CaseResult) -> Failure:
        """The diagnosis of one bad result."""
        ended = _ENDED.get(result.outcome)
        return self.examine(result.id, result.outcome, result.raised, ended, result.reason)

    def run_failure(self, run: SuiteRun) -> Failure | None:
        """The diagnosis of the run itself; None when it ended as it should."""
        if run.status == "completed" or (run.status == "no-tests" and not run.raised):
            return None
        return self.examine("", None, run.raised, _RUN_ENDED.get(run.status), run.trouble)

    def examine(
        self,
        test: str,
        outcome: Outcome | None,
        raised: tuple[Raised, ...],
        ended: CauseKind | None = None,
        reason: str = "",
    ) -> Failure:
        """The diagnosis of a chain, or of an end without one."""
        if ended is not None:
            # Shown, but not the cause: exceptions before the process died are not why it died.
            cause = Cause(kind=ended, type="", message=reason)
            chain = self.classifier.classify_chain(raised)
            return Failure(test=test, outcome=outcome, cause=cause, responsible=None, chain=chain)
        chain = self.classifier.classify_chain(raised)
        cause = find_cause(chain, self.owners)
        if cause.kind is CauseKind.UNKNOWN:
            cause = Cause(kind=CauseKind.UNKNOWN, type="", message=reason)
        line = responsible(chain, cause.position) if chain else None
        return Failure(test=test, outcome=outcome, cause=cause, responsible=line, chain=chain)


def diagnose(
    run: SuiteRun,
    environment: Environment | None,
    *,
    tree: Path | None = None,
    before: Environment | None = None,
    only: Collection[str] | None = None,
) -> Diagnosis:
    """Why ``run`` failed: every bad result, by cause.

    ``environment`` is the one in which it ran; without it the usual names of folders decide whose code a
    frame is, and module names decide the distribution. ``tree`` is the project's folder, whose imports show
    what an alias stands for; nothing else of it is read, and nothing is run. ``before`` is an environment in
    which the tests passed: it has the distributions of modules that are gone. ``only`` keeps the results with
    these ids (a failed collection has an id of its own).
    """
    examiner = _Examiner(environment, before, tree, files_of_tests(run))
    bad = [result for result in run.results if result.outcome.bad and (only is None or result.id in only)]
    failures = [examiner.failure(result) for result in bad]
    whole = examiner.run_failure(run)
    if whole is not None:
        failures.insert(0, whole)
    return _conclude(failures, examiner, run.status)


def diagnose_log(
    log: Log,
    environment: Environment | None = None,
    *,
    tree: Path | None = None,
    before: Environment | None = None,
) -> Diagnosis:
    """As ``diagnose``, for a log (see ``logs.read_log``) instead of a captured run."""
    examiner = _Examiner(environment, before, tree)
    failures = [
        examiner.examine(logged.test or "", _LOGGED.get(logged.phase), logged.raised)
        for logged in log.failures
    ]
    return _conclude(failures, examiner, "completed")


def _conclude(failures: Sequence[Failure], examiner: _Examiner, status: str) -> Diagnosis:
    return Diagnosis(
        failures=tuple(failures),
        clusters=group_failures(failures),
        filters=filters_of(status, failures, examiner.owners),
        related=_related(failures),
    )


def _related(failures: Sequence[Failure]) -> tuple[str, ...]:
    counts = Counter(name for failure in failures for name in failure.cause.related)
    return tuple(name for name, _ in counts.most_common())


def clusters_of(
    old: SuiteRun,
    new: SuiteRun,
    *,
    environment: Environment | None = None,
    before: Environment | None = None,
    tree: Path | None = None,
) -> tuple[Cluster, ...]:
    """The tests that were good in ``old`` and are not in ``new``, by cause, the largest cluster first.

    A test whose file or class could not be collected belongs to the cluster of that error; one that the
    run never reached, to that of the run's own failure. Tests that are missing from a completed run, or that
    are skipped, did not fail and are in no cluster.
    """
    return group_failures(failures_between(old, new, environment=environment, before=before, tree=tree))


def failures_between(
    old: SuiteRun,
    new: SuiteRun,
    *,
    environment: Environment | None = None,
    before: Environment | None = None,
    tree: Path | None = None,
) -> tuple[Failure, ...]:
    """As ``clusters_of``: a failure for each of these tests, in the order of ``old``."""
    if new.status == "completed" and not any(result.outcome.bad for result in new.results):
        return ()  # without reading what is installed, which takes longer than all the rest
    examiner = _Examiner(environment, before, tree, files_of_tests(new))
    after = {result.id: result for result in new.results}
    blocked = {result.id: result for result in new.results if result.outcome is Outcome.NOT_COLLECTED}
    whole = examiner.run_failure(new)
    examined: dict[str, Failure] = {}
    failures: list[Failure] = []
    for result in old.results:
        if not result.outcome.good:
            continue
        now = after.get(result.id) or blocker_of(result, blocked)
        if now is not None and now.outcome.bad:
            if now.id not in examined:
                examined[now.id] = examiner.failure(now)
            failures.append(_of_test(examined[now.id], result.id))
        elif now is None and whole is not None:
            failures.append(_of_test(whole, result.id))
    return tuple(failures)


def _of_test(failure: Failure, test: str) -> Failure:
    return Failure(
        test=test,
        outcome=failure.outcome,
        cause=failure.cause,
        responsible=failure.responsible,
        chain=failure.chain,
    )
