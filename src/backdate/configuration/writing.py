"""Settings written into a project's file; all else in it stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backdate.configuration.documents import OWN_FILE, PYPROJECT
from backdate.errors import ConfigurationError
from backdate.projects.read import decode, read_bytes


def place_of_settings(root: Path) -> str:
    """The file of a project that has its settings, or should: ``backdate.toml`` where there is one.

    Raises ConfigurationError for files that cannot be read safely.
    """
    if read_bytes(root, OWN_FILE) is not None or read_bytes(root, PYPROJECT) is None:
        return OWN_FILE
    return PYPROJECT


def text_with_settings(root: Path, name: str, values: Mapping[str, object]) -> str:
    """The file ``name`` of the project at ``root`` with ``values`` in place of those of the same keys.

    Comments, order and spaces stay. Raises ConfigurationError for a file that is not TOML.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    data = read_bytes(root, name)
    text = "" if data is None else decode(data)
    try:
        document = tomlkit.parse(text)
        table: Any = document
        if name == PYPROJECT:
            tool = document.setdefault("tool", tomlkit.table(is_super_table=True))
            if "backdate" not in tool:
                tool["backdate"] = tomlkit.table()
            table = tool["backdate"]
        for key, value in values.items():
            if isinstance(value, Mapping):
                inner = table.setdefault(key, tomlkit.table())
                for each, content in value.items():
                    inner[each] = content
            elif table.get(key) != value:
                table[key] = value
    except (TOMLKitError, TypeError, AttributeError) as error:
        raise ConfigurationError(f"{name} cannot be changed: {error}") from error
    return tomlkit.dumps(document)
