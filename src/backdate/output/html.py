"""A report as one HTML page that opens from disk: no script, and nothing from anywhere else.

It follows the reader's colour scheme (``prefers-color-scheme``), and the timeline has a layout of its own on
a narrow screen.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from backdate.output.advice_text import advice_lines
from backdate.output.markdown import title_of
from backdate.output.markup import Html, element, joined
from backdate.output.next_steps import NextStep
from backdate.output.report import FindingLevel, OutputReport, ReportedFinding, ReportedSection
from backdate.output.timeline import BAD, GOOD, UNKNOWN
from backdate.reports.drawing.shapes import Dot, FilledRectangle, Scene, Segment, Shape
from backdate.reports.drawing.svg import to_inline_svg
from backdate.text import counted

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_MOST_TESTS, _MOST_OPEN = 500, 3
_WORDS = {FindingLevel.ERROR: "broke", FindingLevel.WARNING: "look at it", FindingLevel.NOTE: "note"}
_CLASSES = {FindingLevel.ERROR: "bad", FindingLevel.WARNING: "unclear", FindingLevel.NOTE: "soft"}
_LEGEND: tuple[tuple[str, tuple[Shape, ...]], ...] = (
    ("tests pass", (Dot(x=12, y=8, radius=5, fill="var(--raised)", edge=GOOD),)),
    ("tests fail", (FilledRectangle(x=7, y=3, width=10, height=10, fill=BAD),)),
    ("cannot be told", (Segment(x1=12, y1=1, x2=12, y2=15, stroke=UNKNOWN, width=2),)),
    ("a release", (Dot(x=12, y=8, radius=3, fill="var(--link)"),)),
    ("the release at fault", (FilledRectangle(x=5, y=1, width=14, height=14, fill=BAD),)),
)


def html(report: OutputReport) -> str:
    """The page."""
    title = title_of(report)
    head = element(
        "head",
        Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'),
        Html('<meta name="referrer" content="no-referrer">'),
        element("title", title),
        element("style", Html(_style())),
    )
    body = element(
        "body",
        element("header", element("h1", title), element("p", report.location, class_="soft")),
        element("main", *_sections(report)),
        element("footer", element("p", _made(report))),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _style() -> str:
    """The report's own style sheet, for its colours and tables, and what this page adds."""
    report = files("backdate.reports").joinpath("templates", "report.css").read_text("utf-8")
    return report + files("backdate.output").joinpath("page.css").read_text("utf-8")


def _made(report: OutputReport) -> str:
    when = f" on {report.started:%Y-%m-%d %H:%M} UTC" if report.started is not None else ""
    return f"Made by backdate {report.backdate} ({report.command}){when}, in {report.duration_s:.0f} s."


def _sections(report: OutputReport) -> Iterator[Html]:
    yield element(
        "p", element("strong", report.heading), element("span", f"{report.reason}."), class_=_verdict(report)
    )
    if report.sides:
        facts = [joined((element("dt", name), element("dd", words))) for name, words in report.sides]
        yield element("dl", *facts, class_="facts")
    yield from _advice(report)
    if report.timeline:
        yield element("h2", "Since when")
        yield _timeline(report.timeline)
    if report.findings:
        yield element("h2", "What was found")
    group = ""
    for number, finding in enumerate(report.findings):
        if finding.group != group:
            group = finding.group
            yield element("h3", group)
        yield _finding(finding, is_open=number < _MOST_OPEN)
    if report.moves:
        yield element("h2", "What changed between the environments")
        yield _moves(report)
    for section in report.sections:
        yield element("h2", section.title)
        yield _section(section)
    if report.next:
        yield element("h2", "Next")
        yield element("ul", *map(_step, report.next), class_="plain")
    if report.notes:
        yield element("h2", "Notes")
        yield element("ul", *(element("li", note) for note in report.notes), class_="plain")


def _verdict(report: OutputReport) -> str:
    return f"verdict {report.standing.value}"


def _advice(report: OutputReport) -> Iterator[Html]:
    lines = [text.strip() for text, _ in advice_lines(report.advice, with_edit=False) if text]
    if lines:
        items = [element("li", element("code", line)) for line in lines[1:]]
        yield element("section", element("strong", "Do this"), element("ul", *items), class_="do")


def _step(step: NextStep) -> Html:
    if not step.command:
        return element("li", step.what)
    return element("li", f"{step.what}: ", element("code", step.command))


def _timeline(scenes: tuple[Scene, ...]) -> Html:
    wide, narrow = scenes[0], scenes[-1]
    legend = [element("li", Html(_icon(name, shapes)), name) for name, shapes in _LEGEND]
    return element(
        "figure",
        element("div", Html(to_inline_svg(wide)), class_="wide"),
        element("div", Html(to_inline_svg(narrow)), class_="narrow"),
        element("ul", *legend, class_="legend"),
    )


def _icon(name: str, shapes: tuple[Shape, ...]) -> str:
    return to_inline_svg(Scene(title=name, width=24, height=16, shapes=shapes))


def _finding(finding: ReportedFinding, *, is_open: bool) -> Html:
    badge = element("span", _WORDS[finding.level], class_=f"badge {_CLASSES[finding.level]}")
    blamed = finding.culprit or counted(len(finding.tests), "test") if finding.tests else finding.culprit
    proof = f" ({finding.proof})" if finding.proof else ""
    summary = element(
        "summary",
        badge,
        " ",
        element("strong", f"{blamed}{proof}"),
        element("code", finding.title, class_="error-text"),
    )
    inside = []
    if finding.places:
        places = [element("li", "at ", element("code", f"{one.file}:{one.line}")) for one in finding.places]
        inside.append(element("ul", *places, class_="places"))
    if finding.details:
        inside.append(element("ul", *(element("li", one) for one in finding.details), class_="plain"))
    if finding.tests:
        tests = [element("li", element("code", test)) for test in finding.tests[:_MOST_TESTS]]
        if len(finding.tests) > _MOST_TESTS:
            tests.append(element("li", f"and {len(finding.tests) - _MOST_TESTS} more"))
        inside.append(
            element(
                "details",
                element("summary", counted(len(finding.tests), "test")),
                element("div", element("ul", *tests, class_="tests"), class_="inside"),
            )
        )
    opened = {"open": ""} if is_open else {}
    return element("details", summary, element("div", *inside, class_="inside"), **opened)


def _moves(report: OutputReport) -> Html:
    columns = ("distribution", "old", "new", "released")
    head = element("tr", *(element("th", column, scope="col", class_="text") for column in columns))
    rows = []
    for move in report.moves:
        released = f"{move.released:%Y-%m-%d}" if move.released is not None else ""
        cells = zip(columns[1:], (move.old or "-", move.new or "-", released), strict=True)
        rows.append(
            element(
                "tr",
                element("th", move.name, scope="row", class_="text"),
                *(element("td", value, data_label=column, class_="text") for column, value in cells),
            )
        )
    table = element("table", element("thead", head), element("tbody", *rows))
    return element("div", table, class_="scroll", tabindex="0", role="region", aria_label="What changed")


def _section(section: ReportedSection) -> Html:
    if not section.block:
        return element("ul", *(element("li", line) for line in section.lines), class_="plain")
    lines = [element("span", line or " ", class_=_kind(line)) for line in section.lines]
    return element(
        "div", element("pre", *lines), class_="diff", tabindex="0", role="region", aria_label=section.title
    )


def _kind(line: str) -> str:
    """What a line of a patch is."""
    if line.startswith(("--- ", "+++ ")):
        return "file"
    return {"+": "add", "-": "del", "@": "hunk"}.get(line[:1], "same")
