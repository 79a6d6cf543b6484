"""Which settings count: what a project's own files ask for beyond their rights is listed and ignored."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backdate.configuration.configuration import (
    NO_CONFIGURATION,
    Configuration,
    Setting,
    widening_fields,
)
from backdate.configuration.documents import read_project_configuration


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveConfiguration:
    """What counts for one project."""

    configuration: Configuration = NO_CONFIGURATION
    notes: tuple[str, ...] = ()
    """What of the project's own settings does not count, and why, each in a sentence."""


def effective_configuration(root: Path, *, local: bool, given: Configuration) -> EffectiveConfiguration:
    """What counts for the project at ``root``: ``given``, then what the project's own files say.

    ``given`` is what the user wrote or trusts (``Settings.configuration``). Whatever the project's files ask
    for that widens rights is left out: where the user trusts them, ``given`` has it. ``local``: whether they
    are a folder of the user's: then ConfigurationError is raised for what is wrong in them, for they can mend
    it; of others it is told, and the rest counts.
    """
    read = read_project_configuration(root)
    own = read.required() if local else read.configuration
    notes = tuple(f"ignored in the project's settings: {problem}" for problem in read.problems)
    notes += tuple(
        f"ignored: {setting.origin.text} asks for more than a project's own files can give; allow it on the "
        "command line, in your own backdate.toml, or with --trust-config for a folder"
        for name in widening_fields()
        if (setting := getattr(own, name)) is not None and not _covers(getattr(given, name), setting)
    )
    return EffectiveConfiguration(configuration=given.over(own.without_widening()), notes=notes)


def _covers(given: Setting[Any] | None, wanted: Setting[Any]) -> bool:
    """Whether the user gave all that ``wanted`` asks for."""
    if not wanted.value:
        return True
    if given is None:
        return False
    return bool(given.value) if given.value in (True, False) else set(wanted.value) <= set(given.value)
