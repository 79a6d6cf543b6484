"""Which of the services and locales that a recipe wants its tests get, and why not the others."""

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
    locales: tuple[str, ...] = ()
    """Those that are compiled for it (``locales.py``)."""
    templates: Path = Path()
    """Where empty databases are kept, and compiled locales."""

    @property
    def key(self) -> tuple[object, ...]:
        """What of it a run is a function of; empty where nothing is started."""
        return (*((*wanted.effect, server.version) for wanted, server in self.started), *self.locales)


NO_SERVICES = ServicePlan()


def plan_services(
    services: Iterable[WantedService],
    sandbox: Sandbox,
    base: BaseSystem | None,
    *,
    templates: Path,
    allowed: bool = True,
    locales: tuple[str, ...] = (),
) -> ServicePlan:
    """What of ``services`` can be started in ``sandbox`` with ``base``, and why the others cannot.

    Nothing is looked up when none is wanted. ``allowed``: whether any is to be started. ``locales``: those
    that are wanted, which are there where the system can compile them.
    """
    named = tuple(services)
    if not named and not locales:
        return NO_SERVICES
    from backdate.sandboxes.services.installed import installed_services
    from backdate.sandboxes.services.kinds import checked, merged
    from backdate.sandboxes.services.locales import locales_there

    wanted = merged(map(checked, named))
    servers = (
        {server.kind: server for server in installed_services(sandbox, base)} if allowed and named else {}
    )
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
    return ServicePlan(
        started=tuple(started),
        missing=tuple(missing),
        locales=locales_there(locales, sandbox, base),
        templates=templates,
    )


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
