"""Keeps the tests out of the user's own folders: whatever they start writes to temporary ones."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from backdate.environments.interpreters import uv_folder

DOWNLOAD_CACHE = "BACKDATE_TEST_CACHE"
"""The variable that names the download cache, the one folder that is kept from one run to the next."""


def default_download_cache() -> str:
    """``$BACKDATE_TEST_CACHE``, or a folder of the user's that is not the one of ``backdate`` itself."""
    return os.environ.get(DOWNLOAD_CACHE) or platformdirs.user_cache_dir("backdate-tests")


def folders_of_programs() -> tuple[Path, ...]:
    """What the programs that tests start would make in the home folder, if they were allowed to."""
    return (
        Path(platformdirs.user_cache_dir("backdate")),
        Path(platformdirs.user_cache_dir("matplotlib")),
        Path(platformdirs.user_config_dir("matplotlib")),
        Path(platformdirs.user_data_dir("inspect_ai")),
    )


def redirect(temporary: Path, download_cache: str) -> None:
    """Point this process, and those that it starts, at folders below ``temporary``.

    Configuration stays where it is, for it may name the package index of this machine; so do the interpreters
    that uv has installed, which are only read. What uv downloads goes to the download cache.
    """
    downloads = Path(download_cache).resolve()
    interpreters = uv_folder(os.environ)
    if interpreters.is_dir():
        os.environ["UV_PYTHON_INSTALL_DIR"] = str(interpreters)
    os.environ.pop("BACKDATE_CACHE", None)  # the default cache then lies below XDG_CACHE_HOME, too
    os.environ[DOWNLOAD_CACHE] = str(downloads)
    caches = temporary / "user-cache"
    caches.mkdir(exist_ok=True)
    (downloads / "uv").mkdir(parents=True, exist_ok=True)
    (caches / "uv").symlink_to(
        downloads / "uv"
    )  # not UV_CACHE_DIR: several tests clear all of uv's variables
    os.environ["XDG_CACHE_HOME"] = str(caches)
    os.environ["XDG_DATA_HOME"] = str(temporary / "user-data")
    os.environ["XDG_STATE_HOME"] = str(temporary / "user-state")
    os.environ["XDG_CONFIG_HOME"] = str(temporary / "user-config")
    os.environ["MPLCONFIGDIR"] = str(temporary / "matplotlib")
