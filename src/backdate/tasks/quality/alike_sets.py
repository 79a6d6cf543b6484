"""Pairs of sets that are alike, without comparing all with all.

A prefix filter (Chaudhuri, Ganti and Kaushik 2006), which misses none: ordered by how rare their elements
are, two sets whose Jaccard similarity reaches the bound have one in common among the first few of each.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping


def alike_pairs(sets: Mapping[str, frozenset[Hashable]], least: float) -> Iterator[tuple[str, str, float]]:
    """The names of any two sets whose Jaccard similarity is ``least`` or more, and that similarity.

    Empty sets are like none.
    """
    known = Counter(element for elements in sets.values() for element in elements)
    index: dict[Hashable, list[str]] = defaultdict(list)
    for name, elements in sets.items():
        ordered = sorted(elements, key=lambda element: (known[element], repr(element)))
        shared_at_least = math.ceil(least * len(ordered) - 1e-9)  # 0.7 * 10 is a little more than 7
        prefix = ordered[: len(ordered) - shared_at_least + 1]
        rivals = dict.fromkeys(rival for element in prefix for rival in index[element])
        for rival in rivals:
            shared = len(elements & sets[rival])
            share = shared / (len(elements) + len(sets[rival]) - shared)
            if share >= least:
                yield rival, name, share
        for element in prefix:
            index[element].append(name)
