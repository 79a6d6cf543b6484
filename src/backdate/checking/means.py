"""What settings mean for building and running."""

from __future__ import annotations

from backdate.checking.interpreters import Interpreters
from backdate.checking.recipe_run import Means
from backdate.checking.settings import Settings
from backdate.environments.build import Builder
from backdate.environments.cache import Cache
from backdate.sandboxes.interface import Sandbox


def means_of(settings: Settings, cache: Cache, sandbox: Sandbox) -> Means:
    """What recipes are carried out with."""
    return Means(
        builder=Builder(cache, sandbox, index_url=settings.index_url, limits=settings.build_limits),
        interpreters=Interpreters(cache.folder),
        limits=settings.test_limits,
        apt=settings.apt,
    )
