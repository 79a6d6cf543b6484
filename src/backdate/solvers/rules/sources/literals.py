"""Literal texts that an error repeats or is about, as they are written now."""

from __future__ import annotations

import re
from collections.abc import Callable

from backdate.rewriting.expressions import PlacedExpression
from backdate.rewriting.rewrite import ExpressionRole, ReplaceExpression, Rewrite
from backdate.rewriting.template import placeholders_of

_LITERAL = re.compile(
    r"(?P<start>[rR]?(?P<quote>\"{3}|'{3}|\"|'))(?P<text>(?:(?!(?P=quote))[^\\]|\\.)*)(?P=quote)",
    re.DOTALL,
)
"""One literal text, no f-string."""
_FLAGS = re.compile(r"(?<!\\)\(\?[aiLmsux]+\)")
_ORIENTS = {"r": "records", "d": "dict", "l": "list", "s": "series", "sp": "split", "i": "index"}
"""What ``DataFrame.to_dict`` took as short for its orientations until pandas 2.0."""

_UNITS = {"H": "h", "T": "min", "S": "s", "L": "ms", "U": "us", "N": "ns"}
"""Of ``Timedelta``, until pandas 3.0 and since."""
_OPTIONS = frozenset({"max_rows", "max_columns", "precision", "encoding", "max_colwidth"})

LiteralRewrite = Callable[[re.Match[str], PlacedExpression], Rewrite | None]
"""What becomes of an argument, by what an error says; None where it is none that the error is about."""


def _flags_first(_: re.Match[str], argument: PlacedExpression) -> Rewrite | None:
    """Flags of a whole regular expression stand at its start (Python 3.11)."""
    literal = _LITERAL.fullmatch(argument.code)
    flags = _FLAGS.findall(literal["text"]) if literal is not None else []
    if literal is None or not flags:
        return None
    return _instead(argument, literal, f"{''.join(flags)}{_FLAGS.sub('', literal['text'])}")


def _spelled(new: Callable[[str], str]) -> LiteralRewrite:
    """The text that the error repeats (``old``) is spelled as it says (``new``), or as is known."""

    def rewrite(match: re.Match[str], argument: PlacedExpression) -> Rewrite | None:
        literal = _LITERAL.fullmatch(argument.code)
        if literal is None or literal["text"] != match["old"]:
            return None
        text = match.groupdict().get("new") or new(match["old"])
        return _instead(argument, literal, text) if text and text != match["old"] else None

    return rewrite


def _frequency(match: re.Match[str], argument: PlacedExpression) -> Rewrite | None:
    """A frequency of pandas by its new name, with its number: "2H" is "2h"."""
    literal = _LITERAL.fullmatch(argument.code)
    old = match["old"]
    new = match.groupdict().get("new") or _UNITS.get(old)
    if literal is None or not new:
        return None
    number = literal["text"].removesuffix(old)
    if number == literal["text"] or (number and not number.lstrip("-").isdigit()):
        return None
    return _instead(argument, literal, f"{number}{new}")


def _escaped(match: re.Match[str], argument: PlacedExpression) -> Rewrite | None:
    """A backslash that a replacement holds before a letter means itself no more (Python 3.7)."""
    literal = _LITERAL.fullmatch(argument.code)
    if literal is None or match["old"] not in literal["text"]:
        return None
    old, raw = match["old"], literal["start"][:1] in "rR"
    text = literal["text"] if raw else literal["text"].replace(f"\\{old}", old)
    return _instead(argument, literal, text.replace(old, ("\\" if raw else "\\\\\\") + old))


def _instead(argument: PlacedExpression, literal: re.Match[str], text: str) -> Rewrite | None:
    template = f"{literal['start']}{text}{literal['quote']}"
    if placeholders_of(template):  # of a template: b{2} is one
        return None
    return ReplaceExpression(expression=argument.code, role=ExpressionRole.ARGUMENT, template=template)


def _without_universal(mode: str) -> str:
    """A mode of ``open`` without "U", which reading as text means anyway (Python 3.11)."""
    rest = mode.replace("U", "")
    return rest if "r" in rest else f"r{rest}"


def _whole_option(_: re.Match[str], argument: PlacedExpression) -> Rewrite | None:
    """An option of pandas by its whole name, since Styler has ones of the same end (1.3)."""
    literal = _LITERAL.fullmatch(argument.code)
    if literal is None or literal["text"] not in _OPTIONS:
        return None
    return _instead(argument, literal, f"display.{literal['text']}")


def _nothing(_: str) -> str:
    return ""


LITERALS: tuple[tuple[re.Pattern[str], LiteralRewrite], ...] = (
    (re.compile(r"global flags not at the start of the expression"), _flags_first),
    (re.compile(r"bad escape (?P<old>\\[A-Za-z]) at position"), _escaped),
    (re.compile(r"invalid mode: '(?P<old>[rbt+]{0,3}U[rbt+]{0,3})'"), _spelled(_without_universal)),
    (
        re.compile(r"orient '(?P<old>\w{1,8})' not understood"),
        _spelled(lambda old: _ORIENTS.get(old, "")),
    ),
    (
        # matplotlib 3.8 has the styles of seaborn 0.8 under that version's name alone
        re.compile(r"'(?P<old>seaborn(?!-v0_8)[\w-]{0,40})' (?:is not a valid package style|not found in)"),
        _spelled(lambda old: old.replace("seaborn", "seaborn-v0_8", 1)),
    ),
    (
        re.compile(
            r"unit-less dtype '(?P<old>(?:datetime|timedelta)64)' is not supported\. "
            r"Pass e\.g\. '(?P<new>(?:datetime|timedelta)64\[ns\])'"
        ),
        _spelled(_nothing),
    ),
    (
        re.compile(
            r"Passing in '(?P<old>(?:datetime|timedelta)64)' dtype with no precision is not allowed\. "
            r"Please pass in '(?P<new>(?:datetime|timedelta)64\[ns\])'"
        ),
        _spelled(_nothing),
    ),
    (re.compile(r"'(?P<old>box-forced)' is not a valid value for adjustable"), _spelled(lambda _: "box")),
    (re.compile(r"Pattern matched multiple keys"), _whole_option),
    (
        # pandas 3.0, of frequencies
        re.compile(
            r"'(?P<old>[\w-]{1,12})' is no longer supported for \w{1,20}\. Please use '(?P<new>[\w-]{1,12})'"
        ),
        _frequency,
    ),
    (
        re.compile(
            r"Invalid frequency: (?P<old>[\w-]{1,12})\b(?:(?!Invalid frequency).){0,200}"
            r"Did you mean (?P<new>[\w-]{1,12})\?"
        ),
        _frequency,
    ),
    (re.compile(r"invalid unit abbreviation: (?P<old>[HTSLUN])\b"), _frequency),
)
"""What messages say of a literal that a call on the failing line is given."""
