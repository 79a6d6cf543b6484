"""Tests that assert, changed in secret so that a real execution of them fails.

An answer's code runs in the process of its tests and can imitate any outcome: it does not know which tests
should fail. The changes are those of judge runs (``testing/changed_tests/``).
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from backdate.editing.python_source import parsed_or_none
from backdate.editing.spans import apply_edits
from backdate.snippets.runs import ProgramRun
from backdate.snippets.snippet import Harness
from backdate.testing.changed_tests.candidates import PossibleChange, candidates_of, changes_of_script
from backdate.testing.changed_tests.kinds import ChangeKind

_SECRET_BITS = 64
_OF_EACH = 2
"""Changes of a sort that are tried: where one shows nothing, another may."""
_RAISING = (ChangeKind.RAISES,)
_OTHER_VALUES = (ChangeKind.LITERAL, ChangeKind.WRAPPED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretTests:
    """Tests of which one is changed."""

    harness: Harness
    secret: str
    kind: ChangeKind

    @property
    def raises(self) -> bool:
        """Whether an answer that meets all else comes to the change, and to no other failure."""
        return self.kind is ChangeKind.RAISES

    def caused(self, run: ProgramRun) -> bool:
        """Whether a run failed by the change: its secret is what was raised."""
        return any(case.error == "AssertionError" and self.secret in case.message for case in run.cases)


def secret_tests(harness: Harness, random_source: random.Random) -> tuple[SecretTests, ...]:
    """Changes of the tests of ``harness``, one each: some that raise at the end of a test, and some that
    expect another value, or, where no value is compared, the opposite. None for what cannot be changed.
    """
    possible = [change for change in _possible(harness) if not change.may_be_skirted]
    others = [change for change in possible if change.kind in _OTHER_VALUES]
    others = others or [change for change in possible if change.kind is ChangeKind.INVERTED]
    raising = [change for change in possible if change.kind in _RAISING]
    chosen: list[PossibleChange] = []
    for sort in (raising, others):
        chosen += random_source.sample(sort, min(len(sort), _OF_EACH))
    return tuple(_changed(harness, change, random_source) for change in chosen)


def _possible(harness: Harness) -> Iterator[PossibleChange]:
    yield from candidates_of(harness.script) or ()
    if not harness.module and not _has_cases(harness.script):
        yield from changes_of_script(harness.script) or ()


def _has_cases(source: str) -> bool:
    """Whether a script has classes of unittest, which are what is run of it."""
    tree = parsed_or_none(source)
    body: Sequence[ast.stmt] = () if tree is None else tree.body
    classes = (node for node in body if isinstance(node, ast.ClassDef))
    return any("TestCase" in ast.unparse(base) for node in classes for base in node.bases)


def _changed(harness: Harness, change: PossibleChange, random_source: random.Random) -> SecretTests:
    secret = f"{random_source.getrandbits(_SECRET_BITS):016x}"
    script = apply_edits(harness.script, [change.edit_with(secret)])
    return SecretTests(harness=replace(harness, script=script), secret=secret, kind=change.kind)
