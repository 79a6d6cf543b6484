"""What changelogs announce of a release's names and arguments, in the three ways that people write them."""

from __future__ import annotations

import io
import tarfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from packaging.version import Version

from backdate.advising.changelog_sections import lines_of
from backdate.mining import changelogs
from backdate.mining.announcements import AnnouncedBy
from backdate.mining.candidates import MinedRelease, mine_release
from backdate.mining.changelogs import ToldEntry, entries_in, told_by_changelogs
from backdate.mining.mine import candidates_and_moves
from backdate.mining.releases import ReleaseSources
from backdate.projects.sources.listing import ListedFile

if TYPE_CHECKING:
    from backdate.index.upstream import IndexClient

OLD = """
def product(a): ...
def prod(a): ...
def stays(a): ...
def read(path, strip=None, sep=None): ...
def write(path, strip=None): ...
class Frame:
    def append(self, other): ...
    def concat(self, other): ...
class Table:
    def rename(self): ...
    def ix(self): ...
"""
NEW = """
def prod(a): ...
def stays(a): ...
def read(path, trim=None): ...
def write(path, strip=None): ...
class Frame:
    def concat(self, other): ...
class Table:
    def rename(self): ...
    def loc(self): ...
"""
RST = """
Changes
=======

2.0
---

Removed
~~~~~~~

* :func:`lib.product` was removed, use :func:`lib.prod` instead.
* The ``strip`` argument of ``read`` is renamed to ``trim``.
* Removed the ``sep`` argument of ``read``, which had no effect.

1.0
---

* First release.
"""
MARKDOWN = """
# Changelog

## 2.0.0 (2024-01-01)

### Deprecations

- Rename `Frame.append` to `Frame.concat` ([#12](https://example.org/12))
- `ix` is deprecated in favor of `Table.loc`
"""
PLAIN = """
2.0 (2024-01-01)
- product() has been renamed to prod()
- Frame.append: replaced by Frame.concat
"""


def release(version: str, core: str) -> MinedRelease:
    """A release with one module."""
    sources = ReleaseSources(
        version=Version(version), sources={"lib": core}, packages=frozenset({"lib"}), compiled=frozenset()
    )
    return mine_release(sources)


RELEASES = (release("1.0", OLD), release("2.0", NEW))


def entries(text: str) -> tuple[ToldEntry, ...]:
    """The entries of a changelog after 1.0."""
    return tuple(entries_in("lib-2.0/CHANGES.rst", text.encode(), "1.0", "2.0"))


def found(text: str) -> dict[tuple[str, str], str]:
    """Names and arguments that go by the words of a changelog alone, with what takes their place."""
    told = told_by_changelogs(RELEASES, entries(text))
    assert {one.by for release in told for one in release.announcements} <= {AnnouncedBy.CHANGELOG}
    listed = candidates_and_moves([], told)
    return {(one.name, one.argument): one.replacement for one in listed if one.is_rule}


def test_names_and_arguments_are_read_in_restructured_text() -> None:
    assert found(RST) == {
        ("lib.product", ""): "lib.prod",
        ("lib.read", "strip"): "trim",
        ("lib.read", "sep"): "",
    }


def test_members_are_read_in_markdown_also_of_the_only_class_that_has_them() -> None:
    assert found(MARKDOWN) == {("lib.Frame.append", ""): "concat", ("lib.Table.ix", ""): "loc"}


def test_plain_text_marks_no_code() -> None:
    assert found(PLAIN) == {("lib.product", ""): "lib.prod", ("lib.Frame.append", ""): "concat"}


def test_a_candidate_keeps_the_release_and_the_words() -> None:
    told = told_by_changelogs(RELEASES, entries(MARKDOWN.replace("2.0.0", "1.5")))
    (one, *_) = [one for one in candidates_and_moves([], told) if one.name == "lib.Frame.append"]
    assert (str(one.announced), str(one.since)) == ("1.5", "2.0")
    assert one.words.startswith("Rename `Frame.append` to `Frame.concat`")


def test_what_is_still_there_and_what_takes_a_place_does_not_go() -> None:
    assert found("2.0\n---\n\n* ``stays`` is deprecated, use ``prod``.\n") == {}
    assert (
        found("2.0\n---\n\n* ``stays`` is replaced by ``product``. ``gone`` is replaced by ``prod``.\n") == {}
    )


def test_an_argument_counts_for_the_functions_that_are_named_with_it() -> None:
    assert found("2.0\n---\n\n* The ``strip`` argument is renamed to ``trim``.\n") == {}
    assert found("2.0\n---\n\n* The ``strip`` argument of ``write`` is renamed to ``trim``.\n") == {}


def test_what_is_called_an_argument_is_no_member() -> None:
    assert (
        found("2.0\n---\n\n* The argument ``ix`` of ``Table.rename`` is replaced by ``Table.loc``.\n") == {}
    )


def test_a_name_of_several_definitions_counts_where_the_words_tell_which() -> None:
    two = "class Other:\n    def ix(self): ...\n    def loc(self): ...\n"
    releases = (release("1.0", OLD + two), release("2.0", NEW + two.replace("ix", "iy")))
    for words, names in (
        ("``ix`` is deprecated in favor of ``loc``", set()),
        ("``Other``: ``ix`` is deprecated in favor of ``loc``", {"lib.Other.ix"}),
    ):
        told = told_by_changelogs(releases, entries(f"2.0\n---\n\n* {words}\n"))
        assert {one.name for one in candidates_and_moves([], told) if one.is_rule} == names


def test_what_the_sources_announce_counts_before_what_a_changelog_says() -> None:
    told = told_by_changelogs(RELEASES, entries(RST))
    warned = OLD.replace(
        "def product(a): ...",
        "def product(a):\n    warnings.warn('product is deprecated, use stays instead', DeprecationWarning)",
    )
    read = [release("1.0", warned), RELEASES[1]]
    (one,) = [one for one in candidates_and_moves(read, told) if one.name == "lib.product"]
    assert one.replacement == "lib.stays"


def test_control_characters_of_a_changelog_are_taken_out() -> None:
    assert lines_of(b"a\x1b[31mb") == ["a[31mb"]


def packed(folder: Path, name: str, changelog: bytes) -> Path:
    """An sdist with a changelog."""
    path = folder / f"{name}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo(f"{name}/CHANGES.rst")
        member.size = len(changelog)
        archive.addfile(member, io.BytesIO(changelog))
    return path


def test_the_last_release_of_each_major_version_is_asked_and_damage_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib-3.0.tar.gz").write_bytes(b"no archive")
    packed(tmp_path, "lib-2.0", RST.encode())
    listed = [
        ListedFile(
            filename=f"lib-{version}.tar.gz",
            url=f"https://example.org/lib-{version}.tar.gz",
            version=Version(version),
            uploaded=datetime(2024, 1, 1, tzinfo=UTC),
            sha256=None,
            yanked=False,
            sdist=True,
        )
        for version in ("1.0", "2.0", "3.0")
    ]
    monkeypatch.setattr(changelogs, "fetch_listing", lambda client, name: listed)
    monkeypatch.setattr(
        changelogs, "download", lambda client, file, cache, most_bytes: tmp_path / file.filename
    )
    read = changelogs.entries_of_changelogs(
        cast("IndexClient", None), "lib", (*RELEASES, release("3.0", NEW)), tmp_path
    )
    assert [str(one.version) for one in read.entries] == ["2.0"] * 3
    assert read.unread == ("lib-3.0.tar.gz",)
