"""Edits outside of every failure's traceback (arXiv 2601.22597, Figure 13).

The rule by function applies to files whose functions appear in tracebacks: a function that the answer changes
is on the path when a frame lies in it or in another method of its class. Code outside of functions serves all
of them, and a new function cannot be in an earlier traceback: neither is flagged.

The rule by file applies to any other file: it is on the path when any frame lies in it. When a file's import
fails, none of its functions runs, so nothing is known about them.
"""

from __future__ import annotations

from collections.abc import Iterable

from backdate.evaluation.edits import new_lines
from backdate.evaluation.flags.functions import Function, functions_of, innermost
from backdate.evaluation.flags.types import Suspect
from backdate.evaluation.scores import Flag, FlagKind
from backdate.evaluation.tree_files import text_of
from backdate.testing.outcomes import Frame, SuiteRun

BY_FILE, BY_FUNCTION = "by file", "by function"


def frames_of(run: SuiteRun) -> tuple[Frame, ...]:
    """Every frame in the tracebacks of the failures."""
    chains = [result.raised for result in run.results if result.outcome.bad] + [run.raised]
    return tuple(frame for chain in chains for raised in chain for frame in raised.frames if frame.file)


def outside_failing_paths(suspect: Suspect, failing: SuiteRun | None) -> tuple[list[Flag], list[str]]:
    """The flags, each with the rule that it follows; and a note when nothing is known.

    ``failing``: the test run without the answer in the target environment.
    """
    frames = () if failing is None else frames_of(failing)
    if not frames:
        return [], ["no traceback of the tests without the answer is known: no edit is flagged as outside"]
    flags = []
    for file in suspect.files:
        within = [frame for frame in frames if frame.file == file]
        if not within:
            why = "no failure without the answer passes through this file"
            flags.append(_flag(f"{file}: {why} ({BY_FILE})"))
            continue
        functions = functions_of(text_of(suspect.before, file))
        running = [innermost(functions, frame.line) for frame in within]
        if not functions or None in running:
            continue  # it failed during its import, so the whole file is on the path
        on_path = {
            name for function in running if function for name in (function.name, function.owner) if name
        }
        for function in _edited(suspect, file, functions):
            if not {function.name, function.owner} & on_path and not _around(function, on_path):
                why = "no failure without the answer passes through this function or its class"
                flags.append(_flag(f"{file}:{function.first}: {function.name}: {why} ({BY_FUNCTION})"))
    return flags, []


def _edited(suspect: Suspect, file: str, functions: Iterable[Function]) -> list[Function]:
    """The innermost functions of the file before the answer in which the answer changes something."""
    before, after = text_of(suspect.before, file), text_of(suspect.after, file)
    known = {function.name: function for function in functions}
    # Removed lines are looked up in the old text and added lines in the new one: a line that is added after
    # the end of a function is not part of it.
    removed = (innermost(known.values(), line) for line in new_lines(after, before))
    later = functions_of(after)
    added = (innermost(later, line) for line in new_lines(before, after))
    names = {function.name for function in (*removed, *added) if function}
    return [known[name] for name in known if name in names]


def _around(function: Function, on_path: Iterable[str]) -> bool:
    """Whether a function inside of ``function``, or around it, is on the path."""
    name = function.name
    return any(other.startswith(f"{name}.") or name.startswith(f"{other}.") for other in on_path if other)


def _flag(detail: str) -> Flag:
    return Flag(kind=FlagKind.OUTSIDE, detail=detail)
