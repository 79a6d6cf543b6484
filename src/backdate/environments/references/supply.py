"""What requirements name by address, ready for the build steps of one environment."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from backdate.environments.cache import Cache
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.references.stated import Stated, joined, stated_by
from backdate.environments.references.types import (
    ArchiveReference,
    GitReference,
    ReferencePolicy,
    parse_git,
)
from backdate.environments.step_files import input_file, shown
from backdate.sandboxes.interface import Mount, Sandbox

_REQUIREMENT_FILES = r"\( -name '*.txt' -o -name '*.in' -o -name '*.pip' \)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceSupply:
    """What was fetched."""

    mounts: tuple[Mount, ...] = ()
    configuration: str = ""
    """git's, which leads public addresses to what was fetched; empty without repositories."""
    files: tuple[tuple[str, Path], ...] = ()
    """Archives: the address, and the file."""
    named: tuple[tuple[str, Path], ...] = ()
    """Archives of distributions whose names requirements say."""
    notes: tuple[str, ...] = ()
    """What could not be had, in a sentence each."""

    def script(self) -> list[str]:
        """Shell lines for the private copy of the tree, in which files stand for addresses afterwards."""
        if not self.files:
            return []
        replacing = [
            part
            for url, path in self.files
            for part in ("-e", f"s|{_escaped(url)}|file://{_replacement(path)}|g")
        ]
        return [
            f"find . -maxdepth 4 -type f {_REQUIREMENT_FILES} -exec sed -i {shlex.join(replacing)} {{}} +"
        ]

    @contextmanager
    def configured(self) -> Iterator[tuple[dict[str, str], tuple[Mount, ...]]]:
        """Variables and mounts by which git is led to what was fetched, for the time of a step."""
        if not self.configuration:
            yield {}, ()
            return
        with input_file("gitconfig", self.configuration) as git:
            yield {"GIT_CONFIG_GLOBAL": str(git)}, (shown(git.parent),)

    def with_files(self, requirements: str) -> str:
        """Requirements with files for addresses."""
        for url, path in self.files:
            requirements = requirements.replace(url, f"file://{path}")
        return requirements

    def with_addresses(self, pylock: str) -> str:
        """A lock of uv's with the public addresses for the files."""
        for url, path in self.files:
            pylock = pylock.replace(f'path = "{path}"', f'url = "{url}"')
        return pylock

    def lock_with_files(self, pylock: str) -> str:
        """The other way round."""
        for url, path in self.files:
            pylock = pylock.replace(f'url = "{url}"', f'path = "{path}"')
        return pylock

    def overrides(self) -> str:
        """For uv: files in place of what metadata name by address."""
        return "".join(f"{name} @ file://{path}\n" for name, path in self.named)


NO_REFERENCES = ReferenceSupply()


def supply(
    stated: Stated,
    request: EnvironmentRequest,
    *,
    cache: Cache,
    sandbox: Sandbox,
    policy: ReferencePolicy,
    folder: Path,
    log: Path,
) -> ReferenceSupply:
    """Fetch what ``stated`` names, as of the request's instant. ``folder``: of this build alone."""
    if not stated.repositories and not stated.archives:
        return NO_REFERENCES
    from backdate.environments.references.archives import ArchiveSupply  # with a gateway to the network
    from backdate.environments.references.fetching import FetchRun
    from backdate.environments.references.repositories import RepositorySupply, git_configuration

    log = log.with_name(f"{log.name.removesuffix('.log')}.fetched.log")
    run = FetchRun(sandbox=sandbox, interpreter=request.choice.interpreter, base=request.base, log=log)
    repositories = RepositorySupply(
        cache=cache, folder=folder, instant=request.instant, policy=policy, run=run
    )
    repositories.fetch(stated.repositories)
    archives = ArchiveSupply(cache=cache, policy=policy, run=run)
    archives.fetch(stated.archives)
    mounts = [mount for one in repositories.shown.values() for mount in one.mounts]
    mounts += [Mount(source=path, target=str(path)) for path in archives.files.values()]
    return ReferenceSupply(
        mounts=tuple(mounts),
        configuration=git_configuration(repositories.shown) if repositories.shown else "",
        files=tuple(sorted(archives.files.items(), key=lambda one: -len(one[0]))),
        named=tuple(
            (one.name, archives.files[one.url])
            for one in stated.archives
            if one.name and one.url in archives.files
        ),
        notes=(*repositories.notes, *archives.notes),
    )


def stated_for(
    request: EnvironmentRequest, *, with_tree: bool, pylock: str | None, script: str | None
) -> Stated:
    """What a build step may ask for by address: what the lock names, and the tree where it is shown."""
    found = [] if pylock is None else [Stated(repositories=_repositories(pylock), archives=_archives(pylock))]
    if with_tree:
        found.append(stated_by(request, script))
    return joined(found)


def _packages(pylock: str) -> Iterator[Mapping[str, object]]:
    for package in tomllib.loads(pylock).get("packages", []):
        if isinstance(package, dict):
            yield package


def _repositories(pylock: str) -> tuple[GitReference, ...]:
    found = []
    for package in _packages(pylock):
        vcs = package.get("vcs")
        if isinstance(vcs, dict) and vcs.get("type") == "git" and isinstance(vcs.get("url"), str):
            reference = parse_git(f"{vcs['url']}@{vcs.get('commit-id')}")
            found += [] if reference is None else [reference]
    return tuple(found)


def _archives(pylock: str) -> tuple[ArchiveReference, ...]:
    found = []
    for package in _packages(pylock):
        archive = package.get("archive")
        if isinstance(archive, dict) and isinstance(archive.get("url"), str):
            found.append(ArchiveReference(url=archive["url"]))
    return tuple(one for one in found if one.can_be_fetched)


def _escaped(url: str) -> str:
    """As a basic regular expression of sed's with ``|`` around it."""
    return "".join(f"\\{one}" if one in "\\.[]*^$|" else one for one in url)


def _replacement(path: Path) -> str:
    return "".join(f"\\{one}" if one in "\\&|" else one for one in str(path))


def notes_text(notes: Sequence[str]) -> str:
    """What to say of references that could not be had; empty for none."""
    return "" if not notes else "Named by address and not to be had: " + "; ".join(notes)
