"""What a command line said of a project, so that a result can name the command that goes on from it."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCommand:
    """The project and the options of a command, as far as other commands on that project take them.

    The two instants and the question are left out: a result has them. Values that may be secret are not kept.
    """

    source: str
    """As the command line named it."""
    options: tuple[tuple[str, ...], ...] = ()
    """Each with its value, if it takes one: ("--python", "3.11"), ("--move-python",)."""
    of_this_command: tuple[tuple[str, ...], ...] = ()
    """Options that no other command takes, in the same form: for when the same command is to be run again."""
    pytest_arguments: tuple[str, ...] = ()
    """What stood after ``--``."""

    def has(self, option: str) -> bool:
        """Whether ``option`` was given."""
        return any(words[0] == option for words in self.options)

    def line(self, command: str, *more: str, without: Collection[str] = (), again: bool = False) -> str:
        """The command line of ``command`` that asks the same, for a shell.

        ``more``: further options; ``again``: it is the command that was asked, so what it alone takes counts.
        """
        given = (*self.options, *(self.of_this_command if again else ()))
        options = [word for words in given if words[0] not in without for word in words]
        after = ["--", *self.pytest_arguments] if self.pytest_arguments else []
        return shlex.join(["backdate", *command.split(), self.source, *options, *more, *after])
