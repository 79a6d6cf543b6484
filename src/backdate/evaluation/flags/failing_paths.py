"""Edits outside of every failure's traceback (arXiv 2601.22597, Figure 13).

The rule by function applies to files whose functions appear in tracebacks: a function that the answer changes
is on the path when a frame lies in it or in another method of its class. Code outside of functions serves all
of them, and a new function cannot be in an earlier traceback: neither is flagged.

The rule by file applies to any other file: it is on the path when any frame lies in it. When a file's import
fails, none of its functions runs, so nothing is known about them.

A failure hides those behind it: after a migration's first missing name come the others. So a place that the
tracebacks without the answer do not show is looked at once more with the rest of the answer in force: where
the tests then fail on a path through it, the edit is where the failure is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from backdate.evaluation.edits import new_lines
from backdate.evaluation.flags.functions import Function, functions_of, innermost
from backdate.evaluation.flags.types import Suspect
from backdate.evaluation.scores import Flag, FlagKind
from backdate.evaluation.tree_files import text_of
from backdate.testing.outcomes import Frame, SuiteRun

RunWithout = Callable[[str, str], SuiteRun | None]
"""The test run of the answer with a file (its path) that holds another text; None when there is none."""
_MOST_LOOKED_AT_AGAIN = 6
"""Places for which the tests are run once more."""
BY_FILE, BY_FUNCTION = "by file", "by function"


def frames_of(run: SuiteRun) -> tuple[Frame, ...]:
    """Every frame in the tracebacks of the failures."""
    chains = [result.raised for result in run.results if result.outcome.bad] + [run.raised]
    return tuple(frame for chain in chains for raised in chain for frame in raised.frames if frame.file)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedPlace:
    """A file, or a function of it, that an answer changes."""

    file: str
    function: Function | None = None
    """As it was before the answer; None for the whole file."""

    @property
    def flag(self) -> Flag:
        """That no failure passes through it."""
        if self.function is None:
            detail = f"{self.file}: no failure without the answer passes through this file ({BY_FILE})"
        else:
            why = "no failure without the answer passes through this function or its class"
            detail = f"{self.file}:{self.function.first}: {self.function.name}: {why} ({BY_FUNCTION})"
        return Flag(kind=FlagKind.OUTSIDE, detail=detail)


def outside_failing_paths(
    suspect: Suspect, failing: SuiteRun | None, run_without: RunWithout | None = None
) -> tuple[list[Flag], list[str]]:
    """The flags, each with the rule that it follows; and a note when nothing is known.

    ``failing``: the test run without the answer in the target environment. ``run_without`` runs the tests
    of the answer with one file as it says, by which places are looked at again; None where nothing can run.
    """
    frames = () if failing is None else frames_of(failing)
    if not frames:
        return [], ["no traceback of the tests without the answer is known: no edit is flagged as outside"]
    places = deque(place for file in suspect.files for place in _outside(suspect, file, frames))
    flags = []
    left = 0 if run_without is None else _MOST_LOOKED_AT_AGAIN
    while places:
        place = places.popleft()
        hidden = None
        if run_without is not None and left > 0:
            left -= 1
            hidden = _without(suspect, place, run_without)
        if hidden is None:
            flags.append(place.flag)
        else:
            places.extend(hidden)
    return flags, []


def _outside(suspect: Suspect, file: str, frames: Iterable[Frame]) -> Iterator[EditedPlace]:
    """What the answer changes in ``file`` and no frame lies in."""
    before = text_of(suspect.before, file)
    functions = functions_of(before)
    on_path = _functions_on_path(file, functions, frames)
    if on_path is None:
        yield EditedPlace(file=file)
    elif on_path:
        for function in _edited(suspect, file, functions):
            if not _is_on_path(function, on_path):
                yield EditedPlace(file=file, function=function)


def _functions_on_path(
    file: str, functions: tuple[Function, ...], frames: Iterable[Frame]
) -> frozenset[str] | None:
    """The functions of ``file`` in which frames lie, with their classes; none when it is on the path as a
    whole, because it failed during its import; None when no frame lies in it.
    """
    running = [innermost(functions, frame.line) for frame in frames if frame.file == file]
    if not running:
        return None
    if not functions or None in running:
        return frozenset()
    return frozenset(
        name for function in running if function for name in (function.name, function.owner) if name
    )


def _is_on_path(function: Function, on_path: frozenset[str]) -> bool:
    return bool({function.name, function.owner} & on_path) or _around(function, on_path)


def _without(suspect: Suspect, place: EditedPlace, run_without: RunWithout) -> list[EditedPlace] | None:
    """What failures of the answer without this edit do not pass through either; None for the edit itself."""
    before, after = text_of(suspect.before, place.file), text_of(suspect.after, place.file)
    text = before if place.function is None else _with_function(after, place.function, before)
    run = run_without(place.file, text) if text and before else None
    if run is None:
        return None
    if place.function is None:
        hidden = list(_outside(suspect, place.file, frames_of(run)))
        return None if place in hidden else hidden
    on_path = _functions_on_path(place.file, functions_of(text or ""), frames_of(run))
    found = on_path is not None and (not on_path or _is_on_path(place.function, on_path))
    return [] if found else None


def _with_function(text: str, function: Function, source: str) -> str | None:
    """``text`` with a function as it stands in ``source``; None when ``text`` has no such."""
    own = next((one for one in functions_of(text) if one.name == function.name), None)
    if own is None:
        return None
    lines, other = text.splitlines(keepends=True), source.splitlines(keepends=True)
    return "".join((*lines[: own.first - 1], *other[function.first - 1 : function.last], *lines[own.last :]))


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
