"""A check's result as text. The same function prints a fresh result and a stored one."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from backdate.checking.question import Question
from backdate.checking.result import Breakage, CheckResult, ErrorChange, PackageChange, Side, Verdict
from backdate.checking.start_instant import StartInstant, start_lines
from backdate.cli.render_audit import audit_lines
from backdate.cli.render_failures import failure_lines, in_the_way
from backdate.cli.render_repeated import repeated_lines
from backdate.cli.terminal import printable
from backdate.output.advice_text import advice_lines
from backdate.output.run_words import counts_in_words
from backdate.testing.outcomes import Frame
from backdate.text import as_sentence, counted, minor_version
from backdate.timeline.instants import format_day

if TYPE_CHECKING:
    from rich.text import Text

_MOST_TESTS = 8
_MOST_PLACES = 3
_MOST_CHANGES = 20
_STYLES = {
    Verdict.NOTHING_BROKE: "bold green",
    Verdict.BROKE: "bold red",
    Verdict.FAILS_DIFFERENTLY: "bold yellow",
    Verdict.CANNOT_TELL: "bold yellow",
}
_HEADINGS = {
    Verdict.NOTHING_BROKE: "NOTHING BROKE",
    Verdict.BROKE: "BROKE",
    Verdict.FAILS_DIFFERENTLY: "FAILS DIFFERENTLY",
    Verdict.CANNOT_TELL: "CANNOT TELL",
}

_DRAWN = re.compile(r"\s*\||\s*\d{4}-\d\d-\d\d [ox?=-]{8}|  [+-]|\s{12}|\s{4,}backdate [a-z]")
"""Pictures of characters, quotations and patches, whose columns mean something, and commands to copy."""
Line = tuple[str, str]
"""A line's text and its style ("" for none)."""


def print_lines(lines: Iterable[Line]) -> None:
    """Print to standard output; on a terminal in colour, and wrapped at words to its width.

    Elsewhere a line stays a line, for whatever reads it.
    """
    if not (sys.stdout.isatty() or os.environ.get("FORCE_COLOR")):
        for text, _ in lines:
            sys.stdout.write(f"{printable(text)}\n")
        return
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to ``main``, which knows the exit status (a console ends with 1: something broke)."""
            raise BrokenPipeError

    console = Plain(soft_wrap=True, highlight=False)
    width = console.width if sys.stdout.isatty() else None
    for text, style in lines:
        for part in [text] if width is None else wrapped(printable(text), width):
            console.print(_styled(part, style))


def wrapped(text: str, width: int) -> list[str]:
    """``text`` in lines of at most ``width`` columns: broken at spaces, what follows set in by four more.

    Names, paths and addresses are never broken, so that they can be copied; nor is what is drawn or quoted.
    """
    if len(text) <= width or _DRAWN.match(text):
        return [text]
    import textwrap

    words = text.lstrip(" ")
    before = len(text) - len(words)
    inset = " " * min(before + 4, width // 2)
    return textwrap.wrap(
        words,
        width,
        initial_indent=" " * before,
        subsequent_indent=inset,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        expand_tabs=False,
    )


def _styled(text: str, style: str) -> Text:
    from rich.text import Text

    return Text(printable(text), style=style)  # messages come from hostile code


def result_lines(result: CheckResult, *, verbose: bool = False) -> Iterator[Line]:
    """The report, line by line."""
    yield project_line(result), "bold"
    yield from start_notes(result.start)
    yield side_line("old", result.old), ""
    yield side_line("new", result.new), ""
    yield from detail_lines(result, verbose=verbose)
    yield "", ""
    yield verdict_line(result)
    yield moved_line(result), "dim"
    yield from advice_lines(result.advice)
    yield f"Logs: {result.folder}", "dim"


def project_line(result: CheckResult) -> str:
    """What was checked."""
    revision = (
        f" at {result.origin.revision[:12]}" if result.origin.kind == "git" and result.origin.revision else ""
    )
    changed = " with uncommitted changes" if result.origin.modified else ""
    return f"{result.project} ({result.origin.location}{revision}{changed})"


def detail_lines(result: CheckResult, *, verbose: bool, old_is_told: bool = False) -> Iterator[Line]:
    """What came of the two sides, but for the verdict and the advice.

    ``old_is_told``: what stands in the way of the old side stands above, for the other question.
    """
    yield from failure_lines(result, verbose=verbose, old_is_told=old_is_told)
    yield from _older_python(result)
    yield from _changes(result.changes, verbose)
    yield from _breakages(result, verbose)
    yield from _broken_plugin(result, verbose)
    yield from _other_failures(result, verbose)
    yield from repeated_lines(result, verbose=verbose)
    yield from _others(result, verbose)
    yield from _unpinning(result, verbose)
    yield from audit_lines(result.audit, verbose=verbose)
    for note in result.notes:
        yield f"Note: {note}", "yellow"


def start_notes(start: StartInstant | None) -> Iterator[Line]:
    """Why the old side lies where it lies, where nobody stated it."""
    for line in () if start is None else start_lines(start):
        yield f"  {line}", "dim"


def verdict_line(result: CheckResult, before: str = "") -> Line:
    """The verdict and why; ``before``: what it is the verdict of. No error that stands above is repeated."""
    reason = result.reason
    for side in (result.new, result.old):
        if side.failure is not None and side.obstacle is not None:
            reason = reason.removesuffix(f": {side.obstacle.line}")
    return f"{before}{_HEADINGS[result.verdict]}: {as_sentence(reason)}", _STYLES[result.verdict]


def moved_line(result: CheckResult, *, why: bool = True) -> str:
    """Which of packages and interpreter moved between the two sides. ``why``: also why the latter did."""
    new = result.new.choice
    if result.moved_python is None:
        python = f"Python {minor_version(new.interpreter.version)} stayed"
    else:
        python = f"Python {result.moved_python[0]} became {result.moved_python[1]}"
        python += f" ({new.reason})" if why else ""
    if result.new.environment is None:
        return f"Moved: {python}"
    number = len(result.changes)
    return f"Moved: {counted(number, 'distribution') if number else 'no distribution'}; {python}"


def side_line(name: str, side: Side) -> str:
    """One side: its instant, interpreter, environment and the outcomes of its tests."""
    python = f"Python {side.choice.interpreter.version}"
    built = "environment does not build"
    if side.environment is not None:
        distributions = len(side.environment.lock.distributions)
        how = "from the cache" if side.environment.reused else f"built in {side.environment.build_s:.1f} s"
        built = f"{distributions} distributions ({how})"
    ran = f": {counts_in_words(side.run)}" if side.run is not None else ""
    return f"  {name}  {format_day(side.instant)}  {python}, {built}{ran}"


def _older_python(result: CheckResult) -> Iterator[Line]:
    """What the new side is with the old one's interpreter, where the project does not build with its own."""
    if result.older_python is None:
        return
    side, comparison = result.older_python.side, result.older_python.comparison
    yield "", ""
    yield "With the interpreter of the old side, and the new packages:", "bold"
    yield side_line("new", side), ""
    if comparison is None:
        yield from in_the_way(side)
        return
    for breakage in comparison.breakages:
        yield from _breakage(breakage, verbose=False)


def _changes(changes: tuple[PackageChange, ...], verbose: bool) -> Iterator[Line]:
    if not changes:
        return
    kinds = [change.kind for change in changes]
    counts = ", ".join(
        f"{kinds.count(kind)} {kind}" for kind in ("updated", "added", "removed") if kind in kinds
    )
    yield "", ""
    yield f"What changed between the environments: {counts}", "bold"
    shown = changes if verbose else changes[:_MOST_CHANGES]
    width = max(len(change.name) for change in shown)
    for change in shown:
        moved = {
            "updated": f"{change.old} -> {change.new}",
            "added": f"added {change.new}",
            "removed": f"removed (was {change.old})",
        }[change.kind]
        released = f"  ({change.released:%Y-%m-%d})" if change.released and verbose else ""
        yield f"  {change.name:<{width}}  {moved}{released}", ""
    if len(shown) < len(changes):
        yield f"  and {len(changes) - len(shown)} more (--verbose shows all)", "dim"


def _broken_plugin(result: CheckResult, verbose: bool) -> Iterator[Line]:
    """What the tests of the new side say without the plugin that hid it."""
    broken = result.broken_plugin
    if broken is None:
        return
    yield "", ""
    yield f"Without the plugin {broken.name} of pytest ({broken.distribution}), which does not work:", "bold"
    yield side_line("new", broken.side), ""
    for breakage in broken.comparison.breakages:
        yield from _breakage(breakage, verbose)


def _breakages(result: CheckResult, verbose: bool) -> Iterator[Line]:
    if result.comparison is None or not result.comparison.breakages:
        return
    yield "", ""
    by_lint = {True: "Items of linters and type checkers that fail now", False: "Tests that broke"}
    for lint, title in sorted(by_lint.items()):
        groups = [group for group in result.comparison.breakages if bool(group.lint) is lint]
        if not groups:
            continue
        tests = sum(len(group.tests) for group in groups)
        yield f"{title}: {tests}, by {counted(len(groups), 'error')}", "bold"
        for breakage in groups:
            yield from _breakage(breakage, verbose)


def _other_failures(result: CheckResult, verbose: bool) -> Iterator[Line]:
    """What fails now as it did not then: with another error, or after it was skipped or not there."""
    if result.comparison is None:
        return
    if result.comparison.error_changes:
        tests = sum(len(change.tests) for change in result.comparison.error_changes)
        yield "", ""
        yield f"Failed before, and fail now with another error: {tests}", "bold"
        for change in result.comparison.error_changes:
            yield f"  then {_error(change.old_type, change.old_message)}", ""
            yield f"  now  {_error(change.type, change.message)}", "red"
            yield from _members(change, verbose)
    if result.comparison.new_failures:
        tests = sum(len(failure.tests) for failure in result.comparison.new_failures)
        yield "", ""
        yield f"Skipped or not there before, and fail now: {tests}", "bold"
        for failure in result.comparison.new_failures:
            yield from _breakage(failure, verbose)


def _error(kind: str, message: str) -> str:
    return f"{kind}: {message}" if message else kind


def _breakage(breakage: Breakage, verbose: bool) -> Iterator[Line]:
    yield f"  {_error(breakage.type, breakage.message)}", "red"
    yield from _members(breakage, verbose)


def _members(breakage: Breakage | ErrorChange, verbose: bool) -> Iterator[Line]:
    for place in breakage.places[:_MOST_PLACES]:
        yield f"    at {_place(place)}", ""
    shown = breakage.tests if verbose else breakage.tests[:_MOST_TESTS]
    for test in shown:
        yield f"      {test}", ""
    if len(shown) < len(breakage.tests):
        yield f"      and {len(breakage.tests) - len(shown)} more (--verbose shows all)", "dim"


def _place(frame: Frame) -> str:
    return f"{frame.file}:{frame.line} in {frame.function}{f':  {frame.source}' if frame.source else ''}"


def _others(result: CheckResult, verbose: bool) -> Iterator[Line]:
    if result.comparison is None:
        return
    groups = (
        ("Fixed by the update", result.comparison.fixed),
        ("Passed then, skipped now", result.comparison.skipped_now),
        ("Passed then, not there now (their files were collected)", result.comparison.vanished),
    )
    for title, tests in groups:
        if tests:
            yield "", ""
            yield f"{title}: {len(tests)}", "bold"
            for test in tests if verbose else tests[:_MOST_TESTS]:
                yield f"      {test}", ""
            if not verbose and len(tests) > _MOST_TESTS:
                yield f"      and {len(tests) - _MOST_TESTS} more (--verbose shows all)", "dim"
    if result.comparison.still_bad:
        yield "", ""
        yield f"Failed before and fail now: {result.comparison.still_bad}", ""


def _unpinning(result: CheckResult, verbose: bool) -> Iterator[Line]:
    if not result.unpinning and not result.set_aside:
        return
    yield "", ""
    files = sorted(
        {line[4:].split("\t")[0] for line in result.unpinning.splitlines() if line.startswith("+++ ")}
    )
    aside = f"; set aside: {', '.join(result.set_aside)}" if result.set_aside else ""
    lifted = result.question is Question.LIFTED
    what = "Loosened for the new side" if lifted else "Loosened, as users do not get these pins of developers"
    yield f"{what}: {', '.join(files) or 'nothing'}{aside}", "bold"
    if verbose:
        for line in result.unpinning.splitlines():
            style = {"+": "green", "-": "red"}.get(line[:1], "")
            yield f"  {line}", style
        for line in result.not_loosened:
            yield f"  not loosened: {line}", "yellow"
    elif result.unpinning:
        patch = result.folder / ("unpinning.patch" if lifted else "declared.patch")
        yield f"  the patch: {patch} (--verbose shows it)", "dim"
