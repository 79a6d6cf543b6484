"""Tools over the tests and their last log: execute_tests, search_last_log, view_last_log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from backdate.escapes import without_escapes
from backdate.solvers.conversation import Observation
from backdate.solvers.loop import TEST_TOOL
from backdate.solvers.tools.files import numbered
from backdate.solvers.tools.interface import Parameter, Tool, ToolRefusal
from backdate.solvers.tools.read_tools import LINES_AROUND, QUERY, window
from backdate.solvers.tools.searching import (
    MOST_MATCHES,
    compile_pattern,
    matching_lines,
    render_matches,
)

LAST_LINES = 100
_LONGEST_LOG = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteReport:
    """What a run of the tests gave."""

    __test__ = False

    solved: bool
    summary: str
    """In one line."""
    log: str
    """The whole output."""
    broken: bool = False
    """There was no environment to run in."""


class SuiteLog:
    """Runs the tests, and keeps the output of the last run to be looked at."""

    __test__ = False

    def __init__(self, run: Callable[[], SuiteReport]) -> None:
        self._run = run
        self._lines: tuple[str, ...] | None = None

    def execute(self) -> Observation:
        """Run the tests."""
        report = self._run()
        self._lines = tuple(without_escapes(report.log).splitlines())
        total = len(self._lines)
        first = max(1, total - LAST_LINES + 1)
        parts = [report.summary]
        if total:
            where = f"The log's last {total - first + 1} of {total} lines" if first > 1 else "The log"
            parts += [f"{where}:", numbered(self._lines, first, total)]
        return Observation(text="\n".join(parts), solved=report.solved, broken=report.broken)

    def tools(self) -> tuple[Tool, ...]:
        """The three tools."""
        return (
            Tool(
                name=TEST_TOOL,
                description=f"Run the tests on the files as they are; shows the last {LAST_LINES} lines.",
                parameters=(),
                run=lambda _: self.execute(),
                repeated=True,
            ),
            Tool(
                name="search_last_log",
                description=f"Search the whole log of the last test run; at most {MOST_MATCHES} matches.",
                parameters=(QUERY,),
                run=lambda arguments: self._search(arguments["query"]),
            ),
            Tool(
                name="view_last_log",
                description=f"Show the last test run's log: a line and {LINES_AROUND} before and after it.",
                parameters=(
                    Parameter(name="line", kind="integer", description="The line in the middle, from 1."),
                ),
                run=lambda arguments: window(self._known(), arguments["line"], what="the last log"),
            ),
        )

    def _known(self) -> tuple[str, ...]:
        if self._lines is None:
            raise ToolRefusal("the tests were not run yet.")
        return self._lines

    def _search(self, query: str) -> str:
        lines = self._known()
        pattern = compile_pattern(query)
        matches = []
        for number, text in matching_lines(pattern, "\n".join(lines).encode("utf-8", "replace")):
            matches.append(f"{number}: {text}")
            if len(matches) > MOST_MATCHES:
                break
        return render_matches(matches, pattern.note, nothing="No match in the last log.")


def read_log(path: Path) -> str:
    """A log's text; of a very long one the two ends."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(0)
        if size <= _LONGEST_LOG:
            return file.read().decode("utf-8", "replace")
        head = file.read(_LONGEST_LOG // 2)
        file.seek(size - _LONGEST_LOG // 2)
        tail = file.read(_LONGEST_LOG // 2)
    cut = f"\n[{size - _LONGEST_LOG:,} bytes left out]\n"
    return head.decode("utf-8", "replace") + cut + tail.decode("utf-8", "replace")
