"""Which statements that a release changed the tests that broke run, and passing ones do not. Pure functions.

As in spectrum-based fault localisation (Jones and Harrold, ASE 2005), with the difference between two
releases instead of a whole program: of many changed statements few are run by the tests that broke alone. It
is evidence of what changed, and no proof of the cause.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from backdate.advice import ChangedCode
from backdate.advising.statements import Statement, changed_statements, statements_of

MOST_TOLD = 3
"""Functions of one release."""
_MOST_STATEMENTS = 4
_LONGEST = 200
_MOST_TERMS = 20
_MOST_OF_RARE = 60
"""Times that both releases write a name which tells where to look."""
_MOST_TEXT = 6 * 1024 * 1024
"""Characters of both releases that are compared."""
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[A-Za-z_]\w{2,60}")
_ORDINARY = frozenset({*keyword.kwlist, *dir(builtins), "self", "cls", "args", "kwargs"})

Lines = Collection[tuple[str, int]]
"""Files and lines that ran."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRelease:
    """The files of a release that differ from the other one's, and which of their lines tests ran."""

    sources: Mapping[str, str]
    """By their paths below ``site-packages``."""
    failing: Lines
    """Run by the tests that broke."""
    passing: Lines
    """Run by tests that pass with both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedScope:
    """What tests run of one function, or of the statements of a module or class that it uses."""

    file: str
    scope: str
    added: tuple[Statement, ...]
    removed: tuple[Statement, ...]
    alone: bool
    terms: tuple[str, ...]
    """Names in these statements and above them: those first that came or went, then the rarest."""

    def told(self, distribution: str, release: str, quoted: str) -> ChangedCode:
        """As advice has it."""
        module = self.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        return ChangedCode(
            distribution=distribution,
            release=release,
            name=f"{module}.{self.scope}" if self.scope else module,
            file=self.file,
            line=(self.added or self.removed)[0].first,
            removed=_shown(self.removed),
            added=_shown(self.added),
            alone=self.alone,
            quoted=quoted,
        )


def changed_scopes(
    old: RunRelease,
    new: RunRelease,
    *,
    compared: bool,
    named: Collection[str] = (),
    line: str = "",
    rewritten_only: bool = False,
) -> tuple[ChangedScope, ...]:
    """The functions whose change the tests that broke run, those first that change least; at most three.

    ``compared``: whether passing tests ran as well. Only what they do not run is told then. Without them, or
    where they run all of it, nothing is told of a release that changed more than three such functions.
    ``named``: functions and classes that the error names, of which nothing comes before. ``line``: what
    stands where the error is raised, and those that are caught on the way; what is changed of the rare names
    in it comes next, whoever runs that. ``rewritten_only``: beside these only functions in which something
    stands in the place of something else, if they are three at most.
    """
    met = {file for file, _ in (*old.failing, *new.failing)}
    if sum(len(one.sources.get(file, "")) for one in (old, new) for file in met) > _MOST_TEXT:
        return ()
    before = {file: statements_of(text) for file, text in old.sources.items() if file in met}
    after = {file: statements_of(text) for file, text in new.sources.items() if file in met}
    ran = [[_by_file(lines) for lines in (one.failing, one.passing)] for one in (old, new)]
    found: list[ChangedScope] = []
    counts = tuple(Counter(_NAME.findall("\n".join(one.sources.values()))) for one in (old, new))
    for file in sorted(before.keys() | after.keys()):
        was, now = before.get(file, ()), after.get(file, ())
        if (file in before and not was) or (file in after and not now):
            continue  # what cannot be parsed may differ in anything
        came = changed_statements(now, was or tuple(chain.from_iterable(before.values()))) if now else ()
        went = changed_statements(was, now or tuple(chain.from_iterable(after.values()))) if was else ()
        removed, added = (
            _run(changed, all_of_it, *(lines.get(file, frozenset()) for lines in of_release))
            for changed, all_of_it, of_release in ((went, was, ran[0]), (came, now, ran[1]))
        )
        found += _by_scope(file, added, removed, counts)
    known, left = (
        {one.scope for statements in of_release.values() for one in statements}
        for of_release in (before, after)
    )
    found = _of_note(_together(found, known, left), known, named)
    alone = [one for one in found if one.alone] if compared else []
    if rewritten_only:
        alone = [one for one in alone if one.added and one.removed]
        alone = alone if len(alone) <= MOST_TOLD else []
    few = [replace(one, alone=False) for one in found] if len(found) <= MOST_TOLD else []
    rare = _rare_names(line, counts)
    near = [
        replace(one, alone=one.alone and compared)
        for one in found
        if rare and not rare.isdisjoint(_names_in(one))
    ]
    where = {(one.file, one.scope) for one in near}
    chosen = [*near, *(one for one in alone or few if (one.file, one.scope) not in where)]
    chosen.sort(key=lambda one: (not _is_named(one, named), one not in near, *_order(one)))
    return tuple(chosen[:MOST_TOLD])


def _together(
    found: Sequence[ChangedScope], known: Collection[str], left: Collection[str]
) -> list[ChangedScope]:
    """``found`` with what a function lost and got in one, where its class has another name.

    ``known`` and ``left``: the scopes of the release before, and of this one.
    """
    kept: list[ChangedScope] = []
    gone = [one for one in found if not one.added]
    for one in found:
        leaf = one.scope.rpartition(".")[2]
        is_new = bool(one.added) and not one.removed and one.scope not in known
        was = [
            other
            for other in gone
            if other.file == one.file
            and other.scope not in left
            and other.scope.rpartition(".")[2] == leaf
            and is_new
        ]
        if len(was) == 1:
            gone.remove(was[0])
            kept.append(replace(one, removed=was[0].removed, alone=one.alone or was[0].alone))
        elif one.added:
            kept.append(one)
    return [*kept, *gone]


def _of_note(
    found: Sequence[ChangedScope], known: Collection[str], named: Collection[str]
) -> list[ChangedScope]:
    """``found`` without functions that are gone, which the error says, and without new ones where others are
    left: something that changed calls them. Of classes only those that the error names.

    ``known``: the scopes of the release before.
    """
    left = [
        one
        for one in found
        if (one.added or not any(statement.is_head for statement in one.removed))
        and (_is_named(one, named) or not all(_is_class(each) for each in (*one.added, *one.removed)))
    ]
    old = [one for one in left if one.scope in known or one.removed or _is_named(one, named)]
    return old or left


def _rare_names(line: str, counts: Sequence[Mapping[str, int]]) -> frozenset[str]:
    """The names in a line that are a library's own, as far as it has them seldom."""
    return frozenset(
        name
        for name in _NAME.findall(line)
        if "_" in name.strip("_") and 0 < sum(count.get(name, 0) for count in counts) <= _MOST_OF_RARE
    )


def _names_in(one: ChangedScope) -> set[str]:
    return {name for each in (*one.added, *one.removed) for name in _NAME.findall(each.text)}


def _is_class(statement: Statement) -> bool:
    return statement.text.startswith("class ") and not statement.in_function


def _is_named(one: ChangedScope, named: Collection[str]) -> bool:
    """Whether an error names the function with its class, or a class's or a module's function alone."""
    return any(f".{one.scope}".endswith(f".{name}") for name in named if name)


@dataclass(frozen=True, slots=True, kw_only=True)
class _RunStatement:
    """A changed statement that the tests that broke run."""

    statement: Statement
    alone: bool


def _by_file(lines: Lines) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for file, line in lines:
        found.setdefault(file, set()).add(line)
    return {file: frozenset(of_file) for file, of_file in found.items()}


def _run(
    changed: Sequence[Statement],
    all_of_it: Sequence[Statement],
    failing: Collection[int],
    passing: Collection[int],
) -> Iterator[_RunStatement]:
    """Those of ``changed`` that run; what stands outside of functions where a function that runs uses it."""
    inside = [one for one in all_of_it if one.in_function and not one.is_head]
    met = [one for one in inside if _meets(one, failing)]
    met_alone = [one for one in met if not _meets(one, passing)]
    scopes, scopes_passing = {one.scope for one in met}, {one.scope for one in inside if _meets(one, passing)}
    used, used_alone = _Used.by(met), _Used.by(met_alone)
    for one in changed:
        if one.is_head:
            runs, alone = one.scope in scopes, one.scope not in scopes_passing
        elif one.in_function:
            runs, alone = _meets(one, failing), not _meets(one, passing)
        else:
            runs, alone = used.holds(one), used_alone.holds(one)
        if runs:
            yield _RunStatement(statement=one, alone=alone)


def _meets(one: Statement, lines: Collection[int]) -> bool:
    return any(line in lines for line in range(one.first, one.last + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Used:
    """What statements of functions use of what stands outside of them."""

    words: frozenset[str]
    classes: frozenset[str]
    """The scopes around them."""

    @classmethod
    def by(cls, statements: Sequence[Statement]) -> _Used:
        """What ``statements`` use."""
        scopes = {one.scope for one in statements}
        around = {scope[:at] for scope in scopes for at, letter in enumerate(scope) if letter == "."}
        words = {word for one in statements for word in _WORD.findall(one.text)}
        return cls(words=frozenset(words), classes=frozenset(around))

    def holds(self, one: Statement) -> bool:
        """Whether a name that ``one`` assigns is among them, or the class that it begins."""
        return one.scope in self.classes if _is_class(one) else not self.words.isdisjoint(one.names)


def _by_scope(
    file: str,
    added: Iterator[_RunStatement],
    removed: Iterator[_RunStatement],
    counts: Sequence[Mapping[str, int]],
) -> Iterator[ChangedScope]:
    new, old = list(added), list(removed)
    for scope in dict.fromkeys(one.statement.scope for one in (*new, *old)):
        of_new = [one for one in new if one.statement.scope == scope]
        of_old = [one for one in old if one.statement.scope == scope]
        alone = any(one.alone for one in (*of_new, *of_old))
        kept_new, kept_old = (
            tuple(one.statement for one in of_it if one.alone or not alone) for of_it in (of_new, of_old)
        )
        yield ChangedScope(
            file=file,
            scope=scope,
            added=kept_new,
            removed=kept_old,
            alone=alone,
            terms=_terms(scope, (*kept_new, *kept_old), counts),
        )


def _terms(scope: str, told: Sequence[Statement], counts: Sequence[Mapping[str, int]]) -> tuple[str, ...]:
    texts = (scope, *(f"{one.text} {one.under}" for one in told))
    names = dict.fromkeys(name for text in texts for name in _NAME.findall(text) if name not in _ORDINARY)

    def rank(name: str) -> tuple[bool, int]:
        before, after = (count.get(name, 0) for count in counts)
        return bool(before and after), before + after

    return tuple(sorted(names, key=rank)[:_MOST_TERMS])


def _order(one: ChangedScope) -> tuple[bool, int, str]:
    """What was written otherwise first, then what changes least."""
    return not (one.added and one.removed), len(one.added) + len(one.removed), one.file


def _shown(statements: Sequence[Statement]) -> tuple[str, ...]:
    texts = [one.text.partition("\n")[0] for one in statements[:_MOST_STATEMENTS]]
    return tuple(f"{text[:_LONGEST]}\u2026" if len(text) > _LONGEST else text for text in texts)
