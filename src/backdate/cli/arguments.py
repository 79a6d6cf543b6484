"""A command whose parameters are the fields of a frozen dataclass.

The fields are declared as typer has parameters declared: ``Annotated`` types with defaults. A field whose
type is such a dataclass itself stands for its fields, at its place; that is how commands share options.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

_A = TypeVar("_A")
_R = TypeVar("_R")


def takes(arguments: type[_A]) -> Callable[[Callable[[_A], _R]], Callable[..., _R]]:
    """Give a command the fields of ``arguments`` as its parameters, and hand it the value made of them."""
    command_parameters = list(_parameters(arguments))

    def decorate(command: Callable[[_A], _R]) -> Callable[..., _R]:
        @functools.wraps(command)
        def called(**values: Any) -> _R:
            return command(_made(arguments, values))

        signature = inspect.Signature(command_parameters)
        called.__signature__ = signature  # type: ignore[attr-defined]  # what typer reads the parameters from
        called.__annotations__ = {parameter.name: parameter.annotation for parameter in command_parameters}
        return called

    return decorate


def _parameters(arguments: type) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(arguments, include_extras=True)
    for field in fields(arguments):
        annotation = hints[field.name]
        if is_dataclass(annotation):
            yield from _parameters(hints[field.name])
            continue
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=annotation,
        )


def _made(arguments: type[_A], values: dict[str, Any]) -> _A:
    hints = get_type_hints(arguments, include_extras=True)
    made = {
        field.name: _made(hints[field.name], values)
        if is_dataclass(hints[field.name])
        else values[field.name]
        for field in fields(arguments)  # type: ignore[arg-type]  # it is a dataclass
    }
    return arguments(**made)
