"""What the documentation of an object calls its better name."""

from __future__ import annotations

from backdate.advising.new_homes import _documented_as
from backdate.diagnosis.api import Member
from backdate.diagnosis.homes import Homes

SAID = {
    "lib.TABLE.items": "D.items() -> a set-like object providing a view on D's items",
    "lib.product": "Give the product.\n\nSee Also\n--------\nprod : equivalent function; see for details.",
}
HOMES = Homes(aliases={}, documents=SAID, members={})


def test_the_documentation_of_a_function_names_its_successor() -> None:
    member = Member(name="lib.product", present=True, kind="function", module="lib", qualified="product")
    assert "lib.prod" in _documented_as("lib.product", HOMES, member)


def test_the_documentation_of_a_plain_values_method_is_about_no_name_of_the_library() -> None:
    member = Member(name="lib.TABLE.items", present=True, kind="function", qualified="dict.items")
    assert _documented_as("lib.TABLE.items", HOMES, member) == []
