"""Members of enumerations with another type are shown as before Python 3.11."""

from __future__ import annotations

import enum

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

COLOUR = "from enum import Enum\n\n\nclass Colour(str, Enum):\n    RED = 'red'\n    BLUE = 'blue'\n"
SIZE = "import enum\r\nclass Size(enum.IntEnum):\r\n\tBIG = 3"
MESSAGE = "assert 'a/Colour.RED' == 'a/red'"


def proposed(message: str, text: str, old: str = "3.8.18", new: str = "3.12.1") -> list[str]:
    cause = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="b.py", line=1),))
    evidence = evidence_of({"b.py": "x = 1\n", "a.py": text}, versions={"python": (old, new)})
    found = RestructuringSource().propose(group, evidence)
    return [edit.text for one in found for edit in one.file_edits]


def test_a_text_is_formatted_as_its_value() -> None:
    (text,) = proposed(MESSAGE, f"{COLOUR}\n\nx = 1\n")
    assert text.startswith(COLOUR)
    assert text.endswith("\n\n\nx = 1\n")
    names: dict[str, type[enum.Enum]] = {}
    exec(text, names)
    red = names["Colour"]["RED"]
    assert (f"{red}", f"{red:>4}", str(red), red.value) == ("red", " red", "Colour.RED", "red")


def test_a_number_is_text_by_its_name() -> None:
    (text,) = proposed("assert '3' == 'Size.BIG'", SIZE)
    assert "\n" not in text.replace("\r\n", "")
    names: dict[str, type[enum.Enum]] = {}
    exec(text, names)
    big = names["Size"]["BIG"]
    assert (str(big), f"{big}", f"{big:02}") == ("Size.BIG", "3", "03")


def test_a_number_is_formatted_as_one_where_the_error_names_no_member() -> None:
    unit = "from enum import Enum\nclass Unit(float, Enum):\n    KILO = 1e3\n"
    message = "Unknown format code 'f' for object of type 'str'"
    (text,) = proposed(message, f"{COLOUR}{unit}")
    names: dict[str, type[enum.Enum]] = {}
    exec(text, names)
    assert (f"{names['Unit']['KILO']:.0f}", str(names["Colour"]["RED"])) == ("1000", "Colour.RED")
    assert not proposed(message, COLOUR)
    assert not proposed(message, f"{unit}    def __str__(self): return 'x'\n")


def test_the_class_that_mixes_the_types_changes() -> None:
    base = "class Texts(str, enum.Enum):\n    pass\n"
    text = f"import enum\n{base}class Colour(Texts):\n    RED = 'red'\n"
    (after,) = proposed(MESSAGE, text)
    assert after.index("__format__") < after.index("class Colour")


@pytest.mark.parametrize(
    ("message", "text", "old"),
    [
        (MESSAGE, COLOUR, "3.11.2"),
        (MESSAGE, COLOUR.replace("str, ", ""), "3.8.1"),
        (MESSAGE, f"{COLOUR}    def __str__(self):\n        return self.value\n", "3.8.1"),
        ("assert 'a/Colour.GREEN' == 'a/green'", COLOUR, "3.8.1"),
        ("assert <Colour.RED: 'red'> == 1", COLOUR, "3.8.1"),
        (MESSAGE, "class Colour(str, Enum:\n", "3.8.1"),
    ],
)
def test_all_else_stays(message: str, text: str, old: str) -> None:
    assert proposed(message, text, old) == []


def test_a_member_is_known_behind_other_text() -> None:
    for shown in ("db.Colour.RED", "db_Colour.RED", "cut off…b.Colour.BLUE'"):
        assert len(proposed(f"assert ['{shown}'] == ['x']", COLOUR)) == 1
    assert proposed("assert 'MyColour.RED' == 'x'", COLOUR) == []
