"""The rows of ``changes/DISTRIBUTION.toml``: what releases dropped or added, and what takes its place."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from backdate.knowledge.row import Names, Row, Text

ChangeKind = Literal["name", "module", "method", "argument", "attribute", "syntax", "behaviour", "value"]
"""What changed: a name of a module (imported or used as an attribute), a module, an attribute of a class'
objects, a keyword argument of a function, an attribute that a base class has now and classes of others
define as well, syntax, or something else that only an error's message tells."""


class EditRow(Row, frozen=True, kw_only=True):
    """How to change uses of a name. Exactly one of the keys ``name``, ``attribute``, ``template``,
    ``assigned``, ``item``, ``argument``, ``adds``, ``positional``, ``coroutines``, ``undecorates``,
    ``takes``, ``drops``, ``at_start``, ``texts``, ``base_behind``, ``defines`` and ``attributes`` (``body``
    or both) says what is done."""

    of: Names
    """The dotted names that are used, "numpy.in1d"; ".to_csv" for a method or attribute of any object."""
    name: str = ""
    """The dotted name that takes their place."""
    members: dict[str, str] = msgspec.field(default_factory=dict)
    """With ``name``, of a class: its members that the new class lacks, each with a template for its uses; a
    call where the template takes a position. They change with the name, all over the file."""
    attribute: str = ""
    """For ``.names`` of objects: what the attribute is called instead."""
    around: str = ""
    """With ``attribute``, of one that decorates functions: the dotted decorator that goes between the two."""
    template: str = ""
    """The expression that takes the place of the use: ``{self}`` is the object, ``{0}`` the first positional
    argument, ``{key}`` a keyword argument, ``{args}`` all that is given."""
    called: bool = True
    """Whether ``template`` takes the place of a call with its arguments, or of the name alone."""
    defaults: dict[str, str] = msgspec.field(default_factory=dict)
    """Expressions for placeholders of ``template`` that a call does not give."""
    context: str = ""
    """With ``template``: a call that is a statement goes into a ``with`` block over this expression. With
    " as name" behind it, the placeholder ``{name}`` is what the block binds."""
    only: dict[str, str] = msgspec.field(default_factory=dict)
    """With ``template``: only calls that give these placeholders these expressions; "[{key}]" is a list of
    one, whose item is the placeholder ``{key}``."""
    given: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """For ``.names`` of objects: the names of the classes of what a call gives, where a traced run saw them:
    by position, "0[0]" for the first item of a list. Where it saw classes that only other edits of the name
    are for, this one is not made; ``owners`` count as the object's."""
    begins: str = ""
    """With ``template``: only calls whose first positional argument begins as this regular expression says.
    What such a call gives holds behind the block of ``context``, which then takes any simple statement."""
    assigns: str = ""
    """With ``template``: the call changed its object, and is assigned to it now: "self", or "cat" where the
    object is that attribute of what changed. With ``assigned``: only of objects that are such an attribute,
    and ``{owner}`` is what they are one of."""
    drops_arguments: bool = False
    """With ``template``: names and literals that it does not take are left out."""
    unpacked: bool = False
    """With ``template``: only calls whose result is assigned to several names."""
    alone: bool = False
    """With ``template``: only calls whose result nobody takes."""
    keyed: bool = False
    """With ``template``: the use is a call of an item of the name, ``name[key](…)``, with ``{key}``."""
    tested: bool = False
    """With ``template``: the use is ``isinstance({0}, name)``, also with further classes."""
    assigned: str = ""
    """The statement that takes the place of one that assigns to the name: with ``{self}`` for the object and
    ``{value}`` for what is assigned."""
    item: str = ""
    """A template for an item that is read, with ``{key}`` and ``{self}``: of an attribute of any object where
    the name is ".vocab", of what a function gives ("lib.entry_points()"), of any object (".__getitem__")."""
    then: str = ""
    """With ``item``: the attribute of it that is asked for."""
    argument: str = ""
    """The keyword argument that changes."""
    becomes: str = ""
    """What ``argument`` is called instead; "" where it is left out."""
    value: str = ""
    """What ``argument`` is given, with ``{value}`` for what it was given; needed with ``adds``. With
    ``at_start`` the arguments of the call: "legacy='1.25'"."""
    only_value: str = ""
    """Only where ``argument`` is given this expression."""
    beside: dict[str, str] = msgspec.field(default_factory=dict)
    """With ``argument`` or ``adds``: only in calls whose arguments of these names, or positions from 0, are
    written as these regular expressions say."""
    adds: str = ""
    """The keyword argument that a call has to give now."""
    position: int | None = None
    """With ``adds``: where it may be given by position instead, from 0; a call that does is left alone."""
    positional: tuple[str, ...] = ()
    """The keywords of positional arguments, from the first; "" for one that stays positional."""
    coroutines: bool = False
    """Whether the name is a decorator of generators that are ``async def`` now."""
    undecorates: bool = False
    """Whether the name is a decorator that goes without anything in its place."""
    takes: str = ""
    """What functions that the name decorates take now, "**kwargs"; with ``methods``, methods of classes whose
    base class it is."""
    drops: str = ""
    """The parameter that they are given no more."""
    methods: tuple[str, ...] = ()
    """The methods of classes, for ``takes`` and ``drops``; those of all names change at once."""
    attributes: dict[str, str] = msgspec.field(default_factory=dict)
    """For classes with the names as base classes: the statement in the place of what an attribute is assigned
    by in the class's body, with ``{value}``; "" where it goes. "attribute = value" is of that value alone;
    "method()" gives the method's other name."""
    body: tuple[str, ...] = ()
    """Assignments that such a body needs now."""
    within: str = ""
    """For both: the class in the body whose body it is, "Meta"."""
    last: bool = False
    """Whether it is tried only where nothing else helps: of what replaces a library as a whole."""
    base_behind: str = ""
    """The dotted base class that classes with the names as base classes need behind these."""
    texts: dict[str, str] = msgspec.field(default_factory=dict)
    """Regular expressions of what is refused inside of literal texts that the names read, each with what is
    written instead (``\\1`` is a group): in the function that fails, and in calls of the names."""
    defines: str = ""
    """A function that does what the name did, and has its last part: ``def`` behind the imports it needs."""
    at_start: str = ""
    """The dotted function that files call behind their imports; its arguments, if any, are ``value``."""


class ChangeRow(Row, frozen=True, kw_only=True):
    """What one release of a distribution, or of Python, dropped or added."""

    since: Text
    """The first release that is different: "1.24", for Python "3.12"."""
    kind: ChangeKind
    added: bool = False
    """True for what the release added: older ones lack it. False for what it dropped."""
    module: str = ""
    """For ``name``: the dotted module that holds it."""
    owners: tuple[Text, ...] = ()
    """For ``method`` the classes, for ``argument`` the functions, as messages name them; for ``behaviour``
    the classes of objects that edits of ".name" are about, wherever failing tests run them; for ``value`` the
    classes of objects whose methods they are."""
    names: dict[str, str] = msgspec.field(default_factory=dict)
    """What changed, each with what takes its place: a dotted name, or "" when no other name does.
    For ``module``: the dotted modules."""
    rewrite: dict[str, str] = msgspec.field(default_factory=dict)
    """For names whose replacement is more than another name: a template as of ``EditRow``, of a call."""
    loosely: tuple[Text, ...] = ()
    """Those of ``names`` whose replacement serves the same end but is used otherwise: advice and no rule."""
    edits: tuple[EditRow, ...] = ()
    """Further edits of code that uses what changed: of arguments, or of what only a template says."""
    says: tuple[Text, ...] = ()
    """Patterns of further messages, one line each; all there is for ``syntax`` and ``behaviour``. A ``value``
    has none: what a call gives is another one, and nothing says so."""
    messages: tuple[Text, ...] = ()
    """Real messages: each pattern of ``says`` matches one of them."""
    of_culprit: bool = False
    """Whether ``says`` are words that any program may say: they are about the row only where something else
    tells that its distribution is at fault, or moved."""
    remains: bool = False
    """For ``behaviour``: whether what edits are about is there still, and what is made with it is refused
    elsewhere: it is edited on lines that failing tests run, though no error names them."""
    of_value: bool = False
    """For ``behaviour``: whether a use fails by what it is given, so that other uses stay as they are."""
    pin: str = ""
    """The requirement that helps, where it is not ``distribution<since`` (``>=`` for what was added)."""
    of_builds: bool = False
    """Whether the pin is for isolated builds and not for the environment."""
    install: str = ""
    """For a module of Python: the requirement that gives it where it is missing."""
    note: str = ""
    """What else a person who meets it should know, in one line."""
    source: Text
    """Where the library says so: an address."""
    example: str = ""
    """A program that runs with the last release before ``since`` and fails from it on, with an error that the
    row recognises (the other way round for what was added); ``{name}`` stands for each of ``names``. Not
    needed for ``name`` and ``module``."""
    python: str = ""
    """The interpreter that runs the example, where it is not the file's."""
    with_: tuple[str, ...] = msgspec.field(default=(), name="with")
    """Further requirements of the example, besides the file's."""
    builds: bool = False
    """Whether the example's environments may hold what is built from sdists: the releases of then, or what
    they required, have no wheels."""
    unproven: str = ""
    """Why no example is executed. What it says to write is no rule then, unless that is asked for."""
    words: dict[str, str] = msgspec.field(default_factory=dict)
    """What the library itself says of each of ``names``, where it was mined; of one that no other name takes
    the place of, what to do, which "Do this" quotes."""


class ChangesFile(Row, frozen=True, kw_only=True):
    """A file in ``tables/changes``: the changes of one distribution, the surest first."""

    distribution: Text
    """Its name; "python" for the language and its standard library."""
    python: str = "3.8"
    """The interpreter that runs the examples; Python's own run under two of its releases."""
    with_: tuple[str, ...] = msgspec.field(default=(), name="with")
    """Further requirements of the examples: releases of the distribution's own dependencies as of then; of
    mined rows, the distributions that have the new names where the releases do not require them."""
    origin: Literal["written", "mined"] = "written"
    licence: str = ""
    """SPDX name of the licence of what it was mined from."""
    read_from: str = ""
    """What it was mined from, where that is not the distribution's own releases: "typeshed"."""
    change: Annotated[tuple[ChangeRow, ...], msgspec.Meta(min_length=1)]


class LeftOutRow(Row, frozen=True, kw_only=True):
    """Names that releases announce to go, and that are no rules."""

    distribution: Text
    """Normalised."""
    names: Names
    """Dotted as rows have them; "lib.function(argument)" for an argument."""
    why: Text


class LeftOutFile(Row, frozen=True, kw_only=True):
    """``mined_left_out.toml``."""

    left_out: tuple[LeftOutRow, ...]
