"""Two of GitChameleon's rows that begin with one function, for two versions: migrate from one to the other.

The code is the known solution for the one version; it passes that version's tests, and an answer has to pass
those of the other. Pairs are ordered, so that each gives two. That two rows begin with a function of one name
does not say that they ask for one thing: of the rows of two versions those are matched whose words are most
alike, and the other pairs are flagged (``DIFFERENT_PROBLEMS``).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import permutations, product

from backdate.snippets.gitchameleon import definitions
from backdate.snippets.snippet import Collection, Snippet, SnippetAsk

DIFFERENT_PROBLEMS = "different-problems"
"""The flag of a pair whose rows ask for different things."""
_ALIKE = 0.6
"""The share of words in common from which two problems are one (the 139 of version 2.0 were read)."""
_WORD = re.compile(r"[^\W\d]+")


def pairs_of(snippets: Sequence[Snippet]) -> tuple[Snippet, ...]:
    """The ordered pairs of GitChameleon's rows in ``snippets``; only of those with a solution."""
    groups: defaultdict[tuple[str, str], list[Snippet]] = defaultdict(list)
    for snippet in snippets:
        begun = definitions(snippet.code)
        if snippet.collection is Collection.GITCHAMELEON and snippet.reference and begun:
            groups[snippet.library, begun[0]].append(snippet)
    return tuple(pair for rows in groups.values() for pair in _of_group(rows))


def _of_group(rows: Sequence[Snippet]) -> Iterator[Snippet]:
    by_version: defaultdict[str, list[Snippet]] = defaultdict(list)
    for row in rows:
        if row.target is not None:
            by_version[row.target.version].append(row)
    for one, other in permutations(by_version, 2):
        same = _matched(by_version[one], by_version[other])
        for origin, target in product(by_version[one], by_version[other]):
            yield _pair(origin, target, same=(origin.id, target.id) in same)


def _matched(origins: Sequence[Snippet], targets: Sequence[Snippet]) -> frozenset[tuple[str, str]]:
    """Which rows of two versions ask for one thing, by their ids: the most alike first, each once."""
    ranked = sorted(((-_likeness(one, other), one.id, other.id) for one, other in product(origins, targets)))
    found: dict[str, str] = {}
    for unlike, one_id, other_id in ranked:
        if -unlike >= _ALIKE and one_id not in found and other_id not in found.values():
            found[one_id] = other_id
    return frozenset(found.items())


def _likeness(one: Snippet, other: Snippet) -> float:
    """How much of the words of two problems is the same, whichever of them is the origin; 0 without words."""
    if not one.problem or not other.problem:
        return 0.0
    first, second = sorted((one, other), key=lambda snippet: snippet.id)
    words = _WORD.findall(first.problem.lower()), _WORD.findall(second.problem.lower())
    return SequenceMatcher(a=words[0], b=words[1], autojunk=False).ratio()


def _pair(origin: Snippet, target: Snippet, *, same: bool) -> Snippet:
    names = [snippet.published["example_id"] for snippet in (origin, target)]
    return Snippet(
        id=f"gitchameleon-{names[0]}-to-{names[1]}",
        collection=Collection.GITCHAMELEON_PAIR,
        asks=(SnippetAsk.MIGRATE,),
        library=origin.library,
        origin=origin.target,
        target=target.target,
        problem=target.problem,
        code=origin.reference,
        entry=target.entry,
        harness=origin.harness,
        target_harness=target.harness,
        visible=target.visible,
        apis=target.apis,
        reference=target.reference,
        flags=(*target.flags, *(() if same else (DIFFERENT_PROBLEMS,))),
        published={"origin": origin.id, "target": target.id},
    )
