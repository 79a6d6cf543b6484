"""Which of the services that a recipe wants are started for its tests, and why the others are not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from backdate.sandboxes.interface import BaseSystem, Sandbox
from backdate.sandboxes.services.wanted import ServiceRecord, ServiceState, WantedService

if TYPE_CHECKING:
    from backdate.sandboxes.services.installed import InstalledService


@dataclass(frozen=True, slots=True, kw_only=True)
class ServicePlan:
    """What of a recipe's services is started for each run."""

    started: tuple[tuple[WantedService, InstalledService], ...] = ()
    missing: tuple[ServiceRecord, ...] = ()
    templates: Path = Path()
    """Where empty databases are kept."""

    @property
    def key(self) -> tuple[object, ...]:
        """What of it a run is a function of; empty where nothing is started."""
        return tuple((*wanted.effect, server.version) for wanted, server in self.started)


NO_SERVICES = ServicePlan()


def plan_services(
    services: Iterable[WantedService],
    sandbox: Sandbox,
    base: BaseSystem | None,
    *,
    templates: Path,
    allowed: bool = True,
) -> ServicePlan:
    """What of ``services`` can be started in ``sandbox`` with ``base``, and why the others cannot.

    Nothing is looked up when none is wanted. ``allowed``: whether any is to be started.
    """
    named = tuple(services)
    if not named:
        return NO_SERVICES
    from backdate.sandboxes.services.installed import installed_services
    from backdate.sandboxes.services.kinds import checked, merged

    wanted = merged(map(checked, named))
    servers = {server.kind: server for server in installed_services(sandbox, base)} if allowed else {}
    started, missing = [], []
    for service in wanted:
        server = servers.get(service.kind)
        if server is not None:
            started.append((service, server))
            continue
        missing.append(
            ServiceRecord(
                kind=service.kind,
                port=service.port,
                hosts=service.hosts,
                where=service.where,
                state=_why_not(service, sandbox, base, allowed=allowed),
            )
        )
    return ServicePlan(started=tuple(started), missing=tuple(missing), templates=templates)


def _why_not(
    service: WantedService, sandbox: Sandbox, base: BaseSystem | None, *, allowed: bool
) -> ServiceState:
    from backdate.sandboxes.services.installed import can_start
    from backdate.sandboxes.services.kinds import row_of

    if not allowed:
        return ServiceState.TURNED_OFF
    if not row_of(service.kind).packages:
        return ServiceState.NOT_PACKAGED
    return ServiceState.NOT_INSTALLED if can_start(sandbox, base) else ServiceState.NOT_IN_SANDBOX
