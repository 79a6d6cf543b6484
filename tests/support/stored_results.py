"""Results that nobody had to compute."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from builders import frame, lock, raised, result, run

from backdate.bisection.points import DistributionRelease
from backdate.bisection.result import (
    BisectResult,
    CheckSummary,
    Culprit,
    Failing,
    Finding,
    ProbeRecord,
)
from backdate.bisection.search import ProbeStatus
from backdate.checking.answers import CheckAnswers, NeededCap
from backdate.checking.compare import compare_locks, compare_runs
from backdate.checking.question import AskedQuestions, Question
from backdate.checking.result import CheckResult, Side, Verdict
from backdate.checking.setup_class import FailedTests, SetupClass
from backdate.checking.setup_result import SetupResult
from backdate.checking.verdict import decide
from backdate.diagnosis.log_report import LogReport, explain_log
from backdate.environments.environment import Environment, Interpreter, InterpreterChoice
from backdate.fixing.result import FixOutcome, FixResult, MeanwhileLimit
from backdate.lowest.result import (
    DeclaredBound,
    FalseBound,
    LiftedBound,
    LiftedBy,
    LowestResult,
    LowestVerdict,
)
from backdate.output.render import AnyResult
from backdate.projects.project import Origin
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan
from backdate.recipes.repair.error_class import ErrorClass
from backdate.testing.outcomes import Outcome


def side(instant: datetime, version: str, this_lock: object, this_run: object) -> Side:
    interpreter = Interpreter(version=version, executable=Path("/p/python"), prefix=Path("/p"), source="path")
    choice = InterpreterChoice(wanted=version, reason="for a test", interpreter=interpreter)
    plan = SuitePlan(runner="pytest", provenance=Provenance(rule="a test"))
    return Side(
        instant=instant,
        choice=choice,
        recipe=Recipe(install=(), test=plan),
        environment=Environment(
            key="0" * 64,
            root=Path("/e"),
            choice=choice,
            lock=this_lock,  # type: ignore[arg-type]
            build_s=3.0,
            reused=False,
            log=Path("/log"),
        ),
        run=this_run,  # type: ignore[arg-type]
    )


def make_check_result(
    message: str = "no attribute 'float'", test: str = "t.py::b", **changes: object
) -> CheckResult:
    error = raised("AttributeError", message, frame("pkg/a.py", 12))
    old = side(
        datetime(2021, 3, 1, tzinfo=UTC),
        "3.8.18",
        lock(numpy="1.20.0", gone="1"),
        run(result("t.py::a"), result(test)),
    )
    new = side(
        datetime(2024, 3, 1, tzinfo=UTC),
        "3.11.7",
        lock(numpy="1.26.0"),
        run(result("t.py::a"), result(test, Outcome.FAILED, error)),
    )
    assert old.run is not None
    assert new.run is not None
    assert old.environment is not None
    assert new.environment is not None
    comparison = compare_runs(old.run, new.run)
    verdict, reason = decide(old, new, comparison)
    made = CheckResult(
        backdate="0.1.0",
        uv="0.9.0",
        project="thing",
        origin=Origin(kind="sdist", location="thing==1"),
        verdict=verdict,
        reason=reason,
        old=old,
        new=new,
        changes=compare_locks(old.environment.lock, new.environment.lock),
        comparison=comparison,
        unpinning="--- requirements.txt\n+++ requirements.txt\n@@ -1 +1 @@\n-numpy==1.20\n+numpy\n",
        started=datetime(2024, 3, 1, tzinfo=UTC),
        duration_s=4.0,
        folder=Path("/runs/1"),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def make_bisection(message: str = "no attribute 'float'", **changes: object) -> BisectResult:
    """A bisection that found numpy 1.24 guilty; other fields as told."""
    start, end = datetime(2021, 3, 1, tzinfo=UTC), datetime(2024, 3, 1, tzinfo=UTC)
    turn = datetime(2022, 12, 18, tzinfo=UTC)
    points = (
        (ProbeStatus.GOOD, datetime(2022, 1, 1, tzinfo=UTC)),
        (ProbeStatus.SKIP, datetime(2022, 6, 1, tzinfo=UTC)),
        (ProbeStatus.BAD, datetime(2023, 1, 1, tzinfo=UTC)),
    )
    finding = Finding(
        tests=("t.py::b",),
        error=Failing(type="AttributeError", message=message, place=frame("pkg/a.py", 12)),
        axis="packages",
        python="3.8.18",
        culprits=(Culprit(name="numpy", old="1.23.5", new="1.24.0", released=turn),),
        last_good=datetime(2022, 1, 1, tzinfo=UTC),
        first_bad=turn,
        confirmed=("forward", "backward"),
        probes=tuple(
            ProbeRecord(why="packages as of", instant=day, python="3.8.18", status=status, built=True)
            for status, day in points
        ),
    )
    made = BisectResult(
        backdate="0.1.0",
        check=CheckSummary(
            project="thing",
            origin=Origin(kind="sdist", location="thing==1"),
            verdict=Verdict.BROKE,
            reason="1 of 2 tests that passed fails now",
            old_instant=start,
            new_instant=end,
            old_python="3.8.18",
            new_python="3.11.7",
            broke=1,
        ),
        findings=(finding,),
        releases=tuple(
            DistributionRelease(
                name="numpy", version=version, uploaded=day, instants=(day,), prerelease=False, yanked=False
            )
            for version, day in (("1.22.0", datetime(2021, 12, 31, tzinfo=UTC)), ("1.24.0", turn))
        ),
        builds=2,
        environments=4,
        runs=4,
        started=start,
        duration_s=4.0,
        folder=Path("/runs/1"),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def make_fix_result(message: str = "no attribute 'float'") -> FixResult:
    """A fix that mends nothing."""
    check = make_check_result(message)
    assert check.comparison is not None
    return FixResult(
        backdate="0.1.0",
        check=check,
        solver="rules",
        outcome=FixOutcome.PARTLY,
        reason="1 error remains",
        patch="--- pkg/a.py\n+++ pkg/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
        remaining=check.comparison.breakages,
        held_back=(MeanwhileLimit(requirement="numpy<1.24", because="it was there", tests=1),),
    )


def make_setup_result(message: str = "no attribute 'float'") -> SetupResult:
    """A set-up in which a test fails."""
    check = make_check_result(message)
    return SetupResult(
        backdate="0.1.0",
        project="thing",
        origin=check.origin,
        instant=check.new.instant,
        setup_class=SetupClass.NOT_PROVEN,
        reason="1 of 2 tests that ran passes, 95% are wanted",
        accept=0.95,
        recipe=check.new.recipe,
        choice=check.new.choice,
        environment=check.new.environment,
        run=check.new.run,
        failures=(
            FailedTests(error=ErrorClass.TESTS_FAIL, line=message, help="look at it", tests=("t.py::b",)),
        ),
        attempts=(),
        started=check.started,
        duration_s=2.0,
        folder=Path("/runs/2"),
    )


def make_log_report(message: str = "no attribute 'float'") -> LogReport:
    """What the log of a failed pytest says."""
    words = " ".join(message.split()) or "nothing"
    return explain_log(
        "=================================== FAILURES ===================================\n"
        "____________________________________ test_a ____________________________________\n\n"
        "    def test_a():\n>       f()\n\nt.py:3: \n"
        "_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ \n\n"
        f"    def f():\n>       x\nE       AttributeError: {words}\n\npkg/a.py:12: AttributeError\n"
        "=========================== short test summary info ============================\n"
        f"FAILED t.py::test_a - AttributeError: {words}\n"
        "============================== 1 failed in 0.01s ===============================\n"
    )


def make_lowest_result(message: str = "no attribute 'float'") -> LowestResult:
    """A project one of whose bounds is not true, and another of which was not tested."""
    check = make_check_result(message)
    assert check.comparison is not None
    return LowestResult(
        backdate="0.1.0",
        uv="0.9.0",
        project="thing",
        origin=check.origin,
        verdict=LowestVerdict.NOT_TRUE,
        reason="1 of 2 declared lower bounds is not true",
        instant=check.new.instant,
        python="3.9",
        newest=check.old,
        lowest=check.new,
        bounds=(
            DeclaredBound(distribution="numpy", requirement="numpy>=1.20", lowest="1.20.0", tested="1.20.0"),
            DeclaredBound(
                distribution="six",
                requirement="six>=1.5",
                lowest="1.5.0",
                tested="1.16.0",
                lifted=LiftedBound(why=LiftedBy.REQUIREMENT, by="numpy 1.20.0", requires="six>=1.16"),
                file="pyproject.toml",
                line=7,
            ),
        ),
        false_bounds=(
            FalseBound(
                distribution="numpy",
                requirement="numpy>=1.20",
                fails="1.20.3",
                passes="1.21.0",
                true_requirement="numpy>=1.21.0",
                tests=("t.py::b",),
                error_type="AttributeError",
                error_message=message,
                file="pyproject.toml",
                line=6,
            ),
        ),
        broke=check.comparison.breakages,
        started=check.started,
        duration_s=3.0,
        folder=Path("/runs/3"),
    )


def every_result(message: str = "no attribute 'float'") -> tuple[AnyResult, ...]:
    """One result of each command, with ``message`` as the error."""
    check = make_check_result(message)
    declared = replace(check, question=Question.DECLARED)
    answers = CheckAnswers(
        decided_by=AskedQuestions.BOTH,
        declared=declared,
        lifted=check,
        caps=(NeededCap(distribution="numpy", requirement="numpy<1.24", file="pyproject.toml", line=7),),
    )
    return (
        check,
        answers,
        make_bisection(message),
        make_fix_result(message),
        make_setup_result(message),
        make_log_report(message),
        make_lowest_result(message),
    )
