from hypothesis import given, settings
from hypothesis import strategies as st

from backdate.bisection.explanations.changelog import (
    LONGEST_LINE,
    MOST_LINES,
    description_of,
    is_changelog,
    quote,
)

MARKDOWN = b"""# Changelog

## 2.1.0 (2024-01-01)

- New: `frobnicate`.

## [2.0.0] - 2023-05-05

### Removed

- `load` without a
  loader, at last.
- `old_name`

### Added

- Things.

## 1.9.2

- `old_name` warns.
"""
UNDERLINED = b"""
Version 3.0.0
-------------

Released 2023-09-30

-   Remove previously deprecated code. :pr:`2768`
-   Deprecate the ``__version__`` attribute.

Version 2.3.8
-------------

-   Fix.
"""
PLAIN = b"""For a complete changelog, see a page.

6.0 (2021-10-13)
* always require `Loader` arg to `yaml.load()`
* Drop Python 2

5.4.1 (2021-01-20)
* Fix stub compat
"""
CLEANED = "\x1b[31mred\x07\x00\u202e"


def test_names_of_changelogs() -> None:
    for name in (
        "a-2.0/CHANGES.rst",
        "a-2.0/HISTORY.md",
        "a-2.0/doc/changelog.txt",
        "a-2.0/NEWS",
        "Change_Log.md",
    ):
        assert is_changelog(name, "2.0.0"), name
    for name in (
        "a-2.0/doc/source/whatsnew/v2.0.0.rst",
        "a-2.0/doc/source/release/2.0.0-notes.rst",
        "a-2.0/docs/releasenotes/2.0.rst",
        "a-2.0/doc/changelog/2.0.0-changelog.rst",
    ):
        assert is_changelog(name, "2.0.0"), name
    for name in (
        "a-2.0/doc/source/whatsnew/v1.9.0.rst",
        "a-2.0/docs/releasenotes/12.0.0.rst",
        "a-2.0/a/changes.py",
        "a-2.0/a/_vendor/b/CHANGES.rst",
        "a-2.0/tests/CHANGES.rst",
        "a-2.0/2.0.0.rst",
        "a-2.0/one/two/three/four/five/six/CHANGES",
        "",
    ):
        assert not is_changelog(name, "2.0.0"), name


def test_the_entry_that_holds_the_name_is_quoted_from_its_own_version_only() -> None:
    quoted = quote({"a-2/CHANGELOG.md": MARKDOWN}, "2.0.0", ["old_name"])
    assert quoted is not None
    assert (quoted.file, quoted.about, quoted.lines) == ("CHANGELOG.md", "old_name", ("- `old_name`",))
    further = quote({"a-2/CHANGELOG.md": MARKDOWN}, "2.0.0", ["missing", "loader"])
    assert further is not None
    assert further.lines == ("- `load` without a", "loader, at last.")
    assert quote({"a-2/CHANGELOG.md": MARKDOWN}, "1.9.1", ["old_name"]) is None


def test_without_the_name_what_is_removed_is_quoted_and_else_the_beginning() -> None:
    removals = quote({"CHANGES.rst": UNDERLINED}, "3.0.0", ["url_quote"])
    assert removals is not None
    assert removals.about == "removals"
    assert removals.lines == (
        "-   Remove previously deprecated code. :pr:`2768`",
        "-   Deprecate the ``__version__`` attribute.",
    )
    beginning = quote({"CHANGES.rst": UNDERLINED}, "2.3.8", ["url_quote"])
    assert beginning is not None
    assert (beginning.about, beginning.lines) == ("beginning", ("-   Fix.",))


def test_a_version_may_be_written_shorter_than_the_release() -> None:
    quoted = quote({"CHANGES": PLAIN}, "6.0", ["Loader"])
    assert quoted is not None
    assert quoted.lines == ("* always require `Loader` arg to `yaml.load()`",)
    assert quote({"CHANGES": PLAIN}, "6.0.0", ["Loader"]) == quoted


def test_a_file_for_one_version_needs_no_heading() -> None:
    files = {"n/doc/source/release/2.0.0-notes.rst": b"* ``np.product`` is removed\n", "n/CHANGES": PLAIN}
    quoted = quote(files, "2.0.0", ["product"])
    assert quoted is not None
    assert quoted.file == "doc/source/release/2.0.0-notes.rst"
    assert quoted.lines == ("* ``np.product`` is removed",)


def test_what_steers_a_terminal_is_taken_out() -> None:
    quoted = quote({"CHANGES": f"1.0\n* name {CLEANED}\n".encode()}, "1.0", ["name"])
    assert quoted is not None
    assert quoted.lines == ("* name [31mred",)


@settings(max_examples=300, deadline=None)
@given(
    st.binary(max_size=400), st.sampled_from(["1.0", "2.0.0rc1", "weird", ""]), st.lists(st.text(max_size=5))
)
def test_any_bytes_are_quoted_within_bounds(data: bytes, version: str, words: list[str]) -> None:
    quoted = quote({"CHANGES": b"1.0\n===\n" + data, "x/release/v1.0.rst": data}, version, words)
    if quoted is not None:
        assert 0 < len(quoted.lines) <= MOST_LINES
        assert all(line.strip() and len(line) <= LONGEST_LINE for line in quoted.lines)
        assert "\x1b" not in "".join(quoted.lines)


def test_a_section_of_a_line_alone_says_nothing() -> None:
    assert quote({"x/release/v1.0.rst": b"***"}, "1.0", ()) is None


def test_a_description_is_read_without_the_metadata_around_it() -> None:
    folded = (
        b"Metadata-Version: 1.2\nName: a\nVersion: 1.3\nSummary: Python tools\nDescription: A tool\n"
        b"        ======\n        1.3\n        ---\n        * the name is gone\nPlatform: any\n"
    )
    body = b"Metadata-Version: 2.1\nName: a\nVersion: 1.3\n\nA tool\n======\n1.3\n---\n* the name is gone\n"
    for metadata in (folded, body):
        quoted = quote({"a-1.3/PKG-INFO": description_of(metadata)}, "1.3", ())
        assert quoted is not None
        assert quoted.lines == ("* the name is gone",)
    bare = b"Metadata-Version: 2.1\nName: a\nVersion: 1.3\nSummary: Python tools\n"
    assert quote({"a-1.3/PKG-INFO": description_of(bare)}, "1.3", ()) is None


@given(st.binary(max_size=300))
def test_any_metadata_have_a_description_or_none(data: bytes) -> None:
    assert isinstance(description_of(data), bytes)
