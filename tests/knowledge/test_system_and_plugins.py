"""Tables against what they speak of: Debian's package lists, and wheels of plugins of pytest."""

from __future__ import annotations

import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

from backdate.index.cache import DiskCache
from backdate.index.upstream import IndexClient
from backdate.knowledge import load
from backdate.projects.sources.archives import read_members
from backdate.projects.sources.download import download, new_client
from backdate.projects.sources.listing import fetch_listing
from backdate.sandboxes.bases import BUILD_PACKAGES, checked_names

AT = datetime(2026, 1, 1, tzinfo=UTC)
SAMPLE = (
    *("pytest-mock", "pytest-cov", "requests-mock", "pyfakefs", "pytest-subtests", "pytest-datadir"),
    *("pytest-env", "pytest-rerunfailures"),
)
"""A few of the plugins, and not all: an index is not for looking a hundred names up in a row."""


def test_names_of_debian_are_names() -> None:
    rows = load.system_packages().system
    named = {name for row in rows for name in row.packages}
    assert set(checked_names(sorted(named))) == named
    keys = [key for row in rows for key in row.missing]
    assert sorted(set(keys)) == sorted(keys)


def test_every_package_is_in_debian_12() -> None:
    if shutil.which("apt-cache") is None or "VERSION_CODENAME=bookworm" not in _os_release():
        pytest.skip("this machine is no Debian 12 (bookworm)")
    named = sorted(
        {name for row in load.system_packages().system for name in row.packages} | set(BUILD_PACKAGES)
    )
    told = subprocess.run(["apt-cache", "madison", *named], capture_output=True, text=True, check=True).stdout
    there = {line.partition("|")[0].strip() for line in told.splitlines()}
    if "zlib1g-dev" not in there:
        pytest.skip("the package lists are not there: apt-get update")
    assert sorted(set(named) - there) == []


def _os_release() -> str:
    path = Path("/etc/os-release")
    return path.read_text() if path.is_file() else ""


def lacking(plugin: str, sources: str) -> list[str]:
    """What the tables say of ``plugin`` and its sources do not hold."""
    name = canonicalize_name(plugin)

    rows = [row for row in load.pytest_plugins() if canonicalize_name(row.install.partition("[")[0]) == name]
    signs = {
        "fixtures": r"def {0}\(|\b{0} = |name=[\"']{0}[\"']",
        "options": r"[\"']{0}",
        "markers": r"[\"']{0}\b|mark\.{0}\b",
        "settings": r"[\"']{0}[\"']",
    }
    wanted = [
        (what, sign.format(re.escape(what)))
        for row in rows
        for kind, sign in signs.items()
        for what in getattr(row, kind)
    ]
    assert wanted, f"no table names {plugin}"
    return [what for what, sign in wanted if not re.search(sign, sources)]


def test_what_is_lacking_is_seen() -> None:
    assert lacking("pytest-cov", 'addoption("--cov", "--no-cov")\ndef cov(request):') == ["no_cover"]


@pytest.mark.network
@pytest.mark.parametrize("plugin", SAMPLE)
def test_a_plugin_gives_what_the_tables_say(plugin: str, session_cache: Path, index_url: str) -> None:
    with IndexClient(upstreams=(index_url,), cache=DiskCache(session_cache / "index")) as client:
        files = [one for one in fetch_listing(client, plugin) if one.filename.endswith(".whl")]
    newest = max(
        (one for one in files if one.uploaded < AT and not one.version.is_prerelease),
        key=lambda one: one.version,
    )
    with new_client() as downloading:
        wheel = download(downloading, newest, session_cache / "plugins", most_bytes=2**24)
    members = read_members(
        wheel,
        lambda name: name.endswith((".py", "/entry_points.txt")),
        what=newest.filename,
        most_files=500,
        most_bytes=2**20,
    )
    points = next((data for name, data in members.items() if name.endswith("/entry_points.txt")), b"")
    assert b"[pytest11]" in points
    sources = b"\n".join(data for name, data in members.items() if name.endswith(".py"))
    assert lacking(plugin, sources.decode("utf-8", "replace")) == []
