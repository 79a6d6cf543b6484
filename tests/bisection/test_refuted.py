"""Culprits that an environment acquits in which their new releases are and the tests pass."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import pytest
from world import END, choice

from backdate.bisection.one_cause import Attributed
from backdate.bisection.probes import ProbePoint, ProbeResult, Target
from backdate.bisection.refuted import without_refuted
from backdate.bisection.result import Culprit, Failing, Finding, behind_note
from backdate.bisection.search import ProbeStatus
from backdate.environments.environment import Lock, LockedDistribution

PYTHON = "3.11.2"
ERROR = Failing(type="AssertionError", message="'3' != '34'")


def attributed(name: str, old: str, new: str, *tests: str, held: tuple[str, ...] = ()) -> Attributed:
    finding = Finding(
        tests=tests,
        error=ERROR,
        axis="packages",
        culprits=(Culprit(name=name, old=old, new=new, released=None),),
        python=PYTHON,
        held=held,
        notes=(behind_note(held),) if held else (),
    )
    return Attributed(finding=finding, target=Target(tests=tests, error=ERROR))


def seen(good: str, *, python: str = PYTHON, **versions: str) -> ProbeResult:
    lock = Lock(
        instant=END,
        python=python,
        distributions=tuple(LockedDistribution(name=name, version=one) for name, one in versions.items()),
    )
    return ProbeResult(
        point=ProbePoint(choice=choice(python), instant=END),
        identity="i",
        lock=lock,
        statuses={test: ProbeStatus.GOOD if test in good else ProbeStatus.BAD for test in "abc"},
    )


BUILT = attributed("setuptools", "67.8.0", "68.0.0", "a", "b")
PARSED = attributed("parse", "1.19.0", "1.19.1", "a", "b", held=("setuptools<68.0.0",))


def test_what_is_there_in_its_new_release_while_the_tests_pass_is_no_culprit() -> None:
    both = seen("ab", setuptools="68.0.0", parse="1.19.0")
    (left,) = without_refuted([BUILT, PARSED], [both], newest_python=PYTHON)
    assert left.finding.culprits == PARSED.finding.culprits
    assert (left.finding.held, left.finding.notes) == ((), ())


@pytest.mark.parametrize(
    "probe",
    [
        seen("ab", setuptools="67.8.0", parse="1.19.0"),  # it is held back as well
        seen("a", setuptools="68.0.0", parse="1.19.0"),  # one of its tests fails
        seen("ab", parse="1.19.0"),
        seen("ab", python="3.9.18", setuptools="68.0.0", parse="1.19.0"),
        seen("ab", setuptools="not a version", parse="1.19.0"),
    ],
)
def test_any_other_environment_acquits_nobody(probe: ProbeResult) -> None:
    assert without_refuted([BUILT, PARSED], [probe], newest_python=PYTHON) == [BUILT, PARSED]


def test_tests_of_which_no_other_finding_tells_keep_theirs() -> None:
    both = seen("abc", setuptools="68.0.0", parse="1.19.0")
    other = attributed("setuptools", "67.8.0", "68.0.0", "a", "c")
    assert without_refuted([other, PARSED], [both], newest_python=PYTHON) == [other, PARSED]
