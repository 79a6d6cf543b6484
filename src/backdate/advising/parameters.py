"""Reading signatures as environments wrote them, "(stream, Loader=<class 'yaml.loader.Loader'>, *, x=1)", and
which parameter took the place of another."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from backdate.advising.likeness import names_alike
from backdate.diagnosis.api import Member
from backdate.editing.python_source import UNPARSABLE

_MOST_RENAMES = 2
_LIKE = 0.3
_SURELY_LIKE = 0.5
"""From which likeness on a switch may have become a number, say."""
_LONGEST = 8_000
_OBJECT = re.compile(r"<[^<>\n]{0,200}(?:<[^<>\n]{0,100}>[^<>\n]{0,100})?>")
_NUMBERED = re.compile(r"__object_(\d{1,4})__", re.ASCII)
_NAMED = re.compile(r"<(?:class '(?P<cls>[\w.]{1,200})'|function (?P<func>[\w.]{1,200})\b)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureParameter:
    """One parameter of a signature."""

    name: str
    default: str | None = None
    """As it is written; None where one has to be given."""
    default_object: str = ""
    """The dotted name of a class or function that is its default."""
    literal: bool = False
    """Whether the default can be written as it stands."""
    keyword_only: bool = False
    positional_only: bool = False
    starred: bool = False


def parameters_in(signature: str) -> tuple[SignatureParameter, ...]:
    """The parameters of a signature; none where it cannot be read."""
    if not signature or len(signature) > _LONGEST:
        return ()
    objects: list[str] = []

    def numbered(match: re.Match[str]) -> str:
        objects.append(match[0])
        return f"__object_{len(objects) - 1}__"

    text = _OBJECT.sub(numbered, signature)
    try:
        function = ast.parse(f"def f{text}: pass").body[0]
    except UNPARSABLE:
        return ()
    if not isinstance(function, ast.FunctionDef):
        return ()
    arguments = function.args
    by_place = [*arguments.posonlyargs, *arguments.args]
    missing = [None] * (len(by_place) - len(arguments.defaults))
    found = [
        _parameter(argument, default, objects, positional_only=number < len(arguments.posonlyargs))
        for number, (argument, default) in enumerate(
            zip(by_place, [*missing, *arguments.defaults], strict=True)
        )
    ]
    if arguments.vararg is not None:
        found.append(SignatureParameter(name=arguments.vararg.arg, starred=True))
    found += [
        _parameter(argument, default, objects, keyword_only=True)
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    return tuple(found)


def _parameter(
    argument: ast.arg,
    default: ast.expr | None,
    objects: list[str],
    *,
    keyword_only: bool = False,
    positional_only: bool = False,
) -> SignatureParameter:
    text, dotted, literal = None, "", False
    if default is not None:
        text = ast.unparse(default)
        numbered = _NUMBERED.fullmatch(text)
        if numbered is not None and int(numbered[1]) < len(objects):
            text = objects[int(numbered[1])]
            named = _NAMED.match(text)
            dotted = (named["cls"] or named["func"]) if named else ""
        else:
            literal = _is_literal(default)
    return SignatureParameter(
        name=argument.arg,
        default=text,
        default_object=dotted,
        literal=literal,
        keyword_only=keyword_only,
        positional_only=positional_only,
    )


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def parameters_of(member: Member, *, bound: bool = False) -> tuple[SignatureParameter, ...]:
    """The parameters of a function; of one that is called on an object (``bound``) without the object."""
    found = parameters_in(member.signature)
    return found[1:] if bound and found and found[0].name == "self" else found


def followed_parameters(own: Sequence[str], old: str, new: str) -> tuple[str, ...]:
    """The parameters ``own`` of a function in the place of another one, in that one's new order.

    ``old`` and ``new``: the other one's signatures. Empty where the order stayed, where the function did
    not take what was given, and where a signature has more than names.
    """
    before, after = parameters_in(old), parameters_in(new)
    plain = all(not one.starred and not one.keyword_only and one.default is None for one in (*before, *after))
    if not plain or not after or len(before) != len(own):
        return ()
    called = {parameter.name: name for parameter, name in zip(before, own, strict=True)}
    followed = tuple(called.get(parameter.name, parameter.name) for parameter in after)
    return followed if followed != tuple(own) and len(set(followed)) == len(followed) else ()


def named_now(
    before: Sequence[SignatureParameter], after: Sequence[SignatureParameter], *, moved: bool = False
) -> tuple[str, ...]:
    """Which of the old positional parameters a call has to name now; "" for one that stays as it is.

    Those that are taken by name alone, and with ``moved`` those that have another place now. Parameters by
    name alone that an old release took by position with a warning (scikit-learn 0.23 to 0.24) follow those
    by position, in their order. What ``*arguments`` takes needs no name. Empty where a call stays as it is.
    """
    alone = {one.name for one in after if one.keyword_only and not any(other.starred for other in after)}
    by_place = tuple(itertools.takewhile(lambda one: not one.starred, before))
    places = {one.name: number for number, one in enumerate(after) if not one.keyword_only}

    def named(number: int, one: SignatureParameter) -> bool:
        elsewhere = moved and places.get(one.name, number) != number
        return one.name in alone or (elsewhere and not after[places[one.name]].positional_only)

    names = tuple(one.name if named(number, one) else "" for number, one in enumerate(by_place))
    return names if any(names) else ()


def successors(argument: str, old: Member, new: Member, *, bound: bool = False) -> list[str]:
    """New keyword arguments that may be ``argument``, the likeliest first: by place, default and name.

    ``old`` and ``new``: the function in both environments.
    """
    before, after = parameters_of(old, bound=bound), parameters_of(new, bound=bound)
    known = {parameter.name for parameter in before} | set(old.keywords)
    came = {parameter.name: number for number, parameter in enumerate(after) if parameter.name not in known}
    came.update({name: -1 for name in new.keywords if name not in known and name not in came})
    gone = [name for name in old.keywords if name not in new.keywords]
    place = next((number for number, one in enumerate(before) if one.name == argument), -2)
    default = before[place].default if place >= 0 else None

    def of_another_kind(name: str) -> bool:
        kinds = {_kind(default), _kind(after[came[name]].default) if came[name] >= 0 else ""} - {""}
        return len(kinds) > 1

    def score(name: str) -> float:
        if of_another_kind(name) and names_alike(argument, name) < _SURELY_LIKE:
            return 0.0
        same_place = came[name] == place and place >= 0 and not before[place].keyword_only
        same_default = came[name] >= 0 and default is not None and after[came[name]].default == default
        only = len(came) == 1 and len(gone) == 1
        return names_alike(argument, name) + 0.5 * same_place + 0.2 * same_default + 0.4 * only

    likely = [name for name in came if score(name) >= _LIKE]
    return sorted(likely, key=lambda name: (-score(name), name))[:_MOST_RENAMES]


def _kind(default: str | None) -> str:
    """What sort of value a default is, "bool", "number", "str"; "" for None and what is not known."""
    if default in ("inf", "-inf", "nan"):
        return "number"
    try:
        value = ast.literal_eval(default or "None")
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ""
    if isinstance(value, int | float | complex) and not isinstance(value, bool):
        return "number"
    return "" if value is None else type(value).__name__


def only_successor(argument: str, old: Member, new: Member, *, bound: bool = False) -> str:
    """The one keyword argument that came where ``argument`` alone went, when it is like it; "" otherwise."""
    gone = [name for name in old.keywords if name not in new.keywords]
    came = [name for name in new.keywords if name not in old.keywords]
    found = successors(argument, old, new, bound=bound)
    return found[0] if gone == [argument] and len(came) == 1 and found == came else ""
