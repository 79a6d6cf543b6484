"""What a message shows in the place of a use of an object: "Use len(reader.pages) instead" of ``numPages``.

Messages are foreign text: the patterns are bounded, and what they show is read by ``ast`` and never run.
"""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass

_LONGEST_TEXT = 2_000
_LONGEST_GAP = 160
"""Characters between the mention of an attribute and what is shown."""
_USE = re.compile(r"\b[Uu]se:? (?P<mark>[`'\"]{0,2})")
_END = re.compile(r" instead\b|[.;,] |[.;]?\Z")
_SELF = "{self}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldUse:
    """What a message shows for a use of an attribute."""

    template: str
    """With ``{self}`` for the object and ``{0}`` for what the call is given first; "" for a name alone."""
    name: str
    """The attribute that takes the place, where the message shows a name alone; else ""."""
    sentence: str
    """The words that show it."""


def told_use(message: str, attribute: str) -> ToldUse | None:
    """What ``message`` shows for ``attribute`` of an object; None when it shows nothing that is known whole.

    An expression counts where the message names the object in both: "reader.getPage(number) … Use
    reader.pages[number]".
    """
    plain = " ".join(message[:_LONGEST_TEXT].split())
    mention = re.search(
        rf"(?<![\w.])(?:(?P<self>[A-Za-z_]\w{{0,80}})\.)?{re.escape(attribute)}"
        r"(?:\((?P<given>[^()]{0,120})\))?(?!\w)",
        plain,
    )
    if mention is None:
        return None
    use = _USE.search(plain, mention.end(), mention.end() + _LONGEST_GAP)
    shown = _shown(plain, use) if use is not None else ""
    if use is None or not shown:
        return None
    sentence = plain[mention.start() : use.end() + len(shown) + len(use["mark"])]
    if shown.isidentifier():
        told = ToldUse(template="", name=shown, sentence=sentence)
        return told if shown != attribute else None
    template = _template(shown, mention["self"] or "", mention["given"] or "")
    return ToldUse(template=template, name="", sentence=sentence) if template else None


def _shown(text: str, use: re.Match[str]) -> str:
    """The code behind "use", without its marks and without "()" of a name."""
    start, mark = use.end(), use["mark"]
    if mark:
        stop = text.find(mark, start)
    else:
        ends = (found.start() for found in _END.finditer(text, start, start + _LONGEST_GAP))
        stop = next((end for end in ends if _is_closed(text[start:end])), -1)
    return text[start:stop].strip().removesuffix("()") if stop > start else ""


def _is_closed(code: str) -> bool:
    return all(code.count(opening) == code.count(closing) for opening, closing in ("()", "[]", "{}"))


def _template(shown: str, owner: str, given: str) -> str:
    """The template that an expression is; "" where it has names that a use does not give."""
    try:
        tree = ast.parse(shown, mode="eval")
    except (SyntaxError, ValueError):
        return ""
    parameters = [re.split(r"[:=]", one)[0].strip(" *") for one in given.split(",") if one.strip()]
    places = {_spelling(name): str(number) for number, name in enumerate(parameters)}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    if not owner or not any(node.id == owner for node in names) or "{" in shown or not shown.isascii():
        return ""
    parts, end = [], 0
    for node in sorted(names, key=lambda node: node.col_offset):
        placed = _SELF if node.id == owner else ""
        if not placed and _spelling(node.id) in places:
            placed = "{" + places[_spelling(node.id)] + "}"
        if not placed and not hasattr(builtins, node.id):
            return ""
        parts += [shown[end : node.col_offset], placed or node.id]
        end = node.end_col_offset or len(shown)
    return "".join((*parts, shown[end:]))


def _spelling(name: str) -> str:
    """A name without what distinguishes camelCase from snake_case."""
    return name.replace("_", "").casefold()
