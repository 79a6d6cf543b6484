"""The standard library of each Python, as stubs with tests of the version tell it."""

from __future__ import annotations

import zipfile
from pathlib import Path

from packaging.version import Version

from backdate.diagnosis.api import Member
from backdate.knowledge.change_rows import ChangesFile
from backdate.mining.announcements import AnnouncedBy
from backdate.mining.candidates import RuleCandidate
from backdate.mining.mine import candidates_and_moves
from backdate.mining.prove_standard_library import proven_by_interpreters
from backdate.mining.typeshed import Minor, libraries, read_stubs
from backdate.mining.write_rows import file_text, rows_of

LOCALE = """
import sys
from typing import Any
from typing_extensions import deprecated, final, overload
def gettext(message: str) -> str: ...
if sys.version_info < (3, 11):
    @deprecated("Deprecated since Python 3.8; removed in Python 3.11. Use `gettext()` instead.")
    def lgettext(message: str) -> str: ...
if sys.platform == "win32":
    def only_there() -> None: ...
class Catalog(Any):
    @overload
    def find(self, name: str) -> str: ...
    @overload
    @deprecated("The strict parameter is deprecated. Use `loose` instead.")
    def find(self, name: str, strict: bool) -> str: ...
    def read_file(self, file: Any) -> None: ...
    if sys.version_info < (3, 12):
        @final
        def readfp(self, file: Any) -> None: ...
        readold = read_file
"""
FILES = {
    "VERSIONS": "# comment\ngettext: 3.0-\nolder: 3.0-3.10\nbroken: x\n",
    "gettext.pyi": LOCALE,
    "older/__init__.pyi": "def one() -> None: ...\n",
    "older/inner.pyi": "def two() -> None: ...\n",
    "unparsable.pyi": "def (:\n",
    "typing.pyi": "class Any: ...\n",
    "@python2/urllib.pyi": "def quote(text: str) -> str: ...\n",
    "urllib/__init__.pyi": "",
    "urllib/parse.pyi": "def quote(text: str, safe: str = ...) -> str: ...\n",
}


def wheel(folder: Path) -> Path:
    """A wheel that carries these stubs."""
    path = folder / "mypy-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in FILES.items():
            archive.writestr(f"mypy/typeshed/stdlib/{name}", text)
        archive.writestr("mypy/typeshed/stubs/other.pyi", "x: int\n")
    return path


def test_the_stubs_tell_which_pythons_they_are_of(tmp_path: Path) -> None:
    stubs = read_stubs(wheel(tmp_path))
    assert stubs.pythons == ((2, 7), (3, 0), (3, 10), (3, 11), (3, 12))
    assert stubs.ranges == {"gettext": ((3, 0), None), "older": ((3, 0), (3, 10))}


def test_every_python_has_what_its_tests_give_it(tmp_path: Path) -> None:
    stubs = read_stubs(wheel(tmp_path))
    old, new = libraries(stubs, [(3, 10), (3, 11)])
    assert (old.version, new.version) == (Version("3.10"), Version("3.11"))
    assert [library.names.has("gettext.lgettext") for library in (old, new)] == [True, False]
    assert [library.names.has("older.inner.two") for library in (old, new)] == [True, None]
    assert old.names.has("gettext.only_there") is False
    assert ("gettext.Any", "typing.Any") not in dict(old.names.public_names()).items()
    assert old.names.takes("gettext.Catalog.find", "strict")
    assert {one.name for one in old.announcements} == {"gettext.lgettext"}


def test_what_went_is_a_candidate_with_what_takes_its_place(tmp_path: Path) -> None:
    stubs = read_stubs(wheel(tmp_path))
    candidates = candidates_and_moves(libraries(stubs, stubs.pythons))
    found = {one.name: (one.replacement, str(one.since)) for one in candidates}
    assert found["urllib.quote"] == ("urllib.parse.quote", "3.0")
    assert found["gettext.lgettext"] == ("gettext.gettext", "3.11")
    assert found["gettext.Catalog.readold"] == ("read_file", "3.12")


def member(name: str, present: bool) -> Member:
    return Member(name=name, present=present, kind="function")


def test_interpreters_from_before_and_after_prove_a_row(tmp_path: Path) -> None:
    stubs = read_stubs(wheel(tmp_path))
    candidates = [one for one in candidates_and_moves(libraries(stubs, stubs.pythons)) if one.replacement]
    asked: list[Minor] = []

    def ask(minor: Minor, names: tuple[str, ...]) -> dict[str, Member]:
        asked.append(minor)
        gone = {"gettext.lgettext"} if minor >= (3, 11) else set()
        return {name: member(name, name not in gone) for name in names}

    rows = proven_by_interpreters(rows_of("python", candidates), ((3, 9), (3, 10), (3, 11)), ask)
    said = {name: row.unproven for row in rows for name in row.names}
    assert said["lgettext"] == ""
    assert said["readold"] == "no interpreter from before and after Python 3.12 was at hand"
    assert "no interpreter" in said["quote"]
    assert asked == [(3, 10), (3, 11)]


def test_what_a_python_still_has_is_asked_of_the_next() -> None:
    one = RuleCandidate(
        name="unittest.TestCase.assertEquals",
        replacement="assertEqual",
        owner="TestCase",
        since=Version("3.0"),
        announced=Version("24.4"),
        words="2to3 writes assertEqual for assertEquals",
        by=AnnouncedBy.TABLE,
    )

    def ask(minor: Minor, names: tuple[str, ...]) -> dict[str, Member]:
        return {name: member(name, minor < (3, 12) or not name.endswith("Equals")) for name in names}

    (row,) = proven_by_interpreters(rows_of("python", [one]), ((2, 7), (3, 6), (3, 11), (3, 12)), ask)
    assert (row.since, row.unproven) == ("3.12", "")


def test_a_file_says_where_it_was_read_and_under_which_licence(tmp_path: Path) -> None:
    stubs = read_stubs(wheel(tmp_path))
    candidates = [one for one in candidates_and_moves(libraries(stubs, stubs.pythons)) if one.replacement]
    rows = rows_of("python", candidates)
    file = ChangesFile(
        distribution="python", origin="mined", licence="Apache-2.0", read_from="typeshed", change=rows
    )
    text = file_text(file)
    assert 'licence = "Apache-2.0"\nread_from = "typeshed"' in text
    assert 'source = "https://docs.python.org/3/whatsnew/3.11.html"' in text
