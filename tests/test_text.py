import re
import subprocess
import sys

import pytest

from backdate.text import (
    LatePattern,
    counted,
    end_of_file,
    first_line,
    last_lines,
    minor_version,
    plural,
    version_numbers,
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("", ""), ("\n \n", ""), ("\n  one \ntwo", "one"), ("abcdef", "abcd"), ("one\r\ntwo", "one")],
)
def test_the_first_line_is_the_first_that_says_something(text: str, wanted: str) -> None:
    assert first_line(text, most=4) == wanted


def test_the_last_lines() -> None:
    assert last_lines("a\nb\nc\n", 2) == "b\nc"
    assert last_lines("a", 5) == "a"
    assert last_lines("", 5) == ""


def test_the_end_of_a_file(tmp_path) -> None:
    path = tmp_path / "log"
    assert end_of_file(path, 10) == ""
    path.write_bytes(b"abc\xffdef")
    assert end_of_file(path, 4) == "\ufffddef"
    assert end_of_file(path, 100) == "abc\ufffddef"


def test_words_follow_numbers() -> None:
    assert [counted(number, "test") for number in (0, 1, 2)] == ["0 tests", "1 test", "2 tests"]
    assert [plural(number, "class", "classes") for number in (1, 2)] == ["class", "classes"]


@pytest.mark.parametrize(
    ("version", "numbers"),
    [
        ("3.8.10", (3, 8, 10)),
        ("3", (3,)),
        ("3.8.*", (3, 8)),
        ("1.2rc1", (1, 2)),
        ("", ()),
        ("v1", ()),
        ("³", ()),
    ],
)
def test_the_numbers_of_a_version(version: str, numbers: tuple[int, ...]) -> None:
    assert version_numbers(version) == numbers


def test_the_minor_of_a_version() -> None:
    assert [minor_version(one) for one in ("3.8.10", "3.8", "3")] == ["3.8", "3.8", "3"]


def test_a_late_pattern_is_compiled_once_and_when_it_is_looked_for() -> None:
    pattern = LatePattern("a+", re.IGNORECASE)
    assert "compiled" not in vars(pattern)
    assert pattern.compiled.match("AAB") is not None
    assert pattern.compiled is vars(pattern)["compiled"]


def test_the_wordings_of_messages_are_not_compiled_before_one_is_read() -> None:
    code = (
        "from backdate.diagnosis import message_patterns as tables\n"
        "known = [one for table in (tables.ATTRIBUTE, tables.IMPORT, tables.TYPE) for one, *_ in table]\n"
        "assert len(known) > 30 and not any('compiled' in vars(one) for one in known)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
