"""What to do about a breakage, as text: the block "Do this" of an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from string import ascii_lowercase

from backdate.advice import (
    Advice,
    AdvisedChange,
    ChangedCode,
    EvidenceKind,
    MissingRequirement,
    SaidAdvice,
    SeenEdit,
    SourcePlace,
    WorkingLimits,
)
from backdate.text import counted, plural

Line = tuple[str, str]
"""A line's text and its style ("" for none)."""

_MOST_PLACES = 6
_MOST_LATER = 20
_SAYS = {
    EvidenceKind.MESSAGE: "its error says so",
    EvidenceKind.ANNOUNCED: "a release said so",
    EvidenceKind.CHANGELOG: "its changelog says so",
}
_SOURCES = {
    EvidenceKind.WARNING: "warning",
    EvidenceKind.MESSAGE: "error",
    EvidenceKind.CHANGELOG: "changelog",
}
"""Of what a library says in words."""
_PLACE = re.compile(r"\{(\w+)\}")
"""Where a template takes an argument by its number or name, or the object (``self``)."""


def advice_lines(advice: Advice, *, with_edit: bool = True) -> Iterator[Line]:
    """The block; nothing where nothing is advised. ``with_edit``: with the lines that its edit changes."""
    if not advice:
        return
    yield "", ""
    yield "Do this:", "bold"
    for limits in advice.now:
        yield f"  Now: {_limits(limits)}", "green"
    for fix in advice.fixes:
        yield f"  Fix: {change_in_words(fix, edit=advice.edit)}", "green"
    for one in advice.said:
        yield f"  Said: {_said(one)}", "green"
    if advice.edit is not None:
        lines = "these lines" if with_edit else "the edit below"
        yield f"  Edit: {edit_in_words(advice.edit, lines)}", "green"
        if with_edit:
            from backdate.output.changed_lines import changed_lines  # a check has no edit to show

            yield from changed_lines(advice.edit.patch)
    for changed in advice.changed:
        yield f"  Changed: {changed_in_words(changed, inline=not with_edit)}", "green"
        if with_edit:
            yield from ((f"      - {text}", "red") for text in changed.removed)
            yield from ((f"      + {text}", "green") for text in changed.added)
    for later in advice.later[:_MOST_LATER]:
        yield f"  Later: {change_in_words(later)}", ""
    if len(advice.later) > _MOST_LATER:
        yield f"  Later: and {len(advice.later) - _MOST_LATER} more names (--json FILE has all)", "dim"
    for one in advice.warned:
        yield f"  Later: {_said(one)}", ""
    for missing in advice.requirements:
        yield f"  Add: {_missing(missing)}", "green"
    for meeting in advice.python:
        where = f"{places_in_line(meeting.places)} " if meeting.places else ""
        yield f"  Python {meeting.since}: {where}{meeting.what} ({meeting.source})", ""


def places_in_line(places: Sequence[SourcePlace]) -> str:
    """Places in few words: "src/stats.py:20, :126, tests/a.py:3"; of many the first and their number."""
    shown: list[str] = []
    before = ""
    for place in places[:_MOST_PLACES]:
        shown.append(f":{place.line}" if place.file == before else f"{place.file}:{place.line}")
        before = place.file
    more = len(places) - len(shown)
    return f"{', '.join(shown)}{f' and {more} more' if more > 0 else ''}"


def _limits(limits: WorkingLimits) -> str:
    what = [*limits.requirements, *([f"Python {limits.python}"] if limits.python else [])]
    if not limits.tests:
        return f"{', '.join(what)} (seen: it builds on Python {limits.on_python})"
    tests = _passing(limits.passing, limits.tests)
    return f"{', '.join(what)} (seen: {tests} on Python {limits.on_python})"


def edit_in_words(edit: SeenEdit, lines: str = "these lines") -> str:
    """What was seen of an edit: "with these lines the 9 tests pass (seen on Python 3.12.1, …)"."""
    added = f"{', '.join(edit.requirements)} and " if edit.requirements else ""
    builds = f"it builds, and {counted(edit.passing, 'test')} {plural(edit.passing, 'passes', 'pass')}"
    tests = _passing(edit.passing, edit.tests) if edit.tests else builds
    lost = f", and {counted(edit.lost, 'test')} more without them" if edit.lost else ""
    where = f"seen on Python {edit.on_python}, with the newest releases"
    return f"with {added}{lines} {tests}{lost} ({where})"


def _passing(passing: int, tests: int) -> str:
    if passing == tests:
        return "the test passes" if tests == 1 else f"the {counted(tests, 'test')} pass"
    return f"{passing} of the {tests} tests pass"


def changed_in_words(changed: ChangedCode, *, inline: bool = False) -> str:
    """ "click.core.Command.parse_args of click 8.2.0 (click/core.py:1133), run by these tests …".

    ``inline``: with what stood there and what stands there now in the same line.
    """
    others = " and by none that pass beside them" if changed.alone else ""
    quoted = f': "{changed.quoted}" (its changelog)' if changed.quoted else ""
    release = f"{changed.distribution} {changed.release}"
    where = f"{changed.name} of {release} ({changed.file}:{changed.line})"
    lines = [f"without `{text}`" for text in changed.removed] if inline else []
    lines += [f"with `{text}`" for text in changed.added] if inline else []
    return f"{where}, run by these tests{others}{quoted}{'; ' if lines else ''}{', '.join(lines)}"


def _said(one: SaidAdvice) -> str:
    where = f"{places_in_line(one.places)} " if one.places else ""
    if one.kind is EvidenceKind.KNOWN:
        return f"{where}{one.distribution}: {one.text} (since {one.since}: {one.source})"
    since = f" of {one.since}" if one.since else ""
    return f'{where}{one.distribution}: "{one.text}" (its {_SOURCES[one.kind]}{since})'


def _missing(missing: MissingRequirement) -> str:
    brought = f"{missing.brought_by} {missing.version} no longer brings it"
    where = f" ({places_in_line(missing.places)})" if missing.places else ""
    return f"{missing.requirement} to your requirements: {brought}, and you import {missing.module}{where}"


def change_in_words(change: AdvisedChange, *, places: bool = True, edit: SeenEdit | None = None) -> str:
    """ "src/a.py:3 numpy.in1d → numpy.isin (since 2.0: ADDRESS)"; without ``places`` only what to write.

    ``edit``: an edit that is told below, which may show what nothing says.
    """
    where = f"{places_in_line(change.places)} " if change.places and places else ""
    if change.argument:
        another = change.replacement if "." in change.replacement else f"{change.replacement}="
        old, new = f"{change.name}({change.argument}=)", another if change.replacement else change.rewrite
    elif change.rewrite:
        old, new = as_calls(change.name, change.rewrite)
    else:
        old, new = change.name, change.replacement
    why = _why(change)
    if new:
        return f"{where}{old} → {new}{f' ({why})' if why else ''}"
    gone = "is taken no more" if change.argument else "is gone"
    if change.evidence and change.evidence[0].kind in _SOURCES:
        told = change.evidence[0]
        return f'{where}{old} {gone}: "{told.text}" ({change.distribution}\'s {_SOURCES[told.kind]})'
    if change.evidence and change.evidence[0].kind is EvidenceKind.KNOWN and change.evidence[0].text:
        return f"{where}{old} {gone}: {change.evidence[0].text} ({change.evidence[0].source})"
    does_without = edit is not None and _does_without(edit, change)
    otherwise = "the edit below does without" if does_without else "nothing says what takes its place"
    return f"{where}{old} {gone}{f': {why}' if why else ''}; {otherwise}"


def _does_without(edit: SeenEdit, change: AdvisedChange) -> bool:
    from backdate.output.changed_lines import takes_away  # as above

    names = (change.argument,) if change.argument else (change.name, change.name.rpartition(".")[2])
    return any(takes_away(edit.patch, name) for name in names)


def as_calls(name: str, template: str) -> tuple[str, str]:
    """A use of ``name`` and what is written instead, with a letter for each argument of the template.

    >>> as_calls("np.asscalar", "{0}.item()")
    ('np.asscalar(a)', 'a.item()')
    >>> as_calls("Series.append", "pd.concat([{self}, {0}], axis={axis})")
    ('x.append(a, axis=axis)', 'pd.concat([x, a], axis=axis)')
    >>> as_calls("Bio.Seq.Seq", "Bio.Seq.Seq({0})")  # what else it is given is left out
    ('Bio.Seq.Seq(a, …)', 'Bio.Seq.Seq(a)')
    >>> as_calls("imp.reload", "importlib.reload")
    ('imp.reload', 'importlib.reload')
    """
    places = list(dict.fromkeys(_PLACE.findall(template)))
    numbers = [int(place) for place in places if place.isdigit()]
    if not places or max(numbers, default=0) >= len(ascii_lowercase):
        return name, template
    letters = ascii_lowercase[: max(numbers, default=-1) + 1]
    spelled = {str(number): letter for number, letter in enumerate(letters)} | {"self": "x", "args": "…"}
    named = [f"{place}={place}" for place in places if place not in spelled]
    arguments = [*letters, *(["…"] if "args" in places else []), *named]
    use = f"x.{name.rpartition('.')[2]}" if "self" in places else name
    written = _PLACE.sub(lambda place: spelled.get(place[1], place[1]), template)
    called = f"{use}({', '.join(arguments)})" if arguments else use
    return f"{use}({', '.join((*arguments, '…'))})" if called == written else called, written


def _why(change: AdvisedChange) -> str:
    if not change.evidence:
        return ""
    first = change.evidence[0]
    if first.kind is EvidenceKind.WARNING:
        return f"its warning since {first.since} says so" if first.since else "its warning says so"
    if first.kind is EvidenceKind.KNOWN:
        return f"since {first.since}{f', {first.text}' if first.text else ''}: {first.source}"
    if first.kind is EvidenceKind.ASKED:
        return first.text
    return _SAYS.get(first.kind, "")
