import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backdate.advising.changelog_archives import description_of
from backdate.bisection.explanations import changelog
from backdate.bisection.explanations.changelog import (
    LONGEST_LINE,
    MOST_LINES,
    MOST_QUOTED,
    Quoted,
    names_it,
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


def one_quoted(files: dict[str, bytes], old: str | None, new: str, *terms: str) -> Quoted:
    quoted = quote(files, old, new, terms)
    assert len(quoted) == 1
    return quoted[0]


def test_every_section_after_the_last_good_release_is_read_up_to_the_bad_one() -> None:
    files = {"a-2/CHANGELOG.md": MARKDOWN}
    quoted = one_quoted(files, "1.9.2", "2.1.0", "old_name")
    assert (quoted.file, quoted.version, quoted.about) == ("CHANGELOG.md", "2.0.0", "old_name")
    assert quoted.lines == ("Removed", "- `old_name`")
    assert {one.version for one in quote(files, "1.9.1", "2.1.0", ["old_name"])} == {"1.9.2", "2.0.0"}
    assert one_quoted(files, "1.9.1", "1.9.2", "old_name").lines == ("- `old_name` warns.",)
    assert quote(files, "2.0.0", "2.1.0", ["old_name"]) == ()
    further = one_quoted(files, None, "2.0.0", "missing", "load")
    assert further.lines == ("Removed", "- `load` without a", "loader, at last.")


def test_where_nothing_names_the_cause_nothing_is_quoted() -> None:
    assert quote({"CHANGES.rst": UNDERLINED}, "2.3.8", "3.0.0", ["url_quote"]) == ()
    assert quote({"CHANGES.rst": UNDERLINED}, "2.3.7", "2.3.8", ["url_quote"]) == ()
    assert quote({"CHANGES.rst": UNDERLINED}, "2.3.8", "3.0.0", []) == ()


def test_a_version_may_be_written_shorter_than_the_release() -> None:
    quoted = one_quoted({"CHANGES": PLAIN}, "5.4.1", "6.0", "Loader")
    assert quoted.lines == ("* always require `Loader` arg to `yaml.load()`",)
    assert quote({"CHANGES": PLAIN}, "5.4.1", "6.0.0", ["Loader"]) == (quoted,)


def test_a_file_for_one_version_needs_no_heading() -> None:
    files = {"n/doc/source/release/2.0.0-notes.rst": b"* ``np.product`` is removed\n", "n/CHANGES": PLAIN}
    quoted = one_quoted(files, "1.26.4", "2.0.0", "product")
    assert quoted.file == "doc/source/release/2.0.0-notes.rst"
    assert quoted.lines == ("* ``np.product`` is removed",)


def test_a_file_of_one_release_says_nothing_of_another_librarys_release_that_it_names() -> None:
    text = b"NumPy 1.14.5\n------------\n* `derivative` is removed\n"
    assert quote({"s/doc/release/1.4.0-notes.rst": text}, "1.14.1", "1.15.0", ["derivative"]) == ()
    assert quote({"s/CHANGES.rst": text}, "1.14.1", "1.15.0", ["derivative"]) != ()


ALCHEMY = b"""
=============
2.0 Changelog
=============

.. changelog::
    :version: 2.0.1
    :released: February 1, 2023

    .. change::
        :tags: bug
        :tickets: 9168

        Fixed ``old_option``.

.. changelog::
    :version: 2.0.0
    :released: January 26, 2023

    .. change::
        :tags: removed, engine
        :tickets: 7257

        Removed the ``old_option`` parameter of :func:`_sa.create_engine`,
        which had no effect. Use :paramref:`_sa.create_engine.new_option`.
"""


def test_the_versions_of_sphinx_changelogs_are_headings() -> None:
    files = {"s-2.0/doc/build/changelog/changelog_20.rst": ALCHEMY}
    quoted = one_quoted(files, "1.4.46", "2.0.0", "old_option")
    assert (quoted.version, quoted.replacement) == ("2.0.0", "_sa.create_engine.new_option")
    assert quoted.lines[0] == "Removed the ``old_option`` parameter of :func:`_sa.create_engine`,"


HEADINGS = b"""
2.0.0
=====

Expired deprecations
--------------------

Removed ``lib.in1d``
~~~~~~~~~~~~~~~~~~~~
It warned for long, use `isin` instead.

- for arrays
- for lists

Other removals, of:

- `first`
- ``second``

New features
------------

- Add ``second`` to the documentation.

Notes::

    >>> lib.second  # use `third` instead
"""


def test_headings_take_their_bullets_along_and_bullets_their_introduction() -> None:
    quoted = one_quoted({"CHANGES.rst": HEADINGS}, "1.0", "2.0.0", "in1d")
    assert quoted.lines == (
        "Expired deprecations",
        "Removed ``lib.in1d``",
        "It warned for long, use `isin` instead.",
    )
    assert quoted.replacement == "isin"
    listed = one_quoted({"CHANGES.rst": HEADINGS}, "1.0", "2.0.0", "first")
    assert listed.lines == ("Removed ``lib.in1d``", "Other removals, of:", "- `first`")


def test_removals_come_before_introductions_and_code_is_not_quoted() -> None:
    quoted = quote({"CHANGES.rst": HEADINGS}, "1.0", "2.0.0", ["second"])
    assert [one.lines[-1] for one in quoted] == ["- ``second``", "- Add ``second`` to the documentation."]
    assert not any("third" in line for one in quoted for line in one.lines)


def test_what_to_use_instead_is_searched_first() -> None:
    text = b"1.0\n* Removed `load`.\n* The old `load` is now called `parse_all`.\n"
    quoted = quote({"CHANGES": text}, "0.9", "1.0", ["load"])
    assert (quoted[0].replacement, quoted[0].lines) == (
        "parse_all",
        ("* The old `load` is now called `parse_all`.",),
    )


def test_what_is_new_about_what_failing_code_only_calls_is_not_quoted() -> None:
    """ "Add a flag to BaseModel" was quoted for an error about root models."""
    text = b"""2.0
===

* Add a `flag` to `Model.load`.
* `Box.put` raises for what is no text now.
"""
    files = {"p/CHANGES.txt": text}
    assert len(quote(files, "1.0", "2.0", ["Model"])) == 1
    assert quote(files, "1.0", "2.0", ["Model"], called=["Model"]) == ()
    (quoted,) = quote(files, "1.0", "2.0", ["Model", "Box"], called=["Model", "Box"])
    assert quoted.about == "Box"


def test_an_entry_that_several_files_hold_is_quoted_once() -> None:
    """The changelog of an archive is there as a file, as a page and in the metadata."""
    entry = "* The ``p.clean`` module is a project of its own now. Install ``p_clean`` instead."
    wrapped = entry.replace("own now. Install", "own\n  now. Install")
    files = {
        "p/CHANGES.txt": f"5.2.0\n=====\n\nOther changes\n-------------\n\n{wrapped}\n".encode(),
        "p/PKG-INFO.txt": f"5.2.0\n=====\n\nOther changes\n-------------\n\n{entry}\n".encode(),
        "p/doc/changes.txt": f"5.2.0\n=====\n\n{entry.replace('``', '`')}\n".encode(),
    }
    (quoted,) = quote(files, "5.1", "5.2.0", ["p.clean"])
    assert quoted.file == "CHANGES.txt"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a missing file", False),
        ("the `missing` argument", True),
        ("missing=None", True),
        ("Field.missing is gone", True),
        ("something is missing.", False),
    ],
)
def test_a_word_of_prose_is_no_name(text: str, named: bool) -> None:
    assert names_it(text, "missing") is named


def test_what_steers_a_terminal_is_taken_out() -> None:
    quoted = one_quoted({"CHANGES": f"1.0\n* a_name {CLEANED}\n".encode()}, None, "1.0", "a_name")
    assert quoted.lines == ("* a_name [31mred",)


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["1.0\n", "* a_name\n", "a\n---\n", "```\n", "a::\n", "`a` and ", "* "])
def test_a_file_of_an_enemy_is_read_to_its_end_in_linear_time(piece: str) -> None:
    text = f"1.0\n===\n{piece * 300_000}"
    deep = "1.0\n===\n" + "".join(f"{' ' * depth}* a_name\n" for depth in range(2_000))
    for data in (text, deep):
        assert len(quote({"CHANGES": data.encode()}, "0.9", "1.0", ["a_name", "a"])) <= MOST_QUOTED


@settings(max_examples=300, deadline=None)
@given(
    st.binary(max_size=400), st.sampled_from(["1.0", "2.0.0rc1", "weird", ""]), st.lists(st.text(max_size=5))
)
def test_any_bytes_are_quoted_within_bounds(data: bytes, version: str, words: list[str]) -> None:
    files = {"CHANGES": b"1.0\n===\n" + data, "x/release/v1.0.rst": data}
    quoted = quote(files, "0.9", version, [*words, "a"])
    assert len(quoted) <= MOST_QUOTED
    for one in quoted:
        assert 0 < len(one.lines) <= MOST_LINES
        assert all(line.strip() and len(line) <= LONGEST_LINE for line in one.lines)
        assert "\x1b" not in "".join(one.lines)


def test_a_guide_to_another_release_is_none_to_this_one() -> None:
    text = b"Removed things\n==============\n\n* `Column.bind` (get it from the table)\n"
    assert quote({"a-2.0/doc/migration_06.rst": text}, "1.4", "2.0.0", ["bind"]) == ()
    (said,) = quote({"a-2.0/doc/migration.rst": text}, "1.4", "2.0.0", ["bind"])
    assert said.version == "2.0.0"


def test_a_section_of_a_line_alone_says_nothing() -> None:
    assert quote({"x/release/v1.0.rst": b"***"}, None, "1.0", ["*"]) == ()


def test_a_description_is_read_without_the_metadata_around_it() -> None:
    folded = (
        b"Metadata-Version: 1.2\nName: a\nVersion: 1.3\nSummary: Python tools\nDescription: A tool\n"
        b"        ======\n        1.3\n        ---\n        * the_name is gone\nPlatform: any\n"
    )
    body = b"Metadata-Version: 2.1\nName: a\nVersion: 1.3\n\nA tool\n======\n1.3\n---\n* the_name is gone\n"
    for metadata in (folded, body):
        quoted = one_quoted({"a-1.3/PKG-INFO": description_of(metadata)}, "1.2", "1.3", "the_name")
        assert quoted.lines == ("* the_name is gone",)
    bare = b"Metadata-Version: 2.1\nName: a\nVersion: 1.3\nSummary: Python tools\n"
    assert description_of(bare) == b""


def test_of_entries_without_end_some_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(changelog, "replacement_in", lambda text, _: asked.append(text))
    flood = b"2.0.0\n=====\n\n" + b"- thing_of -> thing_of\n" * 20_000
    assert quote({"p/CHANGES.rst": flood, "p/HISTORY.rst": flood}, "1.0", "2.0.0", ["thing_of"])
    assert len(asked) == changelog._MOST_WEIGHED


def test_of_a_value_of_another_type_the_entry_counts_that_says_which_it_is_now() -> None:
    data = b"""3.0
===

* Names may be not only ``str`` but also ``bytes`` objects.
* A new ``nbytes`` attribute for the size in ``bytes``, which is no ``str``.
* Variable-length strings are now read as ``bytes`` objects
  instead of ``str`` by default.
* ``bytes`` are now compressed.
"""
    (said,) = quote({"h5py/docs/whatsnew/3.0.rst": data}, "2.10", "3.0", ("bytes", "str"), together=True)
    assert said.lines == (
        "* Variable-length strings are now read as ``bytes`` objects",
        "instead of ``str`` by default.",
    )
    assert said.about == "bytes"
