"""A breakage of which nothing says anything is told by the changed lines that its tests run."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from small_world import running_index

from backdate.advice import ChangedCode
from backdate.bisection.changed_code_runs import _likely
from backdate.bisection.result import BisectResult
from backdate.checking.settings import Settings
from backdate.output.advice_text import advice_lines
from backdate.session import bisect

HEAD = "def words(text):\n    return text.split()\n\n\n"
BEFORE = HEAD + "def ended(args):\n    if not args:\n        return 0\n    return len(args)\n"
AFTER = HEAD + "def ended(args):\n    if not args:\n        return 2\n    return len(args)\n"
TOOLS = tuple((name, "65.0", "2023-01-01T00:00:00Z", "") for name in ("pip", "setuptools"))
RELEASES = (
    *TOOLS,
    ("brittle", "1.0", "2023-01-01T00:00:00Z", BEFORE),
    ("brittle", "2.0", "2024-09-01T00:00:00Z", AFTER),
)
TESTS = """
import unittest

import brittle


class Case(unittest.TestCase):
    def test_nothing(self):
        self.assertEqual(brittle.ended([]), 0)

    def test_some(self):
        self.assertEqual(brittle.ended(brittle.words("a b")), 2)
"""


def found(
    folder: Path, releases: tuple[tuple[str, str, str, str], ...], further: str = "", tests: str = TESTS
) -> BisectResult:
    project = folder / "project"
    project.mkdir()
    (project / "requirements.txt").write_text("brittle\n")
    (project / "test_it.py").write_text(tests)
    if further:
        (project / "test_more.py").write_text(further)
    with running_index(releases) as index:
        return bisect(
            project,
            from_instant=datetime(2024, 1, 1, tzinfo=UTC),
            to_instant=datetime(2025, 1, 1, tzinfo=UTC),
            settings=Settings(cache=folder / "cache", index_url=index),
        )


def test_the_changed_line_that_only_the_broken_test_runs_is_told(tmp_path: Path) -> None:
    result = found(tmp_path, RELEASES)
    (changed,) = result.advice.changed
    assert (changed.name, changed.file, changed.line) == ("brittle.ended", "brittle/__init__.py", 7)
    assert (changed.removed, changed.added, changed.alone) == (("return 0",), ("return 2",), True)
    told = [text for text, _ in advice_lines(result.advice)]
    assert told[-2:] == ["      - return 0", "      + return 2"]
    where = "brittle.ended of brittle 2.0 (brittle/__init__.py:7)"
    assert told[-3] == f"  Changed: {where}, run by these tests and by none that pass beside them"


ALIKE = """
import unittest

import brittle


class Case(unittest.TestCase):
    def test_nothing(self):
        self.assertEqual(brittle.ended([]), 0)

    def test_false(self):
        self.assertIn(brittle.ended(()), (0, 2))
"""
FURTHER = """
import unittest

import brittle


class More(unittest.TestCase):
    def test_words(self):
        brittle.f0(), brittle.f1(), brittle.f2()
        self.assertEqual(brittle.words("a b"), ["a", "b"])
"""
MANY = "".join(f"def f{number}():\n    return {{0}}\n\n\n" for number in range(3))
CALLS = "f0(), f1(), f2()\n    if not args:"


@pytest.mark.slow
def test_what_tests_of_other_files_do_not_run_is_told_where_those_beside_run_it_too(tmp_path: Path) -> None:
    """The release changes more functions than are told where nothing sets one apart."""
    before, after = (
        (MANY.format(value) + text.replace("if not args:", CALLS))
        for value, text in ((0, BEFORE), (1, AFTER))
    )
    releases = (
        *RELEASES[:-2],
        ("brittle", "1.0", "2023-01-01T00:00:00Z", before),
        ("brittle", "2.0", "2024-09-01T00:00:00Z", after),
    )
    (tmp_path / "alone").mkdir()
    assert found(tmp_path / "alone", releases, tests=ALIKE).advice.changed == ()
    (changed,) = found(tmp_path, releases, FURTHER, ALIKE).advice.changed
    assert (changed.name, changed.removed, changed.added) == ("brittle.ended", ("return 0",), ("return 2",))


@pytest.mark.slow
def test_nothing_is_told_where_a_name_is_known_to_be_gone(tmp_path: Path) -> None:
    gone = (*RELEASES[:-1], ("brittle", "2.0", "2024-09-01T00:00:00Z", HEAD + AFTER.replace("ended", "end")))
    result = found(tmp_path, gone)
    assert result.findings
    assert [one.name for one in result.advice.fixes] == ["brittle.ended"]
    assert result.advice.changed == ()


def code(name: str, quoted: str = "") -> ChangedCode:
    return ChangedCode(
        distribution="lib", release="2.0", name=name, file="lib.py", line=1, alone=True, quoted=quoted
    )


def test_beside_what_the_changelog_speaks_of_only_the_first_is_told() -> None:
    first, second, third = code("a"), code("b"), code("c", "c is gone")
    assert _likely([first, second, third], "no") == (first, third)
    assert _likely([third, first, second], "1") == (third,)
    assert _likely([first, second], "1 != 2") == (first, second)
    assert _likely([], "") == ()


def test_whose_words_give_the_numbers_that_an_assertion_compares_is_told_alone() -> None:
    first, second = (
        code("a", "Streams are kept apart. :pr:`20`"),
        code("b", "The exit code is 2 instead of 0."),
    )
    assert _likely([first, second], "assert 2 == 0") == (second,)
    assert _likely([first, second], "assert 3 == 0") == (first, second)
    assert _likely([first, second], "assert 2 == 2") == (first, second)
