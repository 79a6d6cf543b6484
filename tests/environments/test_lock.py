import tomllib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.environments.cutoff_overrides import cutoff_overrides_at
from backdate.environments.environment import CutoffOverride
from backdate.environments.lock import is_local, read_pylock, with_index
from backdate.errors import StoredDataError

INSTANT = datetime(2021, 3, 1, tzinfo=UTC)
PYLOCK = """
lock-version = "1.0"
[[packages]]
name = "Proj"
directory = { path = "@PROJECT@" }
[[packages]]
name = "helper"
directory = { path = "@PROJECT@/sub" }
[[packages]]
name = "idna"
version = "2.10"
sdist = { url = "https://x/idna-2.10.tar.gz", upload-time = 2020-06-27T23:45:05Z, hashes = { sha256 = "b3" } }
wheels = [{ url = "https://x/i.whl", upload-time = 2020-06-27T23:45:03Z, hashes = { sha256 = "a1" } }]
[[packages]]
name = "atomicwrites"
version = "1.4.1"
sdist = { url = "https://x/a.tar.gz", upload-time = 2022-07-08T18:31:40Z, hashes = { sha256 = "c4" } }
[[packages]]
name = "from-git"
version = "3.0"
vcs = { type = "git", url = "https://x/y", commit-id = "0123" }
"""


def read(text: str) -> object:
    return read_pylock(text, instant=INSTANT, python="3.8.18", cutoff_overrides=cutoff_overrides_at(INSTANT))


def test_what_a_lock_says() -> None:
    lock = read_pylock(
        PYLOCK, instant=INSTANT, python="3.8.18", cutoff_overrides=cutoff_overrides_at(INSTANT)
    )
    by_name = {one.name: one for one in lock.distributions}
    assert list(by_name) == ["atomicwrites", "from-git", "helper", "idna", "proj"]
    assert by_name["idna"].hashes == ("sha256:a1", "sha256:b3")
    assert by_name["idna"].uploaded == datetime(2020, 6, 27, 23, 45, 3, tzinfo=UTC)
    assert by_name["proj"].source == "."
    assert by_name["helper"].source == "sub"
    assert by_name["from-git"].source == "git+https://x/y@0123"
    assert [one.name for one in lock.distributions if is_local(one)] == ["helper", "proj"]


def test_only_exemptions_that_mattered_are_kept() -> None:
    lock = read_pylock(
        PYLOCK,
        instant=INSTANT,
        python="3.8.18",
        cutoff_overrides=(
            *cutoff_overrides_at(INSTANT),
            CutoffOverride(name="idna", until=datetime(2022, 1, 1, tzinfo=UTC), reason="not needed"),
        ),
    )
    assert [one.name for one in lock.cutoff_overrides] == ["atomicwrites"]


def test_exemptions_end() -> None:
    assert [one.name for one in cutoff_overrides_at(datetime(2018, 1, 1, tzinfo=UTC))] == [
        "atomicwrites",
        "setuptools",
        "wheel",
    ]
    assert cutoff_overrides_at(datetime(2023, 1, 1, tzinfo=UTC)) == ()


@given(st.text())
def test_other_texts_are_refused_or_read_but_never_crash(text: str) -> None:
    try:
        read(text)
    except StoredDataError:
        pass


@pytest.mark.parametrize(
    "text", ["packages = 3", "[[packages]]", "packages = [1]", '[[packages]]\nname="a"\nwheels=3', "="]
)
def test_damaged_locks(text: str) -> None:
    with pytest.raises(StoredDataError, match="lock cannot be read"):
        read(text)


LOCKED = """lock-version = "1.0"
created-by = "uv"

[[packages]]
name = "attrs"
version = "24.2.0"
wheels = [{ url = "https://files.example/attrs.whl", hashes = { sha256 = "ab" } }]

[[packages]]
name = "here"
version = "1"
directory = { path = "@PROJECT@" }

[[packages]]
name = "there"
version = "2"
vcs = { type = "git", url = "https://git.example/there", commit-id = "ab" }

[[packages]]
name = "said"
version = "3"
index = "https://other.example/simple"
"""


def test_the_index_is_written_to_what_comes_from_it_and_to_nothing_else() -> None:
    text = with_index(LOCKED, "https://pypi.org/simple")
    found = {one["name"]: one.get("index") for one in tomllib.loads(text)["packages"]}
    assert found == {
        "attrs": "https://pypi.org/simple",
        "here": None,
        "there": None,
        "said": "https://other.example/simple",
    }
    assert with_index(text, "https://pypi.org/simple") == text
    assert text.replace('index = "https://pypi.org/simple"\n', "") == LOCKED
    assert with_index("", "https://pypi.org/simple") == ""


@pytest.mark.parametrize(
    "text",
    [
        '[[packages]]\nname = """x\n[[packages]]\n"""\nversion = "1"\n',  # two readers see other packages
        "x = " + "[" * 100_000,
        'packages = [{ name = "x", version = "1" }]\n',
        '[[packages]]\nname = "x"\nversion = 1\n',
        '[[packages]]\nname = "x"\nversion = "1"\nwheels = [{ name = 1, url = "u" }]\n',
        '[[packages]]\nname = "x"\nversion = "1"\nwheels = [{ url = "u", upload-time = 12:00:00 }]\n',
        '[[packages]]\nname = "../x"\nversion = "1"\n',
    ],
)
def test_a_lock_that_foreign_code_could_have_written_is_refused(text: str) -> None:
    with pytest.raises(StoredDataError, match="lock cannot be read"):
        read(text)
