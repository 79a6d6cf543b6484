from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from backdate.diagnosis.installed_requirements import InstalledRequirements
from backdate.index.page import IndexFile
from backdate.lowest.bounds import (
    declared_at,
    extras_of_users,
    is_for_python,
    minors_to_try,
    releases,
    sort_requirements,
    with_lower_bound,
)
from backdate.lowest.installed import who_requires_more


def listed(version: str, *, requires: str | None = None, yanked: bool = False, day: int = 1) -> IndexFile:
    return IndexFile(
        filename=f"x-{version}.tar.gz",
        url="https://host/x",
        version=version,
        upload_time=datetime(2024, 1, day, tzinfo=UTC),
        hashes=(),
        requires_python=requires,
        size_bytes=None,
        yanked=yanked,
        yanked_reason=None,
        has_metadata=False,
    )


def test_what_is_declared_is_sorted_by_what_its_bound_means() -> None:
    read = sort_requirements(
        [
            *(
                "flask>=2",
                "Flask<4",
                "six",
                "click<9,!=8.1",
                "attrs~=23.1",
                "odd>=",
                "x @ https://host/x.zip",
            ),
            *(
                'typing-extensions>=4; python_version < "3.9"',
                'tomli>=1; python_version >= "3.11"',
                "pin==1.0",
            ),
        ],
        "3.8.18",
    )
    assert [one.name for one in read.bounded] == ["flask", "attrs", "typing-extensions", "pin"]
    assert read.unbounded == ("Flask<4", "six", "click<9,!=8.1", "x @ https://host/x.zip")
    assert read.elsewhere == ('tomli>=1; python_version >= "3.11"',)


@pytest.mark.parametrize(
    ("declared", "true"),
    [
        ("flask>=2", "flask>=2.5"),
        ("flask[async]>=2,<4", "flask[async]>=2.5,<4"),
        ("flask~=2.1", "flask>=2.5,==2.*"),
        ("flask==2.0", "flask>=2.5"),
        ('flask>2 ; python_version < "3.9"', 'flask>=2.5; python_version < "3.9"'),
    ],
)
def test_the_requirement_with_another_bound(declared: str, true: str) -> None:
    written = with_lower_bound(Requirement(declared), "2.5")
    assert written == true
    assert Requirement(written).specifier.contains(Version("2.5"))


def test_releases_that_were_there() -> None:
    files = [
        listed("1.0"),
        listed("2.0rc1"),
        listed("2.0", yanked=True),
        listed("1.10"),
        listed("3.0", day=9),
    ]
    before = datetime(2024, 1, 5, tzinfo=UTC)
    assert releases(files, SpecifierSet(">=1"), before) == ("1.0", "1.10")
    assert releases(files, SpecifierSet(">=1.5"), before) == ("1.10",)


def test_a_release_says_for_which_interpreters_it_is() -> None:
    files = [listed("1.0", requires="<3.9"), listed("1.1")]
    assert is_for_python(files, "1.0", "3.8.1")
    assert not is_for_python(files, "1.0", "3.9.0")
    assert is_for_python(files, "1.1", "3.14.0")


def test_who_lifts_a_bound() -> None:
    installed = {
        "flask": InstalledRequirements(version="2.3.0", requires=("Werkzeug>=2.3.0", 'x>=1; extra == "a"')),
        "other": InstalledRequirements(version="1", requires=("werkzeug", "not a requirement")),
    }
    assert who_requires_more(installed, "werkzeug", "1.0") == ("flask 2.3.0", "Werkzeug>=2.3.0")
    assert who_requires_more(installed, "werkzeug", "2.3.0") is None
    assert who_requires_more(installed, "x", "0.5") == ("flask 2.3.0", "x>=1")


def test_minors_that_are_allowed() -> None:
    minors = [(3, number) for number in range(6, 14)]
    assert minors_to_try(">=3.8", minors, "3.10.2") == ("3.8", "3.9", "3.10")
    assert minors_to_try(">=3.8.1,!=3.9.*", minors, "3.10.2") == ("3.8", "3.10")


def test_extras_for_developers_are_no_bounds_of_users() -> None:
    assert extras_of_users(["async", "test", "Tests", "dev", "docs", "doctrine"]) == ("async", "doctrine")


def test_where_a_requirement_is_declared(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\ndependencies = [\n  "flask-login>=1",\n  "flask>=2.3",\n]\n'
    )
    (bounded,) = sort_requirements(["flask>=2.3"], "3.8.18").bounded
    assert declared_at(tmp_path, bounded) == ("pyproject.toml", 4)
    (other,) = sort_requirements(["six>=1"], "3.8.18").bounded
    assert declared_at(tmp_path, other) == ("", 0)
