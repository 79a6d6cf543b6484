import json
from dataclasses import dataclass
from typing import Any

import pytest

from backdate.errors import NewerFormat, StoredDataError
from backdate.migrations import KeyRename, Migration, migrate, read_stored, rename_keys, with_field


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    overrides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    format: int = 3
    title: str
    lock: Inner
    doubled: int


def double(document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "doubled": document["number"] * 2}


MIGRATIONS = (
    Migration(to_format=3, change=double),
    Migration(
        to_format=2,
        renames=(
            KeyRename(old="name", new="title"),
            KeyRename(inside="lock", old="exceptions", new="overrides"),
        ),
    ),
)
FIRST = {"format": 1, "name": "a", "lock": {"exceptions": ["x"]}, "number": 4}


def read(document: object, **options: Any) -> Stored:
    data = json.dumps(document).encode()
    return read_stored(Stored, data, current=3, migrations=MIGRATIONS, what="a test", **options)


def test_the_first_format_goes_through_all_migrations_in_order() -> None:
    assert read(FIRST) == Stored(title="a", lock=Inner(overrides=("x",)), doubled=8)


def test_a_later_format_goes_through_the_rest() -> None:
    second = {"format": 2, "title": "a", "lock": {"overrides": ["x"]}, "number": 1}
    assert read(second).doubled == 2


def test_the_current_format_is_read_as_it_is() -> None:
    current = {"format": 3, "title": "a", "lock": {}, "doubled": 7}
    assert read(current) == Stored(title="a", lock=Inner(), doubled=7)


def test_a_format_that_is_kept_elsewhere() -> None:
    without = {key: value for key, value in FIRST.items() if key != "format"}
    assert read(without, stored_format=1).title == "a"
    assert read(without).title == "a"  # no number: the first format


def test_a_newer_format_is_refused() -> None:
    with pytest.raises(NewerFormat, match=r"a test has format 4, this version reads up to 3: update"):
        read({**FIRST, "format": 4})


@pytest.mark.parametrize(
    "data", [b"{", b"[]", b'{"format": "new"}', b'{"format": 1, "name": 3, "number": 1}']
)
def test_damaged_data_is_refused(data: bytes) -> None:
    with pytest.raises(StoredDataError, match="a test"):
        read_stored(Stored, data, current=3, migrations=MIGRATIONS, what="a test")


@pytest.mark.parametrize("times", [100, 450, 900, 100_000])
@pytest.mark.parametrize(("start", "end"), [('{"lock":', "}"), ('[{"lock":', "}]")])
def test_data_that_are_nested_too_deep_to_be_migrated_are_refused(start: str, end: str, times: int) -> None:
    data = f'{{"format": 1, "name": "a", "number": 1, "more": {start * times}1{end * times}}}'
    with pytest.raises(StoredDataError, match="a test"):  # it has no lock besides
        read_stored(Stored, data.encode(), current=3, migrations=MIGRATIONS, what="a test")


@pytest.mark.parametrize("value", ["9" * 30, "-" + "9" * 30, "1e400", '"\\ud800"', "18446744073709551616"])
def test_values_that_cannot_be_written_again_are_refused(value: str) -> None:
    data = f'{{"format": 1, "name": "a", "number": 1, "more": {value}}}'.encode()
    with pytest.raises(StoredDataError, match="a test"):  # it has no lock besides
        read_stored(Stored, data, current=3, migrations=MIGRATIONS, what="a test")


def test_keys_are_renamed_only_where_they_belong() -> None:
    renames = (KeyRename(inside="lock", old="a", new="b"),)
    document = {"a": 1, "locks": {"a": 1}, "deep": [{"lock": [{"a": 1, "c": {"a": 2}}]}]}
    assert rename_keys(document, renames) == {
        "a": 1,
        "locks": {"a": 1},
        "deep": [{"lock": [{"b": 1, "c": {"a": 2}}]}],
    }


def test_a_new_name_that_is_there_is_not_overwritten() -> None:
    assert rename_keys({"a": 1, "b": 2}, (KeyRename(old="a", new="b"),)) == {"a": 1, "b": 2}


def test_nothing_is_changed_in_place() -> None:
    before = json.dumps(FIRST)
    migrate(FIRST, MIGRATIONS, from_format=1)
    assert json.dumps(FIRST) == before


def test_a_field_is_added_to_every_object_under_a_key() -> None:
    change = with_field("enforced", "seccomp", "off")
    document = {"runs": [{"enforced": {"disk": "none"}}, {"enforced": {"seccomp": "on"}}], "enforced": None}
    assert change(document) == {
        "runs": [{"enforced": {"seccomp": "off", "disk": "none"}}, {"enforced": {"seccomp": "on"}}],
        "enforced": None,
    }
