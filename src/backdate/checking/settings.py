"""How projects are set up and tested, apart from what is set up."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from backdate.environments import uv
from backdate.environments.cache import default_cache
from backdate.environments.steps import BUILD_LIMITS
from backdate.errors import UsageError
from backdate.sandboxes.interface import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where things are kept, what isolates them, and what they may use."""

    cache: Path = field(default_factory=default_cache)
    sandbox: str = "bwrap"
    index_url: str = uv.DEFAULT_INDEX
    test_limits: Limits = field(default_factory=Limits)
    build_limits: Limits = BUILD_LIMITS
    keep: Path | None = None
    """Where to keep trees, logs, patch and result: a folder that is empty or not there yet. None for
    a folder in the cache, which is cleaned after a while and keeps no trees."""
    apt: bool = False
    """Whether the Debian packages that a recipe asks for are applied, in a base system of their own, as they
    are today (see ``sandboxes/bases.py``); where not they are listed in the notes."""
    store: bool = True
    """Whether proven recipes are kept and looked up (see ``store.py``)."""

    def __post_init__(self) -> None:
        """Raise UsageError for an index that is not on the web."""
        parts = urlsplit(self.index_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(
                f"{self.index_url!r} is not the address of a package index, such as {uv.DEFAULT_INDEX}"
            )
