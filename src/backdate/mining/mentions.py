"""Which public names of a release a text means that speaks of them as people do: "`DataFrame.append`"."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from backdate.advising.wording import plain_text
from backdate.mining.candidates import public_homes
from backdate.mining.public_names import ReleaseNames

_MOST_MENTIONS = 40
_MARKED = re.compile(
    r"``([^`\n]{1,120})``|`([^`\n]{1,120})`|'([\w.]{1,120}(?:\(\))?)'|\"([\w.]{1,120}(?:\(\))?)\""
)
_UNMARKED = re.compile(
    r"(?<![\w.`/'\"-])((?:[A-Za-z]\w{0,60}\.){1,6}[A-Za-z]\w{1,60}|[A-Za-z]\w{0,60}_\w{1,60}"
    r"|[A-Za-z]\w{0,80}(?=\(\)))(?:\(\))?(?![\w/`'\"-])"
)
"""A name in prose that no word of prose looks like: with a dot, an underscore, or brackets behind it."""
_NAME = re.compile(r"[~.]{0,2}([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")


def names_mentioned(text: str) -> tuple[str, ...]:
    """What ``text`` has as code, dotted or not, in its order; of a call the function alone."""
    plain = plain_text(text)
    marked = [next(filter(None, match.groups())) for match in _MARKED.finditer(plain)]
    bare = [match[1] for match in _UNMARKED.finditer(_MARKED.sub(" ", plain))]
    found = [match[1] for one in (*marked, *bare) if (match := _NAME.match(one.strip()))]
    return tuple(dict.fromkeys(found))[:_MOST_MENTIONS]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeantName:
    """A name that a text means."""

    home: str
    """Where it is defined, dotted."""
    name: str
    """A public name of it."""


class MentionedNames:
    """Looks up what texts mention among the public names of one release."""

    def __init__(self, names: ReleaseNames) -> None:
        self.names = names
        self._public = public_homes(names)

    @functools.cached_property
    def _by_leaf(self) -> dict[str, list[MeantName]]:
        found: defaultdict[str, list[MeantName]] = defaultdict(list)
        for home, public in self._public.items():
            for name in public:
                found[name.rpartition(".")[2]].append(MeantName(home=home, name=name))
        return dict(found)

    @functools.cached_property
    def _classes_with(self) -> dict[str, list[str]]:
        """Members to where the public classes are defined that have them."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for home in self._public:
            module, _, leaf = home.rpartition(".")
            bound = self.names.modules.get(module)
            for member in bound.classes[leaf].members if bound and leaf in bound.classes else ():
                found[member].append(home)
        return dict(found)

    def meant(self, mention: str, context: Sequence[str]) -> tuple[MeantName, ...]:
        """What ``mention`` means; nothing where it may mean several things.

        ``context``: what else the text mentions, and the headings that it stands under; they tell classes of
        members, and modules.
        """
        if mention.partition(".")[0] in self.names.tops:
            home = self.names.home_of(mention)
            return (MeantName(home=home, name=mention),) if home else ()
        found = list(self._ending(mention))
        owner, _, leaf = mention.rpartition(".")
        if owner:
            found += [one for around in self._ending(owner) for one in self._member(around, leaf)]
        elif not found:
            found = list(self._of_context(leaf, context))
        homes = {one.home for one in found}
        if len(homes) > 1:
            near = [one for one in found if any(_is_around(other, one.name) for other in context)]
            found = near if len({one.home for one in near}) == 1 else []
        return tuple(found)

    def _ending(self, mention: str) -> Iterator[MeantName]:
        for one in self._by_leaf.get(mention.rpartition(".")[2], ()):
            if one.name.endswith(f".{mention}"):
                yield one

    def _member(self, owner: MeantName, leaf: str) -> Iterator[MeantName]:
        home = self.names.home_of(f"{owner.home}.{leaf}")
        if home and owner.home not in self.names.modules:
            yield MeantName(home=f"{owner.home}.{leaf}", name=f"{owner.name}.{leaf}")

    def _of_context(self, leaf: str, context: Sequence[str]) -> Iterator[MeantName]:
        """A member of the only class that has it, or of a class that is mentioned as well."""
        around = {one.home: one for other in context for one in self._ending(other)}
        of_those = [one for owner in around.values() for one in self._member(owner, leaf)]
        if of_those:
            yield from of_those
            return
        having = self._classes_with.get(leaf, [])
        if len(having) == 1 and not leaf.startswith("_"):
            name = self._public[having[0]][0]
            yield MeantName(home=f"{having[0]}.{leaf}", name=f"{name}.{leaf}")


def _is_around(module: str, name: str) -> bool:
    """Whether ``name`` is in the module or class ``module``, which may be told without what is around it."""
    return f".{module}." in f".{name}" and not f".{name}".endswith(f".{module}")
