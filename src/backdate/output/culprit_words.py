"""What is said of a bisection's findings, in plain text: one wording for terminal and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from backdate.bisection.result import BisectResult, Culprit, Failing, Finding, Likelihood, Way
from backdate.output.run_words import error_in_words
from backdate.text import counted, first_line, plural
from backdate.timeline.instants import format_day

_ONE_WAY: Mapping[Way, str] = MappingProxyType(
    {"forward": "confirmed one way: moved alone", "backward": "confirmed one way: held back"}
)
_TESTS_THEN: Mapping[Way, str] = MappingProxyType({"forward": "they fail", "backward": "they pass"})
_BUILD_THEN: Mapping[Way, str] = MappingProxyType({"forward": "it does not build", "backward": "it builds"})
_ANY_THEN: Mapping[Way, str] = MappingProxyType({"forward": "it breaks", "backward": "it works"})
_WHY_LIKELY: Mapping[Likelihood, str] = MappingProxyType(
    {
        "named": "the error names it",
        "called": "the code that fails calls it",
        "major": "it made the largest step",
    }
)


def culprit_in_words(culprit: Culprit) -> str:
    """ "werkzeug 2.2.3 -> 2.3.0, released 2023-04-25"."""
    released = f", released {culprit.released:%Y-%m-%d}" if culprit.released else ""
    if culprit.old is None:
        return f"{culprit.name} {culprit.new} (not there before){released}"
    return f"{culprit.name} {culprit.old} -> {culprit.new or 'gone'}{released}"


def culprits_in_words(finding: Finding, *, reasons: bool = False) -> str:
    """All that is at fault; "" for no culprit. What was not told apart: the likeliest, and how many others.

    ``reasons``: also why the likeliest is.
    """
    if finding.undistinguished:
        first, others = finding.undistinguished[0], len(finding.undistinguished) - 1
        why = _WHY_LIKELY.get(first.likelihood, "") if reasons else ""
        shown = culprit_in_words(first.culprit) + (f" ({why})" if why else "")
        return f"not told apart: {shown}" + (f", or one of {counted(others, 'other')}" if others else "")
    return " and ".join(culprit_in_words(culprit) for culprit in finding.culprits)


def caught_in_words(error: Failing) -> str:
    """An error behind that of a finding, and the line that it reaches."""
    return f"caught on the way to it: {placed_error_in_words(error)}"


def placed_error_in_words(error: Failing) -> str:
    """An error, and the line at which it surfaced."""
    place = ""
    if error.place:  # of an installed copy of the project the part that says which file it is
        file = error.place.file.rpartition("/site-packages/")[2]
        place = f" at {file}:{error.place.line}"
    return f"{error_in_words(error.type, error.message)}{place}"


def by_culprits(findings: Sequence[Finding]) -> tuple[tuple[Finding, ...], ...]:
    """The findings of one change together, as it broke tests by several errors; in their order."""
    together: dict[object, list[Finding]] = {}
    for number, finding in enumerate(findings):
        key: object = number
        if finding.culprits and finding.breaks == "tests":
            key = finding.culprits, finding.held, finding.failed_before
        together.setdefault(key, []).append(finding)
    return tuple(map(tuple, together.values()))


def finding_in_a_line(finding: Finding, *others: Finding) -> str:
    """What is at fault, how much it broke, with which error, and how well that is proven.

    ``others``: further findings of the same culprits.
    """
    names = culprits_in_words(finding, reasons=True) or "no culprit"
    tests = {test for one in (finding, *others) for test in one.tests}
    broke = "the build" if finding.breaks == "build" else counted(len(tests), "test")
    errors = f" by {1 + len(others)} errors" if others else ""
    proof = f", {proof_in_words(finding).partition(':')[0]}" if finding.culprits else ""
    if any(one.confirmed != finding.confirmed for one in others):
        proof = ""
    error = error_in_words(finding.error.type, finding.error.message).partition(" (")[0]
    return f"{names}: {broke}{errors}{proof}: {first_line(error, most=100)}"


def proof_in_words(finding: Finding, *, of_what_broke: bool = True) -> str:
    """How well the culprits are confirmed. ``of_what_broke``: say of tests or of the build what was seen."""
    ways = finding.confirmed
    if len(ways) != 1:
        return "confirmed both ways" if ways else "not confirmed"
    then = _ANY_THEN
    if of_what_broke:
        then = _BUILD_THEN if finding.breaks == "build" else _TESTS_THEN
    return f"{_ONE_WAY[ways[0]]}, {then[ways[0]]}"


def blamed_in_words(result: BisectResult) -> str:
    """For how many of the causes there is a culprit: "1 of 2 causes"; "" for none."""
    blamed = sum(bool(finding.culprits) for finding in result.findings)
    of = f" of {len(result.findings)}" if blamed < len(result.findings) else ""
    return f"{blamed}{of} {plural(blamed, 'cause')}" if blamed else ""


def turn_in_words(finding: Finding) -> str:
    """Since when: "turned between …"; "" where that is not known."""
    if finding.last_good is None or finding.first_bad is None:
        return ""
    return f"turned between {format_day(finding.last_good)} and {format_day(finding.first_bad)}"


def companions_in_words(finding: Finding) -> str:
    """What else holding the culprit back takes; "" for nothing."""
    if not finding.companions:
        return ""
    return f"with its older release, {', '.join(finding.companions)} is needed as well"
