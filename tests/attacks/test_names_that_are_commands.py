"""Names of tests, files and models are commands: to a terminal, a CI service, a browser, a Markdown page."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest
from score_builders import make_run, make_score

from backdate.cli.terminal import printable, tell
from backdate.reports.build import write_report
from backdate.reports.drawing.shapes import Label, Scene
from backdate.reports.drawing.svg import to_inline_svg, to_svg
from backdate.reports.tables import Table
from backdate.tasks.card import DatasetInfo, read_me
from backdate.timeline.instants import parse_instant

TERMINAL = (
    "\x1b[2J\x1b[H",  # clears the screen
    "\x1b]0;title\x07",  # names the window
    "\x1b]52;c;cm0gLXJmIH4=\x07",  # puts a command into the clipboard
    "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "\x1b[6n",  # makes the terminal type
    "\x9b31m",  # the same by one character of C1
    "passed\r1 failed",  # writes over the line
    "a\x08\x08b",
    "\u202etxt.exe",  # turns the direction of writing
    "\u2066\u2069",
    "line\u2028another",
    "\ud800",
    "\x00",
)
WORKFLOW = (
    "::error file=app.py::planted",
    "  ::add-mask::a",
    "\t::stop-commands::x",
    "ok\n::set-output name=x::y",
    "ok\r\n::warning::z",
    "ok\r::warning::z",
    "##[error]planted",
    "text ##[add-path]/tmp",
    "##[group]x",
)
PAGE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</title></svg><svg onload=alert(3)>",
    "{{ 7 * 7 }}{% raw %}",
    "&#60;b&#62;",
    "]]><x/>",
)
MARKDOWN = (
    "[click](javascript:alert(1))",
    "![](https://evil.example/seen.png)",
    "a | b\n---|---\n# planted",
    "`code` *bold* <b>x</b>",
)


@pytest.mark.parametrize("name", TERMINAL, ids=ascii)
def test_a_terminal_obeys_nothing(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    tell(f"test_{name} failed")
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.replace("\n", "").isprintable()


@pytest.mark.parametrize("name", WORKFLOW, ids=ascii)
def test_a_ci_service_obeys_nothing(name: str) -> None:
    """GitHub's runner takes a line that begins with two colons, and "##[" wherever it stands."""
    for text in (printable(name), printable(name, lines=True)):
        for line in text.replace("\r", "\n").split("\n"):
            assert not line.lstrip().startswith("::")
            assert "##[" not in line


def test_what_only_looks_like_one_stays(capsys: pytest.CaptureFixture[str]) -> None:
    text = "tests/test_a.py::TestX::test_y [1::2] ## [x]"
    assert printable(text) == text


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PAGE, *TERMINAL], ids=ascii)
def test_a_browser_runs_nothing(name: str, tmp_path: Path) -> None:
    run = make_run(make_score("o__n-1", reason=name, notes=(name,), ending=name), model=name, dataset=name)
    write_report([run], tmp_path)
    page = _Page((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert not {"script", "img", "iframe", "object", "x"} & page.tags
    assert not {one for one in page.attributes if one.startswith("on")}
    for picture in (to_svg(_scene(name)).decode(), to_inline_svg(_scene(name))):
        drawn = ET.fromstring(picture)
        tags = {element.tag.rpartition("}")[2] for element in drawn.iter()}
        assert tags <= {"svg", "text", "rect", "title"}
        assert not {one for element in drawn.iter() for one in element.attrib if one.startswith("on")}


def _scene(name: str) -> Scene:
    return Scene(width=100, height=100, shapes=(Label(x=1, y=1, text=name),), title=name)


@pytest.mark.parametrize("name", [*MARKDOWN, *PAGE, *TERMINAL], ids=ascii)
def test_markdown_stays_one_cell(name: str) -> None:
    table = Table(name="t", caption=name, columns=("test", "n"), rows=((name, "1"),), note=name)
    lines = table.as_markdown().split("\n")
    (row,) = [line for line in lines if line.endswith("| 1 |")]
    unescaped = row.replace("\\\\", "").replace("\\|", "").replace("\\[", "").replace("\\<", "")
    assert unescaped.count("|") == 3
    assert "](" not in unescaped.replace("\\]", "")
    assert "<" not in unescaped
    assert len([line for line in lines if line.startswith("#")]) == 1


@pytest.mark.parametrize("name", [*MARKDOWN, *PAGE, *TERMINAL, "---\nlicense: planted"], ids=ascii)
def test_the_card_of_a_data_set_stays_a_card(name: str) -> None:
    info = DatasetInfo(
        name=name, description=name, version=name, created=parse_instant("2024-01-01"), made_by=name
    )
    head, card = read_me(info, ()).split("---\n", 2)[1:]
    assert len(head.splitlines()) == 4
    assert "<script" not in card
    assert "<img" not in card
    assert "](" not in card.replace("\\]", "")
    assert "\x1b" not in card
