"""Archives that requirements name by address: downloaded once, and shown to builds as files.

uv and pip take a file where a requirement names an address, so requirement files are changed in the build's
private copy of the tree; the lock keeps the public address. An address says nothing of time: what is there
when it is first asked for is kept, and the lock names its hash.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from backdate import sandboxes
from backdate.environments.cache import Cache
from backdate.environments.references.fetching import FetchRun, fetch_in_sandbox
from backdate.environments.references.types import ArchiveReference, ReferencePolicy
from backdate.environments.uv import certificate_variables
from backdate.projects.hostile import read_beneath
from backdate.sandboxes.gateway_upstream import endpoint_of
from backdate.sandboxes.interface import MIB, Mount
from backdate.serial import digest, write_whole
from backdate.text import end_of_file, last_lines

_PROGRAM = Path(sandboxes.__file__).with_name("inside") / "backdate_download.py"
_MOST_BYTES = 1024 * MIB


class FetchedArchive(msgspec.Struct, frozen=True, kw_only=True):
    """The record of a file that is whole."""

    address: str
    sha256: str


@dataclass(slots=True, kw_only=True)
class ArchiveSupply:
    """Downloads archives, each once, into the cache."""

    cache: Cache
    policy: ReferencePolicy
    run: FetchRun
    files: dict[str, Path] = field(default_factory=dict)
    """By address."""
    notes: list[str] = field(default_factory=list)
    """What could not be had, in a sentence each."""

    def fetch(self, references: Sequence[ArchiveReference]) -> None:
        """Download ``references``."""
        for reference in references:
            if reference.url not in self.files:
                self._fetch(reference)

    def _fetch(self, reference: ArchiveReference) -> None:
        address = reference.url
        if refusal := self.policy.refusal(address):
            self.notes.append(refusal)
            return
        key = digest("archive", address)
        folder = self.cache.references / "archives" / key
        path = folder / reference.filename
        with self.cache.guard(key):
            record = self.cache.read(FetchedArchive, "references", key)
            if record is None or not path.exists():
                self.cache.discard(folder)
                data = self._download(reference, self.cache.references / "downloads" / key)
                if data is None:
                    return
                write_whole(path, data)
                record = FetchedArchive(address=address, sha256=hashlib.sha256(data).hexdigest())
                self.cache.write("references", key, record)
        self.files[address] = path

    def _download(self, reference: ArchiveReference, folder: Path) -> bytes | None:
        """Its content, from a folder that only the download writes to; None with a note."""
        endpoint = endpoint_of(reference.url)
        self.cache.discard(folder)
        folder.mkdir(parents=True)
        python = str(self.run.interpreter.executable)
        arguments = (reference.url, str(folder / "file"), str(_MOST_BYTES))
        try:
            fetched = fetch_in_sandbox(
                self.run,
                shlex.join((python, "-E", "-s", "-S", str(_PROGRAM), *arguments)),
                endpoints=(endpoint,) if endpoint is not None and endpoint in self.policy.endpoints else (),
                further=(),
                variables=certificate_variables(),
                mounts=(
                    Mount(source=_PROGRAM, target=str(_PROGRAM)),
                    Mount(source=folder, target=str(folder), writable=True, own=True),
                ),
                anywhere=True,
            )
            data = read_beneath(folder, "file", limit=_MOST_BYTES) if fetched.ok else None
        finally:
            self.cache.discard(folder)
        if data is None:
            said = last_lines(end_of_file(self.run.log, MIB), 2)
            self.notes.append(f"{reference.url} could not be fetched: {said or fetched.status.value}")
        return data
