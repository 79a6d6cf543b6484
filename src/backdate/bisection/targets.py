"""The targets of a bisection: the tests that broke, by cause."""

from __future__ import annotations

from collections.abc import Sequence

from packaging.utils import canonicalize_name

from backdate.bisection.errors_of_run import error_key, failing_of
from backdate.bisection.probes import Target
from backdate.bisection.result import Failing
from backdate.checking.sides import SidePair
from backdate.diagnosis.diagnose import clusters_of
from backdate.diagnosis.result import Cluster
from backdate.errors import UsageError
from backdate.testing.node_ids import plain_id


def targets_of(pair: SidePair, tests: Sequence[str]) -> list[Target]:
    """What broke, by cause, limited to ``tests`` where there are any.

    Raises UsageError for a test that the old side has not.
    """
    comparison = pair.comparison
    if comparison is None or pair.old.run is None or pair.new.run is None:
        return []
    tests = [plain_id(test) for test in tests]
    known = {result.id for result in pair.old.run.results}
    unknown = [test for test in tests if test not in known]
    if unknown:
        raise UsageError(f"the old side has no test {unknown[0]!r}; write its id as `backdate check -v` does")
    wanted = set(comparison.broke) & (set(tests) or known)
    clusters = clusters_of(
        pair.old.run,
        pair.new.run,
        environment=pair.new.environment,
        before=pair.old.environment,
        tree=pair.new_project.tree,
    )
    targets = []
    for cluster in clusters:
        members = tuple(test for test in cluster.tests if test in wanted)
        wanted -= set(members)
        if members:
            targets.append(_target(cluster, members, reached=pair.new.run.status != "broken"))
    for breakage in comparison.breakages:
        members = tuple(test for test in breakage.tests if test in wanted)
        if members:
            place = breakage.places[0] if breakage.places else None
            error = Failing(type=breakage.type, message=breakage.message, place=place)
            targets.append(Target(tests=members, error=error))
    return targets


def _target(cluster: Cluster, tests: tuple[str, ...], *, reached: bool) -> Target:
    named = (cluster.cause.distribution, *cluster.cause.related)
    return Target(
        tests=tests,
        error=failing_of(cluster),
        key=error_key(cluster.cause),
        cause=cluster.cause,
        reached=reached,
        suspects=tuple(dict.fromkeys(str(canonicalize_name(name)) for name in named if name)),
    )
