"""What is said of a snippet's runs, given as values."""

from snippet_runner import side

from backdate.snippets.runs import CaseOutcome, ProgramEnd, ProgramRun
from backdate.snippets.snippet import Collection, Harness, Snippet, SnippetAsk
from backdate.snippets.validity import SnippetRuns, validity_of

TESTS = Harness(script="from sample_7 import f\n\ndef test_f():\n    assert f() == 1\n", module="sample_7")


def snippet(harness: Harness) -> Snippet:
    return Snippet(
        id="one",
        collection=Collection.BUILT,
        asks=(SnippetAsk.MIGRATE,),
        library="python",
        origin=side("3.12"),
        target=side("3.8"),
        code="def f():\n    return 1\n",
        entry="f",
        harness=harness,
    )


def run(printed: str, error: str = "") -> ProgramRun:
    return ProgramRun(id="one", end=ProgramEnd.FINISHED, cases=(CaseOutcome(printed=printed, error=error),))


def deterministic(harness: Harness, *runs: ProgramRun) -> bool | None:
    return validity_of(snippet(harness), SnippetRuns(origin=runs)).deterministic


def test_tests_that_take_another_time_do_not_vary() -> None:
    twice = (run("1 passed in 0.04s\n"), run("1 passed in 0.06s\n"))
    assert deterministic(TESTS, *twice) is True
    assert deterministic(TESTS, twice[0]) is None
    assert deterministic(TESTS, twice[0], run("1 failed in 0.04s\n", error="AssertionError")) is False


def test_cases_that_print_something_else_vary() -> None:
    assert deterministic(Harness(cases=("()",)), run("0.04"), run("0.06")) is False
