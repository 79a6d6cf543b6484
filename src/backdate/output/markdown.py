"""A report as GitHub-flavoured Markdown: for issues, comments, and the summaries of CI services.

Text of strangers stands in code, where nothing is obeyed: no link, no mention, no reference, no HTML.
What of it is part of a sentence is escaped. The first line is a heading, which an issue takes as its title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from backdate.output.advice_text import advice_lines
from backdate.output.report import FindingLevel, OutputReport, ReportedFinding, ReportedSection, Standing
from backdate.reports.text import shown
from backdate.text import counted

_MARKS = {Standing.GOOD: "✅", Standing.BAD: "❌", Standing.UNCLEAR: "⚠️"}
_LEVELS = {FindingLevel.ERROR: "❌", FindingLevel.WARNING: "⚠️", FindingLevel.NOTE: "ℹ️"}  # noqa: RUF001
_SPECIAL = re.compile(r"[\\`*_{}\[\]#|<~&$]|\A[-+=>]")
_LINKS = re.compile(r"(?i)@|://|www\.|#(?=\d)|gh-(?=\d)")
_BACKTICKS = re.compile("`+")
_MOST_FINDINGS, _MOST_TESTS, _MOST_MOVES, _MOST_LINES, _LONGEST = 20, 10, 60, 80, 500
"""An issue takes 65,536 characters."""


def markdown(report: OutputReport) -> str:
    """The report; it ends with a line feed."""
    return "\n".join(_lines(report)) + "\n"


def title_of(report: OutputReport) -> str:
    """What a title says, without marks: "flask-login: werkzeug 2.3.0 breaks 113 tests"."""
    return _one_line(f"{report.project}: {report.headline}", 200)


def code(text: str) -> str:
    """``text`` as code in one line (CommonMark 6.1): with more backticks around it than it holds in a row."""
    plain = _one_line(text, _LONGEST).replace("|", "\\|")  # in a table a bar ends the cell, also in code
    fence = "`" * (1 + max((len(run) for run in _BACKTICKS.findall(plain)), default=0))
    space = " " if plain[:1] in ("`", " ", "") or plain[-1:] in ("`", " ") else ""
    return f"{fence}{space}{plain}{space}{fence}"


def prose(text: str) -> str:
    """``text`` as words of a sentence, with everything taken off that Markdown or its hosts would obey."""
    escaped = _SPECIAL.sub(lambda match: f"\\{match[0]}", _one_line(text, _LONGEST))
    # Mentions and bare addresses are found after escapes are gone: only another element between parts them.
    return _LINKS.sub(lambda match: f"{match[0][:1]}<!-- -->{match[0][1:]}", escaped)


def block(lines: Sequence[str]) -> Iterator[str]:
    """Lines as they are, in a fence that none of them ends."""
    text = [shown(line.expandtabs())[:_LONGEST] for line in lines[:_MOST_LINES]]
    longest = max((len(run) for line in text for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield fence
    yield from text
    if len(lines) > _MOST_LINES:
        yield f"… and {len(lines) - _MOST_LINES} more lines"
    yield fence


def _one_line(text: str, most: int) -> str:
    line = " ".join(shown(text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _lines(report: OutputReport) -> Iterator[str]:
    yield f"# {prose(title_of(report))}"
    yield ""
    yield f"{_MARKS[report.standing]} **{prose(report.heading)}**: {prose(report.reason)}."
    if report.sides:
        yield ""
        yield "| side | as of |"
        yield "|---|---|"
        for name, words in report.sides:
            yield f"| {prose(name)} | {prose(words)} |"
    yield from _advice(report)
    group = ""
    for finding in report.findings[:_MOST_FINDINGS]:
        if finding.group != group:
            group = finding.group
            yield ""
            yield f"## {prose(group)}"
        yield from _finding(finding)
    if len(report.findings) > _MOST_FINDINGS:
        yield ""
        yield f"And {len(report.findings) - _MOST_FINDINGS} more."
    yield from _moves(report)
    for section in report.sections:
        yield from _section(section)
    yield from _next(report)
    if report.notes:
        yield ""
        yield "**Notes:**"
        yield ""
        yield from (f"- {prose(note)}" for note in report.notes)
    yield ""
    yield f"<sub>{prose(report.location)}; backdate {prose(report.backdate)}</sub>"


def _advice(report: OutputReport) -> Iterator[str]:
    lines = [text.strip() for text, _ in advice_lines(report.advice, with_edit=False) if text]
    if lines:
        yield ""
        yield "**Do this:**"
        yield ""
        for line in lines[1:]:
            what, _, rest = line.partition(": ")
            written, opening, why = rest.rpartition(" (")
            shown_why = f" {prose(f'({why}')}" if opening and why.endswith(")") else ""
            yield f"- **{prose(what)}:** {code(written if shown_why else rest)}{shown_why}"


def _next(report: OutputReport) -> Iterator[str]:
    if report.next:
        yield ""
        yield "**Next:**"
        yield ""
    for step in report.next:
        yield f"- {prose(step.what)}{f': {code(step.command)}' if step.command else ''}"


def _finding(finding: ReportedFinding) -> Iterator[str]:
    yield ""
    blamed = f"**{prose(finding.culprit)}**" if finding.culprit else f"**{finding.level.capitalize()}**"
    proof = f" ({prose(finding.proof)})" if finding.proof else ""
    yield f"{_LEVELS[finding.level]} {blamed}{proof}: {code(finding.title)}"
    yield ""
    for place in finding.places[:5]:
        yield f"- at {code(f'{place.file}:{place.line}')}"
    yield from (f"- {prose(detail)}" for detail in finding.details[:10])
    if finding.tests:
        yield ""
        yield f"<details><summary>{counted(len(finding.tests), 'test')}</summary>"
        yield ""
        yield from (f"- {code(test)}" for test in finding.tests[:_MOST_TESTS])
        if len(finding.tests) > _MOST_TESTS:
            yield f"- and {len(finding.tests) - _MOST_TESTS} more"
        yield ""
        yield "</details>"


def _moves(report: OutputReport) -> Iterator[str]:
    if not report.moves:
        return
    yield ""
    count = counted(len(report.moves), "distribution")
    yield f"<details><summary>What changed between the environments: {count}</summary>"
    yield ""
    yield "| distribution | old | new | released |"
    yield "|---|---|---|---|"
    for move in report.moves[:_MOST_MOVES]:
        released = f"{move.released:%Y-%m-%d}" if move.released is not None else ""
        yield f"| {prose(move.name)} | {prose(move.old)} | {prose(move.new)} | {released} |"
    if len(report.moves) > _MOST_MOVES:
        yield f"| and {len(report.moves) - _MOST_MOVES} more | | | |"
    yield ""
    yield "</details>"


def _section(section: ReportedSection) -> Iterator[str]:
    yield ""
    yield f"<details><summary>{prose(section.title)}</summary>"
    yield ""
    if section.block:
        yield from block(section.lines)
    else:
        yield from (f"- {code(line)}" for line in section.lines[:_MOST_LINES])
    yield ""
    yield "</details>"
