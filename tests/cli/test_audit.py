"""``check --audit``: its options, and what is printed."""

from __future__ import annotations

import pytest

from backdate.checking.result import CheckAudit
from backdate.checking.settings import AUDITED_TESTS, AuditOptions
from backdate.cli.check import CheckArguments, audit_options
from backdate.cli.options import Machine
from backdate.cli.recipe_options import RecipeOptions
from backdate.cli.render import print_lines, result_lines
from backdate.cli.render_audit import audit_lines
from backdate.errors import UsageError
from backdate.testing.changed_tests.audit_result import AuditedFunction, AuditFinding, SuiteAudit


def given(**options: object) -> AuditOptions | None:
    return audit_options(CheckArguments(machine=Machine(), recipe=RecipeOptions(), **options))  # type: ignore[arg-type]


def test_the_options() -> None:
    assert given() is None
    assert given(audit=True) == AuditOptions(tests=AUDITED_TESTS)
    assert given(audit=True, audit_tests="all") == AuditOptions(tests=None)
    assert given(audit=True, audit_tests="3", audit_seed=7) == AuditOptions(tests=3, seed=7)


@pytest.mark.parametrize(
    "options",
    [
        {"audit": True, "audit_tests": "0"},
        {"audit": True, "audit_tests": "-1"},
        {"audit": True, "audit_tests": "x"},
        {"audit_tests": "all"},
        {"audit_seed": 1},
    ],
)
def test_misuse(options: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="--audit-tests"):
        given(**options)


def function(name: str, finding: AuditFinding) -> AuditedFunction:
    return AuditedFunction(
        file="tests/test_a.py", function=name, line=12, finding=finding, tests=(f"tests/test_a.py::{name}",)
    )


SUITE = SuiteAudit(
    seed=7,
    available=20,
    functions=(
        function("test_good", AuditFinding.ASSERTS),
        function("test_left", AuditFinding.NOT_REACHED),
        function("test_either", AuditFinding.OPPOSITE_HOLDS),
        function("test_hung", AuditFinding.UNPROVEN),
    ),
    not_changeable=5,
    unreadable=("tests/test_old.py",),
)


def text_of(audit: CheckAudit | None, *, verbose: bool = False) -> str:
    return "\n".join(text for text, _ in audit_lines(audit, verbose=verbose))


def test_what_is_printed() -> None:
    assert text_of(None) == ""
    assert "no test passes" in text_of(CheckAudit(problem="no test passes on either side"))
    text = text_of(CheckAudit(side="old", suite=SUITE, problem="inverted: timeout"))
    for words in (
        "Audit of the old side: 4 of 20 test functions with the last assertion turned round (seed 7)",
        "1 function failed by it",
        "Asserts nothing: 2 functions passed all the same",
        "tests/test_a.py:12 test_left: its last assertion is not reached",
        "tests/test_a.py:12 test_either: its last assertion holds either way",
        "Unproven: 1 function hung",
        "5 passing tests without a last assertion",
        "Not read: tests/test_old.py",
        "inverted: timeout",
    ):
        assert words in text
    assert "tests/test_a.py::test_left" not in text
    assert "tests/test_a.py::test_left" in text_of(CheckAudit(side="old", suite=SUITE), verbose=True)


def test_it_is_a_part_of_a_result_and_hostile_names_stay_text(make_result, capsys) -> None:
    hostile = function("test_\x1b[2J\nNOTHING BROKE", AuditFinding.NOT_REACHED)
    suite = SuiteAudit(seed=1, available=1, functions=(hostile,), not_changeable=0)
    print_lines(result_lines(make_result(audit=CheckAudit(side="old", suite=suite)), verbose=True))
    out = capsys.readouterr().out
    assert "Asserts nothing: 1 function" in out
    assert not [one for one in out if one != "\n" and not one.isprintable()]
    assert "\nNOTHING BROKE" not in out
