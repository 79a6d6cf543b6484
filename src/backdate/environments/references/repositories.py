"""Repositories that requirements name: fetched once, and shown to builds as they were at an instant.

git runs in a sandbox that reaches the one host; it runs nothing of the repository. A build sees the result at
a path of this machine, and a configuration of git's that leads the public address there. So requirements,
locks and metadata keep that address, and what git answers is the commit that it names at the instant.
"""

from __future__ import annotations

import configparser
import posixpath
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import msgspec

from backdate.environments.cache import Cache
from backdate.environments.references.fetching import FetchRun, fetch_in_sandbox
from backdate.environments.references.stated import METADATA_FILES, MOST_REFERENCES, stated_in_metadata
from backdate.environments.references.types import DEFAULT_BRANCH, GitReference, ReferencePolicy, parse_git
from backdate.environments.uv import certificate_variables
from backdate.projects.hostile import Folder
from backdate.projects.read import decode
from backdate.sandboxes.gateway_upstream import endpoint_of
from backdate.sandboxes.interface import Mount
from backdate.serial import digest
from backdate.text import end_of_file, last_lines
from backdate.timeline.instants import Instant, now

_SCRIPT = Path(__file__).with_name("inside") / "repository.sh"
_REPORT_BYTES = 1024 * 1024
_NOTHING_NEW_WITHIN = timedelta(minutes=10)
_ROUNDS = 4
"""Repositories that name repositories that name repositories."""


class FetchedRepository(msgspec.Struct, frozen=True, kw_only=True):
    """The record of a copy that is whole."""

    address: str
    fetched: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRepository:
    """One repository as builds see it."""

    view: Path
    base: Path
    addresses: tuple[str, ...]
    """The addresses that lead to it."""

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """Both folders, at their own paths."""
        return tuple(Mount(source=one, target=str(one), own=True) for one in (self.base, self.view))


@dataclass(slots=True, kw_only=True)
class RepositorySupply:
    """Fetches repositories, each once, into ``folder`` (the views) and the cache (all of their history)."""

    cache: Cache
    folder: Path
    instant: Instant
    policy: ReferencePolicy
    run: FetchRun
    shown: dict[str, ShownRepository] = field(default_factory=dict)
    """By the address that was asked."""
    notes: list[str] = field(default_factory=list)
    """What could not be had, in a sentence each."""
    _done: dict[GitReference, None] = field(default_factory=dict)

    def fetch(self, references: Sequence[GitReference]) -> None:
        """Fetch ``references``, and what their own metadata and submodules name."""
        wanted = list(references)
        for _ in range(_ROUNDS):
            new = [one for one in dict.fromkeys(wanted) if one not in self._done]
            room = max(0, MOST_REFERENCES - len(self._done))
            self._done.update(dict.fromkeys(new[:room]))
            wanted = []
            for address in dict.fromkeys(one.fetched_from for one in new[:room]):
                # With what was asked of it before: git is led to the last view of a repository.
                wanted += self._fetch(address, [one for one in self._done if one.fetched_from == address])
            if not wanted:
                return

    def _fetch(self, address: str, group: Sequence[GitReference]) -> list[GitReference]:
        """One repository; what its commits name in turn."""
        endpoint = endpoint_of(address)
        refusal = self.policy.refusal(address)
        if refusal or endpoint is None:
            self.notes.append(refusal)
            return []
        key = digest("repository", address)
        base = self.cache.references / "repositories" / key
        revisions = list(dict.fromkeys(one.revision for one in group))
        number = len(list(self.folder.iterdir()))
        view, report = self.folder / f"{number}.git", self.folder / f"{number}.report"
        with self.cache.guard(key):
            record = self.cache.read(FetchedRepository, "references", key)
            if record is None:
                self.cache.discard(base)
            for path in (base, view, report):
                path.mkdir(parents=True, exist_ok=True)
            recent = record is not None and (
                record.fetched > self.instant or record.fetched > now() - _NOTHING_NEW_WITHIN
            )
            mode = "clone" if record is None else "use" if recent else "fetch"
            seconds = str(int(self.instant.timestamp()))
            arguments = (address, base, view, report, mode, seconds, *revisions)
            fetched = fetch_in_sandbox(
                self.run,
                shlex.join(("sh", str(_SCRIPT), *map(str, arguments))),
                endpoints=(endpoint,) if endpoint in self.policy.endpoints else (),
                further=(endpoint,),
                variables={
                    **certificate_variables(),
                    "GIT_ALLOW_PROTOCOL": ":".join(self.policy.schemes),
                    "GIT_TERMINAL_PROMPT": "0",
                    "GIT_ASKPASS": "",
                    "GIT_CONFIG_NOSYSTEM": "1",
                    "GIT_CONFIG_GLOBAL": "/dev/null",
                },
                mounts=(
                    Mount(source=_SCRIPT, target=str(_SCRIPT)),
                    *(
                        Mount(source=one, target=str(one), writable=True, own=True)
                        for one in (base, view, report)
                    ),
                ),
            )
            if not fetched.ok:
                if record is None:
                    self.cache.discard(base)
                said = last_lines(end_of_file(self.run.log, _REPORT_BYTES), 3)
                self.notes.append(f"{address} could not be fetched: {said or fetched.status.value}")
                return []
            with Folder.at(report) as folder:
                if record is None or folder.status("fetched") is not None:
                    self.cache.write("references", key, FetchedRepository(address=address, fetched=now()))
        addresses = tuple(sorted({form for one in group for form in _forms(one.url)}))
        self.shown[address] = ShownRepository(view=view, base=base, addresses=addresses)
        return self._named_by(report, address, revisions)

    def _named_by(self, report: Path, address: str, revisions: Sequence[str]) -> list[GitReference]:
        found: list[GitReference] = []
        with Folder.at(report) as folder:
            commits = _text(folder, "commits").split()
            for number, revision in enumerate(revisions):
                if number >= len(commits) or commits[number] == "-":
                    which = "default branch" if revision == DEFAULT_BRANCH else f"revision {revision!r}"
                    latest = f"{self.instant:%Y-%m-%d %H:%M} UTC"
                    self.notes.append(f"{address} has no {which} with a commit at or before {latest}")
                    continue
                with folder.folder(str(number)) as files:
                    texts = {name: _text(files, name) for name in METADATA_FILES}
                    found += stated_in_metadata(texts).repositories
                    found += _submodules(address, _text(files, ".gitmodules"), _text(files, "links"))
        return found


def git_configuration(shown: Mapping[str, ShownRepository]) -> str:
    """What leads git from every public address to the repositories that builds see."""
    lines = ["[safe]", "\tdirectory = *", '[protocol "file"]', "\tallow = always"]
    for repository in shown.values():
        lines.append(f'[url "file://{repository.view}"]')
        lines += [f'\tinsteadOf = "{address}"' for address in repository.addresses]
    return "\n".join(lines) + "\n"


def _forms(url: str) -> tuple[str, ...]:
    """The forms in which tools write one address."""
    bare = url.rstrip("/").removesuffix(".git")
    return (bare, f"{bare}.git", f"{bare}/")


def _text(folder: Folder, name: str) -> str:
    data = folder.read(name, limit=_REPORT_BYTES)
    return "" if data is None else decode(data)


def _submodules(address: str, modules: str, links: str) -> list[GitReference]:
    """The submodules of a commit, at the commits that it names for them."""
    commits = {}
    for line in links.splitlines():
        entry, _, path = line.partition("\t")
        commits[path] = entry.split()[-1]
    # git writes the keys indented, which is no continuation here.
    text = "\n".join(line.strip() for line in modules.splitlines())
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        return []
    found = []
    for section in parser.sections():
        values = dict(parser.items(section))
        url, commit = values.get("url"), commits.get(values.get("path") or "")
        if not url or not commit:
            continue
        if url.startswith(("./", "../")):
            base = urlsplit(address)
            joined = posixpath.normpath(posixpath.join(base.path, url))
            url = urlunsplit(base._replace(path=f"/{joined.lstrip('/')}", query="", fragment=""))
        reference = parse_git(f"{url}@{commit}")
        if reference is not None:
            found.append(reference)
    return found
