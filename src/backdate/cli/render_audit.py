"""The audit of a check as text."""

from __future__ import annotations

from collections.abc import Iterator

from backdate.checking.result import CheckAudit
from backdate.testing.changed_tests.audit_result import AuditedFunction, AuditFinding, SuiteAudit
from backdate.text import counted

_MOST_TESTS = 8
_WORDS = {
    AuditFinding.OPPOSITE_HOLDS: "its last assertion holds either way",
    AuditFinding.NOT_REACHED: "its last assertion is not reached, or what it raises is swallowed",
}

Functions = tuple[AuditedFunction, ...] | list[AuditedFunction]
Line = tuple[str, str]
"""A line's text and its style ("" for none)."""


def audit_lines(audit: CheckAudit | None, *, verbose: bool) -> Iterator[Line]:
    """What the audit found; nothing when none was asked for."""
    if audit is None:
        return
    yield "", ""
    if audit.suite is None:
        yield f"No audit: {audit.problem}", "yellow"
        return
    suite = audit.suite
    yield (
        (
            f"Audit of the {audit.side} side: {len(suite.functions)} of "
            f"{counted(suite.available, 'test function')} with the last assertion turned round "
            f"(seed {suite.seed})"
        ),
        "bold",
    )
    yield f"  {counted(suite.count(AuditFinding.ASSERTS), 'function')} failed by it, as a test should", ""
    nothing = suite.asserting_nothing
    if nothing:
        yield f"  Asserts nothing: {counted(len(nothing), 'function')} passed all the same", "red"
        yield from _functions(nothing, verbose)
    unproven = [one for one in suite.functions if one.finding is AuditFinding.UNPROVEN]
    if unproven:
        yield f"  Unproven: {counted(len(unproven), 'function')} hung, vanished or failed otherwise", "yellow"
        yield from _functions(unproven, verbose)
    yield from _not_examined(suite)
    if audit.problem:
        yield f"  Runs that did not end well: {audit.problem}", "yellow"


def _functions(functions: Functions, verbose: bool) -> Iterator[Line]:
    shown = functions if verbose else functions[:_MOST_TESTS]
    for one in shown:
        words = f": {_WORDS[one.finding]}" if one.finding in _WORDS else ""
        yield f"      {one.file}:{one.line} {one.function}{words}", ""
        if verbose:
            for test in one.tests:
                yield f"          {test}", "dim"
    if len(shown) < len(functions):
        yield f"      and {len(functions) - len(shown)} more (--verbose shows all)", "dim"


def _not_examined(suite: SuiteAudit) -> Iterator[Line]:
    if suite.not_changeable:
        tests = counted(suite.not_changeable, "passing test")
        yield f"  Not looked at: {tests} without a last assertion that can be turned round by itself", "dim"
    if suite.unreadable:
        files = ", ".join(suite.unreadable[:_MOST_TESTS])
        more = len(suite.unreadable) - _MOST_TESTS
        yield f"  Not read: {files}{f' and {more} more' if more > 0 else ''}", "dim"
