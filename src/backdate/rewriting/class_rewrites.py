"""What can be changed about classes and functions of a project that a library reads or calls, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeParameter:
    """Functions that a library calls take another parameter, or one less: all of a class's at once."""

    of: tuple[str, ...]
    """Dotted: decorators of the functions, or base classes of the classes that they are methods of."""
    methods: tuple[str, ...] = ()
    """The methods' names; none for what ``of`` decorates."""
    adds: str = ""
    """What they take now, as it is written: "**kwargs", "renderer=None", "request"."""
    drops: str = ""
    """The parameter that they are given no more, where they do not use it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeClassBody:
    """What classes say in their body for a library to read is said otherwise: all of it at once."""

    of: tuple[str, ...]
    """Dotted: base classes, of which the class has one, or a class of the same file that it is made from."""
    within: str = ""
    """The class in the body that says it: "Config", "Meta"; "" for the body itself."""
    attributes: tuple[tuple[str, str], ...] = ()
    """By attribute the statement in the place of what it is assigned by, with ``{value}``, "" where it goes:
    ("orm_mode", "from_attributes = {value}"). "allow_mutation = False" is of that value alone; of a method
    with another name both stand so: ("full_process_value()", "process_value")."""
    adds: tuple[str, ...] = ()
    """Assignments that a body needs now, which has none to that attribute: "load_instance = True"."""


def attribute_of(key: str) -> str:
    """The attribute or method that a key of ``ChangeClassBody.attributes`` is about."""
    return key.partition("=")[0].strip().removesuffix("()")


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseBehind:
    """Classes that are made from some class need another base class, and behind it."""

    of: tuple[str, ...]
    """Dotted: the classes that come first, mixins for the most part."""
    base: str
    """Dotted: what comes last. It is moved there where a class has it, and added where it has not."""
