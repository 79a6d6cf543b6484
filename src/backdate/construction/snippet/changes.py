"""What differs between two versions of a library: by rules, by mining, and as two environments answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.version import Version

from backdate.construction.snippet.argument_values import SHOWN_BY
from backdate.construction.snippet.changed_apis import ChangedApi, of_differences, of_rules, with_rewrites
from backdate.diagnosis.api import (
    MOST_NAMES,
    ApiDifference,
    AskedPython,
    NameChange,
    ask_both,
    is_dotted,
    probe,
)
from backdate.index.upstream import IndexClient
from backdate.knowledge.change_rows import ChangesFile
from backdate.knowledge.rules import Rule
from backdate.mining.mine import mine
from backdate.mining.releases import ReleaseBounds
from backdate.mining.write_rows import rows_of
from backdate.rewriting.rewrite import ReplaceName, Rewrite
from backdate.sandboxes.interface import Sandbox
from backdate.snippets.snippet import ApiChangeKind

_MOST_ASKED = 3_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryChanges:
    """The changed names of a pair of versions, and where they are known from."""

    names: tuple[ChangedApi, ...]
    from_rules: int
    mined: int
    asked: int
    """Names that only the two environments told."""
    unchanged: int
    """Names of rules that both environments have alike: they are left out."""


def mined_rows(client: IndexClient, library: str, old: str, new: str, *, cache: Path) -> ChangesFile:
    """What the releases from ``old`` to ``new`` announce or move, as rows that nothing has proven yet.

    Raises SourceError and IndexUnavailable.
    """
    bounds = ReleaseBounds(first=Version(old), last=Version(new))
    found = mine(client, library, bounds, cache=cache)
    replaced = [candidate for candidate in found.candidates if candidate.replacement]
    return ChangesFile(distribution=library, origin="mined", change=rows_of(library, replaced))


def modules_for_values(sandbox: Sandbox, origin: AskedPython, target: AskedPython) -> frozenset[str]:
    """What guessed values may be made with: the modules of ``SHOWN_BY`` that both environments have.

    Raises SandboxUnavailable.
    """
    names = {name: module for module, name in SHOWN_BY.items()}
    both = [probe(sandbox, side, tuple(names), searched=()) for side in (origin, target)]
    there = [{names[one.name] for one in answers.members if one.present} for answers in both]
    return frozenset(there[0] & there[1])


def changes_between(
    sandbox: Sandbox,
    origin: AskedPython,
    target: AskedPython,
    *,
    rules: Sequence[Rule],
    mined: Sequence[Rule],
    used: Sequence[str],
    members: Sequence[ChangedApi] = (),
    later: Sequence[Rule] = (),
) -> LibraryChanges:
    """Every change that rules tell, that was mined, or that shows in what the environments say of ``used``.

    ``used``: dotted names that the library's own tests and examples use; ``members``: attributes of its
    classes that differ; ``later``: rules since the origin, whichever release they are of: a name that takes
    another's place may be on its way out itself. Raises SandboxUnavailable.
    """
    known = {one.key: one for one in of_rules(rules)}
    from_rules = len(known)
    for one in of_rules(mined):
        known[one.key] = with_rewrites(known[one.key], one.rewrites) if one.key in known else one
    added = len(known) - from_rules
    dotted = [one.name for one in known.values() if is_dotted(one.name)]
    answers = {one.name: one for one in _asked(sandbox, origin, target, [*dotted, *used[:_MOST_ASKED]])}
    kept = {key: one for key, one in known.items() if not _is_alike(one, answers.get(one.name))}
    unchanged = len(known) - len(kept)
    whole_names = {one.name for one in kept.values() if not one.argument}
    told = 0
    for one in of_differences(answers[name] for name in used if name in answers):
        if one.key in kept:
            kept[one.key] = with_rewrites(kept[one.key], one.rewrites)
        elif one.name not in whole_names:
            kept[one.key] = one
            told += 1
    for one in members:
        if one.key in kept:  # a rule may name fewer classes than have it
            known_one = with_rewrites(kept[one.key], one.rewrites)
            owners = (*known_one.owners, *one.owners) if known_one.owners else ()
            kept[one.key] = replace(known_one, owners=owners)
        else:
            kept[one.key] = one
            told += 1
    newest = _places(of_rules((*later, *mined)))
    return LibraryChanges(
        names=tuple(_with_newest(one, newest) for one in kept.values()),
        from_rules=from_rules,
        mined=added,
        asked=told,
        unchanged=unchanged,
    )


def _asked(
    sandbox: Sandbox, origin: AskedPython, target: AskedPython, names: Iterable[str]
) -> Iterator[ApiDifference]:
    every = list(dict.fromkeys(names))
    for start in range(0, len(every), MOST_NAMES):
        yield from ask_both(sandbox, origin, target, every[start : start + MOST_NAMES])


def _places(names: Iterable[ChangedApi]) -> dict[str, str]:
    """What takes the place of names as a whole."""
    return {
        rewrite.old: rewrite.new
        for one in names
        for rewrite in one.rewrites
        if isinstance(rewrite, ReplaceName) and not one.argument
    }


def _with_newest(one: ChangedApi, places: Mapping[str, str]) -> ChangedApi:
    """``one`` with the newest name first, where what takes its place is itself to be replaced."""
    rewrites: list[Rewrite] = []
    for rewrite in one.rewrites:
        if isinstance(rewrite, ReplaceName) and rewrite.new in places:
            rewrites.append(replace(rewrite, new=places[rewrite.new]))
        rewrites.append(rewrite)
    return replace(one, rewrites=tuple(rewrites))


def _is_alike(one: ChangedApi, answer: ApiDifference | None) -> bool:
    """Whether both environments have what is said to be gone."""
    gone = one.kind in (ApiChangeKind.MOVED, ApiChangeKind.REMOVED) and not one.argument
    return gone and answer is not None and answer.change in (NameChange.SAME, NameChange.NEVER)
