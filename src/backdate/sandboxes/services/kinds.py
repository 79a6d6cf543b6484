"""What is known of services by kind, and descriptions of strangers made into wanted services.

Names and passwords come from files of strangers. They are checked here and stay values: what starts a service
quotes them for the one format that it writes (SQL, a configuration file); no shell ever sees them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from backdate.knowledge import load
from backdate.knowledge.service_rows import ServiceRow
from backdate.sandboxes.services.wanted import ServiceAccount, ServiceKind, WantedService

_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9_])?\Z")
_NAME = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,63}\Z")
_PASSWORD = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{0,128}\Z")
"""A lone surrogate, which YAML can write, is in no encoding."""
_MOST = 16
"""Names, accounts or databases of one service."""
MOST_SERVICES = 8
"""Services of one recipe."""


def row_of(kind: ServiceKind) -> ServiceRow:
    """What is known of services of that kind."""
    return next(row for row in load.services() if row.kind == kind.value)


def kind_of_image(image: str) -> ServiceKind | None:
    """The service that a container image holds, by its name: "docker.io/library/postgres:14-alpine"."""
    name = image.partition("@")[0].rpartition("/")[2].partition(":")[0].lower()
    return next((ServiceKind(row.kind) for row in load.services() if name in row.images), None)


def kind_of_package(name: str) -> ServiceKind | None:
    """The service whose server Debian's or Ubuntu's package of that name brings along."""
    return next(
        (ServiceKind(row.kind) for row in load.services() if name in (*row.packages, *row.servers)), None
    )


def kind_of_port(port: int) -> ServiceKind | None:
    """The service that listens on that port where nobody says otherwise."""
    return next((ServiceKind(row.kind) for row in load.services() if row.port == port), None)


def kind_of_scheme(scheme: str) -> ServiceKind | None:
    """The service that an address of that scheme leads to: "postgresql+psycopg2"."""
    names = (scheme.lower(), scheme.lower().partition("+")[0])
    return next(
        (ServiceKind(row.kind) for row in load.services() if any(name in row.schemes for name in names)), None
    )


def wanted_service(
    kind: ServiceKind,
    *,
    port: int | None = None,
    hosts: Iterable[str] = (),
    accounts: Iterable[ServiceAccount] = (),
    databases: Iterable[str] = (),
    where: str = "",
) -> WantedService:
    """A service as a file describes it; what could be no port, host or name is left out.

    It gets the names by which its kind is known, too.
    """
    row = row_of(kind)
    fit = port is not None and 1023 < port < 65536
    names = {host.lower() for host in hosts if _HOST.match(host)} - {"localhost"}
    known = tuple(
        account
        for account in dict.fromkeys(accounts)
        if (not account.user or _NAME.match(account.user)) and _PASSWORD.match(account.password)
    )
    return WantedService(
        kind=kind,
        port=port if fit and port is not None else row.port,
        hosts=tuple(sorted({*row.hosts, *sorted(names)[:_MOST]})),
        accounts=known[:_MOST],
        databases=tuple(name for name in dict.fromkeys(databases) if _NAME.match(name))[:_MOST],
        where=" ".join(where.split())[:200],
    )


def checked(service: WantedService) -> WantedService:
    """``service`` without what could be no name, port or password: a stored recipe may be anybody's."""
    return wanted_service(
        service.kind,
        port=service.port,
        hosts=service.hosts,
        accounts=service.accounts,
        databases=service.databases,
        where=service.where,
    )


def merged(services: Iterable[WantedService]) -> tuple[WantedService, ...]:
    """The services, those of one kind and port as one; of two kinds at one port the first."""
    by_port: dict[int, WantedService] = {}
    for service in services:
        known = by_port.get(service.port)
        if known is None:
            by_port[service.port] = service
        elif known.kind is service.kind:
            by_port[service.port] = _together(known, service)
    return tuple(by_port.values())[:MOST_SERVICES]


def _together(first: WantedService, second: WantedService) -> WantedService:
    """Both as one: of a user with two passwords the first counts."""
    users = {account.user for account in first.accounts}
    accounts = (*first.accounts, *(one for one in second.accounts if one.user not in users))
    return replace(
        first,
        hosts=tuple(sorted({*first.hosts, *second.hosts}))[: 2 * _MOST],
        accounts=accounts[:_MOST],
        databases=tuple(dict.fromkeys((*first.databases, *second.databases)))[:_MOST],
    )
