"""What is printed, and that hostile messages stay text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.checking.answers import CheckAnswers
from backdate.checking.question import AskedQuestions, Question
from backdate.checking.result import CheckResult, ErrorChange, Obstacle, OlderPython, Verdict
from backdate.checking.verdict import decide
from backdate.cli.render import print_lines, result_lines, wrapped
from backdate.cli.results import lines_of
from backdate.cli.terminal import printable
from backdate.environments.environment import BuildFailure
from backdate.output.render import report_of
from backdate.recipes.repair.error_class import ErrorClass
from backdate.serial import from_json, to_json

MakeResult = Callable[..., CheckResult]


def text_of(result: CheckResult, *, verbose: bool = False) -> str:
    return "\n".join(text for text, _ in result_lines(result, verbose=verbose))


def test_what_a_reader_looks_for(make_result: MakeResult) -> None:
    text = text_of(make_result())
    for words in (
        "old  2021-03-01  Python 3.8.18, 2 distributions (built in 3.0 s): 2 passed",
        "new  2024-03-01  Python 3.11.7, 1 distributions (built in 3.0 s): 1 passed, 1 failed",
        "1 updated, 1 removed",
        "numpy  1.20.0 -> 1.26.0",
        "removed (was 1)",
        "AttributeError: no attribute 'float'",
        "at pkg/a.py:12 in f:  x = 1",
        "t.py::b",
        "Loosened for the new side: requirements.txt",
        "BROKE: 1 of 2 tests that passed fails now.",
        "Logs: /runs/1",
    ):
        assert words in text
    assert "-numpy==1.20" not in text
    assert "-numpy==1.20" in text_of(make_result(), verbose=True)


def test_other_failures_than_before_are_shown(make_result: MakeResult) -> None:
    result = make_result()
    assert result.comparison is not None
    (breakage,) = result.comparison.breakages
    change = ErrorChange(
        old_type="ImportError",
        old_message="no Mapping",
        type=breakage.type,
        message=breakage.message,
        places=breakage.places,
        tests=("t.py::c",),
    )
    comparison = replace(result.comparison, error_changes=(change,), new_failures=(breakage,))
    text = text_of(replace(result, comparison=comparison, verdict=Verdict.FAILS_DIFFERENTLY))
    for words in (
        "Failed before, and fail now with another error: 1",
        "then ImportError: no Mapping",
        "now  AttributeError: no attribute 'float'",
        "at pkg/a.py:12 in f:  x = 1",
        "t.py::c",
        "Skipped or not there before, and fail now: 1",
        "\nFAILS DIFFERENTLY: ",
    ):
        assert words in text


def test_what_stood_in_the_way_is_shown_with_its_log_and_what_to_try(make_result: MakeResult) -> None:
    result = make_result()
    obstacle = Obstacle(
        error=ErrorClass.MISSING_HEADER,
        line="x.c:1:1: error: no longintrepr.h",
        help="run with --apt as root",
        log=Path("/runs/1/new/build.log"),
        own_build=True,
    )
    failure = BuildFailure(
        phase="install", message="Failed to build", choice=result.new.choice, log=obstacle.log
    )
    new = replace(result.new, environment=None, run=None, failure=failure, obstacle=obstacle)
    older = OlderPython(side=replace(result.new, choice=result.old.choice), comparison=result.comparison)
    verdict, reason = decide(result.old, new, None, older)
    changed = replace(result, new=new, comparison=None, older_python=older, verdict=verdict, reason=reason)
    text = text_of(changed)
    for words in (
        "The new environment does not build (install):\n  x.c:1:1: error: no longintrepr.h",
        "Log: /runs/1/new/build.log",
        "To try: run with --apt as root (missing-header)",
        "With the interpreter of the old side, and the new packages:",
        "1 passed, 1 failed",
        "AttributeError: no attribute 'float'",
        "BROKE: the project itself does not build with the new packages on Python 3.11.7: x.c:1:1: error:",
        "it builds on Python 3.8.18, where 1 test that passed fails.",
    ):
        assert words in text
    assert from_json(CheckResult, to_json(changed)) == changed
    old = replace(result.old, obstacle=obstacle)
    assert "What stood in the way of the old side:\n  x.c:1:1: error" in text_of(replace(result, old=old))
    told_by_what_broke = replace(result, new=replace(result.new, obstacle=obstacle))
    assert "stood in the way" not in text_of(told_by_what_broke)


CONFLICT = "Because a==1 depends on b>2 and p depends on a==1, p depends on b>2."
SAID = (
    f"error: No solution found\n  cause: {CONFLICT}\n  And because p depends on b<2, p cannot be used.\n\n"
    "A pip released before the instant says:\na 1 depends on b>2\n"
)


def conflicting(result: CheckResult) -> CheckResult:
    """``result`` as of a project whose bounds cannot be met, neither then nor now."""
    sides = {}
    for name, side in (("old", result.old), ("new", result.new)):
        log = Path(f"/runs/1/{name}.log")
        obstacle = Obstacle(error=ErrorClass.UNSATISFIABLE, line=CONFLICT, help=f"mend {name}", log=log)
        failure = BuildFailure(phase="resolve", message=SAID, choice=side.choice, log=log)
        sides[name] = replace(side, environment=None, run=None, failure=failure, obstacle=obstacle)
    verdict, reason = decide(sides["old"], sides["new"], None, question=Question.DECLARED)
    return replace(
        result,
        old=sides["old"],
        new=sides["new"],
        comparison=None,
        verdict=verdict,
        reason=reason,
        changes=(),
    )


def test_a_conflict_is_told_once(make_result: MakeResult) -> None:
    declared = replace(conflicting(make_result()), question=Question.DECLARED)
    assert declared.verdict is Verdict.BROKE
    text = text_of(declared)
    assert text.count(CONFLICT) == 1
    assert text.count("And because p depends on b<2") == 1
    assert "A pip released before" not in text
    assert "The new environment does not build either, for the same reason\n  Log: /runs/1/new.log" in text
    assert "BROKE: what the project declares cannot be installed, neither now nor then." in text
    assert "a 1 depends on b>2" in text_of(declared, verbose=True)
    new = make_result().new
    lifted = replace(
        declared, question=Question.LIFTED, new=new, verdict=Verdict.CANNOT_TELL, reason=f"x: {CONFLICT}"
    )
    both = CheckAnswers(decided_by=AskedQuestions.DECLARED, declared=declared, lifted=lifted)
    said = "\n".join(line for line, _ in lines_of(both))
    assert said.count(CONFLICT) == 1
    assert "Without your own bounds: CANNOT TELL: x." in said
    assert said.endswith("Next:\n  mend new.")
    titles = [finding.title for finding in report_of(both).findings]
    assert titles == [f"the environment of neither side builds: {CONFLICT}"]


def test_a_result_read_again_prints_the_same(make_result: MakeResult) -> None:
    result = make_result()
    again = from_json(CheckResult, to_json(result, indent=2))
    assert again == result
    for verbose in (False, True):
        assert text_of(again, verbose=verbose) == text_of(result, verbose=verbose)


HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\r\u202e\u2028\x00\x08 end"


def test_no_control_character_reaches_the_terminal(
    make_result: MakeResult, capsys: pytest.CaptureFixture[str]
) -> None:
    result = make_result(HOSTILE, test="t.py::b[\x1b[31m\nNOTHING BROKE: all good.]", notes=(HOSTILE,))
    print_lines(result_lines(result, verbose=True))
    out = capsys.readouterr().out
    assert not [c for c in out if c != "\n" and not c.isprintable()]
    assert "\\x1b]0;owned\\x07" in out
    assert "\nNOTHING BROKE" not in out


@given(st.text())
def test_printable_text_is_printable_and_tells_what_was_there(text: str) -> None:
    shown = printable(text)
    shown.encode()
    assert not any(ord(c) < 32 and c != "\t" for c in shown)
    assert "\x7f" not in shown
    assert not any("\x80" <= c <= "\x9f" for c in shown)
    assert len(shown) >= len(text)
    assert printable(shown) == shown


def test_lines_stay_where_they_are_asked_for() -> None:
    assert printable("a\nb\x1b", lines=True) == "a\nb\\x1b"
    assert printable("a\r\nb", lines=True) == "a\nb"
    assert printable("a\nb") == "a\\nb"


@given(st.text(alphabet="ab :/-.", max_size=300), st.integers(20, 130))
def test_lines_are_wrapped_at_spaces_and_nothing_is_lost(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    for line in lines:
        assert len(line) <= width or " " not in line.strip() or line == text


def test_what_is_drawn_is_not_wrapped() -> None:
    for text in (
        "  2021-11-01 o-------x====================== 2024-01-01   o good",
        "      | a quoted line that is long",
    ):
        assert wrapped(text, 20) == [text]
    assert wrapped("Note: one two three four", 14) == ["Note: one two", "    three four"]


def test_a_word_that_is_too_long_stays_where_its_line_begins() -> None:
    test = f"      tests/test_it.py::{'x' * 30}"
    assert wrapped(test, 40) == [test]
    assert wrapped(f"  at {'y' * 40} end", 30) == ["  at", f"      {'y' * 40}", "      end"]
    command = "      backdate bisect . --from 2021-01-01"
    assert wrapped(command, 30) == [command]
