"""What to do next, for every kind of answer."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from stored_results import every_result, make_bisection, make_check_result, make_lowest_result

from backdate.advice import Advice, AdvisedChange, WorkingLimits
from backdate.checking.answers import CheckAnswers, NeededCap, answers_of
from backdate.checking.asked_command import AskedCommand
from backdate.checking.question import AskedQuestions, Question
from backdate.checking.result import Breakage, BrokenTools, CheckResult, Verdict
from backdate.checking.setup_result import SetupResult
from backdate.checking.start_instant import StartInstant, StartReason
from backdate.cli.results import lines_of
from backdate.diagnosis.log_report import LogReport
from backdate.fixing.result import FixOutcome, FixResult
from backdate.lowest.result import LowestVerdict
from backdate.output.formats import OutputFormat
from backdate.output.next_steps import next_steps
from backdate.output.render import rendered
from backdate.projects.project import Origin
from backdate.recipes.loosening import limits_of_no_file
from backdate.recipes.recipe import InstallStep, Provenance
from backdate.testing.outcomes import Frame

DAY = datetime(2021, 3, 1, tzinfo=UTC)
FIX = Advice(fixes=(AdvisedChange(distribution="numpy", name="numpy.float"),))
ASKED = AskedCommand(
    source="here", options=(("--python", "3.11"), ("--repeats", "3")), pytest_arguments=("-x",)
)
SIDES = "--from 2021-03-01 --to 2024-03-01"
FOLDER = Origin(kind="folder", location="/thing")


def commands(result: object) -> list[str]:
    return [step.command for step in next_steps(result)]  # type: ignore[arg-type]


def answers(result: CheckResult, **changes: object) -> CheckAnswers:
    return replace(answers_of(result), **changes)  # type: ignore[arg-type]


def test_what_broke_is_bisected_with_the_same_sides_and_options() -> None:
    broke = make_check_result(question=Question.DECLARED)
    assert commands(answers(broke, asked=ASKED)) == [
        f"backdate bisect here --python 3.11 --repeats 3 {SIDES} -- -x",
        f"backdate fix here --python 3.11 --as declared {SIDES} -- -x",
    ]
    assert commands(broke) == [
        f"backdate bisect pypi:thing==1 {SIDES}",
        f"backdate fix pypi:thing==1 --as declared {SIDES}",
    ]
    lifted = answers_of(make_check_result())
    assert commands(lifted)[0] == f"backdate bisect pypi:thing==1 --as lifted {SIDES}"


def test_a_known_fix_comes_first() -> None:
    steps = commands(make_check_result(question=Question.DECLARED, advice=FIX))
    assert [step.split()[1] for step in steps] == ["fix", "bisect"]


def test_an_old_instant_that_nobody_stated_is_chosen_again() -> None:
    chosen = StartInstant(instant=DAY, reason=StartReason.COMMIT)
    result = make_check_result(question=Question.DECLARED, start=chosen)
    assert commands(result)[0] == "backdate bisect pypi:thing==1 --to 2024-03-01"


@pytest.mark.parametrize(
    ("origin", "named"),
    [
        (FOLDER, "/thing"),
        (
            Origin(kind="git", location="https://x/y#subdirectory=a", revision="0f"),
            "'https://x/y@0f#subdirectory=a'",
        ),
        (Origin(kind="git", location="https://x/y", revision="0f"), "https://x/y@0f"),
    ],
)
def test_without_a_command_line_the_origin_names_the_project(origin: Origin, named: str) -> None:
    assert commands(make_check_result(origin=origin))[0].startswith(f"backdate bisect {named} --as lifted ")


def test_where_users_are_fine_the_bounds_are_what_is_left() -> None:
    fine = make_check_result(question=Question.DECLARED, verdict=Verdict.NOTHING_BROKE)
    cap = NeededCap(distribution="numpy", requirement="numpy<2", file="a", line=1)
    both = CheckAnswers(
        decided_by=AskedQuestions.DECLARED,
        declared=fine,
        lifted=make_check_result(),
        caps=(cap,),
        asked=ASKED,
    )
    first, *rest = next_steps(both)
    assert first.what == "nothing has to be done for users today: keep the bounds that are needed"
    assert [step.command for step in rest] == [
        f"backdate bisect here --python 3.11 --repeats 3 --as lifted {SIDES} -- -x",
        f"backdate fix here --python 3.11 {SIDES} -- -x",
    ]
    same = replace(both, same=True, caps=())
    assert [step.what for step in next_steps(same)] == ["nothing has to be done"]


def test_what_fails_differently_is_bisected() -> None:
    (step,) = next_steps(make_check_result(verdict=Verdict.FAILS_DIFFERENTLY))
    assert step.command.startswith("backdate bisect ")


def test_what_is_flaky_and_fails_each_time_now_is_run_more_often() -> None:
    result = make_check_result(verdict=Verdict.FAILS_DIFFERENTLY)
    assert result.comparison is not None
    flaky = replace(result.comparison, flaky=("t.py::b",), fails_each_time=("t.py::b",))
    (step,) = next_steps(replace(result, comparison=flaky))
    assert step.command.endswith(" --repeats 5")
    (step,) = next_steps(replace(result, comparison=replace(flaky, new_failures=result.comparison.breakages)))
    assert step.command.startswith("backdate bisect ")


def test_where_nothing_can_be_told_the_reason_is_looked_for() -> None:
    cannot = make_check_result(verdict=Verdict.CANNOT_TELL, origin=FOLDER)
    assert commands(answers(cannot, asked=ASKED)) == ["backdate recipe here"]
    no_run = replace(cannot, old=replace(cannot.old, run=None))
    assert commands(answers(no_run, asked=ASKED))[0] == (
        "backdate check here --python 3.11 --repeats 3 --from INSTANT --to 2024-03-01 -- -x"
    )
    assert cannot.old.run is not None
    empty = replace(cannot.old.run, status="no-tests", results=())
    release = Origin(kind="sdist", location="thing==1")
    no_tests = replace(cannot, origin=release, old=replace(cannot.old, run=empty))
    assert commands(answers(no_tests, asked=ASKED)) == [
        "backdate check GIT-URL@TAG --python 3.11 --repeats 3 -- -x"
    ]
    tools = BrokenTools(tools="pytest 5.0", line="x", instead=())
    (step,) = next_steps(replace(cannot, broken_tools=tools))
    assert "without pytest 5.0; then" in step.what


def test_after_a_bisection() -> None:
    now = Advice(now=(WorkingLimits(requirements=("numpy<2",), passing=1, tests=1, on_python="3.11"),))
    result = make_bisection(advice=now, asked=ASKED)
    folder = replace(result, check=replace(result.check, origin=FOLDER, question=Question.DECLARED))
    fix = f"backdate fix here --python 3.11 --as declared {SIDES} -- -x"
    assert commands(folder) == [
        f"backdate bisect here --python 3.11 --repeats 3 {SIDES} --apply-cap -- -x",
        fix,
    ]
    sdist = replace(folder, check=replace(folder.check, origin=result.check.origin))
    assert commands(sdist) == [fix]
    first = replace(sdist, ending="first", not_searched=("t",))
    assert commands(first) == [f"backdate bisect here --python 3.11 --repeats 3 {SIDES} -- -x", fix]
    assert commands(replace(sdist, ending="interrupted"))[0] == commands(first)[0]
    none = replace(sdist, findings=(), check=replace(sdist.check, verdict=Verdict.NOTHING_BROKE, broke=0))
    assert [step.what for step in next_steps(none)] == ["nothing has to be done"]
    (beyond,) = commands(replace(none, beyond_bounds=Verdict.BROKE))
    assert " --as lifted " in beyond
    lost = replace(sdist, findings=(), check=replace(sdist.check, verdict=Verdict.BROKE, broke=0))
    assert commands(lost) == [f"backdate check here --python 3.11 --repeats 3 {SIDES} --verbose -- -x"]


@pytest.mark.parametrize(
    ("outcome", "patch", "asked", "subcommands"),
    [
        (FixOutcome.FIXED, "p", ASKED, ["--apply"]),
        (FixOutcome.FIXED, "p", replace(ASKED, options=(("--apply",),)), [""]),
        (FixOutcome.PARTLY, "p", ASKED, ["--apply", "bisect"]),
        (FixOutcome.NOT_FIXED, "", ASKED, ["bisect"]),
        (FixOutcome.NOTHING_BROKE, "", ASKED, [""]),
        (FixOutcome.CANNOT_TELL, "", ASKED, ["recipe"]),
    ],
)
def test_after_a_fix(outcome: FixOutcome, patch: str, asked: AskedCommand, subcommands: list[str]) -> None:
    told = Verdict.CANNOT_TELL if outcome is FixOutcome.CANNOT_TELL else Verdict.BROKE
    check = make_check_result(origin=FOLDER, verdict=told)
    result = FixResult(
        backdate="0", check=check, solver="rules", outcome=outcome, reason="r", patch=patch, asked=asked
    )
    found = commands(result)
    assert len(found) == len(subcommands)
    assert all(part in command for part, command in zip(subcommands, found, strict=True))


def test_after_a_fix_of_what_does_not_build_the_release_that_broke_it_is_looked_for() -> None:
    check = make_check_result(origin=FOLDER, verdict=Verdict.BROKE)
    result = FixResult(
        backdate="0", check=check, solver="rules", outcome=FixOutcome.CANNOT_TELL, reason="r", asked=ASKED
    )
    (command,) = commands(result)
    assert command.startswith("backdate bisect here ")


def test_a_fix_is_applied_with_the_options_that_made_it() -> None:
    asked = replace(ASKED, of_this_command=(("--tests",), ("--scope", "thorough")))
    result = FixResult(
        backdate="0",
        check=make_check_result(origin=FOLDER),
        solver="rules",
        outcome=FixOutcome.PARTLY,
        reason="r",
        patch="p",
        asked=asked,
    )
    apply, bisect = commands(result)
    assert "--tests --scope thorough" in apply
    assert "--tests" not in bisect
    (file,) = commands(replace(result, check=make_check_result(), outcome=FixOutcome.FIXED))
    assert "--tests --scope thorough" in file
    assert file.endswith("--patch fix.patch -- -x")


def test_what_is_left_in_test_files_is_mended_where_they_may_be_edited() -> None:
    """ "Nothing that is known mends it" was all that was said of an error on a line of the tests."""
    check = make_check_result(origin=FOLDER)
    run = check.new.run
    assert run is not None
    (file, *_) = [one.file for one in run.results if one.file]
    at = Frame(file=file, line=3, function="f")
    left = Breakage(type="TypeError", message="no", places=(at,), tests=("a", "b"))
    own = replace(left, places=(at, replace(at, file="thing/core.py")), tests=("c",))
    beside = replace(left, places=(replace(at, file="thing/tests/models.py"),), tests=("d",))
    result = FixResult(
        backdate="0",
        check=check,
        solver="rules",
        outcome=FixOutcome.NOT_FIXED,
        reason="r",
        remaining=(left, own, beside),
        asked=ASKED,
    )
    step, bisect = next_steps(result)
    assert step.what.endswith("3 tests fail at lines of test files, which are left alone otherwise")
    assert step.command == f"backdate fix here --python 3.11 {SIDES} --tests -- -x"
    asked = replace(ASKED, of_this_command=(("--tests",),))
    assert commands(replace(result, asked=asked)) == [bisect.command]


def test_after_the_lowest_versions() -> None:
    result = replace(make_lowest_result(), asked=ASKED)
    (again,) = commands(result)
    assert again.startswith("backdate check here --python 3.11 --lowest --to ")
    true = replace(result, verdict=LowestVerdict.TRUE, false_bounds=(), false_python=None)
    assert [step.what for step in next_steps(true)] == ["nothing has to be done"]
    (check,) = commands(replace(true, failing_newest=("t.py::a",)))
    assert check.startswith("backdate check here --python 3.11 --repeats 3 --to ")
    cannot = replace(true, verdict=LowestVerdict.CANNOT_TELL)
    assert commands(cannot) == [again]


def test_every_form_ends_with_what_to_do_next() -> None:
    for result in every_result("x"):
        lines = [text for text, _ in lines_of(result)]
        if isinstance(result, (SetupResult, LogReport)):
            assert "Next:" not in lines
            continue
        assert "Next:" in lines[-7:]
        steps = next_steps(result)
        assert steps
        for form in (OutputFormat.MARKDOWN, OutputFormat.HTML, OutputFormat.SARIF):
            text = rendered(result, form).decode()
            assert all(step.what.split("&")[0] in text for step in steps), form


def test_an_instant_within_a_day_is_written_out() -> None:
    check = make_check_result()
    at = replace(check.new, instant=datetime(2024, 3, 1, 12, 30, 0, 5, tzinfo=UTC))
    assert commands(replace(check, new=at))[0].endswith(" --to 2024-03-01T12:30:00.000005Z")


def test_a_limit_that_tests_need_then_and_now_and_no_file_states_is_to_be_written() -> None:
    result = make_check_result(verdict=Verdict.NOTHING_BROKE, question=Question.DECLARED)
    for file, told in ((None, "add markupsafe<2.1 to what"), ("setup.py", "nothing has to be done")):
        provenance = Provenance(rule="a repair", file=file, line=1)
        step = InstallStep(kind="packages", packages=("pytest", "markupsafe<2.1"), provenance=provenance)
        recipe = replace(result.new.recipe, install=(*result.new.recipe.install, step))
        check = replace(result, new=replace(result.new, recipe=recipe))
        fixed = FixResult(
            backdate="0", check=check, solver="rules", outcome=FixOutcome.NOTHING_BROKE, reason="r", patch=""
        )
        bisection = make_bisection(advice=Advice(), asked=ASKED)
        unstated = limits_of_no_file(recipe)
        summary = replace(bisection.check, verdict=Verdict.NOTHING_BROKE, broke=0, unstated=unstated)
        for answer in (check, fixed, replace(bisection, findings=(), check=summary)):
            (only,) = next_steps(answer)
            assert only.what.startswith(told)
            assert not only.command
