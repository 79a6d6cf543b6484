"""From what releases announce to rules: names that later releases lack, with what takes their place."""

from __future__ import annotations

import builtins
import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from packaging.version import Version

from backdate.advising.replacements import without_alias
from backdate.advising.wording import replacement_in
from backdate.mining.announcements import AnnouncedBy, Announcement, announcements_in
from backdate.mining.literals import parsed
from backdate.mining.public_names import BoundNames, ReleaseNames, names_of_module
from backdate.mining.releases import ReleaseSources

_MOST_ALIASES = 4
"""Public names of one definition for which there are rows."""
_MOST_DERIVED = 60
"""Classes for which there are rows of what a base class announces; of more, the base class' own alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MinedRelease:
    """What one release has, and what it announces."""

    version: Version
    first: Version
    """The first release of its series, of which ``version`` is the newest."""
    names: ReleaseNames
    announcements: tuple[Announcement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCandidate:
    """A name, or an argument, that a release announced to go and a later one lacks."""

    name: str
    """As projects use it, dotted."""
    argument: str = ""
    replacement: str = ""
    """The dotted name, or the argument, that takes its place and that the last release has; "" for none."""
    owner: str = ""
    """The class whose member it is."""
    since: Version
    """The first of the releases read that has it no more, as far as sources tell."""
    announced: Version
    """The release that says so; of what no release announced, the last one that has the name."""
    words: str
    """"" where no release announced it, and what it was is found in another place."""
    by: AnnouncedBy | None
    """None where no release announced it."""
    module: bool = False
    """Whether it is a whole module."""
    dropped: bool = False
    """Whether it is an argument that had no effect: calls leave it out."""

    @property
    def is_rule(self) -> bool:
        """Whether it says what to write."""
        return bool(self.replacement) or self.dropped

    @property
    def subject(self) -> str:
        """ "lib.name", or "lib.function(argument)"."""
        return f"{self.name}({self.argument})" if self.argument else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadModule:
    """What was read of one module, for a next release that has it unchanged."""

    source: str
    names: BoundNames | None
    announced: tuple[Announcement, ...]


ReadModules = dict[tuple[str, bool], _ReadModule]
"""Modules of the release that was read last, by name and whether they are packages."""


def mine_release(
    release: ReleaseSources, *, first: Version | None = None, known: ReadModules | None = None
) -> MinedRelease:
    """What a release has and announces; ``first``: the first release of its series.

    Of ``known`` modules nothing is read again; it then holds those of this release.
    """
    known = {} if known is None else known
    read: ReadModules = {}
    for module, source in release.sources.items():
        key = (module, module in release.packages)
        before = known.get(key)
        read[key] = before if before and before.source == source else _read_module(source, *key)
    known.clear()
    known.update(read)
    modules = {module: one.names for (module, _), one in read.items() if one.names is not None}
    unread = frozenset(release.sources) - frozenset(modules)
    return MinedRelease(
        version=release.version,
        first=first or release.version,
        names=ReleaseNames(modules=modules, compiled=release.compiled | unread),
        announcements=tuple(one for module in read.values() for one in module.announced),
    )


def _read_module(source: str, module: str, package: bool) -> _ReadModule:
    tree = parsed(source)
    names = names_of_module(source, module, package=package, tree=tree) if tree else None
    announced = announcements_in(source, module, tree=tree) if names else ()
    return _ReadModule(source=source, names=names, announced=announced)


def candidates_of(releases: Sequence[MinedRelease]) -> tuple[RuleCandidate, ...]:
    """What ``releases``, from the oldest, announced and what the last of them do not have by their sources.

    Whether a name is truly gone only an environment tells where a module makes names while it runs: a
    candidate is no rule before it is proven. Of several announcements of one name that counts which names a
    replacement, the latest first.
    """
    found: dict[tuple[str, str], RuleCandidate] = {}
    read = [_ReadNames(release) for release in releases]
    for position, release in enumerate(releases):
        for announcement in release.announcements:
            for candidate in _of(announcement, position, read):
                key = (candidate.name, candidate.argument)
                known = found.get(key)
                if known is None or candidate.is_rule or not known.is_rule:
                    found[key] = candidate
    return tuple(sorted(found.values(), key=lambda one: (one.since, one.name, one.argument)))


def public_homes(names: ReleaseNames) -> dict[str, list[str]]:
    """Where something is defined, to the public names that it has, the shortest first."""
    public: defaultdict[str, list[str]] = defaultdict(list)
    for name, home in names.public_names():
        if is_offered(name, home):
            public[home].append(name)
    return {home: sorted(given, key=lambda one: (one.count("."), one)) for home, given in public.items()}


class _ReadNames:
    """One release's names, and what is looked up of them again and again."""

    def __init__(self, release: MinedRelease) -> None:
        self.release = release
        self.names = release.names
        self.public = public_homes(release.names)

    @functools.cached_property
    def derived(self) -> dict[str, tuple[str, ...]]:
        return self.names.derived()

    @functools.cached_property
    def in_tables(self) -> frozenset[str]:
        told = self.release.announcements
        return frozenset(one.name for one in told if one.by is AnnouncedBy.TABLE)

    def has(self, name: str, argument: str) -> bool | None:
        return self.names.takes(name, argument) if argument else self.names.has(name)


def _of(announcement: Announcement, position: int, releases: Sequence[_ReadNames]) -> Iterator[RuleCandidate]:
    """Also of a release that lacks the name by now: tables and changelogs tell what an older one had."""
    of_before = announcement.by in (AnnouncedBy.TABLE, AnnouncedBy.CHANGELOG)
    nearest = [position, position - 1] if of_before and position else [position]
    used = {
        pair: None
        for index in nearest
        for pair in (
            *_as_used(_defined(announcement), releases[index].names, releases[index].public),
            *_as_inherited(announcement, releases[index]),
        )
    }
    for name, owner in used:
        having = [
            index
            for index, one in enumerate(releases)
            if one.has(name, announcement.argument) is True
            # What such a table or loop holds is made while the module runs.
            or (index == position and announcement.by in (AnnouncedBy.IMPORTS, AnnouncedBy.LOOP))
        ]
        if not having and _is_first_told(announcement, name, position, releases):
            having = [position - 1]
        if not having or having[-1] == len(releases) - 1:
            continue
        since, last = releases[having[-1] + 1].release, releases[-1]
        replacement = _replacement(announcement, name, owner, last.names)
        yield RuleCandidate(
            name=name,
            argument=announcement.argument,
            replacement=replacement,
            dropped=bool(announcement.argument) and not replacement and is_without_effect(announcement),
            owner=owner,
            since=since.first,
            announced=Version(announcement.version)
            if announcement.version
            else releases[position].release.version,
            words=announcement.words,
            by=announcement.by,
            module=name in releases[having[-1]].names.modules,
        )


def _is_first_told(
    announcement: Announcement, name: str, position: int, releases: Sequence[_ReadNames]
) -> bool:
    """Whether a table is new that tells of a name which the release before may make while it runs."""
    if announcement.by is not AnnouncedBy.TABLE or not position:
        return False
    before = releases[position - 1]
    return before.has(name, announcement.argument) is None and announcement.name not in before.in_tables


def _defined(announcement: Announcement) -> str:
    """Where the name is; a table in a private module is about the package around it."""
    if announcement.by is not AnnouncedBy.TABLE:
        return announcement.name
    module, _, leaf = announcement.name.rpartition(".")
    parts = module.split(".")
    while len(parts) > 1 and parts[-1].startswith("_"):
        parts.pop()
    return ".".join((*parts, leaf))


def _as_used(defined: str, names: ReleaseNames, public: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """The names under which projects use what is defined there, each with its class where it is a member."""
    home = names.home_of(defined) or defined
    if home in public:
        for name in public[home][:_MOST_ALIASES]:
            yield name, ""
        return
    owner, _, leaf = home.rpartition(".")
    if owner in public and not leaf.startswith("_"):
        for name in public[owner][:1]:
            yield f"{name}.{leaf}", name.rpartition(".")[2]
        return
    if not any(part.startswith("_") for part in defined.split(".")):
        yield defined, ""


def _as_inherited(announcement: Announcement, release: _ReadNames) -> Iterator[tuple[str, str]]:
    """The public classes that have a member, or take an argument, from the class that announces it."""
    names = release.names
    home = names.home_of(announcement.name) or ""
    owner, _, leaf = home.rpartition(".")
    base = home if announcement.argument else owner
    derived = [one for one in release.derived.get(base, ()) if one in release.public] if home else []
    if len(derived) > _MOST_DERIVED or leaf.startswith("_"):
        return
    for one in derived:
        name = release.public[one][0]
        if announcement.argument and names.takes(name, announcement.argument):
            yield name, ""
        elif not announcement.argument and names.home_of(f"{one}.{leaf}") == home:
            yield f"{name}.{leaf}", name.rpartition(".")[2]


def said_replacement(announcement: Announcement, subject: str) -> str:
    """What an announcement says to write for ``subject``, the name or argument that goes; "" for nothing."""
    said = announcement.new or _imported(announcement.words)
    if not said:
        # A directive or a table does not repeat what it is about, or only as a part of the new name.
        wording = replacement_in(announcement.words, subject)
        if wording is None and announcement.by is not AnnouncedBy.CHANGELOG:
            wording = replacement_in(f"`{subject}`: {announcement.words}", subject)
        if wording is None or wording.expression:
            return ""
        said = wording.replacement
    return without_alias(said.strip("`").removesuffix("()"))


_NO_EFFECT = re.compile(
    r"\b(?:has|have|having|had|with) (?:currently )?no (?:longer (?:an|any) )?(?:effect|influence|impact)"
    r"|no longer (?:has|have) an(?:y)? effect"
    r"|\b(?:is|are|was|be|being) (?:now )?(?:silently )?(?:ignored|unused|redundant|superfluous)\b"
    r"|\b(?:is|are) (?:no longer|not) (?:being )?(?:used|needed|necessary|required)\b"
    r"|\b(?:does|do) nothing\b",
    re.IGNORECASE,
)
_SOMETIMES = re.compile(
    r"[`'\"]?,? (?:if|when|unless|for|with|by|in (?:case|favou?r)|except)\b", re.IGNORECASE
)


def is_without_effect(announcement: Announcement) -> bool:
    """Whether it says that the argument changes nothing, and always so."""
    match = _NO_EFFECT.search(announcement.words)
    # "Passing normed=False has no effect" is about that value.
    of_value = re.search(rf"\b{re.escape(announcement.argument)}[`'\"]{{0,2}} ?=", announcement.words)
    return match is not None and not of_value and not _SOMETIMES.match(announcement.words, match.end())


_IMPORT = re.compile(
    r"\bimport [`'\"]{0,2}(?P<name>\w[\w.]{0,80})[`'\"]{0,2}"
    r"(?: from [`'\"]{0,2}(?P<module>\w[\w.]{0,80})[`'\"]{0,2})? instead",
    re.IGNORECASE,
)


def _imported(words: str) -> str:
    """What "import X from Y instead" and "import 'Y.X' instead" name."""
    match = _IMPORT.search(words)
    return ".".join(filter(None, (match["module"], match["name"]))) if match else ""


def _replacement(announcement: Announcement, name: str, owner: str, names: ReleaseNames) -> str:
    """What the announcement says to use, where the release that lacks the old name has it."""
    subject = announcement.argument or name.rpartition(".")[2]
    said = said_replacement(announcement, subject)
    if not all(part.isidentifier() for part in said.split(".")):
        return ""  # nothing, or prose: "time.strptime or dateutil.parser.parse"
    if announcement.argument:
        return said if said.isidentifier() and names.takes(name, said) is not False else ""
    around = name.rpartition(".")[0]
    if owner:
        leaf = said.rpartition(".")[2]
        return leaf if leaf != subject and names.has(f"{around}.{leaf}") else ""
    top = name.partition(".")[0]
    is_whole = "." in said and said.partition(".")[0] == top
    nearest = [said] if is_whole else [f"{around}.{said}", f"{top}.{said}", said]
    for guess in nearest:
        if guess == name or guess.partition(".")[0] != top or not is_public(guess):
            continue
        # Of a whole name that the library says itself, only an environment tells more than its sources.
        if names.has(guess) or (guess == said and is_whole and names.has(guess) is None):
            return guess
    first = said.partition(".")[0]
    # Whether another distribution has it, which the library requires, only an environment tells.
    is_elsewhere = first != top and first.islower() and "." in said and is_public(said)
    return said if is_elsewhere or (hasattr(builtins, said) and said != subject) else ""


def is_offered(name: str, home: str) -> bool:
    """Whether the module of ``name`` has it for others, and not for its own use.

    It does where it defines it, where the definition is below it, as packages gather names, and where that is
    in the private module of its name (``_base`` for ``base``). A package at the top gathers from everywhere.
    """
    module = name.rpartition(".")[0]
    parent, _, leaf = module.rpartition(".")
    return not parent or home.startswith((f"{module}.", f"{parent}._{leaf}."))


def is_public(dotted: str) -> bool:
    """Whether no part of a dotted name says that it is private."""
    return not any(part.startswith("_") for part in dotted.split("."))


def by_row(
    candidates: Iterable[RuleCandidate],
) -> dict[tuple[Version, str, str, bool], list[RuleCandidate]]:
    """Candidates that make one row: of one release, one module or class, one function of an argument."""
    rows: defaultdict[tuple[Version, str, str, bool], list[RuleCandidate]] = defaultdict(list)
    for one in candidates:
        around = "" if one.module else one.name if one.argument else one.name.rpartition(".")[0]
        kind = "module" if one.module else "argument" if one.argument else one.owner
        # What was announced has its own words, and other rows.
        rows[(one.since, around, kind, bool(one.words))].append(one)
    return dict(rows)
