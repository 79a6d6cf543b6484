"""Which arguments of functions an announcement is about."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from backdate.mining.literals import dotted_of, strings_in, text_of
from backdate.mining.loops import Tables, pairs_of

OLD_KEYS = ("old_arg_name", "old", "old_name", "name", "arg", "arg_name", "parameter", "old_kwarg", "kwarg")
NEW_KEYS = (
    "new_arg_name",
    "new",
    "new_name",
    "alternative",
    "replacement",
    "instead",
    "use_instead",
    "new_kwarg",
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")


def parameters_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The names of its parameters, without the object."""
    given = function.args
    names = {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    return frozenset(names - {"self", "cls"})


def parameters_tested(test: ast.expr, parameters: frozenset[str]) -> list[str]:
    """The parameters that a test is about: by name, or as the key of ``**kwargs``."""
    names = [node.id for node in ast.walk(test) if isinstance(node, ast.Name) and node.id in parameters]
    # A constructor keeps what it was given: ``if self.opclasses:``.
    kept = [dotted_of(node) for node in ast.walk(test) if isinstance(node, ast.Attribute)]
    names += [one[5:] for one in kept if one.startswith("self.") and one[5:] in parameters]
    if names:
        return names
    return [
        text
        for node in ast.walk(test)
        if isinstance(node, ast.Compare) and any(isinstance(operator, ast.In) for operator in node.ops)
        if any("kw" in dotted_of(one) or "options" in dotted_of(one) for one in node.comparators)
        if (text := text_of(node.left, {}))
    ]


def announced_name(call: ast.Call, constants: Mapping[str, str]) -> str:
    """The name or argument that a helper's call says is to go; else its first text, or ""."""
    keywords = {keyword.arg: text_of(keyword.value, constants) for keyword in call.keywords}
    if named := next((keywords[key] for key in OLD_KEYS if keywords.get(key)), ""):
        return named
    # ``deprecated_attribute(since, "use new", __name__, "old")``: the name behind that of its module
    behind_module = zip(call.args, call.args[1:], strict=False)
    if of_module := [two for one, two in behind_module if dotted_of(one) == "__name__"]:
        return text_of(of_module[0], constants)
    return next(filter(None, (text_of(value, constants) for value in call.args)), "")


def named_instead(call: ast.Call, subject: str, constants: Mapping[str, str]) -> str:
    """What a helper's call names as taking the place of ``subject``, as a text or as the thing itself.

    That is a keyword such as ``alternative``, or a dotted name behind the subject's own.
    """
    keywords = {keyword.arg: _named(keyword.value, constants) for keyword in call.keywords}
    if new := next((keywords[key] for key in NEW_KEYS if keywords.get(key)), ""):
        return new
    texts = [text_of(value, constants).removesuffix("()").rpartition(".")[2] for value in call.args]
    if not subject or subject not in texts:
        return ""
    behind = call.args[texts.index(subject) + 1 :]
    # The thing itself stands right behind; further on there are categories of warnings and the like.
    names = [_named(value, constants) for value in behind[:1]]
    names += [text_of(value, constants) for value in behind[1:]]
    return next((name for one in names if _DOTTED.fullmatch(name := one.removesuffix("()"))), "")


def _named(value: ast.expr, constants: Mapping[str, str]) -> str:
    return text_of(value, constants) or dotted_of(value)


def _renamed(call: ast.Call, constants: Mapping[str, str], leaf: str) -> tuple[str, str]:
    """The argument that a decorator is about, "" for all of the function, and the new name."""
    texts = [text for value in call.args if (text := text_of(value, constants))]
    new = named_instead(call, "", constants)
    if not _is_about_argument(leaf):
        tells_new = re.search(r"renam|replac|_for\Z", leaf) and texts and _DOTTED.fullmatch(texts[0])
        return "", new or (texts[0] if tells_new else "")
    keywords = {keyword.arg: text_of(keyword.value, constants) for keyword in call.keywords}
    names = [text for text in texts if text.isidentifier()]
    old = next((keywords[key] for key in OLD_KEYS if keywords.get(key)), "") or next(iter(names), "")
    return old, new or ("" if "delete" in leaf else next(iter(names[1:]), ""))


def _is_about_argument(leaf: str) -> bool:
    return any(word in leaf for word in ("arg", "param", "keyword"))


def announced_arguments(
    call: ast.Call,
    constants: Mapping[str, str],
    helper: str,
    parameters: frozenset[str],
    *,
    tables: Tables,
) -> Iterator[tuple[str, str, str]]:
    """The arguments that a decorator of a function is about, each with its new name and the words.

    Some are given each as a keyword: ``@deprecated_params(bind=("2.0", "The bind argument is …"))``.
    ``parameters``: those of the function. ``tables``: what names of mappings stand for.
    """
    leaf = helper.rpartition(".")[2].lower()
    each = [one for one in call.keywords if one.arg in parameters and strings_in(one.value)]
    if each and _is_about_argument(leaf):
        for one in each:
            if one.arg:
                yield one.arg, "", max(strings_in(one.value), key=len)
        return
    pairs = dict(_pairs_given(call, tables))
    if renamed := {old: new for old, new in pairs.items() if new in parameters and old not in parameters}:
        for old, new in renamed.items():
            yield old, new, f"{old} {new}"
        return
    yield (*_renamed(call, constants, leaf), "")


def _pairs_given(call: ast.Call, tables: Tables) -> Iterator[tuple[str, str]]:
    """Old and new names that a call is given: as keywords, in a mapping, or in two lists."""
    for value in (*call.args, *(keyword.value for keyword in call.keywords)):
        if isinstance(value, ast.Dict):
            yield from pairs_of(value)
        elif isinstance(value, ast.Name):
            yield from tables.get(value.id, ())
    if len(call.args) > 1 and all(isinstance(one, ast.List | ast.Tuple) for one in call.args[:2]):
        old, new = (strings_in(one) for one in call.args[:2])
        yield from zip(old, new, strict=False) if len(old) == len(new) else ()
    for keyword in call.keywords:
        if keyword.arg and keyword.arg not in (*OLD_KEYS, *NEW_KEYS):
            yield keyword.arg, text_of(keyword.value, {})


def is_guard(node: ast.If) -> bool:
    """Whether it ends the function for what is not among some names: ``if name not in __all__: raise …``."""
    test = node.test
    is_not_among = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotIn)
    return is_not_among and isinstance(node.body[-1], ast.Raise | ast.Return) and not node.orelse
