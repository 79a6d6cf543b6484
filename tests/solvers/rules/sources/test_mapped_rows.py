"""Rows of a query that are tuples now."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

SHOP = """\
def names(rows, options):
    print(options["é"])
    found = [row["name"]["first"] for row in rows]
    return found, row["price"], rows[0][table.c.name], row[0]


def other(row):
    return row["name"]
"""


def mended(line: int, text: str = SHOP, old: str = "1.3.24", said: str = "str") -> str:
    """The text with the proposal made; "" where there is none."""
    message = f"tuple indices must be integers or slices, not {said}"
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="TypeError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=line),))
    evidence = evidence_of({"a.py": text}, versions={"sqlalchemy": (old, "2.0.1")})
    made = [one for one in RestructuringSource().propose(group, evidence) if one.file_edits]
    return made[0].file_edits[0].text if made else ""


def test_all_items_by_name_of_a_variable_are_of_its_mapping() -> None:
    after = mended(3)
    assert 'found = [row._mapping["name"]["first"] for row in rows]' in after
    assert 'return found, row._mapping["price"], rows[0][table.c.name], row[0]' in after
    assert 'print(options["é"])' in after
    assert 'def other(row):\n    return row["name"]' in after, "another function, and its own variable"


def test_a_column_is_a_name_as_well() -> None:
    assert "rows[0]._mapping[table.c.name]" in mended(4, said="Column")


@pytest.mark.parametrize(("line", "text", "old"), [(3, SHOP, "2.0.0"), (1, SHOP, "1.4"), (1, "def (", "1.4")])
def test_what_is_no_such_row_is_left_alone(line: int, text: str, old: str) -> None:
    assert mended(line, text, old) == ""


def test_rows_of_every_failing_line_are_mapped_at_once() -> None:
    places = tuple(
        SourcePlace(file=file, line=line) for file, line in (("a.py", 3), ("a.py", 8), ("b.py", 2))
    )
    cause = Cause(
        kind=CauseKind.OTHER_ERROR,
        type="TypeError",
        message="tuple indices must be integers or slices, not str",
    )
    group = FailureGroup(cause=cause, tests=("t", "u"), places=places, raised_at=places)
    evidence = evidence_of(
        {"a.py": SHOP, "b.py": 'def price(row):\n    return row["price"]\n'},
        versions={"sqlalchemy": ("1.4", "2.0.1")},
    )
    (proposal,) = RestructuringSource().propose(group, evidence)
    first, second = proposal.file_edits
    assert first.text.count("._mapping[") == 3
    assert 'def other(row):\n    return row._mapping["name"]' in first.text
    assert second.text == 'def price(row):\n    return row._mapping["price"]\n'
