"""Whether pip would have installed what uv did: of every distribution the newest release that suits.

Both resolve to a set that fits together, but where two distributions want different things of a third, uv may
keep the newer of one pair and step the other back, where pip does it the other way round; and uv takes no
notice of an upper bound in Requires-Python. Published environments are pip's. So where something older was
installed than the newest release that suits the interpreter, the requirements and all that depends on it, or
something that does not suit the interpreter, pip is asked. A pip before 20.3 took the first version that it
met, whatever others wanted: it is asked only where the interpreter does not suit. (Images of published tasks
hold a newer one than was released then.)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.tags import Tag, compatible_tags, cpython_tags, platform_tags
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import Version

from backdate.environments.environment import LockedDistribution
from backdate.index.page import IndexFile
from backdate.text import UNREADABLE

_SDISTS = (".tar.gz", ".zip", ".tgz", ".tar.bz2")
_LAST_MINOR_WITH_PYMALLOC = 7
_FIRST_THAT_RESOLVES = Version("20.3")
_MOST_ROUNDS = 10
"""Extras of extras are followed so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledMetadata:
    """What the metadata of one installed distribution say that it requires."""

    name: str
    requires: tuple[Requirement, ...]
    local: bool = False
    """Whether it is of a folder or a file (PEP 610), not of an index."""


def read_installed(text: str) -> tuple[InstalledMetadata, ...]:
    """The ``Name`` and ``Requires-Dist`` lines of one METADATA file after the other, and "Local: yes".

    >>> read_installed("Name: A_b\\nRequires-Dist: six (>=1.0)\\nName: six\\n")[0].requires
    (<Requirement('six>=1.0')>,)
    """
    found: dict[str, list[Requirement]] = {}
    requires: list[Requirement] = []
    local: set[str] = set()
    name = ""
    for line in text.splitlines():
        header, _, value = line.partition(":")
        if header == "Name":
            name = canonicalize_name(value.strip())
            requires = found.setdefault(name, [])
        elif header == "Local":
            local.add(name)
        elif header == "Requires-Dist" and (requirement := read_requirement(value)) is not None:
            requires.append(requirement)
    return tuple(
        InstalledMetadata(name=name, requires=tuple(asked), local=name in local)
        for name, asked in found.items()
    )


def read_requirement(text: str) -> Requirement | None:
    """One requirement by name; None for anything else."""
    try:
        return Requirement(text.strip())
    except UNREADABLE:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceInputs:
    """What decides which release suits."""

    installed: Sequence[InstalledMetadata]
    requirements: Sequence[Requirement]
    """Those that are stated, not those of distributions."""
    extras: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Extras that are asked for without a requirement, by the name of the distribution: the project's."""
    python: str
    """The interpreter's full version."""
    pip: str
    """The version of the pip that would be asked."""


def unlike_pip(
    distributions: Iterable[LockedDistribution],
    inputs: ChoiceInputs,
    files_of: Callable[[str], Sequence[IndexFile]],
) -> tuple[str, ...]:
    """Of what was installed from the index, what pip would not have taken, each in a few words.

    ``files_of``: the files of a distribution that were visible.
    """
    specifiers = _specifiers(inputs)
    pip = _version(inputs.pip)
    resolves = pip is not None and pip >= _FIRST_THAT_RESOLVES
    found = []
    for one in distributions:
        if one.source is not None or one.uploaded is None:
            continue
        files = files_of(one.name)
        said = _unsuitable(one, files, inputs.python)
        if said is None and resolves:
            said = _stepped_back(one, files, specifiers.get(one.name, SpecifierSet()), inputs.python)
        if said is not None:
            found.append(said)
    return tuple(found)


def _unsuitable(one: LockedDistribution, files: Sequence[IndexFile], python: str) -> str | None:
    version = _version(one.version)
    own = [file for file in files if version is not None and _version(file.version) == version]
    if own and not any(_suits_python(file, python) for file in own):
        return f"{one.name} {one.version} is not for Python {python}"
    return None


def _stepped_back(
    one: LockedDistribution, files: Sequence[IndexFile], wanted: SpecifierSet, python: str
) -> str | None:
    version = _version(one.version)
    if version is None or version.is_prerelease:  # pre-releases were asked for, or there is nothing else
        return None
    suiting = {
        found
        for file in files
        if (found := _version(file.version)) is not None and not file.yanked and _suits(file, python)
    }
    newest = max(wanted.filter(suiting), default=version)
    return f"{one.name} {one.version}, though {newest} suits" if newest > version else None


def _specifiers(inputs: ChoiceInputs) -> dict[str, SpecifierSet]:
    """All that is asked of each distribution, with the extras that are asked for."""
    extras: dict[str, frozenset[str]] = dict(inputs.extras)
    wanted: dict[str, SpecifierSet] = {}
    for _ in range(_MOST_ROUNDS):
        before, wanted = dict(extras), {}
        for requirement in _in_force(inputs, extras):
            name = canonicalize_name(requirement.name)
            wanted[name] = wanted.get(name, SpecifierSet()) & requirement.specifier
            asked = frozenset(canonicalize_name(extra) for extra in requirement.extras)
            extras[name] = extras.get(name, frozenset()) | asked
        if extras == before:
            break
    return wanted


def _in_force(inputs: ChoiceInputs, extras: Mapping[str, frozenset[str]]) -> Iterator[Requirement]:
    """The requirements whose markers hold."""
    environment = _marker_environment(inputs.python)
    for requirement in inputs.requirements:
        if _holds(requirement, environment, ()):
            yield requirement
    for one in inputs.installed:
        for requirement in one.requires:
            if _holds(requirement, environment, extras.get(one.name, ())):
                yield requirement


def _holds(requirement: Requirement, environment: Mapping[str, str], extras: Iterable[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({**environment, "extra": extra}) for extra in ("", *extras))


def _marker_environment(python: str) -> dict[str, str]:
    """Of this machine, with another CPython."""
    minor = ".".join(python.split(".")[:2])
    versions = {"python_version": minor, "python_full_version": python, "implementation_version": python}
    names = {"implementation_name": "cpython", "platform_python_implementation": "CPython"}
    return {**{name: str(value) for name, value in default_environment().items()}, **versions, **names}


def _suits(file: IndexFile, python: str) -> bool:
    """Whether pip could take the file for that interpreter."""
    if not _suits_python(file, python):
        return False
    if file.filename.endswith(_SDISTS):
        return True
    try:
        tags = parse_wheel_filename(file.filename)[3]
    except UNREADABLE:
        return False
    return not tags.isdisjoint(_tags(python))


def _suits_python(file: IndexFile, python: str) -> bool:
    try:
        return SpecifierSet(file.requires_python or "").contains(python, prereleases=True)
    except UNREADABLE:
        return True  # as for pip


@functools.lru_cache(maxsize=32)
def _tags(python: str) -> frozenset[Tag]:
    """The tags of wheels that a CPython on this machine takes."""
    major, minor = (int(part) for part in python.split(".")[:2])
    interpreter = f"cp{major}{minor}"
    abi = interpreter + ("m" if minor <= _LAST_MINOR_WITH_PYMALLOC else "")
    platforms = list(platform_tags())
    return frozenset(
        (
            *cpython_tags((major, minor), [abi], platforms),
            *compatible_tags((major, minor), interpreter, platforms),
        )
    )


@functools.lru_cache(maxsize=65536)
def _version(text: str | None) -> Version | None:
    try:
        return None if text is None else Version(text)
    except UNREADABLE:
        return None
