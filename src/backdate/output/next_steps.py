"""What to do next, for every answer: a sentence, and the command that does it where one does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from backdate.checking.answers import CheckAnswers, answers_of
from backdate.checking.asked_command import AskedCommand
from backdate.checking.question import Question
from backdate.checking.result import CheckResult, Verdict
from backdate.checking.start_instant import StartInstant, StartReason
from backdate.projects.project import Origin
from backdate.recipes.loosening import limits_of_no_file
from backdate.text import counted, plural
from backdate.timeline.instants import Instant, format_day, format_instant

if TYPE_CHECKING:  # a check has none of them
    from backdate.bisection.result import BisectResult
    from backdate.fixing.result import FixResult
    from backdate.lowest.result import LowestResult

    LaterResult = BisectResult | FixResult | LowestResult
    ResultWithNext = CheckResult | CheckAnswers | LaterResult

Line = tuple[str, str]
"""A line's text and its style ("" for none)."""

_NOT_FOR_FIX = ("--repeats", "--apply")
_NOT_FOR_LOWEST = ("--repeats", "--apply", "--from-lock", "--move-python")
_NOTHING = "nothing has to be done"
_UNSTATED = (
    "add {} to what the project or its tests require: no file states it, and tests need it then and now"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """One thing to do now."""

    what: str
    """What it is for."""
    command: str = ""
    """For a shell; "" where it is something that a person does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _SameSides:
    """Command lines that ask of the same project at the same two instants."""

    asked: AskedCommand
    is_folder: bool
    instants: tuple[str, ...]

    def bisect(self, question: Question, *more: str) -> str:
        return self.asked.line("bisect", *self._as(question, Question.DECLARED), *self.instants, *more)

    def fix(self, question: Question, *more: str, again: bool = False) -> str:
        named = self._as(question, Question.LIFTED)
        return self.asked.line("fix", *named, *self.instants, *more, without=_NOT_FOR_FIX, again=again)

    def check(self, *more: str) -> str:
        return self.asked.line("check", *self.instants, *more, without=("--apply",))

    def _as(self, question: Question, default: Question) -> tuple[str, ...]:
        return () if question is default else ("--as", question.value)


def next_steps(result: ResultWithNext) -> tuple[NextStep, ...]:
    """What to do next, the most telling first; never empty."""
    match result:
        case CheckResult():
            return tuple(_after_check(answers_of(result)))
        case CheckAnswers():
            return tuple(_after_check(result))
        case _:
            return tuple(_after_others(result))


def next_lines(steps: tuple[NextStep, ...]) -> Iterator[Line]:
    """The block "Next" of a report."""
    if not steps:
        return
    yield "", ""
    yield "Next:", "bold"
    for step in steps:
        yield f"  {step.what}{':' if step.command else '.'}", ""
        if step.command:
            yield f"      {step.command}", "bold"


def _after_check(answers: CheckAnswers) -> Iterator[NextStep]:
    deciding = answers.deciding
    sides = _sides(answers.asked, deciding.origin, deciding.start, deciding.old.instant, deciding.new.instant)
    other = answers.lifted if deciding is answers.declared and not answers.same else None
    match deciding.verdict:
        case Verdict.BROKE:
            yield from _after_breakage(deciding, sides)
        case Verdict.FAILS_DIFFERENTLY if _only_flaky(deciding):
            what = "whether an update broke what passes at times: more runs, on an idle machine"
            yield NextStep(what=what, command=sides.check("--repeats", "5"))
        case Verdict.FAILS_DIFFERENTLY:
            what = "since when these tests fail so, and because of which release"
            yield NextStep(what=what, command=sides.bisect(deciding.question))
        case Verdict.CANNOT_TELL:
            yield from _after_nothing_told(deciding, sides)
        case Verdict.NOTHING_BROKE if other is not None and other.verdict is not Verdict.NOTHING_BROKE:
            yield from _after_bounds(answers, other, sides)
        case Verdict.NOTHING_BROKE if limits := limits_of_no_file(deciding.new.recipe):
            yield _nothing_but(limits)
        case Verdict.NOTHING_BROKE:
            free = "; the bounds named above can be lifted" if answers.liftable else ""
            kept = "; keep the bounds named above" if answers.caps else ""
            yield NextStep(what=f"{_NOTHING}{kept}{free}")


def _only_flaky(result: CheckResult) -> bool:
    """Whether flaky tests alone fail differently: ``bisect`` has nothing to look for."""
    compared = result.comparison
    if compared is None or not compared.fails_each_time:
        return False
    return not compared.error_changes and not compared.new_failures


def _after_breakage(result: CheckResult, sides: _SameSides) -> Iterator[NextStep]:
    if result.old.run is None and result.new.obstacle is not None:  # at no time it was otherwise
        yield NextStep(what=result.new.obstacle.help)
        return
    known = bool(result.advice.fixes)
    bisect = NextStep(
        what="since when, because of which release, and which limit helps",
        command=sides.bisect(result.question),
    )
    if result.comparison is None or result.new.run is None:
        yield bisect
        return
    what = "these edits as a patch, proven by the tests" if known else "a patch, where rules know one"
    fix = NextStep(what=what, command=sides.fix(result.question))
    yield from (fix, bisect) if known else (bisect, fix)


def _after_bounds(answers: CheckAnswers, lifted: CheckResult, sides: _SameSides) -> Iterator[NextStep]:
    """Users are fine, and something is not without the project's own bounds."""
    kept = ": keep the bounds that are needed" if answers.caps else ""
    yield NextStep(what=f"nothing has to be done for users today{kept}")
    if lifted.verdict is Verdict.BROKE:
        what = "what breaks without your bounds, since when and because of which release"
        yield NextStep(what=what, command=sides.bisect(Question.LIFTED))
        if lifted.new.run is not None:
            what = "a patch with which the newest releases work, where rules know one"
            yield NextStep(what=what, command=sides.fix(Question.LIFTED))


def _nothing_but(unstated: tuple[str, ...]) -> NextStep:
    """Where nothing broke: what no file states and tests need is to be written down, else nothing."""
    return NextStep(what=_UNSTATED.format(", ".join(unstated)) if unstated else _NOTHING)


def _after_nothing_told(result: CheckResult, sides: _SameSides) -> Iterator[NextStep]:
    if result.broken_tools is not None:
        what = f"let the tests run with tools that work today, without {result.broken_tools.tools}"
        yield NextStep(what=f"{what}; then check again")
        return
    if result.origin.kind == "sdist" and result.old.run is not None and result.old.run.status == "no-tests":
        what = "the repository in its place: many releases leave their tests out"
        yield NextStep(what=what, command=replace(sides.asked, source="GIT-URL@TAG").line("check"))
        return
    passed = result.old.run is not None and any(each.outcome.good for each in result.old.run.results)
    if not passed:
        yield NextStep(
            what="an old side on which the tests pass: name a day on which they did with --from",
            command=sides.asked.line(
                "check", "--from", "INSTANT", *sides.instants[-2:], without=("--apply",)
            ),
        )
    if sides.is_folder:
        what = (
            "see how it is installed and tested; correct it with --test-command, --extra or [tool.backdate]"
        )
        yield NextStep(what=what, command=AskedCommand(source=sides.asked.source).line("recipe"))
    else:
        yield NextStep(
            what="where it is installed or tested wrongly, say how: --test-command, --extra, --group, --env"
        )


def _after_others(result: LaterResult) -> Iterator[NextStep]:
    from backdate.bisection.result import BisectResult
    from backdate.fixing.result import FixResult

    match result:
        case BisectResult():
            yield from _after_bisection(result)
        case FixResult():
            yield from _after_fix(result)
        case _:
            yield from _after_lowest(result)


def _after_bisection(result: BisectResult) -> Iterator[NextStep]:
    check = result.check
    sides = _sides(result.asked, check.origin, check.start, check.old_instant, check.new_instant)
    question = check.question
    if result.ending == "interrupted":
        what = "the rest; environments that were built are not built again"
        yield NextStep(what=what, command=sides.bisect(question))
    elif result.ending == "first" and result.not_searched:
        yield NextStep(what="the other culprits", command=sides.bisect(question))
    if result.verdict is Verdict.NOTHING_BROKE:
        if result.beyond_bounds in (None, Verdict.NOTHING_BROKE):
            yield _nothing_but(check.unstated)
        else:
            what = "what does not work without your own bounds, and since when"
            yield NextStep(what=what, command=sides.bisect(Question.LIFTED))
        return
    if any(finding.culprits for finding in result.findings):
        if sides.is_folder and any(each.requirements and not each.python for each in result.advice.now[:1]):
            what = "the limits above, proven and written into your files"
            yield NextStep(what=what, command=sides.bisect(question, "--apply-cap"))
        edit = result.advice.edit
        if edit is not None:
            also = ["--tests"] if edit.edits_tests else []
            what = "the edit above as a file, for patch -p0"
            command = sides.fix(question, *also, "--patch", "fix.patch")
            if sides.is_folder:
                what = "read the edit above; then let it be made"
                command = sides.fix(question, *also, "--apply")
            yield NextStep(what=what, command=command)
        elif not result.edit_tried and any(finding.breaks != "build" for finding in result.findings):
            without = " without these limits" if result.advice.now else ""
            what = f"a patch with which the tests pass{without}, where rules know one"
            yield NextStep(what=what, command=sides.fix(question))
        elif not result.advice.now:
            yield NextStep(what="report it to who maintains the release that is at fault")
        return
    if result.ending == "complete":
        yield NextStep(what="what stands in the way, in full", command=sides.check("--verbose"))


def _after_fix(result: FixResult) -> Iterator[NextStep]:
    from backdate.fixing.result import FixOutcome

    check = result.check
    sides = _sides(result.asked, check.origin, check.start, check.old.instant, check.new.instant)
    applied = result.asked is not None and result.asked.has("--apply")
    if result.patch and not applied:
        if sides.is_folder:
            what = "read the patch; then let it be applied"
            yield NextStep(what=what, command=sides.fix(check.question, "--apply", again=True))
        else:
            what = "the patch as a file, for patch -p0"
            command = sides.fix(check.question, "--patch", "fix.patch", again=True)
            yield NextStep(what=what, command=command)
    match result.outcome:
        case FixOutcome.FIXED if applied:
            yield NextStep(what="read the changes, run your tests and commit them")
        case FixOutcome.PARTLY | FixOutcome.NOT_FIXED:
            at_tests = 0 if _edits_tests(result.asked) else _left_at_tests(result)
            if at_tests:
                fail = plural(at_tests, "fails", "fail")
                left = f"{counted(at_tests, 'test')} {fail} at lines of test files"
                what = f"edits of tests as well: {left}, which are left alone otherwise"
                yield NextStep(what=what, command=sides.fix(check.question, "--tests", again=True))
            what = "since when the rest fails, because of which release, and which limit helps"
            yield NextStep(what=what, command=sides.bisect(check.question))
        case FixOutcome.NOTHING_BROKE:
            yield _nothing_but(limits_of_no_file(check.new.recipe))
        case FixOutcome.CANNOT_TELL if check.verdict is Verdict.BROKE:  # a build, which no edit mends
            what = "since when, because of which release, and which limit helps"
            yield NextStep(what=what, command=sides.bisect(check.question))
        case FixOutcome.CANNOT_TELL:
            yield from _after_nothing_told(check, sides)
        case _:
            pass


def _edits_tests(asked: AskedCommand | None) -> bool:
    return asked is not None and ("--tests",) in asked.of_this_command


def _left_at_tests(result: FixResult) -> int:
    """The tests that are left whose error surfaced in test files, or files beside them, alone."""
    from backdate.diagnosis.frames import files_of_tests, is_test_file  # with their readers

    runs = (result.check.old.run, result.check.new.run)
    files = {file for run in runs if run is not None for file in files_of_tests(run)}
    return sum(
        len(group.tests)
        for group in result.remaining
        if group.places and all(place.file in files or is_test_file(place.file) for place in group.places)
    )


def _after_lowest(result: LowestResult) -> Iterator[NextStep]:
    from backdate.lowest.result import LowestVerdict

    asked = result.asked or AskedCommand(source=_source_of(result.origin))
    to = ("--to", _when(result.instant))
    again = asked.line("check", "--lowest", *to, without=_NOT_FOR_LOWEST)
    if any(bound.passes for bound in result.false_bounds) or result.false_python is not None:
        yield NextStep(what="write the bounds above; then see that they hold", command=again)
    elif result.verdict is LowestVerdict.NOT_TRUE:
        yield NextStep(
            what="raise the bounds that the error names; then see whether they hold", command=again
        )
    elif result.verdict is LowestVerdict.CANNOT_TELL and not result.bounds and result.newest is not None:
        yield NextStep(
            what="declare lower bounds, or correct how the tests are run; then ask again", command=again
        )
    elif result.verdict is LowestVerdict.CANNOT_TELL:
        yield NextStep(
            what="correct how the tests are run (--test-command, --extra); then ask again", command=again
        )
    elif not result.failing_newest:
        yield NextStep(what=_NOTHING)
    if result.failing_newest:
        what = "whether updates broke the tests that fail with the newest versions"
        yield NextStep(what=what, command=asked.line("check", *to))


def _sides(
    asked: AskedCommand | None, origin: Origin, start: StartInstant | None, old: Instant, new: Instant
) -> _SameSides:
    """The same project and instants. Without ``asked`` the project is called by its origin."""
    stated = start is None or start.reason is StartReason.STATED
    instants = ["--from", _when(old)] if stated else []
    return _SameSides(
        asked=asked or AskedCommand(source=_source_of(origin)),
        is_folder=origin.kind == "folder",
        instants=(*instants, "--to", _when(new)),
    )


def _when(instant: Instant) -> str:
    """A day for its beginning, else the whole instant."""
    day, whole = format_day(instant), format_instant(instant)
    return day if whole.startswith(f"{day}T") else whole


def _source_of(origin: Origin) -> str:
    """What a command line calls it."""
    if origin.kind == "sdist":
        return f"pypi:{origin.location}"
    if origin.kind != "git" or not origin.revision:
        return origin.location
    location, fragment, subdirectory = origin.location.partition("#")
    return f"{location}@{origin.revision}{fragment}{subdirectory}"
