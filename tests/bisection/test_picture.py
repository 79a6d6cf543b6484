import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

sys.path.insert(0, str(Path(__file__).parent))
from hypothesis import given, settings
from hypothesis import strategies as st
from world import END, START, World, bisect_world, from_on

from backdate.bisection.picture import draw
from backdate.bisection.points import Release
from backdate.bisection.result import BisectResult, CheckSummary, Failing
from backdate.checking.result import Verdict
from backdate.cli.render_bisection import bisection_lines
from backdate.projects.project import Origin
from backdate.serial import from_json, to_json

SVG = "{http://www.w3.org/2000/svg}"


def result() -> BisectResult:
    releases = [(str(number + 1), number * 60 - 10) for number in range(12)]
    world = World(
        releases={"a": releases, "b": [("1", -9), ("2", 300)]},
        tests={"t": from_on("a", "5", "a is gone"), "u": from_on("b", "2", "b is gone")},
    )
    findings, laboratory, _ = bisect_world(world)
    shown = [
        Release(
            name="a",
            version=version,
            uploaded=START + timedelta(days=day),
            instants=(START + timedelta(days=day, seconds=1),),
            prerelease=False,
            yanked=False,
        )
        for version, day in releases
        if day > 0
    ]
    return BisectResult(
        backdate="0",
        check=CheckSummary(
            project="p",
            origin=Origin(kind="folder", location="/p"),
            verdict=Verdict.BROKE,
            reason="2 of 2 tests that passed fail now",
            old_instant=START,
            new_instant=END,
            old_python="3.10.0",
            new_python="3.10.0",
            broke=2,
        ),
        findings=findings,
        releases=tuple(shown),
        builds=laboratory.builds,
        environments=laboratory.environments,
        runs=laboratory.runs,
        started=START,
        duration_s=1.0,
        folder=Path("/logs"),
    )


RESULT = result()


def test_the_picture_shows_releases_and_where_it_turns() -> None:
    root = ET.fromstring(draw(RESULT))
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert any(title.startswith("a 5, 2021-") for title in titles if title)
    red = [one for one in root.iter(f"{SVG}circle") if one.get("r") == "6"]
    assert len(red) == 1
    bars = [one for one in root.iter(f"{SVG}rect") if one.get("height") == "10"]
    assert sum(one.get("fill") == "#c62828" for one in bars) == 2
    assert all(0 <= float(one.get("x", "")) <= 960 for one in bars)


@settings(max_examples=50)
@given(st.text())
def test_whatever_a_message_says_the_picture_is_well_formed(message: str) -> None:
    finding = replace(RESULT.findings[0], error=Failing(type="E", message=message))
    ET.fromstring(draw(replace(RESULT, findings=(finding,))))


def test_the_text_names_culprit_release_error_and_proof() -> None:
    lines = [text for text, _ in bisection_lines(RESULT)]
    text = "\n".join(lines)
    assert "a 4 -> 5, released 2021-08-19: a.Error: a is gone" in text
    assert "  1 test; confirmed both ways" in lines
    (timeline,) = [line for line in lines if line.startswith("  2021-01-01 ")][:1]
    row = timeline.split()[1]
    assert len(row) == 60
    assert row.startswith("o")
    assert row.index("x") < row.index("=")
    assert "CULPRITS FOUND for 2 causes" in text


def test_the_verdict_is_about_the_tests_in_question() -> None:
    assert RESULT.verdict is Verdict.BROKE
    assert replace(RESULT, findings=()).verdict is Verdict.NOTHING_BROKE
    unsolved = replace(RESULT, findings=tuple(replace(one, culprits=()) for one in RESULT.findings))
    assert unsolved.verdict is Verdict.CANNOT_TELL
    assert "no culprit was found" in list(bisection_lines(unsolved))[-2][0]
    unknown = replace(RESULT, findings=(), check=replace(RESULT.check, verdict=Verdict.CANNOT_TELL))
    assert unknown.verdict is Verdict.CANNOT_TELL


def test_a_result_is_read_back_as_it_was() -> None:
    assert from_json(BisectResult, to_json(RESULT)) == RESULT
