"""What a tool is: a name, typed parameters, and a function from arguments to a text.

A call that cannot be followed is answered with a text that says what to do instead; tools raise
:class:`ToolRefusal` for that, and the toolbox turns it into an observation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from backdate.solvers.conversation import Observation

LONGEST_ARGUMENT = 200_000
"""Characters of one argument."""


class ToolRefusal(Exception):
    """A call that is not followed; its message is the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a tool."""

    name: str
    kind: Literal["string", "integer"]
    description: str
    default: str | int | None = None
    """None: it has to be given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    run: Callable[[Mapping[str, Any]], Observation | str]
    """Called with every parameter set and of its kind. Raises ToolRefusal."""
    repeated: bool = False
    """Whether its calls are made again when an ended run goes on: later calls need what it changed."""

    @property
    def schema(self) -> dict[str, Any]:
        """The parameters as a JSON Schema object."""
        return {
            "type": "object",
            "properties": {
                parameter.name: {"type": parameter.kind, "description": parameter.description}
                for parameter in self.parameters
            },
            "required": [parameter.name for parameter in self.parameters if parameter.default is None],
            "additionalProperties": False,
        }


def read_arguments(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, each of its parameter's kind, defaults filled in. Raises ToolRefusal.

    A number written as text is taken as the number; nothing else is guessed.
    """
    parameters = {parameter.name: parameter for parameter in tool.parameters}
    unknown = [str(name) for name in given if name not in parameters]
    if unknown:
        raise ToolRefusal(f"{tool.name} has no parameter {unknown[0][:100]!r}. {_usage(tool.parameters)}")
    read: dict[str, Any] = {}
    for name, parameter in parameters.items():
        value = given.get(name)
        if value is None:
            if parameter.default is None:
                raise ToolRefusal(f"{tool.name} needs the parameter {name!r}. {_usage(tool.parameters)}")
            value = parameter.default
        read[name] = (
            _number(tool, parameter, value) if parameter.kind == "integer" else _text(parameter, value)
        )
    return read


def _number(tool: Tool, parameter: Parameter, value: object) -> int:
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not text.removeprefix("-").isdecimal() or len(text) > 9:
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e9:
            return int(value)
        raise ToolRefusal(f"{tool.name}: {parameter.name!r} has to be a whole number.")
    return int(text)


def _text(parameter: Parameter, value: object) -> str:
    if not isinstance(value, str):
        raise ToolRefusal(f"{parameter.name!r} has to be a text, not {type(value).__name__}.")
    if len(value) > LONGEST_ARGUMENT:
        raise ToolRefusal(
            f"{parameter.name!r} is longer than {LONGEST_ARGUMENT:,} characters; give less at a time."
        )
    return value


def _usage(parameters: Sequence[Parameter]) -> str:
    if not parameters:
        return "It takes none."
    names = [
        f"{parameter.name} ({parameter.kind}{'' if parameter.default is None else ', optional'})"
        for parameter in parameters
    ]
    return f"It takes: {', '.join(names)}."
