"""What a command line said, for the commands that go on from its result."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_args, get_type_hints

from typer.models import OptionInfo

from backdate.checking.asked_command import AskedCommand

_PYTEST_ARGUMENT = "--pytest-argument"
_OF_SIDES = ("--from", "--to", "--as")
"""A result has them: as instants, and as its question."""
_OF_THIS_RUN = (
    "--format",
    "--output",
    "--json",
    "--junit",
    "--keep",
    "--verbose",
    "--picture",
    "--patch",
    "--audit",
    "--audit-tests",
    "--audit-seed",
    "--test",
    "--first",
    "--lowest",
    "--cache",
    "--apply-cap",
)
"""What is written where, what one command alone does, and where this machine keeps things."""
_OF_ONE_COMMAND = ("--solver", "--scope", "--tests")
"""What ``fix`` alone takes, and does again where it is called again."""


def asked_command(arguments: object) -> AskedCommand:
    """What ``arguments`` (of ``check``, ``bisect`` or ``fix``) say that the other commands take as well.

    Values of variables, and addresses with a user in them, are not in it: it is shown, and kept in results.
    """
    given = [each for each in _given(arguments) if each[0] not in (*_OF_SIDES, *_OF_THIS_RUN)]
    return AskedCommand(
        source=str(getattr(arguments, "source", ".")),
        options=tuple(each for each in given if each[0] not in (_PYTEST_ARGUMENT, *_OF_ONE_COMMAND)),
        of_this_command=tuple(each for each in given if each[0] in _OF_ONE_COMMAND),
        pytest_arguments=tuple(
            value for name, *values in given if name == _PYTEST_ARGUMENT for value in values
        ),
    )


def _given(arguments: object) -> Iterator[tuple[str, ...]]:
    """The options that differ from their defaults, each with its value."""
    hints = get_type_hints(type(arguments), include_extras=True)
    for field in fields(arguments):  # type: ignore[arg-type]  # the arguments of a command are a dataclass
        value, hint = getattr(arguments, field.name), hints[field.name]
        if is_dataclass(value):
            yield from _given(value)
            continue
        option = next((each for each in get_args(hint)[1:] if isinstance(each, OptionInfo)), None)
        if option is None or value == field.default or (field.default is MISSING and value is None):
            continue
        if option.envvar is not None and os.environ.get(str(option.envvar)) == str(value):
            continue  # it is there for the next command, too
        # Where a parameter is annotated, what typer takes for its default is the first of its names.
        yield from _words(str(option.default), value)


def _words(name: str, value: Any) -> Iterator[tuple[str, ...]]:
    if isinstance(value, bool):
        yes, _, no = name.partition("/")
        yield (yes if value else no,)
    elif isinstance(value, list):
        for each in value:
            yield name, _shown(name, str(each))
    elif value is not None:
        yield name, _shown(name, str(value))


def _shown(name: str, value: str) -> str:
    """``value`` without what may be secret."""
    if name == "--env" and "=" in value:
        return f"{value.partition('=')[0]}=…"
    scheme, separator, rest = value.partition("://")
    if separator and "@" in rest.partition("/")[0]:
        return f"{scheme}://…@{rest.partition('@')[2]}"
    return value
