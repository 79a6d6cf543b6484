"""Reading a signature as an environment wrote it: "(stream, Loader=<class 'yaml.loader.Loader'>, *, x=1)"."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

_LONGEST = 2_000
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
    except (SyntaxError, ValueError, RecursionError, MemoryError):
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
