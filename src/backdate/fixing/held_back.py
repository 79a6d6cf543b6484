"""What to write for now where a breakage remains: the requirement that holds its library back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from backdate.checking.result import PackageChange
from backdate.diagnosis.known_changes import known_change
from backdate.diagnosis.result import Cause, CauseKind, Cluster
from backdate.fixing.result import MeanwhileLimit
from backdate.index.names import normalise
from backdate.knowledge.changes import PYTHON
from backdate.knowledge.modules import distribution_of, in_standard_library

_AS_THEY_WERE = (
    "aifc",
    "asynchat",
    "asyncore",
    "cgitb",
    "chunk",
    "crypt",
    "mailcap",
    "nntplib",
    "smtpd",
    "sndhdr",
    "sunau",
    "telnetlib",
    "uu",
    "xdrlib",
)
_OLD_WAYS = {
    "pkg_resources": "setuptools<81",
    "distutils": "setuptools",
    "audioop": "audioop-lts",
    **{module: f"standard-{module}" for module in _AS_THEY_WERE},
}
"""Modules that came with every environment once, and the requirement that still brings them.

setuptools 82 dropped pkg_resources (https://setuptools.pypa.io/en/latest/history.html). Of what Python
dropped those in whose place nothing can be written have projects that are the modules as they were
(https://github.com/youknowone/python-deadlib, https://github.com/AbstractUmbra/audioop).
"""


def held_back(
    clusters: Sequence[Cluster], changes: Sequence[PackageChange], pythons: tuple[str, str]
) -> tuple[MeanwhileLimit, ...]:
    """A requirement for each cluster whose library moved; nothing of it was tried."""
    moved = {change.name: change for change in changes if change.old and change.new}
    found: dict[str, MeanwhileLimit] = {}
    for cluster in clusters:
        known = known_change(cluster)
        if (
            known is not None
            and known.pin
            and not known.of_builds
            and _moved(known.distribution, moved, pythons)
        ):
            requirement = f"Python {known.pin}" if known.distribution == PYTHON else known.pin
            because = f"{_library(known.distribution)} {known.since} changed it"
        else:
            name = normalise(cluster.cause.distribution or "")
            change = moved.get(name)
            if change is None:
                continue
            requirement = f"{name}<={change.old}"
            because = f"{change.old} is what the tests passed with; {change.new} is there now"
        known_already = found.get(requirement)
        tests = len(cluster.tests) + (known_already.tests if known_already else 0)
        found[requirement] = MeanwhileLimit(requirement=requirement, because=because, tests=tests)
    return tuple(found.values())


def _moved(distribution: str, moved: Mapping[str, PackageChange], pythons: tuple[str, str]) -> bool:
    return pythons[0] != pythons[1] if distribution == PYTHON else distribution in moved


def _library(distribution: str) -> str:
    return "Python" if distribution == PYTHON else distribution


def missing_requirement(cause: Cause, own: frozenset[str]) -> str:
    """The requirement that a project has to require itself by now; "" where none is missing.

    ``own``: top-level names of the project's modules.
    """
    if cause.kind is not CauseKind.MISSING_MODULE or not cause.name:
        return ""
    top = cause.name.partition(".")[0]
    if top in _OLD_WAYS:
        return _OLD_WAYS[top]
    if top in own or in_standard_library(top) or "." in cause.name:
        return ""
    return normalise(distribution_of(top))
