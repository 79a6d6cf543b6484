"""What the releases between the last good one and the newest announce of a name that went."""

from __future__ import annotations

from collections.abc import Iterator

from backdate.advising.advised_changes import MovedDistribution
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.lost_names import LostName
from backdate.advising.replacements import ReplacementLead
from backdate.knowledge.changes import PYTHON
from backdate.mining.about import AskedName, announcements_about, said_by_release
from backdate.mining.between import ReleasesBetween
from backdate.mining.candidates import said_replacement


def announced_leads(
    pair: EnvironmentPair, moved: MovedDistribution, releases: ReleasesBetween | None, lost: LostName
) -> Iterator[ReplacementLead]:
    """What they say to write instead, the newest release first. A name may be deprecated and dropped between
    two instants: neither side warns of it then.
    """
    if releases is None or moved.name == PYTHON or not moved.old or not moved.new:
        return
    member = pair.ask_old((lost.name,)).get(lost.name)
    home = member.home if member is not None and member.present and member.qualified else ""
    asked = AskedName(name=lost.name, argument=lost.argument, home=home)
    for release in releases.announced(moved.name, moved.old, moved.new):
        for announcement in announcements_about(asked, release.announcements):
            said = said_replacement(announcement, asked.argument or asked.leaf)
            if said:
                yield ReplacementLead(replacement=said, evidence=(said_by_release(release, announcement),))
