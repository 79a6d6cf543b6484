"""The store of proven recipes: nearest in time, one repository whatever its address, damage, two writers."""

from __future__ import annotations

import multiprocessing
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fake_setups import packages_of, recipe
from hypothesis import given, settings
from hypothesis import strategies as some

from backdate.checking.recipe_store import FORMAT, ProvenRecipe, RecipeStore, identity_of
from backdate.errors import StoredDataError
from backdate.projects.project import Origin
from backdate.recipes.recipe import LaterCut, Provenance

DAY = datetime(2021, 3, 1, tzinfo=UTC)


def count(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM recipes").fetchone()[0])


def proven(package: str, instant: datetime = DAY, revision: str = "") -> ProvenRecipe:
    return ProvenRecipe(
        repository="git:host/a",
        revision=revision or package,
        instant=instant,
        python=None,
        recipe=recipe(package),
        passed=9,
        ran=10,
    )


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    store = RecipeStore(tmp_path / "new" / "recipes.sqlite3")
    assert store.nearest("git:host/a", DAY) is None
    one = proven("x")
    store.keep(one, DAY)
    assert store.nearest("git:host/a", DAY) == one
    assert store.nearest("git:host/b", DAY) is None


def test_a_later_proof_of_the_same_commit_takes_its_place(tmp_path: Path) -> None:
    store = RecipeStore(tmp_path / "s")
    store.keep(proven("x", revision="c"), DAY)
    store.keep(proven("y", revision="c"), DAY)
    found = store.nearest("git:host/a", DAY)
    assert found is not None
    assert packages_of(found.recipe) == {"y"}
    assert count(store.path) == 1


DAYS = some.integers(-2000, 2000)


@settings(deadline=None, max_examples=25)
@given(some.lists(DAYS, min_size=1, max_size=8, unique=True), DAYS)
def test_the_nearest_in_time(tmp_path_factory: pytest.TempPathFactory, days: list[int], asked: int) -> None:
    store = RecipeStore(tmp_path_factory.mktemp("store") / "s")
    for day in days:
        store.keep(proven(str(day), DAY + timedelta(days=day)), DAY)
    found = store.nearest("git:host/a", DAY + timedelta(days=asked))
    assert found is not None
    best = min(days, key=lambda day: (abs(day - asked), day))
    assert packages_of(found.recipe) == {str(best)}


@pytest.mark.parametrize(
    ("kind", "location", "identity"),
    [
        ("git", "https://GitHub.com/Owner/Name.git", "git:github.com/owner/name"),
        ("git", "https://github.com/owner/name/", "git:github.com/owner/name"),
        ("git", "git@github.com:owner/name.git", "git:github.com/owner/name"),
        ("git", "ssh://git@github.com/owner/name", "git:github.com/owner/name"),
        ("git", "/srv/Repo/.git", "git:/srv/Repo"),
        ("git", "/srv/Repo", "git:/srv/Repo"),
        ("sdist", "Attrs==22.1.0", "pypi:attrs"),
        ("folder", "/home/a/Project", "folder:/home/a/Project"),
    ],
)
def test_one_repository_whatever_its_address(kind: str, location: str, identity: str) -> None:
    assert identity_of(Origin(kind=kind, location=location)) == identity  # type: ignore[arg-type]


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_damaged_store_is_named_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s"
    path.write_bytes(content)
    store = RecipeStore(path)
    for use in (lambda: store.nearest("a", DAY), lambda: store.keep(proven("x"), DAY)):
        with pytest.raises(StoredDataError, match="--no-store"):
            use()
    assert path.read_bytes() == content


def test_another_database_is_not_taken_for_a_store(tmp_path: Path) -> None:
    path = tmp_path / "s"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE other (x)")
    connection.commit()
    connection.close()
    with pytest.raises(StoredDataError, match="another database"):
        RecipeStore(path).nearest("a", DAY)


def test_a_store_of_a_newer_version(tmp_path: Path) -> None:
    store = RecipeStore(tmp_path / "s")
    store.keep(proven("x"), DAY)
    connection = sqlite3.connect(store.path)
    connection.execute("PRAGMA user_version = 99")
    connection.commit()
    connection.close()
    with pytest.raises(StoredDataError, match="format 99"):
        store.nearest("git:host/a", DAY)


def test_a_recipe_that_cannot_be_read(tmp_path: Path) -> None:
    store = RecipeStore(tmp_path / "s")
    store.keep(proven("x"), DAY)
    connection = sqlite3.connect(store.path)
    connection.execute("UPDATE recipes SET recipe = '{'")
    connection.commit()
    connection.close()
    with pytest.raises(StoredDataError, match="recipe"):
        store.nearest("git:host/a", DAY)


def _write(path: Path, worker: int) -> None:
    store = RecipeStore(path)
    for number in range(20):
        store.keep(proven(f"{worker}-{number}", DAY + timedelta(days=worker * 100 + number)), DAY)


@pytest.mark.slow
def test_several_processes_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "s"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_write, args=(path, number)) for number in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert count(path) == 60


def in_format_1(recipe: bytes) -> bytes:
    return recipe.replace(b'"extra_cutoff_overrides"', b'"later_cuts"')


def test_a_store_of_the_first_format_is_read_and_brought_up_to_date(tmp_path: Path) -> None:
    store = RecipeStore(tmp_path / "s")
    later = LaterCut(name="setuptools", until=DAY, provenance=Provenance(rule="a test"))
    old = replace(proven("x"), recipe=replace(recipe("x"), extra_cutoff_overrides=(later,)))
    store.keep(old, DAY)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        (stored,) = connection.execute("SELECT recipe FROM recipes").fetchone()
        connection.execute("UPDATE recipes SET recipe = ?", (in_format_1(stored),))
        connection.execute("PRAGMA user_version = 1")
    assert store.nearest("git:host/a", DAY) == old
    store.keep(proven("y", DAY + timedelta(days=9)), DAY)
    assert store.nearest("git:host/a", DAY) == old
    with closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (FORMAT,)
        texts = [bytes(row) for (row,) in connection.execute("SELECT recipe FROM recipes")]
    assert len(texts) == 2
    assert not any(b"later_cuts" in text for text in texts)


def test_what_is_kept_already_is_not_written_again(tmp_path: Path) -> None:
    store = RecipeStore(tmp_path / "store.sqlite3")
    one = proven("x")
    store.keep(one, DAY)
    before = store.path.read_bytes()
    store.keep(one, DAY + timedelta(days=1))
    assert store.path.read_bytes() == before
    store.keep(replace(one, passed=8), DAY)
    assert store.path.read_bytes() != before
    assert store.nearest("git:host/a", DAY) == replace(one, passed=8)
