"""What to write in the place of what a release dropped: the rows of the tables as rewrites.

Rules are those of one distribution, read when they are first asked for: nothing is read for the others.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from packaging.version import Version

from backdate.knowledge import load
from backdate.knowledge.change_rows import ChangeRow, ChangesFile
from backdate.knowledge.changes import pattern_of
from backdate.knowledge.row_rewrites import rewrites_of_row
from backdate.rewriting.rewrite import (
    RenameAttribute,
    ReplaceName,
    Rewrite,
)
from backdate.text import UNREADABLE

_LONGEST_MESSAGE = 2_000
_MOST_STEPS = 4
"""Renames of one name after another that are followed."""


class RuleOrigin(StrEnum):
    """Where a rule comes from."""

    WRITTEN = "written"
    """By hand, from a public guide or note."""
    MINED = "mined"
    """Announced by a release of the library, and read from there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One edit that a release of a distribution makes necessary."""

    distribution: str
    """Normalised (PEP 503); "python" for the standard library."""
    target: str
    """What is used: "numpy.product", ".iteritems" of any object, or a whole module."""
    argument: str = ""
    """The keyword argument of ``target`` that it is about; "" when it is about all of it."""
    rewrite: Rewrite
    since: str
    """The release that makes it necessary."""
    origin: RuleOrigin = RuleOrigin.WRITTEN
    owners: tuple[str, ...] = ()
    """The classes or functions, as messages name them, where the row names them."""
    source: str = ""
    """Where the library says so: an address."""
    words: str = ""
    """What the library says, or a note."""
    given: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By what a call gives the classes that it is for, as ``EditRow.given``."""
    proven: bool = True
    last: bool = False
    """Whether it is tried only where nothing else helps."""
    read_from: str = ""
    """What it was mined from, and its licence, where that is not the distribution's own releases."""
    row: ChangeRow
    """The row that it comes from."""

    @property
    def name(self) -> str:
        """The rule's name: "numpy:numpy.product", "pandas:pandas.read_csv(error_bad_lines)"."""
        return f"{self.distribution}:{self.target}{f'({self.argument})' if self.argument else ''}"


def rules_of(distribution: str, *, old: str = "", new: str = "", unproven: bool = False) -> tuple[Rule, ...]:
    """The rules of ``distribution`` (normalised) that a move from release ``old`` to ``new`` makes necessary.

    Without a release, that end is open. Written rules come first, then those that were mined.
    ``unproven``: also rules that nothing has proven yet. Where ``new`` is the older release, the rules are
    those for what it lacks of what ``old`` has; where an end is open there are none of these, but for who
    lists all (``unproven``, and no release). What gives another value without a word is in that list alone:
    see ``value_rules_of``.
    """
    listed = unproven and not old and not new
    return tuple(
        rule
        for rule in _all_of(distribution)
        if (rule.proven or unproven) and (listed or (not _is_silent(rule) and _is_met(rule, old, new)))
    )


def value_rules_of(distribution: str, *, old: str, new: str) -> tuple[Rule, ...]:
    """The proven rules by which calls give again what they gave with ``old``, where no error tells of it."""
    rules = _all_of(distribution)
    return tuple(rule for rule in rules if rule.proven and _is_silent(rule) and _is_met(rule, old, new))


def rules_for(
    distribution: str, name: str, *, argument: str = "", old: str = "", new: str = "", unproven: bool = False
) -> tuple[Rule, ...]:
    """The rules for a name as it is used: dotted, "numpy.product", or ".iteritems" of any object.

    Of a name within a module or class that was renamed as a whole, the rule is that of the nearest. A
    method, such as "pandas.DataFrame.append", has the rules for ".append" that name its class, or no class.
    With ``argument``, those for the function's keyword argument; a function without a dot is one of that
    last part. Where a replacement was itself replaced since, the newest name is given.
    """
    rules = rules_of(distribution, old=old, new=new, unproven=unproven)
    fitting = [rule for rule in rules if rule.argument == argument and is_about(rule, name)]
    nearest = max((len(rule.target) for rule in fitting), default=0)
    return tuple(_newest(rule, rules) for rule in fitting if len(rule.target) == nearest)


def rules_behind(
    distribution: str, message: str, *, old: str = "", new: str = "", unproven: bool = False
) -> tuple[Rule, ...]:
    """The rules of rows that recognise an error ("TypeError: load() missing …") by its message.

    Of a row about several names, only the rules for those that the message holds.
    """
    line = message[:_LONGEST_MESSAGE]
    rules = rules_of(distribution, old=old, new=new, unproven=unproven)
    return tuple(
        _newest(rule, rules) for rule in rules if _is_named(rule, line) and pattern_of(rule.row).search(line)
    )


def rules_in(file: ChangesFile) -> tuple[Rule, ...]:
    """The rules of rows that were just mined, whether or not anything has proven them."""
    return tuple(rule for row in file.change for rule in _of_row(file.distribution, file, row))


def is_about(rule: Rule, name: str) -> bool:
    """Whether ``rule`` is about a name as it is used: see ``rules_for``."""
    target = rule.target
    if target == name:
        return True
    if rule.argument and "." not in name:
        return target.rpartition(".")[2] == name or name in rule.owners
    if isinstance(rule.rewrite, ReplaceName):
        return name.startswith(f"{target}.")
    owner, _, leaf = name.rpartition(".")
    if target != f".{leaf}" or not owner:
        return False
    owners = (rule.rewrite.owner,) if isinstance(rule.rewrite, RenameAttribute) else rule.owners
    return not any(owners) or owner.rpartition(".")[2] in owners


@functools.cache
def _all_of(distribution: str) -> tuple[Rule, ...]:
    """One rule for each edit: a written row that says what a mined one says has the library's own words.

    The written row stays for the messages that it recognises, so the rule keeps it. Where the two say
    something else of the same name, a person has decided, and the mined one does not count.
    """
    rules = [
        rule
        for file in load.changes_of(distribution)
        for row in file.change
        if not row.of_builds
        for rule in _of_row(distribution, file, row)
    ]
    mined = {_subject(rule): rule for rule in rules if rule.origin is RuleOrigin.MINED and rule.proven}
    # A written rename of an attribute may be of objects of any class, where the library names one.
    mined = {subject: rule for rule in mined.values() for subject in (_of_any(rule), _subject(rule))} | mined
    written = {_subject(rule) for rule in rules if rule.origin is RuleOrigin.WRITTEN and rule.proven}
    of_any_class = {
        _subject(rule)
        for rule in rules
        if rule.origin is RuleOrigin.WRITTEN and rule.proven
        if isinstance(rule.rewrite, RenameAttribute) and not rule.rewrite.owner
    }
    last_first = list(reversed(rules))
    edits = {
        (rule.name, rule.owners, repr(rule.rewrite)): rule
        # of the same edit the first that is proven counts, else the first
        for rule in sorted(last_first, key=lambda rule: rule.proven)
        if rule.origin is RuleOrigin.WRITTEN
        or (_subject(rule) not in written and _of_any(rule) not in of_any_class)
    }
    return tuple(_announced(rule, mined.get(_subject(rule))) for rule in reversed(edits.values()))


def _subject(rule: Rule) -> tuple[str, str, str]:
    """What a rule is about."""
    owner = rule.rewrite.owner if isinstance(rule.rewrite, RenameAttribute) else ""
    return rule.target, rule.argument, owner


def _of_any(rule: Rule) -> tuple[str, str, str]:
    """The same, of objects of any class."""
    return rule.target, rule.argument, ""


def _announced(rule: Rule, mined: Rule | None) -> Rule:
    """``rule``, with where it was mined from where a mined one has the same edit."""
    if mined is None or not rule.proven or _of_owner(mined.rewrite, rule.rewrite) != rule.rewrite:
        return rule
    return replace(rule, origin=RuleOrigin.MINED, source=mined.source, words=mined.words or rule.words)


def _of_owner(rewrite: Rewrite, like: Rewrite) -> Rewrite:
    """``rewrite`` for objects of any class, where ``like`` is."""
    if isinstance(rewrite, RenameAttribute) and isinstance(like, RenameAttribute) and not like.owner:
        return replace(rewrite, owner="")
    return rewrite


def _of_row(distribution: str, file: ChangesFile, row: ChangeRow) -> Iterator[Rule]:
    for found in rewrites_of_row(row):
        yield Rule(
            distribution=distribution,
            target=found.target,
            argument=found.argument,
            rewrite=found.rewrite,
            since=row.since,
            origin=RuleOrigin(file.origin),
            owners=row.owners,
            source=row.source,
            words=row.words.get(found.name, row.note),
            proven=not row.unproven,
            given=found.given,
            last=found.last,
            read_from=_origin_of(file),
            row=row,
        )


def _origin_of(file: ChangesFile) -> str:
    return f"{file.read_from} ({file.licence})" if file.read_from and file.licence else file.read_from


def _is_silent(rule: Rule) -> bool:
    return rule.row.kind == "value"


def _is_named(rule: Rule, message: str) -> bool:
    """Whether the message holds the name; of a row about one name or none, its pattern is enough.

    Where it says which function refuses ("mean() got …"), edits of the row's other functions are not meant.
    """
    names = rule.row.names
    called = {
        leaf
        for edit in rule.row.edits
        for leaf in (target.rpartition(".")[2] for target in edit.of)
        if f"{leaf}()" in message and re.search(rf"(?<!\w){re.escape(leaf)}\(\)", message)
    }
    if called and rule.target.rpartition(".")[2] not in called:
        return False
    own = rule.argument or rule.target.rpartition(".")[2]
    if len(names) < 2 or (own not in names and rule.target not in names):
        return True
    return own in message and re.search(rf"(?<!\w){re.escape(own)}(?!\w)", message) is not None


def _newest(rule: Rule, rules: tuple[Rule, ...]) -> Rule:
    """The rule with its replacement replaced by what took the replacement's place since."""
    if not isinstance(rule.rewrite, ReplaceName):
        return rule
    renamed = {other.target: other.rewrite.new for other in rules if isinstance(other.rewrite, ReplaceName)}
    new = rule.rewrite.new
    for _ in range(_MOST_STEPS):
        if new not in renamed:
            break
        new = renamed[new]
    return (
        rule
        if new in (rule.rewrite.new, rule.rewrite.old)
        else replace(rule, rewrite=replace(rule.rewrite, new=new))
    )


def _is_met(rule: Rule, old: str, new: str) -> bool:
    """Whether a move from ``old`` to ``new`` goes past the release of a rule, in the rule's direction."""
    if rule.row.added:
        return bool(old and new) and _is_between(rule.since, new, old)
    return _is_between(rule.since, old, new)


@functools.lru_cache(maxsize=4096)
def _is_between(since: str, old: str, new: str) -> bool:
    """Whether ``since`` is later than ``old`` and not than ``new``; of releases that cannot be read, yes."""
    try:
        return (not old or Version(old) < Version(since)) and (not new or Version(since) <= Version(new))
    except UNREADABLE:
        return True
