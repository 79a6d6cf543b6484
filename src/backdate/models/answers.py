"""A cache of replies: the same request to the same model is sent once.

One SQLite file, limited in size; the least recently used replies are removed first. It holds no failures and
no API keys: an answer's key is the digest of the model, its sampling and the question.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from backdate.errors import MachineError, StoredDataError
from backdate.models.interface import Answer, Message, Model, Reply, ToolChoice, ToolDefinition
from backdate.models.request import make_question, question_key
from backdate.models.settings import Sampling
from backdate.serial import from_json, to_json

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, reply BLOB NOT NULL, size INTEGER NOT NULL, used REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answers_used ON answers (used, size);
"""
_BUSY_S = 30.0


class AnswerStore:
    """The answers in the file ``path``, at most ``max_bytes`` of them. Safe for threads and processes.

    Raises MachineError when the file cannot be written, StoredDataError when it is damaged.
    """

    def __init__(self, path: Path, *, max_bytes: int = 1024**3) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error) as error:
            raise MachineError(f"the cache of answers {path} cannot be written: {error}") from error
        try:
            self._run("PRAGMA journal_mode = WAL")
            self._connection.executescript(_SCHEMA)
        except sqlite3.Error as error:
            self.close()
            raise self._error(error) from error
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def load(self, key: str) -> Reply | None:
        """The cached reply; one that cannot be read is removed and counts as missing."""
        with self._lock:
            row = self._run("SELECT reply FROM answers WHERE key = ?", key).fetchone()
            if row is None:
                return None
            try:
                reply = from_json(Reply, row[0], what=f"an answer in {self._path}")
            except StoredDataError:
                self._run("DELETE FROM answers WHERE key = ?", key)
                return None
            self._run("UPDATE answers SET used = ? WHERE key = ?", time.time(), key)
        return replace(reply, from_cache=True)

    def store(self, key: str, reply: Reply) -> None:
        """Store ``reply`` and make room for it."""
        data = to_json(replace(reply, from_cache=False))
        if len(data) > self._max_bytes:
            return
        with self._lock:
            row = (key, data, len(data), time.time())
            self._run("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", *row)
            (total,) = self._run("SELECT sum(size) FROM answers").fetchone()
            while total > self._max_bytes:
                oldest, size = self._run("SELECT key, size FROM answers ORDER BY used LIMIT 1").fetchone()
                self._run("DELETE FROM answers WHERE key = ?", oldest)
                total -= size

    def _run(self, statement: str, *values: object) -> sqlite3.Cursor:
        try:
            return self._connection.execute(statement, values)
        except sqlite3.Error as error:
            raise self._error(error) from error

    def _error(self, error: sqlite3.Error) -> MachineError | StoredDataError:
        if isinstance(error, sqlite3.OperationalError):  # locked for long, read-only, disk full
            return MachineError(f"the cache of answers {self._path} cannot be used: {error}")
        return StoredDataError(f"the cache of answers {self._path} is damaged ({error}); delete it")


class RememberingModel:
    """``model``, which gets only requests that it has not answered before.

    ``specification`` and ``sampling`` are those of ``model``: they are part of the key.
    """

    def __init__(self, model: Model, store: AnswerStore, *, specification: str, sampling: Sampling) -> None:
        self._model = model
        self._store = store
        self._specification = specification
        self._sampling = sampling

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def ask(
        self,
        conversation: Sequence[Message],
        *,
        tools: Sequence[ToolDefinition] = (),
        tool_choice: ToolChoice = "auto",
        stop: Sequence[str] = (),
    ) -> Answer:
        """See ``Model.ask``."""
        question = make_question(conversation, tools, tool_choice, stop)
        key = question_key(self._specification, self._sampling, question)
        kept = self._store.load(key)
        if kept is not None:
            return kept
        answer = self._model.ask(conversation, tools=tools, tool_choice=tool_choice, stop=stop)
        if isinstance(answer, Reply):
            self._store.store(key, answer)
        return answer
