"""A small Debian for tests: enough for a CPython and a C compiler, made once for all runs of the tests."""

from __future__ import annotations

from pathlib import Path

from user_folders import default_download_cache

from backdate.sandboxes.bases import BaseFailure, Bases, BaseSettings
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import BaseSystem

PACKAGES = (
    *("gcc", "libc6-dev", "libbz2-1.0", "libffi8", "liblzma5", "libncursesw6", "libreadline8"),
    *("libsqlite3-0", "libssl3", "zlib1g"),
)
"""Names of Debian 12; on a machine with another release the tests that need them are skipped."""


def kept_folder() -> Path:
    """Where it is kept from one run of the tests to the next."""
    return Path(default_download_cache())


def bases() -> Bases:
    """Makes systems that hold further packages."""
    settings = BaseSettings(packages=PACKAGES)
    return Bases(sandbox=Bubblewrap(), folder=kept_folder() / "systems", settings=settings)


def small_debian() -> BaseSystem:
    """The system; raises MachineError where it cannot be had."""
    made = bases().prepare(())
    assert not isinstance(made, BaseFailure), made.message
    return made
