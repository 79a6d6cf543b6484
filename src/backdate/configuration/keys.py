"""The keys of ``[tool.backdate]`` and ``backdate.toml``: their types, and what a wrong one is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from backdate.configuration.configuration import (
    NO_CONFIGURATION,
    Configuration,
    Setting,
    SettingOrigin,
    SettingSource,
)
from backdate.errors import UsageError
from backdate.sandboxes.services.wanted import ServiceKind
from backdate.timeline.instants import parse_instant

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_OURS = "BACKDATE_"
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+\Z")
"""A Debian package's name (Debian policy 5.6.1)."""
ALL_SERVICES = "all"


class _Wrong(Exception):
    """A value that its key cannot have."""


@dataclass(frozen=True, slots=True)
class _Key:
    """Where a key is kept, and how it is read."""

    field: str
    read: Callable[[object], Any]


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _Wrong(f"it is a text, not {_kind(value)}")
    return value


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each.strip() for each in value):
        raise _Wrong(f'it is a list of texts, such as ["one", "two"], not {_kind(value)}')
    return tuple(value)


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise _Wrong(f"it is true or false, not {_kind(value)}")
    return value


def _instant(value: object) -> str:
    text = str(value) if hasattr(value, "isoformat") else _text(value)  # TOML has dates of its own
    parse_instant(text, words=True)
    return text


def _asked(value: object) -> str:
    text = _text(value)
    if text not in ("declared", "lifted", "both"):
        raise _Wrong(f"it is declared, lifted or both, not {text!r}")
    return text


def _python(value: object) -> str:
    text = _text(value)
    if not re.fullmatch(r"3\.\d{1,2}(\.\d{1,3})?", text):
        raise _Wrong(f'it is a version such as "3.11" or "3.11.4", not {text!r}')
    return text


def _services(value: object) -> tuple[str, ...]:
    names = _names(value)
    for name in names:
        if name not in {kind.value for kind in ServiceKind}:
            raise _Wrong(f"{name!r} is no service{nearest(name, [kind.value for kind in ServiceKind])}")
    return names


def _refused(value: object) -> tuple[str, ...]:
    if isinstance(value, bool):
        return (ALL_SERVICES,) if value else ()
    return _services(value)


def _packages(value: object) -> tuple[str, ...]:
    names = _names(value)
    for name in names:
        if not _PACKAGE.match(name):
            raise _Wrong(f"{name!r} is not the name of a Debian package")
    return tuple(sorted(set(names)))


def _variable_names(value: object) -> tuple[str, ...]:
    names = _names(value)
    for name in names:
        require_variable(name)
    return tuple(sorted(set(names)))


KEYS: Mapping[str, _Key] = {
    "test-command": _Key("test_command", _text),
    "pytest-arguments": _Key("pytest_arguments", _names),
    "deselect": _Key("deselect", _names),
    "extras": _Key("extras", _names),
    "groups": _Key("groups", _names),
    "requirements": _Key("requirements", _names),
    "constraints": _Key("constraints", _names),
    "packages": _Key("packages", _names),
    "build-constraints": _Key("build_constraints", _names),
    "refused-services": _Key("refused_services", _refused),
    "python": _Key("python", _python),
    "from": _Key("from_instant", _instant),
    "to": _Key("to_instant", _instant),
    "as": _Key("asked", _asked),
    "allow-network": _Key("network", _truth),
    "debian-packages": _Key("debian_packages", _packages),
    "services": _Key("services", _services),
    "host-variables": _Key("host_variables", _variable_names),
}
"""Every key but ``environment``, which is a table."""
ENVIRONMENT = "environment"


def require_variable(name: str) -> None:
    """Raise for what is no name of an environment variable, or is one of backdate's own."""
    if not _VARIABLE.match(name) or name.startswith(_OURS):
        raise _Wrong(f"{name!r} is not a name for an environment variable here")


def require_variable_name(name: str, option: str) -> None:
    """Raise UsageError for such a name, given with ``option``."""
    try:
        require_variable(name)
    except _Wrong as wrong:
        raise UsageError(f"{option}: {wrong}") from wrong


def read_table(table: object, where: Callable[[str], SettingOrigin]) -> tuple[Configuration, tuple[str, ...]]:
    """The settings of a table, and what is wrong with it, each problem in a sentence.

    ``where``: the origin of a key (``environment.NAME`` for a variable). What is wrong is left out.
    """
    if not isinstance(table, dict):
        return NO_CONFIGURATION, (f"{where('tool.backdate').text}: it is a table, not {_kind(table)}",)
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, value in table.items():
        origin = where(name)
        if name == ENVIRONMENT:
            values[ENVIRONMENT] = _environment(value, where, problems)
        elif name not in KEYS:
            known = (*KEYS, ENVIRONMENT)
            problems.append(f"{origin.text}: there is no such key{nearest(name, known)}")
        else:
            try:
                values[KEYS[name].field] = Setting(value=KEYS[name].read(value), origin=origin)
            except (_Wrong, UsageError) as wrong:
                problems.append(f"{origin.text}: {wrong}")
    return Configuration(**values), tuple(problems)


def _environment(
    value: object, where: Callable[[str], SettingOrigin], problems: list[str]
) -> tuple[tuple[str, Setting[str]], ...]:
    if not isinstance(value, dict):
        problems.append(f'{where(ENVIRONMENT).text}: it is a table, such as {{ NAME = "value" }}')
        return ()
    found: list[tuple[str, Setting[str]]] = []
    for name, text in value.items():
        origin = where(f"{ENVIRONMENT}.{name}")
        try:
            require_variable(name)
            found.append((name, Setting(value=_value(text), origin=origin)))
        except _Wrong as wrong:
            problems.append(f"{origin.text}: {wrong}")
    return tuple(found)


def _value(value: object) -> str:
    """The value of a variable, which may be empty."""
    if not isinstance(value, str) or "\0" in value:
        raise _Wrong(f"it is a text, not {_kind(value)}")
    return value


def nearest(name: str, known: Mapping[str, object] | list[str] | tuple[str, ...]) -> str:
    """For people: which of ``known`` may have been meant, or all of them."""
    import difflib  # where something is misspelt

    close = difflib.get_close_matches(name[:100], list(known), n=1)
    if close:
        return f"; did you mean {close[0]}?"
    return f"; there are {', '.join(known)}" if known else ""


def from_command_line(name: str, option: str, value: object) -> Setting[Any]:
    """The setting that the key ``name`` would have, given with ``option``. Raises UsageError."""
    origin = SettingOrigin(source=SettingSource.COMMAND_LINE, name=option)
    try:
        return Setting(value=KEYS[name].read(value), origin=origin)
    except _Wrong as wrong:
        raise UsageError(f"{option}: {wrong}") from wrong


def _kind(value: object) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "a table"}
    return f"the text {value[:60]!r}" if isinstance(value, str) else names.get(type(value), "something else")
