"""The kinds of things that a cache keeps, by the names that the command line uses."""

from __future__ import annotations

from enum import StrEnum


class CacheKind(StrEnum):
    """What is kept."""

    ENVIRONMENTS = "environments"
    """Environments of projects, and layers of them."""
    PACKAGES = "packages"
    """Wheels as uv downloaded and unpacked them, and what it knows of them."""
    WHEELS = "wheels"
    """Wheels that were built from sdists."""
    DOWNLOADS = "downloads"
    """Sources of projects, and repositories and archives that requirements name by address."""
    PAGES = "pages"
    """Pages and files of package indexes."""
    RESULTS = "results"
    """Runs of tests, what probes saw, folders of logs and results of commands."""
    RESOLUTIONS = "resolutions"
    """Locks, what files say of recipes, what releases announce: what was worked out once."""
    BASES = "bases"
    """Base systems with Debian packages, and empty databases."""
