"""What takes the place of a name, as libraries word it: "use X instead", "renamed to X", "in favor of X".

The texts are messages, warnings and changelogs, which anybody may have written. Every pattern is bounded and
none nests repetitions, so the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from packaging.version import Version

from backdate.text import UNREADABLE

_LONGEST_TEXT = 4_000
_MOST_MENTIONS = 50
_LONGEST_GAP = 300
"""Characters between a name and what is said of it."""
_ROLE = re.compile(r":[a-z:+-]{1,30}:`[~!]?\.?([^`<>]{1,120})(?: ?<[^`>]{1,120}>)?`")
"""A reference of reStructuredText: ``:func:`~numpy.isin` ``."""
_LINK = re.compile(r"\[(`{0,2}[\w.()]{1,120}`{0,2})\]\([^)\s]{1,300}\)")
_MARKED = (
    r"``(?P<code2>[^`]{1,120})``|`(?P<code1>[^`]{1,120})`"
    r"|'(?P<code3>[^'\n]{1,120})'|\"(?P<code4>[^\"\n]{1,120})\""
)
_PLAIN = r"(?P<plain>[A-Za-z_]\w{0,80}(?:\.[A-Za-z_]\w{0,80}){0,8}(?:\(\))?)(?![\w#\[]|\.\w)"
_ARTICLE = (
    r"(?:(?:the|a|an|its|new|builtin|built-in|standard|standard library(?:'s)?|stdlib(?:'s)?|equivalent"
    r"|function|method|class|attribute|argument|parameter) ){0,3}"
)
_CODE = rf"{_ARTICLE}(?:{_MARKED}|{_PLAIN})"
_BEFORE = (
    r"\b(?:use(?: instead)?|using|switch to|prefer|call|refer to|instead,? (?:access|call|pass|set))"
    r"|replaced? (?:(?:it|them|this) )?(?:by|with)|in favou?r of"
    r"|superseded by|obsoleted by|(?:alias|synonym) (?:for|of)"
    r"|renamed (?:to|as|into)|renamed(?= [`'\"])"
    r"|moved (?:from [`'\"]{0,2}[\w.]{1,120}[`'\"]{0,2} )?(?:to|into)"
    r"|imported (?:directly )?from|import (?:it |them )?(?:directly )?from|replacement is"
    r"|now (?:called|named|known as|spelled)|instead,? use|migrate to|(?:lives|found) in"
    r"|still (?:available|accessible|found) (?:as|in|from|under|through|via)"
    r"|(?:is|are) now (?:a separate (?:project|package)|available (?:as|in|from|via|through)|part of"
    r"|found in)"
)
_INSTEAD = re.compile(rf"(?:{_BEFORE}):? {_CODE}", re.IGNORECASE)
_OR_INSTEAD = re.compile(
    rf"\b(?:use|using) (?:[a-z]{{1,20}} ){{1,4}}or (?:{_MARKED})(?P<plain>(?!))? instead", re.IGNORECASE
)
"""The second of two ways, where the first is told in prose."""
_GIVEN = re.compile(rf"\b(?:pass|give|set|specify) {_CODE} instead\b", re.IGNORECASE)
"""What is given; without "instead" it may as well be a value for the argument in question."""
_WHEN_IT_GOES = re.compile(
    r"(?:It|This(?: \w{1,20})?|They|The \w{1,30}) (?:will|is going to|is (?:scheduled|planned) to|may|shall)"
    r" be (?:removed|dropped|deleted|disabled)\b.{0,80}"
)
_MOST_SENTENCES = 2
"""From the one that names what goes to the one that says what to use, without those that say when."""
_ALTERNATIVE = re.compile(rf",? or (?:use |using )?{_ARTICLE}(?:{_MARKED})(?P<plain>(?!))?", re.IGNORECASE)
_ARROW = re.compile(rf"(?:->|=>|\u2192) ?{_CODE}")
_SHOULD = re.compile(rf"{_CODE} (?:should|must|can|has to|is to) be used\b", re.IGNORECASE)
_INSTEAD_OF = re.compile(
    rf"\b(?:use|using|prefer|consider|try|call|write) {_CODE}(?: \w{{1,30}}){{0,3}} "
    r"(?:instead of|rather than|in place of|over) "
    r"(?:the )?[`'\"]{0,2}(?P<old>[\w.]{1,120})",
    re.IGNORECASE,
)
_REPLACES = re.compile(
    rf"{_CODE} (?:replaces|supersedes|obsoletes|takes the place of"
    r"|(?:as|is) (?:an? |the )?(?:\w{1,20} )?(?:replacement|substitute|successor) (?:for|of|to)) "
    r"(?:the )?(?:\w{1,20} )?[`'\"]{0,2}(?P<old>[\w.]{1,120})",
    re.IGNORECASE,
)
_IMPORT_FROM = re.compile(
    rf"\bimport [`'\"]{{0,2}}(?P<old>[\w.]{{1,120}})[`'\"]{{0,2}} (?:directly )?from {_CODE}"
    r"(?: directly)? instead\b",
    re.IGNORECASE,
)
_RENAMED = re.compile(
    rf"\b(?:(?P<renamed>renam(?:e[sd]?|ing))|replac(?:e[sd]?|ing)|mov(?:e[sd]?|ing)):? {_ARTICLE}"
    r"[`'\"]{0,2}[~.]{0,2}(?P<old>[A-Za-z_][\w.]{0,120})(?:\(\))?[`'\"]{0,2}"
    r"(?: (?:keyword|argument|parameter|option|kwarg|attribute|method|function|class|property|module))"
    r"{0,2}(?: (?:of|in|from|for|on) (?:the )?[`'\"]{0,2}[\w.]{1,120}(?:\(\))?[`'\"]{0,2}"
    r"(?: (?:function|method|class|module))?)?"
    rf" (?:to|into|as|with|by) {_CODE}",
    re.IGNORECASE,
)
"""The old name first, in the active voice: "Rename the `a` argument of `f` to `b`"."""
_BOTH_NAMED = (_INSTEAD_OF, _RENAMED, _REPLACES, _IMPORT_FROM)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\Z")
_CALL = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\(([^()]{0,80})\)\Z")
_GOES_IN = re.compile(
    r"\b(?:remov|drop|disappear|gone|go away|chang|error)\w*(?: [\w'\"`]{1,14}){0,5} in "
    r"(?:version |release )?(?:[A-Za-z][\w-]{1,30} )?v?(\d{1,4}(?:\.\d{1,4}){1,3})",
    re.IGNORECASE,
)
"""The release in which a warning says that its matter goes, or changes."""
_SINCE = re.compile(
    r"(?:deprecated|warn\w{0,4})(?: \w{1,12}){0,3}? (?:since|in|as of|from)(?: version)?"
    r"(?: [A-Za-z][\w-]{1,30})? v?(\d{1,4}(?:\.\d{1,4}){1,3})",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"(?:an?|its?|the|th[ai][ts]|th[eo]se|them|one|something|(?:an)?others?|only|explicit|python|your?|version"
    r"|instead|with|for|in|on|of|to|by|as|is|be|not?|new|old|own|either|keyword|all|at|from|and|or|if|when"
    r"|dict|any|more|standard|default|same)\Z",
    re.IGNORECASE,
)
"""Words that follow "use" in prose."""

_ARTICLE_BEFORE = re.compile(r"\ban? \Z", re.IGNORECASE)

_BUILTIN_ALIAS = re.compile(r"alias (?:for|of) (?:the )?built-?in [`'\"]{1,2}(?P<name>\w{1,40})[`'\"]")

_NEITHER = "."
_MOST_LISTED = 12
_SEPARATOR = r"[`'\"]{0,2}(?:\(\))?(?:, | and |, and | or |, or | ?/ ?)"
_NEXT_OF_LIST = re.compile(rf"{_SEPARATOR}(?P<open>[`'\"]{{1,2}})(?P<name>[\w.()]{{1,120}})")
_LAST_OF_LIST = re.compile(
    rf"(?P<open>[`'\"]{{1,2}})(?P<name>[\w.()]{{1,120}}){_SEPARATOR}[`'\"]{{0,2}}(?:[\w]{{1,80}}\.){{0,8}}\Z"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What a text says takes the place of a name."""

    replacement: str
    """A name, dotted where the text has it so; "urllib.parse.parse_qs", "load_default"."""
    sentence: str
    """The words that say so, in one line."""
    expression: str = ""
    """What they say is written, where it is more than the name: ``importlib.metadata.version("lib")``."""


def replacement_in(text: str, name: str) -> Wording | None:
    """What ``text`` says takes the place of ``name`` (dotted or not); None when it does not say so.

    Only a name counts: advice in prose is for whoever quotes the text.
    """
    leaf = name.rpartition(".")[2]
    if not leaf:
        return None
    plain = plain_text(text)
    for match in (one for pattern in _BOTH_NAMED for one in pattern.finditer(plain)):
        if match["old"].rstrip(".").rpartition(".")[2] == leaf:
            in_code = leaf != leaf.lower() or "_" in leaf
            renamed = match.re is _RENAMED and match["renamed"] is not None
            certain = match.re is _INSTEAD_OF or (in_code and renamed)
            replacement = _name_of(match, leaf, certain=certain)
            if replacement:
                return Wording(replacement=replacement, sentence=_sentence(plain, match.start(), match.end()))
    for mention in islice(re.finditer(rf"(?<!\w){re.escape(leaf)}(?!\w)", plain), _MOST_MENTIONS):
        builtin = _BUILTIN_ALIAS.search(plain, mention.end(), mention.end() + _LONGEST_GAP)
        if builtin is not None:
            sentence = _sentence(plain, mention.start(), builtin.end())
            return Wording(replacement=f"builtins.{builtin['name']}", sentence=sentence)
        for match in _said_after(plain, mention.end()):
            certain = match.re in (_ARROW, _GIVEN) or _says_instead(plain, match.end())
            replacement = _name_of(match, leaf, certain=certain)
            if replacement:
                paired = _paired(plain, mention, match)
                replacement = paired or _nearest(plain, match, leaf, replacement)
                if replacement == _NEITHER:
                    break
                sentence = _sentence(plain, mention.start(), match.end())
                expression = _expression(match, replacement)
                return Wording(replacement=replacement, sentence=sentence, expression=expression)
            if match["plain"] is None:
                break  # another name is used for something else
    return None


def plain_text(text: str) -> str:
    """``text`` in one line, with references and links as code; of a long one the beginning."""
    return _LINK.sub(r"\1", _ROLE.sub(r"`\1`", " ".join(text[:_LONGEST_TEXT].split())))


def since_in(text: str) -> str:
    """The release since which a warning says that a name is deprecated: "1.25"; "" when it does not say."""
    match = _SINCE.search(text[:_LONGEST_TEXT])
    return match[1] if match else ""


def is_for_later(text: str, new: str) -> bool:
    """Whether a warning says that its matter goes in a release later than ``new``."""
    stated = _GOES_IN.search(text[:_LONGEST_TEXT])
    try:
        return stated is not None and bool(new) and Version(stated[1]) > Version(new)
    except UNREADABLE:
        return False


def _paired(text: str, mention: re.Match[str], match: re.Match[str]) -> str:
    """Of "`a` and `b` were replaced by `c` and `d`" what replaces the one that is mentioned.

    "" where one name replaces all; ``_NEITHER`` where as many names do not stand on both sides.
    """
    after = _listed(text, match.end("code1") + 1 if match["code1"] else match.end(), forward=True)
    if not after:
        return ""
    before = _listed(text, mention.start(), forward=False)
    behind = _listed(text, mention.end(), forward=True)
    first = next(match[group] for group in ("code2", "code1", "code3", "code4", "plain") if match[group])
    names = [first, *after]
    if len(before) + 1 + len(behind) != len(names):
        return _NEITHER
    return names[len(before)].removesuffix("()").lstrip("~.")


def _nearest(text: str, match: re.Match[str], leaf: str, first: str) -> str:
    """Of "use `a` to do this, or `b` for that" the one whose words are nearest to the name, or ``first``."""
    stop = text.find(". ", match.end())
    alternatives = [
        name
        for other in _ALTERNATIVE.finditer(text, match.end(), min(len(text), match.end() + _LONGEST_GAP))
        if (stop < 0 or other.start() < stop) and (name := _name_of(other, leaf, certain=False))
    ]
    wanted = _words(leaf)
    return max((first, *alternatives), key=lambda name: len(wanted & _words(name.rpartition(".")[2])))


def _words(name: str) -> set[str]:
    return set(re.findall(r"[a-z]+|[A-Z][a-z]*|\d+", name.replace("_", " ").strip()))


def _listed(text: str, place: int, *, forward: bool) -> list[str]:
    """The names in marks that a list goes on with (or begins with) next to a place."""
    names: list[str] = []
    pattern = _NEXT_OF_LIST if forward else _LAST_OF_LIST
    while len(names) < _MOST_LISTED:
        match = pattern.match(text, place) if forward else pattern.search(text, max(0, place - 140), place)
        if match is None:
            break
        names.append(match["name"])
        place = match.end() if forward else match.start() + len(match["open"])
    return names if forward else names[::-1]


def _said_after(text: str, start: int) -> Iterator[re.Match[str]]:
    """What is said to be used after the mention of a name, in its own parentheses or sentence."""
    end = min(len(text), start + _LONGEST_GAP)
    for pattern in (_INSTEAD, _OR_INSTEAD, _GIVEN, _ARROW, _SHOULD):
        for match in pattern.finditer(text, start, end):
            between = text[start : match.start()]
            opened = between.rfind("(")
            if opened > between.rfind(")") and between[:opened].strip("`'\"() ,:") != "":
                continue  # in parentheses behind another name
            sentences = between.split(". ")
            if len(sentences) - sum(map(_is_when_it_goes, sentences)) > _MOST_SENTENCES:
                continue
            yield match


def _is_when_it_goes(sentence: str) -> bool:
    """Whether it says no more than when the name goes, which may stand between it and what to use."""
    return _WHEN_IT_GOES.fullmatch(sentence) is not None


def _says_instead(text: str, end: int) -> bool:
    return re.match(r"[`'\"]{0,2}(?: \w{1,30}){0,2} instead\b", text[end : end + 80]) is not None


def _name_of(match: re.Match[str], leaf: str, *, certain: bool) -> str:
    """The name that a match is about; "" for prose, and for the very name that is replaced."""
    marked = next((match[group] for group in ("code1", "code2", "code3", "code4") if match[group]), None)
    text = (marked or match["plain"] or "").strip().removesuffix("()").lstrip("~.")
    if marked is None:
        as_code = "." in text or "_" in text or match["plain"].endswith("()") or text != text.lower()
        in_prose = not as_code and _ARTICLE_BEFORE.search(match.string, 0, match.start("plain")) is not None
        if _NO_NAME.match(text) or in_prose or not (as_code or certain):
            return ""  # "use a list instead" names no class
    call = _CALL.match(text)
    text = call[1] if call else text.rstrip("=")
    if not _IDENTIFIER.match(text) or text == leaf:
        return ""
    return text


def _expression(match: re.Match[str], name: str) -> str:
    """The call that a match holds, arguments and all; "" for a name alone."""
    marked = next((match[group] for group in ("code1", "code2", "code3", "code4") if match[group]), "")
    call = _CALL.match(marked.strip())
    return marked.strip() if call is not None and call[1] == name and call[2] else ""


def _sentence(text: str, start: int, end: int) -> str:
    """The sentence around a part of ``text``, at most about 240 characters."""
    stopped = text.rfind(". ", 0, start)
    begin = max(stopped + 2 if stopped >= 0 else 0, start - 120)
    stop = text.find(". ", end)
    stop = len(text) if stop < 0 else stop + 1
    return text[begin : min(stop, end + 120)].strip()
