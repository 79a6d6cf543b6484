"""What a bisection looks for: the tests that broke, by cause."""

from __future__ import annotations

from collections.abc import Sequence

from packaging.utils import canonicalize_name

from backdate.bisection.at_hand import AtHand
from backdate.bisection.errors_of_run import error_key, failing_of
from backdate.bisection.probes import Target
from backdate.bisection.result import Failing
from backdate.diagnosis.diagnose import clusters_of
from backdate.diagnosis.result import Cluster
from backdate.errors import UsageError


def targets_of(at_hand: AtHand, tests: Sequence[str]) -> list[Target]:
    """What broke, by cause, limited to ``tests`` where there are any.

    Raises UsageError for a test that the old side has not.
    """
    comparison = at_hand.comparison
    if comparison is None or at_hand.old.run is None or at_hand.new.run is None:
        return []
    known = {result.id for result in at_hand.old.run.results}
    unknown = [test for test in tests if test not in known]
    if unknown:
        raise UsageError(f"the old side has no test {unknown[0]!r}; write its id as `backdate check -v` does")
    wanted = set(comparison.broke) & (set(tests) or known)
    clusters = clusters_of(
        at_hand.old.run,
        at_hand.new.run,
        environment=at_hand.new.environment,
        before=at_hand.old.environment,
        tree=at_hand.new_ground.tree,
    )
    targets = []
    for cluster in clusters:
        members = tuple(test for test in cluster.tests if test in wanted)
        wanted -= set(members)
        if members:
            targets.append(_target(cluster, members, reached=at_hand.new.run.status != "broken"))
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
