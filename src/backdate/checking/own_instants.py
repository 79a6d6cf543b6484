"""The instants that settings state of a project, where whoever asks states none.

An instant widens no right, so those of a repository by URL and of an sdist count as well: they are read in
the tree that was fetched.
"""

from __future__ import annotations

from dataclasses import dataclass

from backdate.checking.settings import Settings
from backdate.checking.starting_recipes import configuration_of
from backdate.configuration.configuration import Setting, SettingSource
from backdate.projects.project import Project
from backdate.timeline.instants import Instant, parse_instant


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnInstants:
    """What settings say of when the two sides are; None for what they do not say."""

    old: Instant | None = None
    new: Instant | None = None
    notes: tuple[str, ...] = ()
    """Which of the project's own count, for a project that is no folder of the user's."""


def own_instants(project: Project, settings: Settings) -> OwnInstants:
    """The instants of the user's own settings and of the project's.

    Raises ConfigurationError for what is wrong with those of a folder of the user's.
    """
    said = configuration_of(project, settings).configuration
    stated = [each for each in (said.from_instant, said.to_instant) if each is not None]
    own = [each.origin.text for each in stated if each.origin.source is SettingSource.PROJECT]
    notes = (f"the project's own settings say when: {', '.join(own)}",) if own else ()
    return OwnInstants(
        old=_instant(said.from_instant),
        new=_instant(said.to_instant),
        notes=notes if project.origin.kind != "folder" else (),
    )


def _instant(setting: Setting[str] | None) -> Instant | None:
    return None if setting is None else parse_instant(setting.value, words=True)
