from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from packaging.version import Version

from backdate.bisection.result import Culprit
from backdate.timeline.instants import parse_instant

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(TOOLS))
    for name in ("bisect_breakages", "breakage_rows", "kept_bisections"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("bisect_breakages")


def test_the_list_is_sound(tool: ModuleType) -> None:
    rows = tool.read_breakages(TOOLS / "breakages.toml")
    assert len(rows) >= 20
    assert len({row.project for row in rows}) == len(rows)
    lists = ["first", *(one.name for one in tool.later_lists())]
    for row in rows:
        assert row.part in lists
        name, version = row.project.split("==")
        assert Version(version) is not None
        assert name == name.lower()
        assert parse_instant(row.old) < parse_instant(row.new)
        assert Version(row.release) is not None


@pytest.mark.parametrize(
    ("name", "new", "answer"),
    [
        ("pyjwt", "2.0.0", "right"),
        ("pyjwt", "2.0.1", "right"),  # of the series
        ("pyjwt", "2.1.0", "partly"),
        ("pyjwt", None, "partly"),
        ("flask", "2.0.0", "wrong"),
    ],
)
def test_an_answer_is_judged_by_the_release(
    tool: ModuleType, name: str, new: str | None, answer: str
) -> None:
    breakage = tool.Breakage(
        project="thing==1", old="2020-01-01", new="2021-01-01", culprit="PyJWT", release="2.0", said="1.1: …"
    )
    culprit = Culprit(name=name, old="1.7.1", new=new, released=None)
    finding = SimpleNamespace(culprits=(culprit,), confirmed=("forward", "backward"), tests=("a", "b"))
    result = SimpleNamespace(findings=(finding,), builds=8, runs=13, environments=10)
    row = tool.Judged(breakage=breakage, result=result)
    assert row.answer == answer
    text = tool.page([row, tool.Judged(breakage=breakage, result=None, failed="no answer within 1 minutes")])
    assert (
        f"| the library and release that the list expects are named | {int(answer == 'right')} of 2" in text
    )
    assert "8 environments beside its check (at most 8) and ran tests 13 times" in text
    assert text.count("\n| thing==1 |") == 2
    assert "8, 13" in text
    assert "## After mending" not in text
    again = tool.page([row], [row])
    assert "## After mending" in again
    assert "10, 13" in again


def test_what_a_person_says_is_counted_with_its_interval(tool: ModuleType) -> None:
    def judged(**said: str) -> object:
        breakage = tool.Breakage(
            project="thing==1", old="2020-01-01", new="2021-01-01", culprit="a", release="2", said="", **said
        )
        return tool.Judged(breakage=breakage, result=None)

    text = tool.page(
        [
            *(judged(hand="right", read="right") for _ in range(3)),
            judged(hand="right", missed="another", read="wrong", false="a line"),
            judged(hand="wrong", read="nothing named"),
            judged(hand="nothing breaks"),
        ]
    )
    assert "the culprits are right** | 4 of 5 (80%; 38% to 96%)" in text
    assert "every breakage is told | 3 of 5" in text
    assert "takes the place** | 3 of 4 (75%; 30% to 95%)" in text
    assert "| answers with a line of advice that is not true | 1 |" in text
    assert "right; missed: another" in text


def test_an_answer_that_nobody_has_read_is_counted_with_none(tool: ModuleType) -> None:
    breakage = tool.Breakage(
        project="thing==1", old="2020-01-01", new="2021-01-01", culprit="a", release="2", said=""
    )
    finding = SimpleNamespace(culprits=(), confirmed=("forward", "backward"), tests=("t",))
    result = SimpleNamespace(findings=(finding,), builds=8, runs=13, environments=10)
    text = tool.counted([tool.Judged(breakage=breakage, result=result)])
    assert "| … confirmed both ways | 0 of 0 |" in text


def test_each_list_keeps_the_others_part_of_the_page(tool: ModuleType, tmp_path: Path) -> None:
    def row(project: str, **said: str) -> object:
        breakage = tool.Breakage(
            project=project, old="2020-01-01", new="2021-01-01", culprit="a", release="2", said="", **said
        )
        return tool.Judged(breakage=breakage, result=None)

    path = tmp_path / "page.md"
    second, third, fourth = (one.start for one in tool.later_lists()[:3])
    tool.write(path, [row("first==1")], part="first")
    before = path.read_text()
    ended = row("second==1", commit="abc1234", hand="no answer", instead="x to y")
    tool.write(path, [ended], [ended], part="second")
    both = path.read_text()
    assert both.startswith(before + second)
    assert "1 at abc1234" in both
    assert "| no answer in its time | 1 |" in both
    assert "instead x to y" in both
    assert "### The second list after mending" in both
    tool.write(path, [row("first==2")], part="first")
    again = path.read_text()
    assert "| first==2 |" in again
    assert again.partition(second)[2] == both.partition(second)[2]
    tool.write(path, [row("third==1", commit="abc1234")], part="third")
    tool.write(path, [row("second==2", commit="abc1234")], part="second")
    written = path.read_text()
    assert [written.count(one) for one in ("first==2", "second==2", "third==1", "second==1")] == [1, 1, 1, 0]
    assert written.index("second==2") < written.index(third) < written.index("third==1")
    tool.write(path, [row("fourth==1", commit="abc1234")], part="fourth")
    tool.write(path, [row("third==2", commit="abc1234")], part="third")
    last = path.read_text()
    assert last.index("second==2") < last.index("third==2") < last.index(fourth)
    assert last.index(fourth) < last.index("fourth==1")


def test_the_later_lists_are_counted_together(tool: ModuleType, tmp_path: Path) -> None:
    def listed(part: str, **said: str) -> object:
        return tool.Breakage(
            project="thing==1",
            old="2020-01-01",
            new="2021-01-01",
            culprit="a",
            release="2",
            said="x | y",
            part=part,
            **said,
        )

    culprit = Culprit(name="a", old="1", new="2", released=None)
    finding = SimpleNamespace(culprits=(culprit,), confirmed=("forward", "backward"), tests=("a",))
    path = tmp_path / "page.md"
    rows = {
        "first": listed("first", hand="wrong", read="wrong", commit="abc1234"),
        "second": listed("second", hand="right", read="right", commit="abc1234"),
        "fourth": listed("fourth", hand="right", missed="b", read="wrong", commit="abc1234"),
    }
    for (part, breakage), builds in zip(rows.items(), (40, 3, 8), strict=True):
        result = SimpleNamespace(findings=(finding,), builds=builds, runs=builds + 1, environments=90)
        judged = tool.Judged(breakage=breakage, result=result)
        tool.write(path, [judged], [judged], part=part)
    not_tried = listed("fourth")
    tool.write_totals(path, [*rows.values(), not_tried])
    totals = path.read_text().partition(tool.UNSEEN)[2]
    assert "2 were tried" in " ".join(totals.split())
    assert "| the culprits are right | 2 of 2 (" in totals
    assert "| every breakage is told | 1 of 2 (" in totals
    assert "what takes the place | 1 of 2 (" in totals
    assert "| environments built beside the check, in the median | 5.5 |" in totals
    tool.write(path, [], part="third")
    assert path.read_text().endswith(totals)
