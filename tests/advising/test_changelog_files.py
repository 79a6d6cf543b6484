"""Which files are changelogs, and of which releases."""

from __future__ import annotations

import pytest

from backdate.advising.changelog_files import is_changelog, is_within, release_of_file


def test_names_of_changelogs() -> None:
    for name in (
        "a-2.0/CHANGES.rst",
        "a-2.0/HISTORY.md",
        "a-2.0/doc/changelog.txt",
        "a-2.0/NEWS",
        "Change_Log.md",
        "a-2.0/docs/upgrading.rst",
        "a-2.0/docs/en/upgrade_guide.md",
    ):
        assert is_changelog(name, "1.4.46", "2.0.0"), name
    for name in (
        "a-2.0/doc/source/whatsnew/v2.0.0.rst",
        "a-2.0/doc/source/whatsnew/v1.5.0.rst",
        "a-2.0/doc/source/release/2.0.0-notes.rst",
        "a-2.0/docs/releasenotes/2.0.rst",
        "a-2.0/doc/changelog/2.0.0-changelog.rst",
        "a-2.0/doc/build/changelog/changelog_20.rst",
        "a-2.0/doc/build/changelog/migration_20.rst",
        "a-2.0/docs/migration_to_2.md",
        "a-2.0/docs/how-to/migrate_from_1_4.rst",
        "a-2.0/doc/api/prev_api_changes/api_changes_2.0.0/behaviour.rst",
        "a-2.0/doc/whats_new_2.0/deprecations.rst",
        # what goes may have been announced there
        "a-2.0/doc/source/whatsnew/v1.4.0.rst",
        "a-2.0/doc/build/changelog/migration_14.rst",
    ):
        assert is_changelog(name, "1.4.46", "2.0.0"), name
    for name in (
        "a-2.0/doc/source/whatsnew/v1.4.3.rst",
        "a-2.0/docs/releasenotes/12.0.0.rst",
        "a-2.0/doc/api/prev_api_changes/api_changes_1.4.2/deprecations.rst",
        "a-2.0/a/changes.py",
        "a-2.0/a/_vendor/b/CHANGES.rst",
        "a-2.0/vendored-b/CHANGES.rst",
        "a-2.0/tests/CHANGES.rst",
        "a-2.0/2.0.0.rst",
        "a-2.0/one/two/three/four/five/six/CHANGES",
        "",
    ):
        assert not is_changelog(name, "1.4.46", "2.0.0"), name


@pytest.mark.parametrize(
    ("name", "release"),
    [
        ("migration_20.rst", "2.0"),
        ("changelog_14.rst", "1.4"),
        ("v2.0.0.rst", "2.0.0"),
        ("2.0.0-notes.rst", "2.0.0"),
        ("version_2_2.rst", "2.2"),
        ("migration_to_2.md", "2.0"),
        ("api_changes_3.6.0/behaviour.rst", "3.6.0"),
        ("matplotlib-3.6.0/behaviour.rst", None),
        ("CHANGES.rst", None),
    ],
)
def test_the_release_in_a_name(name: str, release: str | None) -> None:
    assert release_of_file(name) == release


def test_a_release_on_the_way() -> None:
    inside = [
        one for one in ("1.9", "1.9.1", "1.10", "2.0rc1", "2.0", "2.0.1") if is_within(one, "1.9", "2.0.0")
    ]
    assert inside == ["1.9.1", "1.10", "2.0rc1", "2.0"]
    assert [one for one in ("1.9", "2.0", "2.1") if is_within(one, None, "2.0")] == ["2.0"]
    assert [one for one in ("1.9", "2.0", "2.1") if is_within(one, "2.1", "1.9")] == ["1.9"]
