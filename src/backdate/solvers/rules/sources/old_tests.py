"""Proposals for tests that are written for nose, or for pytest as it was: what it does not run any more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.rewriting.nose_setups import module_setups, nose_setups
from backdate.rewriting.rewrite import CallYielded, NameSetups, ReplaceName
from backdate.rewriting.yielded_calls import yield_tests
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.syntax_edits import leaf_of
from backdate.text import version_numbers

_LONGEST = 2_000
_NO_NOSE_SINCE = (8, 0)
_STRICT_SINCE = (0, 19)
_NOT_AWAITED = re.compile(r"'(?:async_generator|coroutine)' object (?:has no|is not|does not)\b[^\n]{0,80}")
_YIELD_TEST = re.compile(r"'yield' keyword is allowed in fixtures, but not in tests[^\n]{0,200}")


def old_tests(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """What pytest runs in the place of what it refuses or passes over; None where that is not the failure."""
    return _yield_tests(group, evidence) or _nose_setups(group, evidence) or _async_fixtures(group, evidence)


def _async_fixtures(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """Fixtures that are coroutines, which pytest-asyncio made too until 0.19: all of them.

    Where a test gets one that nobody awaited, none of the others is made either.
    """
    match = _NOT_AWAITED.search(group.cause.message[:_LONGEST])
    old, new = evidence.versions_of("pytest-asyncio")
    moved = bool(old and new) and version_numbers(old) < _STRICT_SINCE <= version_numbers(new)
    if match is None or not moved:
        return None
    places = tuple(
        SourcePlace(file=file, line=line)
        for file, text in evidence.texts.items()
        if "fixture" in text and "async" in text
        for line in _decorated_coroutines(text)
    )
    if not places:
        return None
    source = "https://pytest-asyncio.readthedocs.io/en/stable/reference/changelog.html"
    known = "asynchronous fixtures are made by pytest_asyncio.fixture in strict mode, which is the default"
    why = AdviceEvidence(kind=EvidenceKind.KNOWN, text=known, since="0.19", source=source)
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution="pytest-asyncio",
        rewrite=ReplaceName(old="pytest.fixture", new="pytest_asyncio.fixture"),
        places=places,
        why=(why,),
    )


def _decorated_coroutines(text: str) -> Iterator[int]:
    """The lines of the decorators ``fixture`` of functions that are ``async``."""
    tree = parsed_or_none(text)
    for node in ast.walk(tree) if tree is not None else ():
        for decorator in node.decorator_list if isinstance(node, ast.AsyncFunctionDef) else ():
            if leaf_of(decorator.func if isinstance(decorator, ast.Call) else decorator) == "fixture":
                yield decorator.lineno


def _yield_tests(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """Tests that yield, which pytest ran last in 3.x and refuses from 8.4 on: all of their files."""
    match = _YIELD_TEST.search(group.cause.message[:_LONGEST])
    if match is None:
        return None
    files = dict.fromkeys(
        (*(place.file for place in group.places), *(test.partition("::")[0] for test in group.tests))
    )
    places = tuple(
        SourcePlace(file=file, line=line)
        for file in files
        for _, _, lines in yield_tests(evidence.texts.get(file, ""))
        for line in lines
    )
    source = "https://docs.pytest.org/en/stable/deprecations.html#yield-tests"
    why = AdviceEvidence(kind=EvidenceKind.MESSAGE, text=match[0], source=source)
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution="pytest",
        rewrite=CallYielded(),
        places=places,
        why=(why,),
    )


def _nose_setups(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """Methods of test classes that nose and pytest before 8 called: what they set is missing."""
    cause = group.cause
    old, new = evidence.versions_of("pytest")
    moved = bool(old and new) and version_numbers(old) < _NO_NOSE_SINCE <= version_numbers(new)
    is_missing = cause.kind is CauseKind.MISSING_ATTRIBUTE and cause.owner_is == "type"
    # 8.0 itself refuses them, 8.1 and later do not call them
    is_refused = cause.message.startswith("Support for nose tests is deprecated")
    if not moved or not (is_missing or is_refused):
        return None
    files = [place.file for place in group.places]
    files += [test.partition("::")[0] for test in group.tests] if is_refused else []
    places = tuple(
        SourcePlace(file=file, line=line)
        for file in dict.fromkeys(files)
        for line in nose_setups(evidence.texts.get(file, ""))
    )
    if not places:
        return None
    return _named(places, NameSetups())


def module_setups_of(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """Functions ``setup`` and ``teardown`` of files of tests, where all that fails is in such files.

    What they set is None, not there, or of another test: the error may be any.
    """
    old, new = evidence.versions_of("pytest")
    moved = bool(old and new) and version_numbers(old) < _NO_NOSE_SINCE <= version_numbers(new)
    files = dict.fromkeys(test.partition("::")[0] for test in group.tests) if moved else {}
    lines = {file: module_setups(text) for file in files if (text := evidence.texts.get(file, ""))}
    if files and len(lines) == len(files) and all(lines.values()):
        places = (SourcePlace(file=file, line=line) for file, own in lines.items() for line in own)
        yield replace(_named(tuple(places), NameSetups(of_module=True)), last=True)


def _named(places: tuple[SourcePlace, ...], rewrite: NameSetups) -> Proposal:
    source = "https://docs.pytest.org/en/stable/deprecations.html#support-for-tests-written-for-nose"
    why = AdviceEvidence(
        kind=EvidenceKind.KNOWN, text="setup and teardown of nose are not called", since="8.0", source=source
    )
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution="pytest",
        rewrite=rewrite,
        places=places,
        why=(why,),
    )
