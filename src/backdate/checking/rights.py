"""What tests may reach besides their own tree and environment, because the user gave it to them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from backdate.checking.settings import Settings
from backdate.sandboxes.interface import Network
from backdate.serial import digest


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenRights:
    """What is given to each run of tests."""

    network: Network = "off"
    variables: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Environment variables of this machine. Their values are kept nowhere, and are no part of a recipe."""

    @property
    def key(self) -> tuple[object, ...]:
        """What of it a run is a function of; empty where nothing is given."""
        if self.network == "off" and not self.variables:
            return ()
        return ("rights", self.network, digest(*map(list, self.variables)))


def given_rights(settings: Settings) -> GivenRights:
    """What ``settings`` give to tests. A variable that is not set is left out."""
    configuration = settings.configuration
    names = configuration.host_variables.value if configuration.host_variables is not None else ()
    network = configuration.network is not None and configuration.network.value
    return GivenRights(
        network="on" if network else "off",
        variables=tuple((name, os.environ[name]) for name in names if name in os.environ),
    )


def granted_packages(settings: Settings) -> tuple[str, ...]:
    """The Debian packages that the user gave by name, which ``Settings.apt`` is not needed for."""
    packages = settings.configuration.debian_packages
    return packages.value if packages is not None else ()


def services_allowed(settings: Settings) -> bool:
    """Whether services are started: not for tests that share this machine's network.

    There a service would take ports of this machine, and other programs could reach it.
    """
    return settings.services and given_rights(settings).network == "off"
