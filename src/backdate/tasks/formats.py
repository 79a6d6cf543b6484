"""Reading stored tasks and data sets of every format."""

from __future__ import annotations

import re
from typing import Any

from backdate.migrations import LOCKS_AND_RECIPES_OF_FORMAT_1, Migration, read_stored
from backdate.tasks.card import DATASET_FORMAT, DatasetInfo
from backdate.tasks.task import TASK_FORMAT, Task
from backdate.testing.node_ids import plain_id

_MOVED = (
    "old",
    "new",
    "recipe",
    "scripts",
    "unpinning_patch",
    "test_patch",
    "gold_patch",
    "causes",
    "culprits",
)


def read_task(data: bytes, *, what: str) -> Task:
    """The task that ``data`` holds, whichever format it was written in.

    Raises StoredDataError, naming ``what``, when it holds none, or one of a newer version.
    """
    return read_stored(Task, data, current=TASK_FORMAT, migrations=_MIGRATIONS, what=what)


def read_info(data: bytes, *, what: str) -> DatasetInfo:
    """``dataset.json`` of any format. Raises StoredDataError as ``read_task`` does."""
    return read_stored(
        DatasetInfo, data, current=DATASET_FORMAT, migrations=(Migration(to_format=2),), what=what
    )


def _to_2(document: dict[str, Any]) -> dict[str, Any]:
    """Format 1 had migration tasks alone; their sides, patches and facts were fields of the task."""
    kept = {name: value for name, value in document.items() if name not in _MOVED}
    tests = document.get("tests", [])
    return {
        **kept,
        "facts": {
            "kind": "migration",
            "old": document.get("old"),
            "causes": document.get("causes", []),
            "culprits": document.get("culprits", []),
        },
        "environment": document.get("new"),
        "setup": _setup_of(document),
        "patches": {
            "preparation": document.get("unpinning_patch", ""),
            "test": document.get("test_patch", ""),
            "reference": document.get("gold_patch", ""),
        },
        "tests": [_with_stages(test) for test in tests] if isinstance(tests, list) else tests,
        "proof": _with_stages(document.get("proof")),
    }


def _setup_of(document: dict[str, Any]) -> Any:
    """What is no set-up stays as it is: decoding the task refuses it."""
    if document.get("recipe") is not None:
        return {"by": "recipe", "recipe": document["recipe"]}
    scripts = document.get("scripts")
    return {"by": "scripts", **scripts} if isinstance(scripts, dict) else scripts


def _with_stages(value: Any) -> Any:
    """A test or a proof with its sides by their new names; what is neither stays as it is."""
    if not isinstance(value, dict):
        return value
    names = {"old": "origin", "new": "start", "gold": "reference"}
    return {names.get(name, name): part for name, part in value.items()}


def _with_plain_ids(document: dict[str, Any]) -> dict[str, Any]:
    """Up to format 4 an id was what pytest called a test: before 4.0 ``a.py::A::()::test``."""
    return {key: _plain_ids(value) if key in ("tests", "proof") else value for key, value in document.items()}


def _plain_ids(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain_ids(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain_ids(item) for key, item in value.items()}
    return plain_id(value) if isinstance(value, str) and _NODE_ID.match(value) else value


_NODE_ID = re.compile(r"[^\s:]+\.\w+::")
_MIGRATIONS = (
    Migration(to_format=2, renames=LOCKS_AND_RECIPES_OF_FORMAT_1, change=_to_2),
    Migration(to_format=3),  # a proof may hold a record for judge runs
    Migration(to_format=4),  # and what builds take from the index
    Migration(to_format=5, change=_with_plain_ids),
    Migration(to_format=6),  # an issue task may say what is known of its quality
    Migration(to_format=7),  # and the hints of its issue; a task may wait to be set up
    Migration(to_format=8),  # trials of its quality say what was asked of them, and have halves
)
