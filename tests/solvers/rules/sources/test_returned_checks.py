"""Validators that say False, where marshmallow wants an error by now."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from backdate.advising.project_uses import ProjectUses
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.returned_checks import returned_checks, with_raising_checks

TEXT = """\
from marshmallow import Schema, fields, validate  # of version 3


def is_even(n):
    return n % 2 == 0


def refuses(n):
    if n < 0:
        raise ValueError


class Item(Schema):
    a = fields.Int(required=True, validate=lambda n: n > 0)
    b = fields.Int(validate=[is_even, validate.Range(min=1)])
    c = fields.Int(validate=refuses)
    d = parser.use_args({}, validate=lambda n: n)
"""
MENDED = """\
from marshmallow import Schema, fields, validate  # of version 3
from marshmallow import ValidationError


def checked(check):
    \"\"\"A validator that refuses what ``check`` says False to.\"\"\"

    def validate(value):
        if check(value) is False:
            raise ValidationError("Invalid value.")

    return validate


def is_even(n):
    return n % 2 == 0


def refuses(n):
    if n < 0:
        raise ValueError


class Item(Schema):
    a = fields.Int(required=True, validate=checked(lambda n: n > 0))
    b = fields.Int(validate=[checked(is_even), validate.Range(min=1)])
    c = fields.Int(validate=refuses)
    d = parser.use_args({}, validate=lambda n: n)
"""


def test_lambdas_and_own_functions_are_put_into_one_that_raises() -> None:
    assert with_raising_checks(TEXT) == MENDED
    windows = TEXT.replace("\n", "\r\n")
    assert with_raising_checks(windows) == MENDED.replace("\n", "\r\n")


MAKING = """\
from marshmallow import ValidationError, fields


def short(limit):
    return lambda text: len(text) <= limit


def between(low, high):
    def check(n):
        return low <= n <= high

    return check


def raising(low):
    def check(n):
        if n < low:
            raise ValidationError("low")

    return check


a = fields.Str(validate=short(5))
b = fields.Int(validate=[between(1, 2), raising(1), other(1)])
"""


def test_what_the_files_own_functions_make_is_put_into_one_that_raises() -> None:
    text = with_raising_checks(MAKING)
    assert "a = fields.Str(validate=checked(short(5)))" in text
    assert "validate=[checked(between(1, 2)), raising(1), other(1)]" in text


def test_the_error_is_spelled_as_the_file_has_it() -> None:
    text = "import marshmallow as ma\nA = ma.fields.Int(validate=lambda n: n)\n"
    assert "raise ma.ValidationError(" in with_raising_checks(text)
    text = "from marshmallow import ValidationError as Bad, fields\nA = fields.Int(validate=lambda n: n)\n"
    assert 'raise Bad("Invalid value.")' in with_raising_checks(text)
    assert "import ValidationError\n" not in with_raising_checks(text)
    assert "    return validate\n\n\nA = fields" in with_raising_checks(text)
    late = with_raising_checks(f"{text}import late\n")
    assert late.index("def checked(") < late.index("A = fields") < late.index("import late")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "import marshmallow\nvalidate = 1\n",
        "import marshmallow\nA = Int(validate=given)\n",
        "import marshmallow\ndef f(n: pass\nA = Int(validate=lambda n: n)\n",
        "import marshmallow, checked, checked_value, must_hold\nA = Int(validate=lambda n: n)\n",
    ],
)
def test_all_else_stays(text: str) -> None:
    assert with_raising_checks(text) == text


def proposed(evidence: FixEvidence, kind: CauseKind = CauseKind.ASSERTION) -> list[Proposal]:
    cause = Cause(kind=kind, type="AssertionError", message="assert None")
    return list(returned_checks(FailureGroup(cause=cause, tests=("t",), places=()), evidence))


def test_only_files_that_failing_tests_run_and_that_may_be_edited_and_only_past_the_release(
    tmp_path: Path,
) -> None:
    evidence = FixEvidence(
        tree=tmp_path,
        uses=ProjectUses(),
        texts={"a.py": TEXT, "b.py": TEXT, "t.py": TEXT},
        executed={"a.py": frozenset({1}), "t.py": frozenset({1})},
        kept_files=frozenset({"t.py"}),
        versions={"marshmallow": ("3.3.0", "4.0.0")},
    )
    (one,) = proposed(evidence)
    assert [(edit.file, edit.text) for edit in one.file_edits] == [("a.py", MENDED)]
    assert proposed(evidence, CauseKind.MISSING_ATTRIBUTE) == []
    assert proposed(replace(evidence, versions={"marshmallow": ("2.0", "3.9")})) == []


def test_functions_of_other_modules_of_the_project_are_followed() -> None:
    text = """\
from marshmallow import Schema, ValidationError, fields, validate

from . import rules
from .more import positive as above


class A(Schema):
    sku = fields.Str(validate=rules.is_sku)
    count = fields.Int(validate=[above, validate.Range(max=9)])
    other = fields.Str(validate=rules.raises)
"""
    changed = with_raising_checks(text, {"rules": {"is_sku"}, "more": {"positive"}})
    assert "validate=checked(rules.is_sku)" in changed
    assert "validate=[checked(above), validate.Range(max=9)]" in changed
    assert "validate=rules.raises" in changed
    assert with_raising_checks(text, {"other": {"is_sku"}}) == text
