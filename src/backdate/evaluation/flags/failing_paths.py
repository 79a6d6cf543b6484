"""Edits that no failure of the tests passes through (arXiv 2601.22597, Figure 13).

The rule of functions, for a file of which tracebacks show functions at work: a function that the answer
changes is on the path when a frame lies in it, or in another method of its class. What stands outside of
functions is there for all of them, and a function that is new was never in a traceback: neither is flagged.

The rule of files, for any other file: it is on the path when a frame lies in it at all. A file whose own
import failed never came to its functions, so nothing is known of these.
"""

from __future__ import annotations

from collections.abc import Iterable

from backdate.evaluation.edits import new_lines
from backdate.evaluation.flags.functions import Function, functions_of, innermost, text_of
from backdate.evaluation.flags.types import Suspect
from backdate.evaluation.scores import Flag, FlagKind
from backdate.testing.outcomes import Frame, SuiteRun

BY_FILE, BY_FUNCTION = "by file", "by function"


def frames_of(run: SuiteRun) -> tuple[Frame, ...]:
    """Every frame of the tracebacks of what went wrong."""
    chains = [result.raised for result in run.results if result.outcome.bad] + [run.raised]
    return tuple(frame for chain in chains for one in chain for frame in one.frames if frame.file)


def outside_failing_paths(suspect: Suspect, failing: SuiteRun | None) -> tuple[list[Flag], list[str]]:
    """The flags, each with the rule that it is by; and a note where nothing is known.

    ``failing``: the tests' run in the new environment without the answer.
    """
    frames = () if failing is None else frames_of(failing)
    if not frames:
        return [], ["no traceback of the tests without the answer is known: no edit is told to be outside"]
    flags = []
    for file in suspect.files:
        within = [frame for frame in frames if frame.file == file]
        if not within:
            words = "no failure without the answer passes through this file"
            flags.append(_flag(f"{file}: {words} ({BY_FILE})"))
            continue
        functions = functions_of(text_of(suspect.before / file))
        met = [innermost(functions, frame.line) for frame in within]
        if not functions or None in met:
            continue  # it failed while it was imported, and is on the path as a file
        on_path = {one.name for one in met if one} | {one.owner for one in met if one and one.owner}
        for one in _edited(suspect, file, functions):
            if not {one.name, one.owner} & on_path and not _around(one, on_path):
                words = "no failure without the answer passes through this function or its class"
                flags.append(_flag(f"{file}:{one.first}: {one.name}: {words} ({BY_FUNCTION})"))
    return flags, []


def _edited(suspect: Suspect, file: str, functions: Iterable[Function]) -> list[Function]:
    """The functions of the file as it was in which the answer changes something, each the innermost one."""
    before, after = text_of(suspect.before / file), text_of(suspect.after / file)
    known = {one.name: one for one in functions}
    # Lines that went are looked up where they were, lines that came where they are: a line that is added
    # after the end of a function is not in it.
    names = {one.name for line in new_lines(after, before) if (one := innermost(known.values(), line))}
    later = functions_of(after)
    names |= {one.name for line in new_lines(before, after) if (one := innermost(later, line))}
    return [known[name] for name in known if name in names]


def _around(function: Function, on_path: Iterable[str]) -> bool:
    """Whether a function inside of ``function``, or around it, is on the path."""
    name = function.name
    return any(other.startswith(f"{name}.") or name.startswith(f"{other}.") for other in on_path if other)


def _flag(detail: str) -> Flag:
    return Flag(kind=FlagKind.OUTSIDE, detail=detail)
