"""What releases in between announce of a name that a bisection found gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from packaging.version import Version

from backdate.advice import EvidenceKind
from backdate.advising.advised_changes import MovedDistribution
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.lost_names import LostName
from backdate.bisection.announced_leads import announced_leads
from backdate.diagnosis.api import Member
from backdate.environments.environment import Environment
from backdate.mining.announcements import AnnouncedBy, Announcement
from backdate.mining.between import ReleaseAnnouncements, ReleasesBetween
from backdate.sandboxes.interface import Sandbox

MOVED = MovedDistribution(name="lib", old="1.0", new="3.0")


class Releases:
    """Two releases in between, the newer of which says nothing of it."""

    def announced(self, distribution: str, old: str, new: str) -> Iterator[ReleaseAnnouncements]:
        assert (distribution, old, new) == ("lib", "1.0", "3.0")
        words = {"2.1": "`other` is deprecated, use `more` instead", "2.0": "use `prod` instead"}
        for version, text in words.items():
            name = "lib.other" if version == "2.1" else "lib._core.product"
            yield ReleaseAnnouncements(
                version=Version(version),
                filename=f"lib-{version}.tar.gz",
                announcements=(Announcement(name=name, words=text, by=AnnouncedBy.WARNING, line=1),),
            )


def pair() -> EnvironmentPair:
    nothing = cast("Environment", None)
    known = Member(name="lib.product", present=True, kind="function")
    return EnvironmentPair(
        sandbox=cast("Sandbox", None), old=nothing, new=nothing, known_old={"lib.product": known}
    )


def leads(moved: MovedDistribution = MOVED, releases: ReleasesBetween | None = None) -> list[str]:
    lost = LostName(name="lib.product", old=Member(name="lib.product", present=True), places=())
    return [lead.replacement for lead in announced_leads(pair(), moved, releases, lost)]


def test_a_release_in_between_says_what_to_write() -> None:
    releases = cast("ReleasesBetween", Releases())
    assert leads(releases=releases) == ["prod"]
    lost = LostName(name="lib.product", old=Member(name="lib.product", present=True), places=())
    (lead,) = announced_leads(pair(), MOVED, releases, lost)
    (evidence,) = lead.evidence
    assert (evidence.kind, evidence.since, evidence.source) == (
        EvidenceKind.ANNOUNCED,
        "2.0",
        "lib-2.0.tar.gz",
    )


def test_nothing_without_an_index_or_a_known_move() -> None:
    releases = cast("ReleasesBetween", Releases())
    assert leads() == []
    assert leads(MovedDistribution(name="lib", old="", new="3.0"), releases) == []
    assert leads(MovedDistribution(name="python", old="3.9.1", new="3.12.1"), releases) == []
