import io
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

sys.path.insert(0, str(Path(__file__).parent.parent / "bisection"))
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from world import END, START, World, bisect_world, from_on

from backdate.bisection.points import DistributionRelease
from backdate.bisection.result import BisectResult, CheckSummary, Failing
from backdate.checking.result import Verdict
from backdate.cli.render_bisection import bisection_lines
from backdate.errors import UsageError
from backdate.projects.project import Origin
from backdate.reports.bisection_scene import bisection_scene
from backdate.reports.drawing.formats import draw
from backdate.reports.drawing.shapes import Dot, FilledRectangle
from backdate.serial import from_json, to_json

SVG = "{http://www.w3.org/2000/svg}"


def result(suspects: tuple[str, ...] = ()) -> BisectResult:
    releases = [(str(number + 1), number * 60 - 10) for number in range(12)]
    world = World(
        releases={"a": releases, "b": [("1", -9), ("2", 300)]},
        tests={"t": from_on("a", "5", "a is gone"), "u": from_on("b", "2", "b is gone")},
    )
    findings, probe_runner, _ = bisect_world(world, suspects)
    shown = [
        DistributionRelease(
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
        builds=probe_runner.builds,
        environments=probe_runner.environments,
        runs=probe_runner.runs,
        started=START,
        duration_s=1.0,
        folder=Path("/logs"),
    )


RESULT = result()


def test_the_picture_shows_releases_and_where_it_turns() -> None:
    root = ET.fromstring(draw(bisection_scene(RESULT)))
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert any(title.startswith("a 5, 2021-") for title in titles if title)
    red = [one for one in root.iter(f"{SVG}circle") if one.get("r") == "6"]
    assert len(red) == 1
    bars = [one for one in root.iter(f"{SVG}rect") if one.get("height") == "10"]
    assert sum(one.get("fill") == "#c62828" for one in bars) == 2
    assert all(0 <= float(one.get("x", "")) <= 960 for one in bars)


@pytest.mark.slow
def test_the_png_shows_the_same_bars_in_the_same_places() -> None:
    image = pytest.importorskip("matplotlib.image", reason="the extra plots is not installed")
    pixels = image.imread(io.BytesIO(draw(bisection_scene(RESULT), ".png")), format="png")
    scene = bisection_scene(RESULT)
    assert pixels.shape[:2] == (scene.height * 2, scene.width * 2)
    dots = [shape.x for shape in scene.shapes if isinstance(shape, Dot)]
    compared = 0
    for bar in (shape for shape in scene.shapes if isinstance(shape, FilledRectangle)):
        for x in (bar.x + bar.width * share for share in (0.1, 0.5, 0.9)):
            if all(abs(x - dot) > 8 for dot in dots) and 2 < x - bar.x < bar.width - 2:
                red, green, blue = pixels[int((bar.y + bar.height / 2) * 2), int(x * 2)][:3] * 255
                wanted = tuple(int(bar.fill[at : at + 2], 16) for at in (1, 3, 5))
                assert (round(red), round(green), round(blue)) == wanted
                compared += 1
    assert compared >= 4


@settings(max_examples=5, deadline=None)
@given(st.text())
def test_whatever_a_message_says_a_png_is_drawn(message: str) -> None:
    pytest.importorskip("matplotlib", reason="the extra plots is not installed")
    finding = replace(RESULT.findings[0], error=Failing(type="$E$", message=message))
    assert draw(bisection_scene(replace(RESULT, findings=(finding,))), ".png").startswith(b"\x89PNG")


def test_other_formats_and_a_missing_library_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"drawn as \.svg or \.png, not as \.jpg"):
        draw(bisection_scene(RESULT), ".jpg")
    monkeypatch.setattr("backdate.reports.drawing.png.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"install backdate\[plots\]"):
        draw(bisection_scene(RESULT), ".png")


@settings(max_examples=50)
@given(st.text())
def test_whatever_a_message_says_the_picture_is_well_formed(message: str) -> None:
    finding = replace(RESULT.findings[0], error=Failing(type="E", message=message))
    ET.fromstring(draw(bisection_scene(replace(RESULT, findings=(finding,)))))


def test_the_text_names_culprit_release_error_and_proof() -> None:
    lines = [text for text, _ in bisection_lines(RESULT)]
    text = "\n".join(lines)
    assert "a 4 -> 5, released 2021-08-19: a.Error: a is gone" in text
    assert "  1 test; confirmed both ways" in lines
    (timeline,) = [line for line in lines if line.startswith("  2021-01-01 ")][:1]
    row = timeline.split()[1]
    assert len(timeline) <= 80
    assert row.startswith("o")
    assert row.index("x") < row.index("=")
    releases = lines[lines.index(timeline) + 1]
    assert releases.count(".") == 10  # the guilty one of eleven is not a dot
    assert "  o good, x bad, ? cannot be told; a: . a release, ^ 5" in lines
    assert timeline.index(row) < releases.index("^") <= timeline.index("=")
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


def test_versions_that_were_searched_are_shown_at_their_releases() -> None:
    searched = result(("a",))
    finding = searched.findings[0]
    assert finding.searched == "versions"
    released = {probe.released for probe in finding.probes if probe.released is not None}
    assert {finding.last_good, finding.first_bad} <= released
    dots = {shape.x for shape in bisection_scene(searched).shapes if isinstance(shape, Dot)}
    assert len(dots) >= len(released)
    text = "\n".join(line for line, _ in bisection_lines(searched))
    rows = [line.split()[1] for line in text.splitlines() if line.startswith("  2021-01-01 ")]
    assert rows
    assert all({"o", "x"} <= set(row) for row in rows)
    assert "versions searched on Python 3.10.0" in text
