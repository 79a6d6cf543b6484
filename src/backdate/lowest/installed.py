"""Which installed distribution does not go with a version of another."""

from __future__ import annotations

from collections.abc import Mapping

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from backdate.diagnosis.installed_requirements import InstalledRequirements
from backdate.text import UNREADABLE


def who_requires_more(
    installed: Mapping[str, InstalledRequirements], distribution: str, version: str
) -> tuple[str, str] | None:
    """The distribution ("flask 2.3.0") that does not go with ``version`` of another, and what it requires.

    Requirements of extras count only where nothing else explains it. None where none excludes that version.
    """
    of_extras: tuple[str, str] | None = None
    for name, one in installed.items():
        for line in one.requires:
            try:
                requirement = Requirement(line)
                applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            except UNREADABLE:
                continue
            if canonicalize_name(requirement.name) != distribution or name == distribution:
                continue
            if requirement.specifier.contains(version, prereleases=True):
                continue
            said = (f"{name} {one.version}", f"{requirement.name}{requirement.specifier}")
            if applies:
                return said
            of_extras = of_extras or said
    return of_extras
