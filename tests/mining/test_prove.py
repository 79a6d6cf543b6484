"""What two environments say of mined rows."""

from __future__ import annotations

from backdate.diagnosis.api import Member
from backdate.knowledge.change_rows import ChangeRow, EditRow
from backdate.mining.prove import lacking, proven_rows

ROW = ChangeRow(
    since="1.9",
    kind="argument",
    module="lib.test",
    owners=("test",),
    names={"mode": "method"},
    edits=(EditRow(of=("lib.test",), argument="mode", becomes="method"),),
    source="https://example.org",
)


def function(*keywords: str) -> Member:
    return Member(name="lib.test", present=True, keywords=keywords, takes_any=False)


def test_a_release_that_is_too_old_for_an_argument_is_not_the_one_before() -> None:
    too_old, before, after = function("x"), function("x", "mode"), function("x", "method")
    assert lacking(ROW, {"lib.test": too_old}) == {"lib.test"}
    assert lacking(ROW, {"lib.test": before}) == lacking(ROW, {}) == frozenset()
    (refused,) = proven_rows(ROW, {"lib.test": too_old}, {"lib.test": after})
    (proven,) = proven_rows(ROW, {"lib.test": before}, {"lib.test": after})
    assert (refused.unproven, proven.unproven) == ("the release before does not take it", "")
