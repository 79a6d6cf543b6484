"""The warnings that the affected tests saw while they still passed, read from a run's log."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from backdate.advice import SourcePlace
from backdate.bisection.result import GivenWarning
from backdate.diagnosis.logs import LoggedWarning
from backdate.knowledge.modules import in_standard_library

MOST_WARNINGS = 40
MOST_PLACES = 50
"""Lines that are kept of one warning."""
_LONGEST = 500
_SHORTEST_IN_CATEGORY = 5
"""Of a library's name; a shorter one may be part of any word."""
_FORETELLS = re.compile(r"Deprecat|Future|RemovedIn|Legacy|MovedIn|YAMLLoad|Base20", re.IGNORECASE)
"""In a category's name: the ones of Python, and how libraries call theirs."""
_SAYS_SO = re.compile(
    r"\bdeprecat|\bwill (?:be|change|raise|stop|become)\b|\bin (?:a|the) (?:future|next)\b|\bremoved in\b"
    r"|\bno longer\b",
    re.IGNORECASE,
)
_INSTALLED = re.compile(r".*/site-packages/|.*/lib/python3\.\d+/")
_DOTTED = re.compile(r"(?<![\w.])([A-Za-z_]\w{0,60})\.[A-Za-z_]")
"""A dotted name's first part."""
_MODULE = re.compile(r"\A[Tt]he ['\"`]?(\w{1,60})['\"`]? module is\b")
"""The module that a warning of Python's is about."""
_WHOLE = re.compile(r"(?<![\w.])[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){1,10}")
_DOTS = re.compile(r"\A[.FEsxu]+(?=/)")
"""The progress of unittest, after which a warning may begin on the same line."""


def foretelling(
    warnings: Iterable[LoggedWarning],
    *,
    terms: Sequence[str],
    modules: Sequence[str],
    root: str = "",
    is_used_at: Callable[[SourcePlace], bool] = lambda _: False,
    is_of_another: Callable[[str], bool] = lambda _: False,
    is_own: Callable[[str], bool] = lambda _: False,
) -> tuple[GivenWarning, ...]:
    """Warnings that announce a change and concern it: they hold one of ``terms``, or name one of ``modules``.

    ``terms``: the name that is missing now, and whose it was. ``modules``: top-level modules of the
    culprit; a warning concerns it that says one of their names, or whose category does
    ("RemovedInDjango40Warning"), that one of its files gave, or that was given for a line of the project
    that uses it (``is_used_at``). What a library was told because of its own use of another one
    (``is_of_another``: a top-level module) concerns nobody else, nor what the project says of its own modules
    (``is_own``: a dotted name), whatever it names instead. ``root``: where the project lay. One warning at
    several lines is one.
    """
    named: dict[tuple[str, str], list[SourcePlace]] = {}
    others: dict[tuple[str, str], list[SourcePlace]] = {}
    for warning in warnings:
        short = warning.category.rpartition(".")[2]
        if not _FORETELLS.search(short) and not _SAYS_SO.search(warning.message):
            continue
        file = _shown(warning.file, root)
        names_it = any(_holds(warning.message, term) for term in terms)
        about = _WHOLE.search(warning.message[:_LONGEST])
        if not names_it and about is not None and is_own(about[0]):
            continue
        own = any(file.startswith((f"{module}/", f"{module}.")) for module in modules)
        place = SourcePlace(file=file, line=warning.line)
        says_module = any(
            _holds(warning.message, module) or _calls_after(short, module) for module in modules
        )
        text = warning.message[:_LONGEST]
        python_s_own = any(map(in_standard_library, _MODULE.findall(text)))
        told_itself = not says_module and (python_s_own or any(map(is_of_another, _DOTTED.findall(text))))
        of_modules = says_module or (own and not told_itself)
        if names_it or of_modules or is_used_at(place):
            places = (named if names_it else others).setdefault((short, warning.message[:_LONGEST]), [])
            if place not in places and len(places) < MOST_PLACES:
                places.append(place)
    return tuple(
        GivenWarning(category=category, message=message, places=tuple(places), names_it=known is named)
        for known in (named, others)
        for (category, message), places in known.items()
    )[:MOST_WARNINGS]


def _shown(file: str, root: str) -> str:
    """A warning's file relative to the folder ``root`` or the one that it was installed in."""
    path = _DOTS.sub("", file)
    if root and path.startswith(f"{root}/"):
        return path.removeprefix(f"{root}/")
    installed = _INSTALLED.match(path)
    return path[installed.end() :] if installed else file


def _calls_after(category: str, module: str) -> bool:
    """Whether a category is called after a library: RemovedInMarshmallow4Warning."""
    name = module.strip("_").casefold()
    return len(name) >= _SHORTEST_IN_CATEGORY and name in category.casefold()


def _holds(text: str, word: str) -> bool:
    return bool(word) and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None
