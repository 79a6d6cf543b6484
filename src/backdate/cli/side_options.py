"""Which two sides are compared: the options of ``check``, ``bisect`` and ``fix``, over what settings say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backdate.checking.question import AskedQuestions, Question
from backdate.cli import options

if TYPE_CHECKING:
    from backdate.checking.options import SideKeywords
    from backdate.configuration.configuration import Configuration, Setting
    from backdate.projects.locked_versions import LockedVersions


@dataclass(frozen=True, slots=True, kw_only=True)
class SideOptions:
    """What the command line says about the two sides."""

    from_: options.FromInstant = None
    to: options.ToInstant = None
    from_lock: Annotated[
        Path | None,
        typer.Option(
            "--from-lock",
            metavar="FILE",
            help="Hold the old side to the versions of this uv.lock, poetry.lock, pdm.lock, pylock.toml or "
            "requirements.txt: what was deployed, against today.",
        ),
    ] = None
    python: options.Python = None
    move_python: options.MovePython = False

    def asked(self, said: Configuration) -> SideKeywords:
        """The sides: what the command line says; of interpreters then what the settings do.

        The instants of settings are read with the project (``checking/own_instants.py``). Raises UsageError
        for an instant that is none, ConfigurationError for a lock that cannot be read.
        """
        return {
            "from_instant": options.instant(self.from_),
            "to_instant": options.instant(self.to),
            "python": self.python_of(said),
            "move_python": self.move_python,
            "locked": self.locked(),
        }

    def python_of(self, said: Configuration) -> str | None:
        """The interpreter that is asked for."""
        return self.python or written(said.python)

    def locked(self) -> LockedVersions | None:
        """What --from-lock names. Raises ConfigurationError."""
        if self.from_lock is None:
            return None
        from backdate.projects.locked_versions import read_locked_versions

        return read_locked_versions(self.from_lock)


NO_SIDES = SideOptions()


def written(setting: Setting[str] | None) -> str | None:
    """The value of a setting that is a text; None for none."""
    return setting.value if setting is not None else None


def deciding_questions(given: AskedQuestions | None, said: Configuration) -> AskedQuestions:
    """Which questions decide: what --as says, then the settings; else declared."""
    return given or AskedQuestions(written(said.asked) or AskedQuestions.DECLARED)


def one_question(given: Question | None, said: Configuration, default: Question) -> Question:
    """The question of a command that asks one: what --as says, then the settings.

    ``as = "both"`` leaves it to the command's ``default``.
    """
    asked = written(said.asked)
    return given or (default if asked in (None, AskedQuestions.BOTH) else Question(asked))
