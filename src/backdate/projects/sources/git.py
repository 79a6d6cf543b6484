"""Running git on what may be hostile, and reading its objects without a checkout.

A checkout runs filters, hooks and line-end rules that the repository or its configuration name, and
``git archive`` rewrites files (``export-subst``). So objects are read as they are, by one ``git
cat-file --batch``, which runs nothing and writes nothing: the repository is as it was.
"""

from __future__ import annotations

import hashlib
import os
import re
import select
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from packaging.version import Version

from backdate.errors import SourceError, SourceProblem
from backdate.text import UNREADABLE
from backdate.timeline.instants import Instant

_SAFE = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.alternateRefsCommand=",
    "core.attributesFile=/dev/null",
    "core.quotePath=false",
    "core.untrackedCache=false",
    "log.showSignature=false",  # it would start the repository's gpg.program
    "gc.auto=0",
    "maintenance.auto=false",
    "fetch.recurseSubmodules=false",
    "transfer.fsckObjects=false",  # old projects have harmless defects; names are checked when written
)
_TIMEOUT_S = 120.0
_OBJECT_BYTES = 1024 * 1024 * 1024
_TREE_BYTES = 256 * 1024 * 1024
_FOLDER_BYTES = 16 * 1024 * 1024
"""Of one that is read whole: a hundred thousand names and more."""
_MESSAGE_BYTES = 1024 * 1024


def git_environment(*, protocols: str) -> dict[str, str]:
    """The environment git gets: the user's own, without anything that asks, redirects or runs programs.

    ``protocols``: those that may be used, separated by colons; "none" so that not even a missing
    object is fetched.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    for name in ("GIT_SSL_CAINFO", "GIT_SSH_COMMAND", "GIT_SSH"):
        if name in os.environ:
            kept[name] = os.environ[name]
    kept.pop("SSH_ASKPASS", None)
    if "GIT_SSH" not in kept:
        kept.setdefault("GIT_SSH_COMMAND", "ssh -oBatchMode=yes")
    return {
        **kept,
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": protocols,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_PAGER": "cat",
    }


def git_command(*arguments: str, git_dir: Path | None = None) -> list[str]:
    """The whole command line, with settings that override those of a hostile repository."""
    command = ["git", *(part for setting in _SAFE for part in ("-c", setting))]
    if git_dir is not None:
        command.append(f"--git-dir={git_dir}")
    return [*command, *arguments]


def run_git(
    *arguments: str,
    git_dir: Path | None = None,
    cwd: Path | None = None,
    protocols: str = "none",
    timeout_s: float = _TIMEOUT_S,
    standard_input: bytes = b"",
) -> bytes:
    """Standard output. Raises SourceError with git's own message when it fails or takes too long."""
    try:
        done = subprocess.run(
            git_command(*arguments, git_dir=git_dir),
            cwd=cwd,
            env=git_environment(protocols=protocols),
            input=standard_input,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except FileNotFoundError as error:
        raise SourceError("git is not installed; install it, or give a folder or pypi:NAME") from error
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"git {arguments[0]} did not end within {timeout_s:.0f} s") from error
    if done.returncode != 0:
        message = done.stderr.decode("utf-8", errors="replace").strip()[-1500:]
        raise SourceError(f"git {arguments[0]} failed: {message or f'exit status {done.returncode}'}")
    return done.stdout


def find_git_dir(path: Path) -> Path | None:
    """The git folder to which ``path`` belongs (in a work tree, a bare repository, a .git); None without one.

    Raises SourceError, with git's message, when there is one that git does not trust or cannot read.
    """
    try:
        output = run_git("rev-parse", "--absolute-git-dir", cwd=path)
    except SourceError as error:
        if "not a git repository" in str(error).lower() and "dubious" not in str(error):
            return None
        raise
    return Path(os.fsdecode(output.rstrip(b"\n")))


def resolve_commit(git_dir: Path, revision: str, *, shown: str) -> str:
    """The full hash of the commit that ``revision`` names. Raises SourceError when there is none."""
    try:
        output = run_git(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", git_dir=git_dir
        )
    except SourceError as error:
        problem = "has no commit yet" if revision == "HEAD" else f"has no revision {revision!r}"
        raise SourceError(
            f"{shown} {problem} (a shallow or partial copy may lack it)", SourceProblem.NO_REVISION
        ) from error
    return output.decode("ascii").strip().removeprefix("--end-of-options").strip()


def commit_date(git_dir: Path, commit: str) -> Instant | None:
    """The committer date of the commit; None where the repository lacks it, or has no readable date."""
    try:
        output = run_git(
            *("rev-list", "--no-walk", "--no-commit-header", "--format=> %ct +0000"),
            f"{commit}^{{commit}}",
            git_dir=git_dir,
        )
    except SourceError:
        return None
    return _committer_date(output.strip())


def describe_version(git_dir: Path, commit: str) -> str | None:
    """The version that setuptools_scm would give the commit from its tags; None without a usable tag.

    A tagged commit has its tag's version; N commits later it is the next version's ``.devN``, with the hash.
    """
    try:
        output = run_git("describe", "--tags", "--long", "--match", "*[0-9]*", commit, git_dir=git_dir)
    except SourceError:  # no tag, or a history that was cut off
        return None
    match = re.fullmatch(r"(.+)-(\d+)-(g[0-9a-f]+)", output.decode("utf-8", errors="replace").strip())
    number = match and re.search(r"\d.*", match[1])
    if not match or not number:
        return None
    try:
        version = Version(number[0].replace("_", "."))
    except UNREADABLE:
        return None
    if match[2] == "0":
        return str(version)
    if version.is_prerelease or version.is_postrelease:
        return (
            f"{version.public}.dev{match[2]}+{match[3]}"
            if version.dev is None
            else f"{version.public}+{match[3]}"
        )
    *head, last = version.release
    return f"{'.'.join(map(str, [*head, last + 1]))}.dev{match[2]}+{match[3]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file of a commit's tree."""

    path: str
    mode: int
    """0o100644, 0o100755, 0o120000 (link), 0o160000 (submodule)."""
    object_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """The content of a commit object."""

    tree: str
    committed: Instant | None
    """The committer date in UTC; None when it is absurd."""
    message: str = ""
    """Its first MiB, with line ends as ``\\n``."""


class Objects:
    """Reads the objects of one repository; a missing object is None. Use as a context manager."""

    def __init__(self, git_dir: Path) -> None:
        self._git_dir = git_dir
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def read(self, object_id: str, *, limit: int = _OBJECT_BYTES) -> bytes | None:
        """The content of an object, or None when the repository lacks it.

        Raises SourceError when it holds more than ``limit`` bytes.
        """
        process = self._start()
        source, sink = process.stdout, process.stdin
        assert source is not None
        assert sink is not None
        try:
            sink.write(object_id.encode("ascii") + b"\n")
            sink.flush()
            # A repository may hold a named pipe in the place of an object: git waits for ever.
            if not _is_readable(source, _TIMEOUT_S):
                self._stop()
                raise SourceError(f"git cat-file did not answer within {_TIMEOUT_S:.0f} s")
            header = source.readline(200).split()
        except BrokenPipeError:
            header = []
        if not header or len(header) != 3:
            if not header:  # git died: it gives up where a partial copy's promised object cannot be fetched
                self._stop()
            return None
        size = int(header[2])
        if size > limit:
            self._stop()  # what follows is the content that nobody reads
            raise SourceError(
                f"the repository holds a file of {size:,} bytes; at most {limit:,} are read",
                SourceProblem.TOO_LARGE,
            )
        data = _read_exactly(source, size + 1)
        return data[:-1] if data is not None else None

    def commit(self, commit: str) -> Commit:
        """The commit ``commit`` (full hash)."""
        data = self.read(commit, limit=64 * 1024 * 1024) or b""
        fields: dict[bytes, bytes] = {}
        for line in data.partition(b"\n\n")[0].splitlines():
            key, _, value = line.partition(b" ")
            fields.setdefault(key, value)
        tree = fields.get(b"tree", b"").decode("ascii", errors="replace")
        if re.fullmatch(r"[0-9a-f]{40,64}", tree) is None:
            raise SourceError(
                f"commit {commit} cannot be read; the repository is damaged or partial", SourceProblem.DAMAGED
            )
        return Commit(
            tree=tree,
            committed=_committer_date(fields.get(b"committer", b"")),
            message=_message(data.partition(b"\n\n")[2][:_MESSAGE_BYTES], fields.get(b"encoding", b"utf-8")),
        )

    def entries(self, tree: str, prefix: str = "") -> list[Entry] | None:
        """What lies directly in a tree object, folders with the mode 0o40000; None when it is not there.

        ``prefix`` is put before each path. Raises SourceError for a damaged one.
        """
        data = self.read(tree, limit=_FOLDER_BYTES)
        return None if data is None else list(_parse_tree(data, prefix, len(tree) // 2))

    def walk(self, tree: str, *, missing: list[str], limit: int, deepest: int) -> Iterator[Entry]:
        """The files below a tree object, folders in git's order; trees that are not there go to ``missing``.

        Raises SourceError beyond ``limit`` entries, or ``deepest`` folders within folders: a small repository
        can describe a tree of billions, and one whose names are gigabytes long.
        """
        pending = [("", tree)]
        count = 0
        while pending:
            prefix, object_id = pending.pop()
            if prefix.count("/") > deepest:
                raise SourceError(
                    f"the revision is more than {deepest} folders deep", SourceProblem.TOO_LARGE
                )
            data = self.read(object_id, limit=_TREE_BYTES)
            if data is None:
                missing.append(f"{prefix or '.'} (folder is not in this copy of the repository)")
                continue
            for entry in _parse_tree(data, prefix, len(object_id) // 2):
                count += 1
                if count > limit:
                    raise SourceError(
                        f"the revision holds more than {limit:,} files", SourceProblem.TOO_LARGE
                    )
                if entry.mode == 0o40000:
                    pending.append((f"{entry.path}/", entry.object_id))
                else:
                    yield entry

    def _start(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._stop()
            self._process = subprocess.Popen(
                git_command("cat-file", "--batch", git_dir=self._git_dir),
                env=git_environment(protocols="none"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    _close(pipe)
            process.wait()


def hash_blob(size: int, chunks: Iterable[bytes], *, like: str) -> str:
    """The object id that git would give a file of ``size`` bytes, in the hash that ``like`` was made with."""
    state = hashlib.sha1(usedforsecurity=False) if len(like) == 40 else hashlib.sha256()
    state.update(b"blob %d\0" % size)
    for chunk in chunks:
        state.update(chunk)
    return state.hexdigest()


def _is_readable(source: IO[bytes], seconds: float) -> bool:
    poll = select.poll()
    poll.register(source, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except BrokenPipeError:  # the dead process had not read our last question
        return


def _read_exactly(source: IO[bytes], size: int) -> bytes | None:
    data = source.read(size)
    return data if len(data) == size else None


def _parse_tree(data: bytes, prefix: str, id_bytes: int) -> Iterator[Entry]:
    position = 0
    while position < len(data):
        zero = data.find(b"\0", position)
        mode, _, name = data[position:zero].partition(b" ")
        object_id = data[zero + 1 : zero + 1 + id_bytes]
        if zero < 0 or len(object_id) != id_bytes or re.fullmatch(rb"[0-7]{5,6}", mode) is None:
            raise SourceError("the repository holds a damaged tree object", SourceProblem.DAMAGED)
        yield Entry(path=prefix + os.fsdecode(name), mode=int(mode, 8), object_id=object_id.hex())
        position = zero + 1 + id_bytes


def _committer_date(text: bytes) -> Instant | None:
    match = re.search(rb"> ?(\d{1,12}) [+-]\d{4}\Z", text)
    try:
        return datetime.fromtimestamp(int(match[1]), UTC) if match else None
    except (OverflowError, ValueError, OSError):
        return None


def _message(data: bytes, encoding: bytes) -> str:
    try:
        text = data.decode(encoding.decode("ascii", "replace"))
    except (UnicodeDecodeError, LookupError, ValueError):
        text = data.decode("utf-8", "replace")
    return text.replace("\r\n", "\n")
