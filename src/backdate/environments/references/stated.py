"""Which repositories and archives a project's requirement files and metadata name, read without running it.

A text that is not in force (a requirement under a marker, an address in an unused branch of ``setup.py``)
costs a download; it never fails a build by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from packaging.utils import canonicalize_name

from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.references.types import ArchiveReference, GitReference, parse_git
from backdate.errors import ConfigurationError
from backdate.projects.toml import parse_toml
from backdate.recipes.files import Files, normal_path

MOST_REFERENCES = 60
_MOST_FILES = 60
_DEEPEST_TABLE = 12

_GIT = re.compile(r"git\+[a-z]{1,10}://[^\s\"'`,;<>\\()\[\]{}|]+")
_NAMED_ARCHIVE = re.compile(
    r"(?<![\w.-])(?P<name>[A-Za-z0-9][\w.-]*)\s*(?:\[[^\]\n]*\])?\s*@\s*(?P<url>https?://[^\s\"'`,;<>\\()\[\]{}|]+)"
)
_BARE_ARCHIVE = re.compile(r"(?:-e\s*|--editable[ =]\s*)?(?P<url>https?://[^\s;]+)")
_INCLUDED = re.compile(r"(?:-r|-c|--requirement|--constraint)(?:\s*=\s*|\s+|(?<=-[rc]))(?P<path>\S+)\s*\Z")
_COMMENT = re.compile(r"(?:\A|\s)#.*\Z")
_SCRIPT_FILE = re.compile(r"(?:-r|-c|--requirement|--constraint)(?:\s*=\s*|\s+|(?<=-[rc]))[\"']?([\w./-]+)")
_REQUIREMENTS = re.compile(r"[\w.-]*require[\w.-]*\.(?:txt|in|pip)\Z", re.IGNORECASE)
_METADATA = ("pyproject.toml", "setup.cfg", "setup.py")
METADATA_FILES = (*_METADATA, "requirements.txt")
"""Files at the top of a repository that name what it requires."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What was found, each once."""

    repositories: tuple[GitReference, ...] = ()
    archives: tuple[ArchiveReference, ...] = ()


def stated_by(request: EnvironmentRequest, script: str | None = None) -> Stated:
    """What the install steps of ``request`` name, or the set-up script ``script`` (a path in the tree)."""
    return joined(_by_request(request, script))


def stated_in_metadata(texts: Mapping[str, str]) -> Stated:
    """What the files ``METADATA_FILES`` of a distribution name; ``texts`` by file name."""
    found = [_in_metadata(name, text) for name, text in texts.items() if name in _METADATA]
    found += [_in_lines(text.splitlines()) for name, text in texts.items() if _REQUIREMENTS.match(name)]
    return joined(found)


def joined(several: Iterable[Stated]) -> Stated:
    """All of ``several`` together, at most ``MOST_REFERENCES`` of a kind."""
    all_of = list(several)
    repositories = dict.fromkeys(one for stated in all_of for one in stated.repositories)
    archives: dict[str, ArchiveReference] = {}
    for archive in (one for stated in all_of for one in stated.archives):
        if archive.url not in archives or archive.name:
            archives[archive.url] = archive
    return Stated(
        repositories=tuple(repositories)[:MOST_REFERENCES],
        archives=tuple(archives.values())[:MOST_REFERENCES],
    )


def _by_request(request: EnvironmentRequest, script: str | None) -> Iterator[Stated]:
    files = Files(request.tree)
    seen: set[str] = set()
    if script is not None:
        text = files.text(script) or ""
        yield _in_text(text)
        for match in _SCRIPT_FILE.finditer(text):
            yield from _requirement_file(files, match[1], ".", seen)
        yield from _of_project(files, ".", seen)
    for step in request.steps:
        if step.kind == "project":
            yield from _of_project(files, step.file or ".", seen)
        elif step.file:
            yield from _requirement_file(files, step.file, ".", seen)
        yield _in_lines(step.packages)
    yield _in_lines(request.constraints)
    yield _in_lines(requirement for _, requirement in request.build_requirements)


def _of_project(files: Files, folder: str, seen: set[str]) -> Iterator[Stated]:
    """The metadata of the project in ``folder``, and requirement files beside them, which setups read."""
    for name in files.names(folder):
        if name in _METADATA:
            path = normal_path(folder, name)
            yield _in_metadata(name, (files.text(path) if path else None) or "")
        elif _REQUIREMENTS.match(name):
            yield from _requirement_file(files, name, folder, seen)


def _requirement_file(files: Files, name: str, folder: str, seen: set[str]) -> Iterator[Stated]:
    path = normal_path(folder, name)
    if path is None or path in seen or len(seen) >= _MOST_FILES:
        return
    seen.add(path)
    lines = (files.text(path) or "").replace("\\\n", "").splitlines()
    yield _in_lines(lines)
    parent = path.rpartition("/")[0] or "."
    for line in lines:
        if match := _INCLUDED.match(_COMMENT.sub("", line).strip()):
            yield from _requirement_file(files, match["path"], parent, seen)


def _in_lines(lines: Iterable[str]) -> Stated:
    """What lines in the format of requirement files name."""
    found: list[Stated] = []
    for line in lines:
        content = _COMMENT.sub("", line).strip()
        found.append(_in_text(content))
        if match := _BARE_ARCHIVE.match(content):
            found.append(Stated(archives=_archive(match["url"], _egg(match["url"]))))
    return joined(found)


def _in_metadata(name: str, text: str) -> Stated:
    if name != "pyproject.toml":
        return _in_text(text)
    try:
        document = parse_toml(text)
    except ConfigurationError:
        return Stated()  # no build can read it either
    return joined((_in_text(text), *_in_tables(document, _DEEPEST_TABLE)))


def _in_tables(value: object, left: int) -> Iterator[Stated]:
    """Dependencies that are tables, as Poetry, PDM and uv have: ``{git = …, rev = …}``."""
    if left == 0:
        return
    if isinstance(value, Mapping):
        git = value.get("git")
        if isinstance(git, str):
            revision = next((f"@{value[key]}" for key in ("rev", "tag", "branch") if key in value), "")
            reference = parse_git(f"{git}{revision}")
            yield Stated(repositories=() if reference is None else (reference,))
        for key, one in value.items():
            if isinstance(one, Mapping) and isinstance(one.get("url"), str) and "git" not in one:
                yield Stated(archives=_archive(one["url"], str(key)))
            yield from _in_tables(one, left - 1)
    elif isinstance(value, list):
        for one in value:
            yield from _in_tables(one, left - 1)


def _in_text(text: str) -> Stated:
    """Repositories anywhere in ``text``, and archives behind a name and ``@`` (PEP 508)."""
    repositories = [one for match in _GIT.finditer(text) if (one := parse_git(match[0])) is not None]
    archives = [
        one for match in _NAMED_ARCHIVE.finditer(text) for one in _archive(match["url"], match["name"])
    ]
    return Stated(repositories=tuple(repositories), archives=tuple(archives))


def _archive(url: str, name: str) -> tuple[ArchiveReference, ...]:
    address = url.partition("#")[0]
    reference = ArchiveReference(url=address, name=canonicalize_name(name) if name else "")
    return (reference,) if reference.can_be_fetched else ()


def _egg(url: str) -> str:
    match = re.search(r"[#&]egg=([A-Za-z0-9][\w.-]*)", url)
    return match[1] if match else ""
