"""Annotations, SARIF, JUnit and pages: what they say, and that they say nothing for strangers."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from stored_results import every_result, make_bisection, make_check_result

from backdate.checking.answers import CheckAnswers
from backdate.checking.question import AskedQuestions, Question
from backdate.checking.result import CheckResult, Verdict
from backdate.output.formats import OutputFormat
from backdate.output.github import github
from backdate.output.render import AnyResult, rendered, report_of
from backdate.serial import from_json

COMMAND = re.compile(r"::(error|warning|notice) ([^\r\n]*?)::([^\r\n]*)")
HOSTILE = (
    "x\n::error file=/etc/passwd::owned\r\n::set-env name=A::b%0A::stop,commands:: "
    "<script>x</script>\x1b]0;t\x07"
)


def text_of(result: AnyResult, form: OutputFormat, folder: str = "") -> str:
    return rendered(result, form, folder=folder).decode()


def test_annotations_stand_at_the_responsible_lines() -> None:
    lines = github(report_of(make_bisection()), folder="sub").splitlines()
    assert lines == [
        "::error title=thing::CULPRITS FOUND: for 1 cause; 1 of 2 tests that passed fails now",
        (
            "::error file=sub/pkg/a.py,line=12,title=numpy 1.23.5 -> 1.24.0%2C released 2022-12-18::"
            "AttributeError: no attribute 'float' (1 test)"
        ),
    ]


@pytest.mark.parametrize("number", range(7))
@settings(max_examples=8, deadline=None)
@given(message=st.text(max_size=100))
@example(message=HOSTILE)
def test_no_text_of_strangers_is_a_command(number: int, message: str) -> None:
    text = text_of(every_result(message)[number], OutputFormat.GITHUB)
    for line in text.removesuffix("\n").split("\n"):
        match = COMMAND.fullmatch(line)
        assert match is not None
        properties = [each.partition("=")[0] for each in match[2].split(",")]
        assert properties in (["title"], ["file", "line", "title"])


def test_github_shows_ten_of_a_kind_and_the_heaviest_come_first() -> None:
    result = make_check_result()
    assert result.comparison is not None
    many = tuple(replace(result.comparison.breakages[0], type=f"E{number}") for number in range(30))
    lines = github(report_of(replace(result, comparison=replace(result.comparison, breakages=many))))
    assert lines.count("::error ") == 10
    assert "title=E0" in lines


def test_lines_outside_of_the_project_are_not_annotated() -> None:
    result = make_check_result()
    assert result.comparison is not None
    (breakage,) = result.comparison.breakages
    places = tuple(
        replace(breakage.places[0], file=file) for file in ("/usr/lib/x.py", "../up.py", "<string>")
    )
    comparison = replace(result.comparison, breakages=(replace(breakage, places=places),))
    text = text_of(replace(result, comparison=comparison), OutputFormat.GITHUB)
    assert "file=t.py,line=1," in text
    assert "/usr" not in text.replace("no attribute", "")


def sarif_of(result: AnyResult) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(text_of(result, OutputFormat.SARIF, folder="sub dir"))
    return log


@pytest.mark.parametrize("number", range(7))
@settings(max_examples=6, deadline=None)
@given(message=st.text(max_size=100))
@example(message=HOSTILE)
def test_sarif_has_what_its_schema_wants(number: int, message: str) -> None:
    """The required properties of the schema of OASIS, for what we write of it."""
    log = sarif_of(every_result(message)[number])
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "backdate"
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(set(rules)) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        for location in (*result["locations"], *result["relatedLocations"]):
            physical = location["physicalLocation"]
            assert re.fullmatch(r"[A-Za-z0-9._~/%-]+", physical["artifactLocation"]["uri"])
            assert physical["region"]["startLine"] >= 1
        assert len(result["locations"]) == 1
        assert all(re.fullmatch("[0-9a-f]{64}", value) for value in result["partialFingerprints"].values())
    for invocation in run["invocations"]:
        assert invocation["executionSuccessful"] is True


def test_sarif_keeps_the_fingerprint_of_what_moved() -> None:
    result = make_bisection()
    moved = replace(
        result,
        findings=tuple(
            replace(one, error=replace(one.error, place=replace(one.error.place, line=99)))
            for one in result.findings
            if one.error.place is not None
        ),
    )
    first, second = (sarif_of(one)["runs"][0]["results"][0] for one in (result, moved))
    assert first["partialFingerprints"] == second["partialFingerprints"]
    assert first["locations"] != second["locations"]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "sub%20dir/pkg/a.py"


def junit_of(result: AnyResult) -> ET.Element:
    return ET.fromstring(text_of(result, OutputFormat.JUNIT))


def test_junit_fails_what_broke_with_the_names_that_pytest_gives() -> None:
    (suite,) = junit_of(make_check_result(test="tests/sub/test_a.py::TestB::test_c[x/y.py::z]"))
    cases = {case.get("name"): case for case in suite}
    broke = cases["test_c[x/y.py::z]"]
    assert broke.get("classname") == "tests.sub.test_a.TestB"
    (failure,) = broke
    assert failure.get("message") == "AttributeError: no attribute 'float'"
    assert "pkg/a.py:12: in f" in (failure.text or "")
    assert [case.get("classname") for case in suite if not len(case)] == ["t"]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")


def test_junit_is_red_for_the_questions_that_decide_alone() -> None:
    lifted = make_check_result()
    declared = replace(lifted, question=Question.DECLARED, verdict=Verdict.NOTHING_BROKE, comparison=None)
    answers = CheckAnswers(decided_by=AskedQuestions.DECLARED, declared=declared, lifted=lifted)
    assert [suite.get("failures") for suite in junit_of(answers)] == ["0"]
    both = replace(answers, decided_by=AskedQuestions.BOTH)
    assert [suite.get("name") for suite in junit_of(both)] == ["backdate.declared", "backdate.lifted"]
    assert [suite.get("failures") for suite in junit_of(both)] == ["0", "1"]


def test_junit_is_red_where_nothing_can_be_told() -> None:
    result = make_check_result(verdict=Verdict.CANNOT_TELL, reason="no test passes", comparison=None)
    (suite,) = junit_of(result)
    assert suite.get("failures") == "1"


class Page(HTMLParser):
    """What a page holds."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "action")]
        assert not [name for name, _ in attrs if name.startswith("on")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("number", range(7))
@settings(max_examples=6, deadline=None)
@given(message=st.text(max_size=100))
@example(message=HOSTILE + '"><img src=x onerror=alert(1)></style></title>')
def test_a_page_needs_nothing_else_and_runs_nothing(number: int, message: str) -> None:
    text = text_of(every_result(message)[number], OutputFormat.HTML)
    page = Page(text)
    assert page.open == []
    assert page.addresses == []
    assert {"script", "img", "link", "iframe", "object", "form"}.isdisjoint(page.tags)
    assert "@import" not in text
    assert "url(" not in text.partition("</style>")[0]
    assert "default-src 'none'" in text
    assert "prefers-color-scheme:dark" in text


def test_the_page_of_a_bisection_has_a_timeline_for_wide_and_narrow_screens_and_a_legend() -> None:
    text = text_of(make_bisection(), OutputFormat.HTML)
    assert text.count('viewBox="0 0 960 ') == 1
    assert text.count('viewBox="0 0 340 ') == 1
    for words in ("tests pass", "tests fail", "cannot be told", "the release at fault"):
        assert words in text
    assert "numpy 1.24.0, 2022-12-18" in text
    assert text.count("<circle") >= 2
    assert "numpy: 1.24.0 at fault" in text


def test_marks_differ_in_their_shape() -> None:
    """Good is a circle and bad a rectangle, so that nobody needs the colours."""
    wide = report_of(make_bisection()).timeline[0]
    titles = {
        kind: [getattr(shape, "title", "") for shape in wide.shapes if type(shape).__name__ == kind]
        for kind in ("Dot", "FilledRectangle")
    }
    assert any(title.startswith("good:") for title in titles["Dot"])
    assert any(title.startswith("bad:") for title in titles["FilledRectangle"])
    assert not any(title.startswith("bad:") for title in titles["Dot"])


def test_json_is_the_whole_result() -> None:
    result = make_check_result()
    assert from_json(CheckResult, rendered(result, OutputFormat.JSON)) == result


def test_text_is_not_written_here() -> None:
    with pytest.raises(ValueError, match="text"):
        rendered(make_check_result(), OutputFormat.TEXT)
