"""Proven recipes, kept for other commits of the same repository (the reference database of SetupAgent).

One SQLite file in the cache folder, shared by all processes of a user. What is proven at one commit is the
first candidate at the commit that is nearest in time.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from backdate.errors import InstantError, NewerFormat, StoredDataError
from backdate.migrations import RECIPE_OF_FORMAT_1, Migration, read_stored
from backdate.projects.project import Origin
from backdate.recipes.recipe import Recipe
from backdate.serial import to_json
from backdate.timeline.instants import Instant, format_instant, parse_instant

FILE = "recipes.sqlite3"
FORMAT = 2
"""Of the file (its ``user_version``) and of the recipes in it."""
_MIGRATIONS = (Migration(to_format=2, renames=RECIPE_OF_FORMAT_1),)
_BUSY_S = 30.0
_MADE = """
CREATE TABLE IF NOT EXISTS recipes (
    repository TEXT NOT NULL,  -- see identity_of
    revision TEXT NOT NULL,    -- the commit, or the sdist's hash
    instant TEXT NOT NULL,     -- RFC 3339, UTC
    seconds REAL NOT NULL,     -- the same since 1970
    python TEXT,               -- an interpreter against what the project says; NULL as a rule
    recipe BLOB NOT NULL,      -- JSON
    passed INTEGER NOT NULL,
    ran INTEGER NOT NULL,
    proven TEXT NOT NULL,      -- when
    PRIMARY KEY (repository, revision, instant)
)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenRecipe:
    """A recipe that was proven."""

    repository: str
    revision: str
    """The commit hash or the sdist's SHA-256; empty for a folder without one."""
    instant: Instant
    python: str | None
    """The interpreter that a repair asked for, against what the project says; None as a rule."""
    recipe: Recipe
    passed: int
    ran: int


def identity_of(origin: Origin) -> str:
    """Equal for all commits of one repository, however its address is written, and all sdists of one name."""
    location = origin.location
    if origin.kind == "sdist":
        return f"pypi:{location.partition('==')[0].lower()}"
    if origin.kind == "folder":
        return f"folder:{location}"
    address = re.sub(r"^(?:[\w.-]+@)([\w.-]+):(?!//)", r"ssh://\1/", location)
    if "://" not in address:
        return f"git:{location.rstrip('/').removesuffix('/.git')}"
    parts = urlsplit(address)
    path = parts.path.rstrip("/").removesuffix(".git").strip("/")
    host = (parts.hostname or "").lower()
    # The forges compare names without regard to case; a file system does not.
    return f"git:{host}/{path.lower() if host else path}"


class RecipeStore:
    """The store at a file, which is made when something is kept. Every call is one short transaction."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def keep(self, proven: ProvenRecipe, when: Instant) -> None:
        """Keep a recipe, in place of one for the same commit and instant; one that is there is not written.

        Raises StoredDataError when the file is not a store; nothing in it is changed then.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        row = (
            *(proven.repository, proven.revision, format_instant(proven.instant)),
            *(proven.instant.timestamp(), proven.python, to_json(proven.recipe)),
            *(proven.passed, proven.ran, format_instant(when)),
        )
        with self._open() as connection:
            if _holds(connection, row):
                return  # a write is waited for until it is on the disk
            self._bring_up_to_date(connection)
            connection.execute("INSERT OR REPLACE INTO recipes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def nearest(self, repository: str, instant: Instant) -> ProvenRecipe | None:
        """The recipe of ``repository`` that was proven nearest in time to ``instant``; of two the older one.

        Raises StoredDataError as ``keep`` does.
        """
        if not self.path.exists():
            return None
        with self._open() as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
            if not tables:
                return None  # another process is about to make it
            if "recipes" not in tables:
                raise self._damaged("it is another database")
            row = connection.execute(
                "SELECT revision, instant, python, recipe, passed, ran FROM recipes WHERE repository = ? "
                "ORDER BY abs(seconds - ?), seconds, revision LIMIT 1",
                (repository, instant.astimezone(UTC).timestamp()),
            ).fetchone()
            written_as = _format_of(connection)
        return None if row is None else self._read(repository, row, written_as)

    def last(self, repository: str) -> ProvenRecipe | None:
        """The recipe of ``repository`` that was proven last, with settings or without; None for none.

        Those that settings had a part in are kept under the same name with ``#`` and more behind it. Raises
        StoredDataError as ``keep`` does.
        """
        if not self.path.exists():
            return None
        with self._open() as connection:
            row = connection.execute(
                "SELECT revision, instant, python, recipe, passed, ran FROM recipes WHERE repository = ? "
                "OR substr(repository, 1, ?) = ? ORDER BY proven DESC LIMIT 1",
                (repository, len(repository) + 1, f"{repository}#"),
            ).fetchone()
            written_as = _format_of(connection)
        return None if row is None else self._read(repository, row, written_as)

    def _bring_up_to_date(self, connection: sqlite3.Connection) -> None:
        """Make the table where there is none, and rewrite recipes of an older format in the current one."""
        connection.execute(_MADE)
        written_as = _format_of(connection)
        if 0 < written_as < FORMAT:
            rows = connection.execute("SELECT rowid, recipe FROM recipes").fetchall()
            connection.executemany(
                "UPDATE recipes SET recipe = ? WHERE rowid = ?",
                [(to_json(self._recipe(recipe, written_as)), row) for row, recipe in rows],
            )
        connection.execute(f"PRAGMA user_version = {FORMAT}")

    def _recipe(self, recipe: object, written_as: int) -> Recipe:
        return read_stored(
            Recipe,
            recipe if isinstance(recipe, bytes) else str(recipe).encode(),
            current=FORMAT,
            migrations=_MIGRATIONS,
            what=f"a recipe in {self.path}",
            stored_format=written_as,
        )

    def _read(self, repository: str, row: Sequence[Any], written_as: int) -> ProvenRecipe:
        revision, then, python, recipe, passed, ran = row
        try:
            return ProvenRecipe(
                repository=repository,
                revision=str(revision),
                instant=parse_instant(str(then)),
                python=None if python is None else str(python),
                recipe=self._recipe(recipe, written_as),
                passed=int(passed),
                ran=int(ran),
            )
        except (InstantError, ValueError, TypeError) as error:
            raise self._damaged(f"the row of {repository}: {error}") from error

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """One transaction. A damaged or newer file is left as it is, for whoever wants to mend it."""
        try:
            with closing(sqlite3.connect(self.path, timeout=_BUSY_S)) as connection:
                written_as = _format_of(connection)
                if written_as > FORMAT:
                    raise NewerFormat(
                        f"the store of recipes {self.path} has format {written_as}, this version reads up to "
                        f"{FORMAT}: update backdate, or go on without it with --no-store"
                    )
                connection.execute("PRAGMA journal_mode = WAL")
                # With WAL this loses the last rows at worst when the power goes; the file stays whole.
                connection.execute("PRAGMA synchronous = NORMAL")
                with connection:
                    yield connection
        except sqlite3.OperationalError as error:
            raise StoredDataError(
                f"the store of recipes {self.path} cannot be used: {error}; go on without it with --no-store"
            ) from error
        except sqlite3.DatabaseError as error:
            raise self._damaged(str(error)) from error

    def _damaged(self, why: str) -> StoredDataError:
        return StoredDataError(
            f"{self.path} is no store of recipes ({why}); nothing was changed in it. Move it away to begin a "
            "new one, or go on without it with --no-store"
        )


def _holds(connection: sqlite3.Connection, row: tuple[object, ...]) -> bool:
    """Whether the file, of the current format, has that row, whenever it was proven first."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if _format_of(connection) != FORMAT or "recipes" not in tables:
        return False
    same = connection.execute(
        "SELECT 1 FROM recipes WHERE repository = ? AND revision = ? AND instant = ? AND seconds = ? "
        "AND python IS ? AND recipe = ? AND passed = ? AND ran = ?",
        row[:-1],
    )
    return same.fetchone() is not None


def _format_of(connection: sqlite3.Connection) -> int:
    """The format that the file was last written in; 0 for a new one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
