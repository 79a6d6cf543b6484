"""What is kept of events that are about one file."""

import itertools

from backdate.testing.assembly import Assembly
from backdate.testing.authenticity import NOTHING_FOUND
from backdate.testing.wire import Uncollected


def uncollected(outcome: str) -> Uncollected:
    return Uncollected(pid=1, id="tests/test_a.py", outcome=outcome, reason=outcome, raised=())


def test_a_file_that_is_skipped_for_its_doctests_and_then_fails_has_failed() -> None:
    for outcomes in itertools.permutations(["skipped", "failed", "skipped"]):
        assembly = Assembly()
        for outcome in outcomes:
            assembly.add(uncollected(outcome))
        capture = assembly.capture(malformed=0, truncated=False, authenticity=NOTHING_FOUND)
        assert [event.outcome for event in capture.uncollected] == ["failed"]
