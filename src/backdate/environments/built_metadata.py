"""The metadata of a wheel that was built from an sdist: with them its dependents resolve without a build."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version

from backdate.environments.lock_wheels import LockedSdist, WheelFile
from backdate.environments.stated_metadata import MOST_BYTES, StatedMetadata, read_stated
from backdate.index.forward_stream import BROKEN, BoundedZip


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltSdist:
    """An sdist, the wheel that was built of it, and what the wheel says of itself."""

    sdist: LockedSdist
    wheel: WheelFile
    metadata: StatedMetadata


def read_built(sdist: LockedSdist, wheel: WheelFile) -> BuiltSdist | None:
    """What the wheel, which foreign code wrote, says of itself; None where that is not sound, or of another
    distribution."""
    text = _metadata(wheel.path)
    stated = None if text is None else read_stated(text)
    if stated is None or stated.name != sdist.name or Version(stated.version) != Version(sdist.version):
        return None
    return BuiltSdist(sdist=sdist, wheel=wheel, metadata=stated)


def _metadata(wheel: Path) -> bytes | None:
    """The one METADATA file of ``wheel``; None where there is none, or it is too long."""
    try:
        with BoundedZip(wheel) as archive:
            found = [
                member
                for member in archive.infolist()
                if member.filename.count("/") == 1 and member.filename.endswith(".dist-info/METADATA")
            ]
            if len(found) != 1:
                return None
            with archive.open_member(found[0]) as file:
                text = file.read(MOST_BYTES + 1)
    except BROKEN:
        return None
    return text if len(text) <= MOST_BYTES else None
