"""Whose a project is, by its metadata: whether a release on the package index is of the same project.

A name alone proves nothing: what a tree calls itself may be another project's name on the index. Addresses,
people and summaries are compared, all of them foreign texts that are believed for no more than that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import getaddresses
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from packaging.metadata import RawMetadata

from backdate.errors import ConfigurationError
from backdate.projects.ini import parse_ini
from backdate.projects.read import read_text
from backdate.projects.setup_script import setup_arguments
from backdate.projects.toml import parse_toml

_SCP = re.compile(r"(?:[^@/\s]{1,100}@)?([A-Za-z0-9][A-Za-z0-9.-]{0,250}):(?!//)(\S{1,500})\Z")
"""``git@github.com:owner/name``."""
_CODE_HOSTS = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
"""A project there is an owner and a name; what follows is a page of it."""
_INDEXES = frozenset({"pypi.org", "pypi.python.org", "test.pypi.org"})
"""Their addresses hold the name alone."""
_LEAST_SUMMARY = 12
"""Characters; shorter ones ("A library") are of many projects."""
_MOST = 200
"""Addresses and people that are compared, of each side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectIdentity:
    """What tells a project from others of its name."""

    addresses: frozenset[str] = frozenset()
    """Of its pages and repositories, as ``plain_address`` writes them."""
    people: frozenset[str] = frozenset()
    """E-mail addresses and full names, in lower case."""
    summary: str = ""
    """In lower case; empty where it says too little."""

    def shared_with(self, other: ProjectIdentity) -> str:
        """What both have, for people: "the address github.com/owner/name"; empty for nothing."""
        for what, own, its in (
            ("the address", self.addresses, other.addresses),
            ("the author", self.people, other.people),
        ):
            if own & its:
                return f"{what} {min(own & its)}"
        return "the summary" if self.summary and self.summary == other.summary else ""


def plain_address(text: str) -> str | None:
    """The address of a page or repository without what may differ between two of one project.

    >>> plain_address("git@github.com:Owner/Name.git"), plain_address("https://www.x.org/a/#b")
    ('github.com/owner/name', 'x.org/a')

    None for what is no address, or one of an index, which holds a name alone.
    """
    text = text.strip()
    if match := _SCP.match(text):
        host, path = match[1], match[2]
    else:
        try:
            parts = urlsplit(text)
            host, path = parts.hostname or "", parts.path
        except ValueError:
            return None
    host = host.lower().removeprefix("www.")
    if not host or "." not in host or host in _INDEXES:
        return None
    segments = [segment for segment in path.lower().split("/") if segment]
    if host in _CODE_HOSTS:
        if len(segments) < 2:
            return None
        segments = [segments[0], segments[1].removesuffix(".git")]
    return "/".join([host, *segments])


def make_identity(addresses: Iterable[str], people: Iterable[str], summary: str) -> ProjectIdentity:
    """The identity that raw texts tell. ``people``: names, addresses, or both as in mail ("A B <a@b>")."""
    plain = (plain_address(address) for address in list(addresses)[:_MOST])
    known = set[str]()
    for text in list(people)[:_MOST]:
        named = getaddresses([text[:1000]]) if "@" in text else [(name, "") for name in text.split(",")]
        for pair in named:
            known.update(one.strip().lower() for one in pair if "@" in one or " " in one.strip())
    words = " ".join(summary.lower().split())
    return ProjectIdentity(
        addresses=frozenset(address for address in plain if address),
        people=frozenset(known),
        summary=words if len(words) >= _LEAST_SUMMARY else "",
    )


def identity_of_release(metadata: RawMetadata) -> ProjectIdentity:
    """The identity that the core metadata of a release tell."""
    people = (metadata.get("author", ""), metadata.get("author_email", ""))
    others = (metadata.get("maintainer", ""), metadata.get("maintainer_email", ""))
    return make_identity(
        [metadata.get("home_page", ""), *metadata.get("project_urls", {}).values()],
        (*people, *others),
        metadata.get("summary", ""),
    )


def identity_of_tree(root: Path, repositories: Iterable[str] = ()) -> ProjectIdentity:
    """What the files of the project at ``root`` say, and the addresses of its repository.

    A file that cannot be read, or is not in its format, says nothing.
    """
    addresses, people, summaries = list(repositories), list[str](), list[str]()
    for table in _tables(root):
        addresses += _texts(table, "url", "homepage", "repository", "documentation", "home-page")
        for key in ("urls", "project_urls", "project-urls"):
            addresses += _values(table.get(key))
        people += _texts(table, "author", "author_email", "author-email", "maintainer", "maintainer_email")
        for key in ("authors", "maintainers"):
            people += _people(table.get(key))
        summaries += _texts(table, "description", "summary")
    return make_identity(addresses, people, next(iter(summaries), ""))


def _tables(root: Path) -> Iterable[Mapping[str, Any]]:
    """The tables of metadata that the files have."""
    try:
        document = parse_toml(read_text(root, "pyproject.toml") or "")
    except ConfigurationError:
        document = {}
    tool = _table(document.get("tool"))
    yield _table(document.get("project"))
    yield _table(tool.get("poetry"))
    yield _table(_table(tool.get("flit")).get("metadata"))
    with suppress(ConfigurationError):  # what cannot be read says nothing
        yield _table(parse_ini(read_text(root, "setup.cfg") or "").get("metadata"))
    try:
        arguments = setup_arguments(read_text(root, "setup.py") or "") or {}
    except ConfigurationError:
        arguments = {}
    yield {name: argument.value for name, argument in arguments.items()}


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _texts(table: Mapping[str, Any], *keys: str) -> list[str]:
    return [value for key in keys if isinstance(value := table.get(key), str)]


def _values(value: object) -> list[str]:
    """The addresses in a table, or in setup.cfg's lines of ``name = address``."""
    if isinstance(value, str):
        return [line.partition("=")[2] for line in value.splitlines()]
    return [one for one in _table(value).values() if isinstance(one, str)]


def _people(value: object) -> list[str]:
    """Poetry's texts, and the tables of ``[project]``."""
    if not isinstance(value, list):
        return []
    people = [one for one in value if isinstance(one, str)]
    return people + [text for one in value for text in _texts(_table(one), "name", "email")]
