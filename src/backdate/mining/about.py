"""Which announcements of a release are about a name, and how they are quoted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.mining.announcements import Announcement
from backdate.mining.between import ReleaseAnnouncements
from backdate.mining.candidates import said_replacement
from backdate.mining.offered import of_name

_LONGEST = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedName:
    """A name of a library, or a keyword argument of it, that announcements may be about."""

    name: str
    """Dotted as the project uses it; of objects with their class, "DataFrame.append"."""
    argument: str = ""
    of_object: bool = False
    """Whether it is an attribute of objects."""
    home: str = ""
    """Where the old environment says that it is defined; "" where that is not known."""

    @property
    def leaf(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]

    @property
    def owner(self) -> str:
        """The last part of what holds it."""
        return self.name.rpartition(".")[0].rpartition(".")[2]


def announcements_about(asked: AskedName, announcements: Iterable[Announcement]) -> tuple[Announcement, ...]:
    """Those about the name itself; else, as modules move, those of its last name that agree."""
    known = (of_name(one, asked.leaf) if one.offered_by else one for one in announcements)
    fitting = [one for one in known if one.argument == asked.argument and one.name]
    exact = [one for one in fitting if one.name in (asked.name, asked.home)]
    if exact:
        return tuple(exact)
    top = asked.name.partition(".")[0]
    alike = [one for one in fitting if one.name.rpartition(".")[2] == asked.leaf]
    if asked.of_object:
        owners = {asked.owner, *asked.home.split(".")[-2:-1]}
        return tuple(one for one in alike if one.name.split(".")[-2:-1] in ([owner] for owner in owners))
    alike = [one for one in alike if one.name.partition(".")[0] == top and not _is_member(one.name)]
    said = {said_replacement(one, asked.argument or asked.leaf).rpartition(".")[2] for one in alike}
    return tuple(alike) if len(said - {""}) == 1 else ()


def said_by_release(release: ReleaseAnnouncements, announcement: Announcement) -> AdviceEvidence:
    """An announcement as evidence, in the library's words."""
    words = announcement.words or f"{announcement.name}: {announcement.new}"
    return AdviceEvidence(
        kind=EvidenceKind.ANNOUNCED, text=words[:_LONGEST], since=release.series, source=release.filename
    )


def _is_member(name: str) -> bool:
    """Whether it is of a class, as far as its spelling tells."""
    return any(part[:1].isupper() for part in name.split(".")[:-1])
