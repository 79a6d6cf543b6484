"""Behind errors that name nothing: what tests meet on the way, and something catches."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parent))
import pytest
from builders import result, run
from small_world import running_index
from world import World, bisect_world, from_on

from backdate.advice import AdvisedChange
from backdate.bisection.caught import caught_of, explained_by, names_nothing, with_caught
from backdate.bisection.errors_of_run import Known
from backdate.bisection.one_cause import Attributed
from backdate.bisection.probes import Target
from backdate.bisection.result import BisectResult, Culprit, Failing, Finding
from backdate.bisection.suites import SeenErrors
from backdate.checking.settings import Settings
from backdate.cli.render_bisection import bisection_lines
from backdate.diagnosis.owners import BUILTIN
from backdate.diagnosis.result import Cause, CauseKind
from backdate.session import bisect
from backdate.testing.outcomes import Frame, Outcome, Raised
from backdate.testing.tracing import SeenError

OLD, NEW = datetime(2024, 3, 1, tzinfo=UTC), datetime(2024, 12, 1, tzinfo=UTC)
FAILING = Failing(type="AssertionError", message="assert 500 == 200")


def cause(kind: CauseKind, distribution: str | None = None) -> Cause:
    return Cause(kind=kind, type="AttributeError", message="gone", distribution=distribution, name="f")


def target(kind: CauseKind = CauseKind.ASSERTION, suspects: tuple[str, ...] = ()) -> Target:
    return Target(tests=("t",), error=FAILING, cause=cause(kind), suspects=suspects)


def known(distribution: str) -> Known:
    about = cause(CauseKind.MISSING_ATTRIBUTE, distribution)
    error = Failing(type="AttributeError", message=distribution)
    return Known(failing=error, key=f"name {distribution}", cause=about)


def test_an_error_that_names_something_is_not_looked_behind() -> None:
    assert names_nothing(target())
    assert names_nothing(target(suspects=("pytest",)))
    assert names_nothing(target(CauseKind.CHANGED_VALUE))
    assert not names_nothing(target(suspects=("flask",)))
    assert not names_nothing(target(CauseKind.MISSING_MODULE))
    assert not names_nothing(replace(target(), failed_before=True))
    assert not names_nothing(replace(target(), reached=False))


def attributed(culprit: str, *caught: Known) -> Attributed:
    moved = Culprit(name=culprit, old="1", new="2", released=None)
    finding = Finding(tests=("t",), error=FAILING, axis="packages", python="3.11.7", culprits=(moved,))
    return Attributed(finding=finding, target=replace(target(), caught=caught))


def shown(culprit: str, *caught: Known) -> list[str]:
    return [one.message for one in caught_of(attributed(culprit, *caught))]


def told(culprit: str, *caught: Known) -> list[str]:
    found = explained_by(attributed(culprit, *caught))
    assert all(one.target.cause is not None and one.target.cause.name == "f" for one in found)
    return [one.finding.error.message for one in found]


def test_only_what_is_about_the_culprit_explains_it() -> None:
    errors = known("flask"), known("other"), known(BUILTIN)
    assert told("flask", *errors) == ["flask"]
    assert told("python", *errors) == [BUILTIN]
    assert told("werkzeug", *errors) == []


def test_what_names_no_library_is_told_where_nothing_is_about_the_culprit() -> None:
    errors = known(BUILTIN), known("flask"), known("other")
    assert shown("flask", *errors) == ["flask"]
    assert shown("werkzeug", *errors) == [BUILTIN]
    assert shown("werkzeug", known("flask")) == []


def test_whom_a_caught_error_names_is_tried_first() -> None:
    rows = [(str(number + 1), -10 + number * 20) for number in range(8)]
    world = World(
        releases={"a": rows, "b": rows, "c": rows}, tests={"t": from_on("b", "5", "500 is not 200")}
    )
    behind = bisect_world(world, caught_names=("b",))
    alone = bisect_world(world)
    for (finding,), _, _ in (behind, alone):
        assert [(one.name, one.old, one.new) for one in finding.culprits] == [("b", "4", "5")]
    assert behind[0][0].searched == "versions"
    assert behind[1].builds < alone[1].builds
    wrongly = bisect_world(world, caught_names=("c",))
    assert [(one.name, one.new) for one in wrongly[0][0].culprits] == [("b", "5")]


class Traced:
    """A probe runner whose old side was, or was not, seen whole."""

    def __init__(self, *, whole: bool) -> None:
        self.whole = whole
        self.asked: list[tuple[str, ...]] = []

    def errors_seen(self, probe: str, tests: list[str], _files: list[str]) -> SeenErrors:
        self.asked.append(tuple(tests))
        frame = Frame(file="app.py", line=1, function="f", source="flask.gone")
        met = Raised(type="AttributeError", message="module 'flask' has no attribute 'gone'", frames=(frame,))
        errors = (SeenError(file="app.py", line=1, chain=(met,)),) if probe == "new" else ()
        return SeenErrors(errors=errors, whole=self.whole or probe == "new")


@pytest.mark.parametrize("whole", [True, False])
def test_what_is_seen_counts_only_beside_all_of_the_old_side(tmp_path: Path, whole: bool) -> None:
    (tmp_path / "app.py").write_text("import flask\nflask.gone\n")
    times = {"t": 1.0, "slow": 50.0, "more": 20.0}
    suite = run(*(replace(result(name, Outcome.FAILED), duration_s=took) for name, took in times.items()))
    side = SimpleNamespace(run=suite, environment=None)
    pair = SimpleNamespace(old=side, new=side, new_project=SimpleNamespace(tree=tmp_path))
    targets = [replace(target(), tests=tuple(times)), target(CauseKind.MISSING_MODULE)]
    traced = Traced(whole=whole)
    hiding, naming = with_caught(targets, traced, "old", "new", pair)  # type: ignore[arg-type]
    assert set(traced.asked) == {("t", "slow")}, "what takes longer than a minute together is not run again"
    assert (hiding.caught_names, len(hiding.caught)) == ((("flask",), 1) if whole else ((), 0))
    assert naming == targets[1]


@pytest.fixture
def found(tmp_path: Path) -> BisectResult:
    folder = tmp_path / "hidden"
    folder.mkdir()
    (folder / "requirements.txt").write_text("brittle>=1\n")
    (folder / "hidden.py").write_text(
        "import brittle\n\n\ndef loud(text):\n"
        "    try:\n        return brittle.shout(text)\n    except Exception:\n        return 'cannot'\n"
    )
    (folder / "test_hidden.py").write_text(
        "import unittest\n\nfrom hidden import loud\n\n\nclass Case(unittest.TestCase):\n"
        "    def test_loud(self):\n        self.assertEqual(loud('a'), 'A')\n\n"
        "    def test_plain(self):\n        self.assertTrue(loud)\n"
    )
    with running_index() as url:
        settings = Settings(cache=tmp_path / "cache", index_url=url)
        return bisect(folder, settings=settings, from_instant=OLD, to_instant=NEW)


@pytest.mark.slow
def test_what_code_catches_is_told_and_advised_about(found: BisectResult) -> None:
    (finding,) = found.findings
    assert [(one.name, one.old, one.new) for one in finding.culprits] == [("brittle", "1.0", "2.0")]
    assert finding.error.type == "AssertionError"
    (caught,) = finding.caught
    assert (caught.type, caught.place and (caught.place.file, caught.place.line)) == (
        "AttributeError",
        ("hidden.py", 6),
    )
    assert finding.explanations is not None
    assert [name.name for name in finding.explanations.names] == ["brittle.shout"]
    changes: list[AdvisedChange] = [*found.advice.fixes]
    assert [(one.name, one.places[0].file) for one in changes] == [("brittle.shout", "hidden.py")]
    shown = "\n".join(line for line, _ in bisection_lines(found))
    assert "caught on the way to it: AttributeError" in shown
