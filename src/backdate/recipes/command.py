"""One command of a project's files, ready to be understood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, SkippedInstruction


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramCall:
    """A program with its arguments, and where it would run."""

    words: tuple[str, ...]
    """At least one."""
    cwd: str
    """Relative to the project's root."""
    files: Files
    variables: tuple[tuple[str, str], ...] = ()
    """For this command alone."""
    known: Mapping[str, str]
    """All variables that are known there."""
    provenance: Provenance

    @property
    def arguments(self) -> tuple[str, ...]:
        """All but the program."""
        return self.words[1:]

    def having(self, words: Sequence[str]) -> ProgramCall:
        """The same with other words."""
        return replace(self, words=tuple(words))

    def skipped(self, reason: str) -> SkippedInstruction:
        """This command, or a part of it, not followed."""
        return SkippedInstruction(reason=reason, provenance=self.provenance)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedOptions:
    """A command line taken apart."""

    values: tuple[tuple[str, str], ...]
    """(option, its value; "" for a flag), in order."""
    positional: tuple[str, ...]

    def all(self, *names: str) -> list[str]:
        """The values of an option under any of its names, those with commas taken apart."""
        values = [value for name, value in self.values if name in names]
        return [part.strip() for value in values for part in value.split(",") if part.strip()]

    def has(self, *names: str) -> bool:
        """Whether an option is given."""
        return any(name in names for name, _ in self.values)


def read_options(arguments: Sequence[str], with_value: Sequence[str]) -> ParsedOptions:
    """Take ``arguments`` apart; ``with_value`` names the options that take one (``-r``, ``--with``).

    ``-rfile`` and ``--with=value`` are understood; ``--`` ends the options.
    """
    values: list[tuple[str, str]] = []
    positional: list[str] = []
    position = 0
    while position < len(arguments):
        word = arguments[position]
        position += 1
        if word == "--":
            positional += arguments[position:]
            break
        if not word.startswith("-") or word == "-":
            positional.append(word)
        elif word in with_value:
            values.append((word, arguments[position] if position < len(arguments) else ""))
            position += 1
        elif word.startswith("--"):
            name, _, value = word.partition("=")
            values.append((name, value))
        elif word[:2] in with_value:
            values.append((word[:2], word[2:].removeprefix("=")))
        else:
            values.append((word, ""))
    return ParsedOptions(values=tuple(values), positional=tuple(positional))
