"""The interpreter of a new side that stays with that of the old one for as long as it is supported.

Whoever asks what updates of packages break wants nothing else moved. An interpreter that gets no fixes any
more (``timeline/calendar.py``) is one that users have left: then the oldest one is taken that still does.
"""

from __future__ import annotations

from dataclasses import replace

from packaging.specifiers import SpecifierSet

from backdate.checking.dated_project import DatedProject, Interpreters
from backdate.environments.environment import InterpreterChoice
from backdate.projects.python_constraint import PythonConstraint
from backdate.text import minor_version, version_numbers
from backdate.timeline.calendar import end_of_support, latest_release, supported_minors
from backdate.timeline.instants import format_day


def kept_interpreter(
    old: InterpreterChoice, dated: DatedProject, interpreters: Interpreters
) -> InterpreterChoice:
    """The interpreter for the new side ``dated`` beside an old one that has ``old``.

    Raises InterpreterMissing.
    """
    version = old.interpreter.version
    major, minor, *_ = version_numbers(version)
    end, day = end_of_support((major, minor)), format_day(dated.instant)
    supported = supported_minors(dated.instant)
    if (major, minor) in supported:
        return _same(old, f"the old side's, supported until {end}" if end else "the old side's")
    allowed = _allowed(dated.python_constraint)
    newer = [
        one
        for one in supported
        if one > (major, minor)
        and latest_release(allowed & SpecifierSet(f"=={one[0]}.{one[1]}.*"), dated.instant) is not None
    ]
    until = f"was supported until {end}" if end else "is not in the release calendar"
    gone = f"Python {minor_version(version)} of the old side {until}"
    if not newer:
        named = dated.python_constraint.description
        return _same(
            old, f"{gone}, and {named} allows none that was supported on {day}: the old side's is kept"
        )
    names = [f"{one[0]}.{one[1]}" for one in newer]
    oldest = next((name for name in names if interpreters.obtainable(name)), names[0])
    absent = f" ({', '.join(names[: names.index(oldest)])} cannot be had here)" if oldest != names[0] else ""
    reason = f"{gone}: {oldest} is the oldest that was supported on {day} and that the project allows{absent}"
    pinned = PythonConstraint(specifier=f"=={oldest}.*", kind="pin", rule=reason)
    return replace(interpreters.choose(pinned, dated.instant), reason=reason)


def not_older(asked: InterpreterChoice, old: InterpreterChoice, dated: DatedProject) -> InterpreterChoice:
    """``asked``, or the old side's interpreter where that is a newer minor and the project allows it.

    A recipe may run with the newest of a matrix, which is younger than what the instant asks for by itself:
    time does not run backwards between two sides.
    """
    version, later = old.interpreter.version, version_numbers(asked.interpreter.version)[:2]
    if version_numbers(version)[:2] <= later or version not in _allowed(dated.python_constraint):
        return asked
    return _same(old, f"the old side's, as Python {minor_version(asked.interpreter.version)} is older")


def _same(old: InterpreterChoice, reason: str) -> InterpreterChoice:
    return InterpreterChoice(
        wanted=old.interpreter.version, reason=reason, interpreter=old.interpreter, note=None
    )


def _allowed(constraint: PythonConstraint) -> SpecifierSet:
    """What installers accept: classifiers and remarks keep nobody from installing."""
    return SpecifierSet((constraint.specifier or "") if constraint.kind == "requires" else "")
