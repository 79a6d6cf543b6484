"""What a message shows in the place of a use of an object."""

from __future__ import annotations

import pytest

from backdate.advising.told_uses import told_use

REMOVED = "is deprecated and was removed in PyPDF2 3.0.0."


@pytest.mark.parametrize(
    ("attribute", "message", "template"),
    [
        (
            "getPage",
            f"reader.getPage(pageNumber) {REMOVED} Use reader.pages[page_number] instead.",
            "{self}.pages[{0}]",
        ),
        ("numPages", f"reader.numPages {REMOVED} Use len(reader.pages) instead.", "len({self}.pages)"),
        ("read", "`file.read(size=1)` is gone: use `file.take(size)`", "{self}.take({0})"),
        ("swap", "a.swap(b, c) is gone. Use a.turn(c, b).", "{self}.turn({1}, {0})"),
    ],
)
def test_an_expression_of_the_same_object_is_a_template(attribute: str, message: str, template: str) -> None:
    told = told_use(message, attribute)
    assert told is not None
    assert (told.template, told.name) == (template, "")
    assert told.sentence in message


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("addPage", f"addPage {REMOVED} Use add_page instead."),
        ("add", "The `add` method is deprecated; use `add_page` instead."),
    ],
)
def test_a_name_alone_is_a_name(attribute: str, message: str) -> None:
    told = told_use(message, attribute)
    assert told is not None
    assert (told.template, told.name) == ("", "add_page")


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        (
            "getPage",
            f"reader.getPage(number) {REMOVED} Use reader.pages[index] instead.",
        ),  # index is not given
        ("item", "`item` was removed. Use `arr[index] = value` instead."),  # a statement
        ("order", "`order` was removed. Use `arr.view(arr.order)` instead."),  # whose arr is that
        ("seed", "Calling `.seed()` is deprecated. Use the class method `Faker.seed()` instead."),
        ("load", "load was removed. Use {self}.__class__ instead."),
        ("load", "overload was removed. Use store instead."),
        ("load", "load was removed. Use load instead."),
        ("load", "load was removed."),
        ("load", "load was removed. Use os.system(command) instead."),
    ],
)
def test_what_is_not_known_whole_is_nothing(attribute: str, message: str) -> None:
    assert told_use(message, attribute) is None
