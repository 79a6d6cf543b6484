"""What is another kind of container by now: a list that became a dictionary, an object that became one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from backdate.rewriting.rewrite import ReplaceUse, Rewrite

_OTHER_CONTAINERS = {
    ("dict", "remove"): "{self}.pop({0})",
    ("set", "append"): "{self}.add({0})",
    ("set", "extend"): "{self}.update({0})",
    ("list", "add"): "{self}.append({0})",
    ("list", "update"): "{self}.extend({0})",
}
"""By what an object is now, and the method that it had."""


def _of_container(match: re.Match[str]) -> Iterator[Rewrite]:
    """A method of lists, sets or dictionaries, called of what is another of them now."""
    now, method = filter(None, match.groups())
    template = _OTHER_CONTAINERS.get((now, method), f"list({{self}}).{method}({{0}})")
    yield ReplaceUse(target=f".{method}", template=template)


def _item(match: re.Match[str]) -> Iterator[Rewrite]:
    """``x.name`` of what is a dictionary now."""
    name = match[1]
    yield ReplaceUse(target=f".{name}", template=f'{{self}}["{name}"]', called=False)


CONTAINERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Iterator[Rewrite]]], ...] = (
    (
        re.compile(
            "'(dict)' object has no attribute '(remove)'|'(set)' object has no attribute '(append|extend)'|"
            "'(list)' object has no attribute '(add|update)'"
        ),
        _of_container,
    ),
    (
        re.compile(
            r"'((?:\w{0,60}View|o?dict_\w+|dict|(?:frozen)?set))' object has no attribute '(index|count)'"
        ),
        _of_container,
    ),
    (re.compile(r"'(?:dict|OrderedDict)' object has no attribute '([A-Za-z_]\w{0,80})'"), _item),
)
"""What errors say of an object's class, and what is proposed then. The first that fits counts."""
