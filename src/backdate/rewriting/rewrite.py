"""What can be changed about the uses of a library's name, as values.

A rewrite says nothing of where: ``rewrite_source.py`` finds the uses in the text of a file, on
the lines that are asked for, and gives edits at spans. Dotted names are those of the library, whatever a file
imports them as: "numpy.product" for ``np.product`` and for ``from numpy import product``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from backdate.rewriting.class_rewrites import BaseBehind, ChangeClassBody, ChangeParameter


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceName:
    """Another dotted name takes the place of one: of a function, a class, a value or a whole module."""

    old: str
    new: str
    """"numpy.prod"; of a builtin "builtins.float"."""
    holder: str = ""
    """Where ``new`` is a method of an object that a module holds: that object, "lib.registry"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceClass(ReplaceName):
    """Another class takes the place of one, and other expressions that of uses of its members."""

    members: tuple[tuple[str, str], ...]
    """Each member's name with its template, as of ``ReplaceUse``; a call where it takes a position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameAttribute:
    """Another name for an attribute of objects, whose class the source does not tell: on named lines only."""

    old: str
    """Without its object: "iteritems"."""
    new: str
    owner: str = ""
    """The class as messages name it, "DataFrame"."""
    around: str = ""
    """A dotted decorator that goes around what the attribute decorates, or is called with alone; imported
    where the file does not have it. Other uses are left alone then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeArgument:
    """A keyword argument of a function is called otherwise, takes another value, or is gone."""

    function: str
    """A dotted name, after a dot the name of a method of any object, ".to_csv", or "" for whatever is called:
    the last two on named lines only."""
    argument: str
    new: str = ""
    """Its new name; "" where it is left out."""
    value: str = ""
    """What it is given, with ``{value}`` for what it was; "" for what it was."""
    only_value: str = ""
    """Only where it is given this expression."""
    beside: tuple[tuple[str, str], ...] = ()
    """Only in calls that give the argument of this name, or of this position from 0, as code that the regular
    expression matches: (("freq", "'\\d*D'"),)."""
    position: int | None = None
    """Of one that is left out: where it may be given by position, from 0, as the last one of a call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeKey:
    """The same for an argument that calls take from a dictionary, ``function(**options)``, or that is handed
    on to them: on named lines only, whatever function is called. Where a dictionary is made does not matter.
    """

    argument: str
    new: str = ""
    """Its new name; "" where it is left out."""
    value: str = ""
    """What it is given by then, with ``{value}`` for what it was; "" for what it was."""
    only_value: str = ""
    """Only where it is given this expression."""
    through: tuple[str, ...] = ()
    """Functions and classes of the project that hand on what they are given: their calls change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddArgument:
    """A keyword argument that a call has to give now, or whose default changed."""

    function: str
    argument: str
    value: str
    """An expression; dotted names in it are imported where the file does not have them."""
    position: int | None = None
    """Where it may be given by position instead, from 0: a call that does gives it already."""
    beside: tuple[tuple[str, str], ...] = ()
    """As of ``ChangeArgument``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamePositional:
    """Arguments by position become keyword arguments."""

    function: str
    names: tuple[str, ...]
    """The parameters by position, from the first; "" for one that stays positional."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceUse:
    """Something else takes the place of a use: a method for a function, a call for an attribute."""

    target: str
    """A dotted name, or after a dot the name of an attribute of any object: ".A"."""
    template: str
    """The expression, with ``{self}`` for the object, ``{0}`` for the first positional argument and on,
    ``{name}`` for a keyword argument, ``{args}`` for all else that is given, which may be nothing, and
    ``{class}`` for the class that the use stands in. Dotted names are imported where the file does not have
    them. With "raise " or "return " before it, it takes the place of a whole statement, and a use that is
    less than one is left alone."""
    called: bool = True
    """Whether the use is a call with its arguments, or the name alone."""
    defaults: Mapping[str, str] = field(default_factory=dict)
    """Expressions for placeholders that a use does not give; without one the use is left alone."""
    drops_arguments: bool = False
    """Whether names and literals that the template does not take go with the call; never a computed one."""
    context: str = ""
    """An expression with the same placeholders: the statement goes into a ``with`` block over it. With
    " as name" behind it, ``{name}`` is what the block binds. Other uses than whole statements stay."""
    holder: str = ""
    """As of ``ReplaceName``, where the template is such a method."""
    only: Mapping[str, str] = field(default_factory=dict)
    """Only uses that give these placeholders these expressions. They need not be in the template. "[{key}]"
    is a list of one item, which ``{key}`` is."""
    begins: str = ""
    """Only calls whose first positional argument begins as this regular expression says. What they give holds
    behind the block of ``context``, so that it takes a statement that assigns or returns it as well."""
    assigns: str = ""
    """"self": the call changed its object, and gives a changed one now. Only a call that is a whole statement
    changes, and what it gives is assigned to the object; to the object around it where this says which
    attribute of that the object is: "cat"."""
    unpacked: bool = False
    """Only uses that are assigned to several names at once."""
    alone: bool = False
    """Only calls that are whole statements: nobody takes what they give."""
    keyed: bool = False
    """Whether the use is a call of an item of the name, ``name[key](…)``; ``{key}`` is the key."""
    tested: bool = False
    """Whether the use is the name as a class in ``isinstance(object, …)``; ``{0}`` is the object."""

    @property
    def bound(self) -> str:
        """The name that the ``with`` block binds; "" where it binds none."""
        return self.context.partition(" as ")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceItem:
    """Another expression takes the place of an item of something, ``x[key]``, that is read."""

    target: str
    """What the item is of: ".vocab", an attribute of any object; "lib.entry_points()", what a function gives
    without arguments; ".__getitem__", any object on named lines."""
    template: str
    """With ``{key}`` and ``{self}``, the object that has the attribute, or the item."""
    then: str = ""
    """The attribute of the item with which it is one use, ``x.vocab[key].count``; "" for the item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceAssignment:
    """Another statement takes the place of one that assigns to an attribute that is gone.

    Only ``object.attribute = value`` as a statement of its own: no other target beside it, no ``+=``.
    """

    target: str
    """A dotted name, or after a dot that of an attribute of any object, ".json_encoder": the latter on named
    lines only."""
    template: str
    """An assignment, or an expression: with ``{self}`` for the object and ``{value}`` for what is assigned.
    Dotted names are imported where the file does not have them."""
    owned_as: str = ""
    """Only objects that are this attribute of another one, "cat"; ``{owner}`` is that one."""


class ExpressionRole(StrEnum):
    """Where an expression stands."""

    CALL = "call"
    """It is a call."""
    ARGUMENT = "argument"
    """A call is given it."""
    SUBSCRIPTED = "subscripted"
    """An item of it is taken."""
    INDEX = "index"
    """It says which item is taken, or is a bound of a slice."""
    ASSIGNED = "assigned"
    """A name or an attribute gets it."""
    ITERATED = "iterated"
    """A loop or a comprehension goes through it."""
    KEYS = "keys"
    """Several keys say which item of it is taken: it is the whole of that."""
    CONDITION = "condition"
    """Its truth decides: of ``if``, ``while``, ``not``, ``and`` and ``or``, and a conditional expression."""
    ITEM = "item"
    """It is an item, taken by a text that could be an attribute's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceExpression:
    """Something else takes the place of an expression, whatever names it uses: on named lines only."""

    expression: str
    """Its code; blanks and line breaks do not matter."""
    role: ExpressionRole
    template: str
    """With ``{self}`` for the expression; of an item and of keys, for what it is taken of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeWith:
    """``with`` becomes ``async with`` in ``async`` functions, or the other way round: on named lines only."""

    to_async: bool
    awaited: bool = False
    """Whether it was ``with (await lock):``, which is ``async with lock:`` since Python 3.9."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoratedCoroutine:
    """A decorator of coroutines is gone: what is below it is an ``async def``, which awaits (PEP 492)."""

    decorator: str
    """"asyncio.coroutine"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DropDecorator:
    """A decorator is gone, and what it decorates does without it."""

    decorator: str
    """"tornado.web.asynchronous"; it is not called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DropImport:
    """An import of what is gone, and that nothing in its file uses, is left out."""

    name: str
    """Dotted: the name, or the module with all that is imported from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededImport:
    """An import without which a definition is incomplete."""

    statement: str
    local: str
    """The name that it binds."""
    dotted: str
    """What that stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DefineHere:
    """A function, class or constant that is gone is defined in each file that uses it, as the library did."""

    name: str
    """Dotted, as the project uses it."""
    definition: str
    """The statements, with a comment that says where they are from."""
    binds: tuple[str, ...]
    """The names that the statements define: its own last."""
    imports: tuple[NeededImport, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallAtStart:
    """A file calls a function behind its imports, which sets how a whole library behaves."""

    function: str
    """Dotted: "tensorflow.compat.v1.disable_v2_behavior". Files that import its package change."""
    arguments: str = ""
    """As they are written between the parentheses: "legacy='1.25'"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowSignature:
    """A function of the file stands in the place of a library's, and has its parameters as that one has."""

    function: str
    """Its name, on the outermost level."""
    parameters: tuple[str, ...]
    """The names of all its parameters, in the order in which they are given now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeLiteralType:
    """Literals of bytes become texts, or the other way round: on named lines only."""

    to: Literal["str", "bytes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RespellText:
    """What literal texts hold is spelled otherwise: on named lines only."""

    texts: tuple[tuple[str, str], ...]
    """Regular expressions of what is refused, each with its replacement, as ``re.sub`` takes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallYielded:
    """Tests call what they yielded for their runner to call: on named lines only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NameSetups:
    """Test classes call their ``setup`` and ``teardown`` as pytest does: on named lines only."""

    of_module: bool = False
    """Those of the module itself in the place of those of its classes."""


Rewrite = (
    ReplaceName
    | RenameAttribute
    | ChangeArgument
    | ChangeKey
    | AddArgument
    | NamePositional
    | ReplaceUse
    | ReplaceAssignment
    | ReplaceItem
    | ReplaceExpression
    | ChangeWith
    | DecoratedCoroutine
    | DropDecorator
    | DropImport
    | DefineHere
    | ChangeParameter
    | ChangeClassBody
    | BaseBehind
    | CallAtStart
    | FollowSignature
    | RespellText
    | ChangeLiteralType
    | CallYielded
    | NameSetups
)


def about(name: str, rewrite: Rewrite) -> Rewrite:
    """The rewrite for a function or class that is used under another name."""
    match rewrite:
        case ReplaceName():
            return replace(rewrite, old=name)
        case ChangeArgument() | AddArgument() | NamePositional():
            return replace(rewrite, function=name)
        case ReplaceUse():
            return replace(rewrite, target=name)
        case _:
            return rewrite
