"""Opening what runs a project's code while what will be needed of backdate is imported."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backdate.checking.settings import Settings

OF_CHECKS = (
    *("cli.progress", "cli.render", "session", "advising.advised_check"),
    *("environments.build", "projects.sources.open", "testing.several"),
)
"""Modules of backdate that every check uses before its old side's tests run, the first first. New sides
import what they need, such as what loosens bounds, meanwhile."""
OF_ENVIRONMENTS = (
    *("checking.build_environment", "cli.progress", "session", "environments.build"),
    *("environments.one_step", "environments.lent_files", "environments.build_network"),
)
"""Those that making an environment of packages uses, the gateway with them."""


def try_sandbox_beside(settings: Settings, modules: Sequence[str]) -> None:
    """Import ``modules`` of backdate while a first command runs in the sandbox and uv says its version, which
    takes as long.

    Raises SandboxUnavailable when that cannot be had, as opening a ``Session`` does, which asks no more.
    """
    from backdate.environments.uv import uv_version
    from backdate.sandboxes.threads import both

    sandbox = settings.open_sandbox()

    def tried() -> None:
        sandbox.require()
        uv_version()  # part of every key

    both(tried, lambda: [import_module(f"backdate.{name}") for name in modules], name="opening")
