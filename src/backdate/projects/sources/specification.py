"""Parsing what a user writes to name a project. Nothing is fetched here.

::

    PATH                    a folder, a bare repository, or a .git folder
    PATH@REV                a revision of a local repository
    GIT-URL[@REV][#subdirectory=DIR]
                            https://…, ssh://…, file://…, git@host:path, each also with a git+ before it
    pypi:NAME[==VERSION]    an sdist from the package index
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote, urlsplit, urlunsplit

from packaging.utils import canonicalize_name
from packaging.version import Version

from backdate.errors import SourceError
from backdate.text import UNREADABLE

FORMS = "PATH, PATH@REV, GIT-URL[@REV], or pypi:NAME[==VERSION]"

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?\Z")
_REVISION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./+~^@{}-]{0,250}\Z")
_SCP = re.compile(r"(?P<user>[A-Za-z0-9_][\w.-]*)@(?P<host>[A-Za-z0-9][\w.-]*):(?P<path>[^/-].*)\Z")
_SCHEMES = ("https", "ssh", "file")


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSource:
    """A folder of this machine, as it is now."""

    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class GitSource:
    """A revision of a git repository."""

    location: str
    """A URL, or an absolute path of this machine."""
    local: bool
    """Whether ``location`` is a path."""
    revision: str
    """A branch, tag, commit hash (also abbreviated), or "HEAD"."""
    subdirectory: str = ""
    """The project's folder in the repository, "" for its top."""

    @property
    def shown(self) -> str:
        """The location without a password or token, fit for messages and results."""
        return without_secrets(self.location)


@dataclass(frozen=True, slots=True, kw_only=True)
class SdistSource:
    """An sdist of the package index."""

    name: str
    """Normalised (PEP 503)."""
    version: Version | None
    """None: the latest final version."""


Source: TypeAlias = FolderSource | GitSource | SdistSource


def parse_source(text: str) -> Source:
    """What ``text`` names. Looks at the disk only to tell a path from ``PATH@REV``.

    Raises SourceError for text of no known form, and for names that a program could take for an option.
    """
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise SourceError(f"{text[:200]!r} is not UTF-8; give the folder a name that is, and try again")
    if not text or text != text.strip() or not text.isprintable() or len(text) > 4000:
        raise SourceError(f"{text[:200]!r} does not name a project; write {FORMS}")
    if text.startswith("pypi:"):
        return _parse_sdist(text)
    if text.startswith("-"):
        raise SourceError(f"{text!r} looks like an option; for a folder of that name write ./{text}")
    bare = text.removeprefix("git+")
    if _SCP.match(bare) and not Path(text).exists():
        return _parse_scp(bare)
    if "::" in bare.split("/")[0] or "://" in bare:
        return _parse_url(bare)
    return _parse_path(text)


def without_secrets(url: str) -> str:
    """``url`` without user and password where they come with a web address."""
    if "://" not in url:
        return url
    parts = urlsplit(url)
    if parts.scheme == "ssh" and parts.password is None:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _parse_sdist(text: str) -> SdistSource:
    name, equals, version = text.removeprefix("pypi:").partition("==")
    if _NAME.match(name) is None:
        raise SourceError(
            f"{name[:100]!r} is not the name of a distribution; write pypi:NAME or pypi:NAME==VERSION"
        )
    try:
        parsed = Version(version) if equals else None
    except UNREADABLE as error:
        raise SourceError(
            f"{version[:100]!r} is not a version (PEP 440); write pypi:{name}==1.2.3"
        ) from error
    return SdistSource(name=canonicalize_name(name), version=parsed)


def _parse_url(text: str) -> GitSource:
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError as error:
        raise SourceError(f"{text!r} is not a URL: {error}") from error
    if parts.scheme not in _SCHEMES or "::" in text.split("/", maxsplit=1)[0]:
        from backdate.projects.sources.suggestion import did_you_mean

        allowed = ", ".join(f"{scheme}://" for scheme in _SCHEMES)
        hint = did_you_mean(text) if "@" not in text else ""  # a password would be shown
        raise SourceError(f"{text!r}: only {allowed} and git@host:path are fetched with git{hint}")
    if parts.scheme != "file" and not re.match(r"[A-Za-z0-9\[]", host or "-"):
        raise SourceError(f"{text!r} names no host that may be asked")
    if (parts.username or "").startswith("-") or parts.query:
        raise SourceError(f"{text!r} is not the address of a git repository")
    path, revision = _split_revision(parts.path)
    if parts.scheme == "file":
        if host not in ("", "localhost"):
            raise SourceError(f"{text!r}: a file URL names no host; write file:///path")
        location = unquote(path)
    else:
        location = urlunsplit(parts._replace(path=path, fragment=""))
    if path.strip("/") == "":
        raise SourceError(f"{text!r} names no repository on its host")
    return GitSource(
        location=location,
        local=parts.scheme == "file",
        revision=revision,
        subdirectory=_subdirectory(parts.fragment),
    )


def _parse_scp(text: str) -> GitSource:
    address, _, fragment = text.partition("#")
    host, _, rest = address.partition(":")
    path, revision = _split_revision(rest)
    return GitSource(
        location=f"{host}:{path}", local=False, revision=revision, subdirectory=_subdirectory(fragment)
    )


def _parse_path(text: str) -> FolderSource | GitSource:
    try:
        path = Path(text).expanduser()
        if path.exists():
            path = path.resolve()
            if path.is_dir() and _is_bare_repository(path):
                return GitSource(location=str(path), local=True, revision="HEAD")
            return FolderSource(path=path)
        repository, at, revision = text.partition("#")[0].rpartition("@")
        folder = Path(repository).expanduser()
        if at and folder.is_dir():
            fragment = text.partition("#")[2]
            return GitSource(
                location=str(folder.resolve()),
                local=True,
                revision=_checked_revision(revision),
                subdirectory=_subdirectory(fragment),
            )
    except (OSError, RuntimeError) as error:
        raise SourceError(f"{text!r} cannot be read: {error}") from error
    from backdate.projects.sources.suggestion import did_you_mean

    meant = did_you_mean(text)
    raise SourceError(f"there is no folder {text!r} here{f'{meant} Else' if meant else ';'} write {FORMS}")


def _is_bare_repository(path: Path) -> bool:
    return (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir()


def _split_revision(path: str) -> tuple[str, str]:
    repository, at, revision = path.rpartition("@")
    return (repository, _checked_revision(revision)) if at else (path, "HEAD")


def _checked_revision(revision: str) -> str:
    if _REVISION.match(revision) is None or ".." in revision:
        raise SourceError(f"{revision[:100]!r} is not a revision; write a branch, a tag or a commit hash")
    return revision


def _subdirectory(fragment: str) -> str:
    if not fragment:
        return ""
    key, _, value = fragment.partition("=")
    parts = unquote(value).strip("/").split("/")
    if key != "subdirectory" or any(part in ("", ".", "..") for part in parts):
        raise SourceError(f"'#{fragment[:100]}' is not understood; only #subdirectory=FOLDER is")
    return "/".join(parts)
