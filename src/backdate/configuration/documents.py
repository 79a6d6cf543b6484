"""The settings in a project's files and in the user's own ``backdate.toml``."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from backdate.configuration.configuration import (
    NO_CONFIGURATION,
    Configuration,
    SettingOrigin,
    SettingSource,
)
from backdate.configuration.keys import read_table
from backdate.errors import ConfigurationError
from backdate.projects.read import read_text
from backdate.projects.toml import parse_toml

PYPROJECT = "pyproject.toml"
OWN_FILE = "backdate.toml"
_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?\Z")
_MENTIONED = re.compile(r"backdate")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadConfiguration:
    """The settings of one place."""

    configuration: Configuration = NO_CONFIGURATION
    problems: tuple[str, ...] = ()
    """What is wrong with them and left out, each in a sentence."""

    def required(self) -> Configuration:
        """The settings. Raises ConfigurationError, with all that is wrong, where anything is."""
        if self.problems:
            raise ConfigurationError("; ".join(self.problems))
        return self.configuration


def read_project_configuration(root: Path) -> ReadConfiguration:
    """``[tool.backdate]`` of the pyproject.toml of the tree at ``root``, or its ``backdate.toml``.

    The tree is hostile: whatever its files hold, a problem is a value. A pyproject.toml that is no TOML is
    no problem of this one: the readers of its metadata tell that.
    """
    try:
        own = read_text(root, OWN_FILE)
        project = read_text(root, PYPROJECT)
    except ConfigurationError as error:
        return ReadConfiguration(problems=(str(error),))
    table: object = {}
    if project is not None and _MENTIONED.search(project):
        try:
            tool = parse_toml(project).get("tool")
        except ConfigurationError:
            tool = None
        table = tool.get("backdate", {}) if isinstance(tool, dict) else {}
    if own is None:
        return _read(table, project or "", PYPROJECT, "tool.backdate", SettingSource.PROJECT)
    if table:
        both = f"{OWN_FILE} and [tool.backdate] of {PYPROJECT} are both there; keep one of them"
        return ReadConfiguration(problems=(both,))
    return _read_own(own, OWN_FILE, SettingSource.PROJECT)


def user_file() -> Path:
    """Where the user's own settings are: ``backdate/backdate.toml`` in the folder of their configuration."""
    import platformdirs

    return Path(platformdirs.user_config_dir("backdate")) / OWN_FILE


def read_user_configuration(path: Path | None = None) -> Configuration:
    """The user's own settings; none without a file. Raises ConfigurationError for what is wrong with them."""
    path = path or user_file()
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return NO_CONFIGURATION
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error
    return _read_own(text, os.fspath(path), SettingSource.USER).required()


def _read_own(text: str, file: str, source: SettingSource) -> ReadConfiguration:
    try:
        table = parse_toml(text)
    except ConfigurationError as error:
        return ReadConfiguration(problems=(f"{file}: {error}",))
    return _read(table, text, file, "", source)


def _read(table: object, text: str, file: str, header: str, source: SettingSource) -> ReadConfiguration:
    lines = _lines_of_keys(text, header)

    def where(name: str) -> SettingOrigin:
        return SettingOrigin(source=source, name=name[:100], file=file, line=lines.get(name))

    configuration, problems = read_table(table, where)
    return ReadConfiguration(configuration=configuration, problems=problems)


def _lines_of_keys(text: str, header: str) -> dict[str, int]:
    """The line of each key of the table ``header`` ("" for the top) that stands at a line's start."""
    found: dict[str, int] = {}
    below: str | None = "" if not header else None
    for number, line in enumerate(text.split("\n"), start=1):
        start = _HEADER.match(line)
        if start is not None:
            name = re.sub(r"[\s\"']", "", start[1])
            below = name[len(header) :].lstrip(".") if (name + ".").startswith(header + ".") else None
            if not header:
                below = name
            if below:
                found.setdefault(below, number)
            continue
        key = re.match(r"\s*[\"']?([A-Za-z0-9_.-]+)[\"']?\s*=", line)
        if key is not None and below is not None:
            found.setdefault(f"{below}.{key[1]}" if below else key[1], number)
    return found
