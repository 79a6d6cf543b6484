"""What lies in a cache, for tests that look at it from outside."""

from __future__ import annotations

from pathlib import Path


def environment_names(cache: Path) -> set[str]:
    """The names of all environments in ``cache``, whoever wrote to them."""
    return {path.name for tree in ("clean", "built") for path in (cache / tree / "environments").glob("*")}
