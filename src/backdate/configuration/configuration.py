"""Settings of a project's recipe and of its runs, each with where it was written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class SettingSource(StrEnum):
    """Who wrote a setting. The first goes before the others."""

    COMMAND_LINE = "command line"
    USER = "user"
    """The user's own ``backdate.toml``, in the folder of their configuration."""
    PROJECT = "project"
    """A file of the project: somebody else may have written it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingOrigin:
    """Where a setting was written."""

    source: SettingSource
    name: str
    """What it is called there: "test-command", "--test-command"."""
    file: str | None = None
    """For the project's relative to its root; for the user's own its path; None for the command line."""
    line: int | None = None
    """Counted from 1; None where it is not known."""

    @property
    def text(self) -> str:
        """For people: ``test-command (pyproject.toml:12)``, or the option."""
        if self.file is None:
            return self.name
        return f"{self.name} ({self.file}:{self.line})" if self.line else f"{self.name} ({self.file})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Generic[T]):
    """A value that somebody wrote."""

    value: T
    origin: SettingOrigin


Names = tuple[str, ...]
WIDENS = {"widens": True}
"""Marks a setting that gives a project's code more than it has by itself."""
COMPARED = {"recipe": False}
"""Marks a setting that is about what is compared, not about how the project is installed and tested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """What was written about a project; None for what nobody wrote.

    What is written for ``extras``, ``groups``, ``requirements``, ``constraints`` and ``packages`` takes the
    place of what a recipe has of them; the other lists are added to it.
    """

    test_command: Setting[str] | None = None
    """A shell command, read as one of a CI file is."""
    pytest_arguments: Setting[Names] | None = None
    deselect: Setting[Names] | None = None
    """Node ids of pytest, or what they begin with."""
    extras: Setting[Names] | None = None
    groups: Setting[Names] | None = None
    requirements: Setting[Names] | None = None
    """Requirements files, relative to the project's root."""
    constraints: Setting[Names] | None = None
    """Constraints files."""
    packages: Setting[Names] | None = None
    """Requirements (PEP 508) besides files, extras and groups."""
    build_constraints: Setting[Names] | None = None
    """Limits on what isolated builds install (PEP 508)."""
    environment: tuple[tuple[str, Setting[str]], ...] = ()
    """Environment variables of installing and testing, by name."""
    refused_services: Setting[Names] | None = None
    """Kinds of services that are not started; ``all`` for every kind."""

    python: Setting[str] | None = field(default=None, metadata=COMPARED)
    from_instant: Setting[str] | None = field(default=None, metadata=COMPARED)
    """As it was written: relative instants mean what they mean when they are used."""
    to_instant: Setting[str] | None = field(default=None, metadata=COMPARED)
    asked: Setting[str] | None = field(default=None, metadata=COMPARED)
    """``declared``, ``lifted`` or ``both``."""

    network: Setting[bool] | None = field(default=None, metadata=WIDENS)
    """Whether tests reach this machine's network."""
    debian_packages: Setting[Names] | None = field(default=None, metadata=WIDENS)
    """Installed in a base system of their own."""
    services: Setting[Names] | None = field(default=None, metadata=WIDENS)
    """Kinds of services to start for tests, besides those that the recipe finds."""
    host_variables: Setting[Names] | None = field(default=None, metadata=WIDENS)
    """Names of this machine's environment variables that tests see. Their values are kept nowhere."""

    @property
    def effect(self) -> tuple[object, ...]:
        """All that the recipe, its rights and its runs are a function of, wherever it was written.

        Empty when nothing of the kind was written.
        """
        return tuple(
            (each.name, _effect_of(value))
            for each in fields(self)
            if (value := getattr(self, each.name)) and each.metadata.get("recipe", True)
        )

    def without_widening(self) -> Configuration:
        """The same without them."""
        nothing: dict[str, Any] = dict.fromkeys(widening_fields())
        return replace(self, **nothing)

    def over(self, lower: Configuration) -> Configuration:
        """This one, with what it does not say taken from ``lower``. Variables are taken one by one."""
        chosen = {
            each.name: value if (value := getattr(self, each.name)) is not None else getattr(lower, each.name)
            for each in fields(self)
        }
        chosen["environment"] = tuple({**dict(lower.environment), **dict(self.environment)}.items())
        return Configuration(**chosen)


def widening_fields() -> Iterator[str]:
    """The names of the fields that widen rights."""
    return (each.name for each in fields(Configuration) if each.metadata.get("widens"))


def _effect_of(value: object) -> object:
    if isinstance(value, Setting):
        return value.value
    return [(name, setting.value) for name, setting in value]  # type: ignore[attr-defined]  # the variables


NO_CONFIGURATION = Configuration()
