"""Settings written into a project's file; all else in it stays as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backdate.configuration.documents import OWN_FILE, PYPROJECT
from backdate.editing.encodings import decode_configuration
from backdate.errors import ConfigurationError
from backdate.projects.read import read_bytes


def place_of_settings(root: Path) -> str:
    """The file of a project that has its settings, or should: ``backdate.toml`` where there is one.

    Raises ConfigurationError for files that cannot be read safely.
    """
    if read_bytes(root, OWN_FILE) is not None or read_bytes(root, PYPROJECT) is None:
        return OWN_FILE
    return PYPROJECT


def file_with_settings(root: Path, name: str, values: Mapping[str, object]) -> bytes:
    """The file ``name`` of the project at ``root`` with ``values`` in place of those of the same keys.

    Comments, order, spaces, line ends and a byte order mark stay. Raises ConfigurationError for a file that
    is not TOML, for settings in a form that cannot be added to, and for a link (a file would take its place).
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    data = read_bytes(root, name)
    if (root / name).is_symlink():
        raise ConfigurationError(f"{name} is a link and is not written: write the settings to where it leads")
    text = decode_configuration(b"" if data is None else data)
    try:
        document = tomlkit.parse(text.content)
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
        written = tomlkit.dumps(document)
        if text.newline == "\r\n":
            written = re.sub(r"(?<!\r)\n", "\r\n", written)
        return text.encode(written)
    except (TOMLKitError, ValueError, TypeError, AttributeError) as error:
        raise ConfigurationError(f"{name} cannot be changed: {error}") from error
