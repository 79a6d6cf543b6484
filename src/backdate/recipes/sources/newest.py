"""Which of several entries of a build matrix has the newest dependencies.

tox, nox and CI files list the oldest versions that a project supports beside the newest ones. An instant asks
for the newest of them that were released: development versions are of no instant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from backdate.text import UNREADABLE

Rank = tuple[int, tuple[int, ...]]
"""Greater is newer: what kind of version it is, then its numbers."""
UNRELEASED: Rank = (0, ())
OLDEST: Rank = (1, ())
_NUMBERED, _UNBOUNDED = 2, 3
_PENALTY = {UNRELEASED: 2, OLDEST: 1}

_UNRELEASED = re.compile(
    r"(?:\A|[^a-z])(?:dj|django|np|numpy)?-?(?:main|master|trunk|nightly|edge|dev(?:el)?|head|pre|git|tip|upstream)"
    r"(?:deps)?(?:[^a-z]|\Z)|(?:master|trunk|nightly)\Z|\bgit\+|https?://",
    re.IGNORECASE,
)
_OLDEST = re.compile(
    r"(?:\A|[^a-z])(?:oldest|lowest|minimum|minimal|min|lower)(?:[-_]?(?:deps|direct|ver(?:sions?)?))?(?:[^a-z]|\Z)",
    re.IGNORECASE,
)
_NEWEST = re.compile(
    r"(?:\A|[^a-z])(?:newest|latest|highest|maximum|max|upgraded?)(?:[^a-z]|\Z)", re.IGNORECASE
)
_VERSION = re.compile(r"\A[=~^<>!]*\s*v?(\d+(?:\.\d+){0,3})(?:\.\*|\.x|\.0)*\Z")
_NAMED = re.compile(r"\A([A-Za-z][A-Za-z_-]*?)[-_]?v?(\d+(?:\.\d+)*)x?\Z")
_PYTHON = re.compile(r"\A(?:c?python|py|pypy)\d*\Z", re.IGNORECASE)
_NO_DEPENDENCY = re.compile(
    r"\A(?:\w+\.)?(?:os|runs?[-_]?on|runners?|image|vm|vmimage|arch|architecture|platform|name|dist|sudo|stage"
    r"|timeout\w*|shards?|group|split|part|node\w*|experimental|language|c?python\w*|python[-_]version)\Z",
    re.IGNORECASE,
)
_LONGEST = 500


def rank_requirement(text: str) -> tuple[str, Rank] | None:
    """The distribution that ``text`` names, and how new a version it allows; None where it is no requirement.

    Without an upper bound any version is allowed; of two such the one with the later lower bound counts as
    newer.
    """
    try:
        requirement = Requirement(text.partition("#")[0].strip()[:_LONGEST])
    except UNREADABLE:
        return None
    name = canonicalize_name(requirement.name)
    if requirement.url is not None:
        return name, UNRELEASED
    upper: list[tuple[int, ...]] = []
    lower: list[tuple[int, ...]] = []
    for specifier in requirement.specifier:
        numbers = _numbers(specifier.version.removesuffix(".*"))
        match specifier.operator:
            case "==" | "===":
                upper.append((*numbers, 1_000_000) if specifier.version.endswith(".*") else numbers)
            case "<" | "<=":
                upper.append(numbers)
            case "~=":
                upper.append((*numbers[:-1], 1_000_000))
            case ">=" | ">":
                lower.append(numbers)
    if upper:
        return name, (_NUMBERED, min(upper))
    return name, (_UNBOUNDED, max(lower, default=()))


def rank_word(word: str) -> tuple[str, Rank] | None:
    """The name ("" for none) and rank of a word of a matrix: "django22", "3.2", "main", "Django>=2.2,<3"."""
    if _UNRELEASED.search(word):
        return "", UNRELEASED
    if _OLDEST.search(word):
        return "", OLDEST
    if _NEWEST.search(word):
        return "", (_UNBOUNDED, ())
    if match := _VERSION.match(word):
        return "", (_NUMBERED, _numbers(match[1]))
    if match := _NAMED.match(word):
        name, version = match[1].lower(), match[2]
        if _PYTHON.match(name):
            return None
        # "django111" is 1.11, "django20" is 2.0: one digit of a major version, the rest of a minor
        numbers = _numbers(version) if "." in version else _numbers(f"{version[0]}.{version[1:] or 0}")
        return name, (_NUMBERED, numbers)
    return rank_requirement(word) if re.search(r"[<>=~]", word) else None


def ranks_of_entry(entry: Mapping[str, str]) -> dict[str, Rank]:
    """What the values of a matrix entry say of dependencies: ``{"django": "3.2", "os": "ubuntu"}``."""
    ranks: dict[str, Rank] = {}
    for key, value in entry.items():
        if _NO_DEPENDENCY.match(key) or len(value) > _LONGEST:
            continue
        for name, word in _words(value):
            ranked = rank_word(word)
            if ranked is not None:
                inner = name or ranked[0]
                ranks[f"{key} {inner}" if inner else key] = ranked[1]
    return ranks


def _words(value: str) -> Iterator[tuple[str, str]]:
    """The words of a value, with the variable that each is given to: of a line of variables, of factors."""
    text = value.strip()
    if rank_word(text) is not None:
        yield "", text
        return
    for part in re.split(r"[\s;]+", text):
        name, equals, word = part.partition("=")
        if equals and name.isidentifier() and not word.startswith("="):
            if not _NO_DEPENDENCY.match(name):
                word = word.strip("'\"")
                yield from ((name, inner) for inner in ([word] if rank_word(word) else word.split("-")))
        else:
            yield from (("", inner) for inner in ([part] if rank_word(part) else part.split("-")))


def newest(candidates: Sequence[Mapping[str, Rank]]) -> int:
    """The position of the candidate with the newest dependencies; among equals the first.

    For every dependency a candidate gets a point for each candidate whose version is older. One that says
    nothing of a dependency gets none for it, and is better than a development version or the oldest one.
    """
    points = [0] * len(candidates)
    for name in dict.fromkeys(name for ranks in candidates for name in ranks):
        ordered = sorted(ranks[name] for ranks in candidates if name in ranks)
        before = {rank: number for number, rank in reversed(list(enumerate(ordered)))}
        for number, ranks in enumerate(candidates):
            if name in ranks:
                points[number] += before[ranks[name]] - _PENALTY.get(ranks[name], 0) * len(candidates)
    return max(range(len(points)), key=lambda number: points[number], default=0)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d{1,9}", version)[:4])
