"""Services that errors of tests name: connections refused, users and databases that are not there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from backdate.knowledge import load
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, failure_text
from backdate.recipes.services import with_further
from backdate.recipes.sources.services import compose_services
from backdate.sandboxes.services.kinds import kind_of_port, merged, row_of, wanted_service
from backdate.sandboxes.services.wanted import ServiceAccount, ServiceKind, WantedService

_RULE = "a service"
_REFUSED = re.compile(
    r"[Cc]onnection ?refused|ConnectionRefusedError|could not connect to server|actively refused|Errno 111|"
    r"AMQPConnectionError|HostLookupError|NoBrokersAvailable|CONNECTION FAILURE|Can't connect to|"
    r"ServerSelectionTimeoutError|Is the server running|No such file or directory.{0,80}socket|through socket"
)
_UNKNOWN_NAME = re.compile(r"Name or service not known|name resolution|could not translate host name")
_PORT = re.compile(
    r"(?:port[\s=:'\"(]{1,4}|(?:localhost|127\.0\.0\.1|::1)[\"'\]]?[:,]\s?|[A-Za-z]:)(\d{4,5})\b"
)
_HOST = re.compile(r"host(?: name)? [\"']([\w.-]{1,63})[\"']|connecting to ([\w.-]{1,63}):\d")
_ROLE = re.compile(r"role \"([^\"]{1,63})\" does not exist")
_DATABASE = re.compile(r"database \"([^\"]{1,63})\" does not exist")
_MYSQL_DATABASE = re.compile(r"Unknown database '([^']{1,63})'")
_MYSQL_USER = re.compile(r"Access denied for user '([^']{1,63})'@.{0,80}using password: NO")
_MOST_LINES = 2_000


def services_named(text: str) -> tuple[WantedService, ...]:
    """The services that lines of ``text`` say could not be reached, or lack a user or a database."""
    services: list[WantedService] = []
    for line in dict.fromkeys(text.split("\n")[:_MOST_LINES]):
        service = _of_line(line[:1_500])
        if service is not None:
            services.append(service)
    return merged(services)


def _of_line(line: str) -> WantedService | None:
    where = f"the tests: {line[:120]}"
    role, database = _ROLE.search(line), _DATABASE.search(line)
    if role or database:
        return wanted_service(
            ServiceKind.POSTGRESQL,
            accounts=[ServiceAccount(user=role[1])] if role else [],
            databases=[database[1]] if database else [],
            where=where,
        )
    mysql_database, mysql_user = _MYSQL_DATABASE.search(line), _MYSQL_USER.search(line)
    if mysql_database or mysql_user:
        return wanted_service(
            ServiceKind.MYSQL,
            accounts=[ServiceAccount(user=mysql_user[1])] if mysql_user else [],
            databases=[mysql_database[1]] if mysql_database else [],
            where=where,
        )
    unknown = _UNKNOWN_NAME.search(line)
    if not unknown and not _REFUSED.search(line):
        return None
    port = _PORT.search(line)
    number = int(port[1]) if port else None
    kind = _said_kind(line) or (kind_of_port(number) if number is not None else None)
    if kind is None:
        return None
    host = _HOST.search(line)
    name = (host[1] or host[2]) if host else ""
    if unknown and name not in row_of(kind).hosts:
        return None  # somebody else's machine
    return wanted_service(kind, port=number, where=where)


def _said_kind(line: str) -> ServiceKind | None:
    """The service whose library the line's words are."""
    for row in load.services():
        if any(re.search(pattern, line) for pattern in row.says):
            return ServiceKind(row.kind)
    return None


def wanted_services(context: RepairContext) -> Iterator[Repair]:
    """The recipe with the services that failed tests name, and with what they lack in those that ran.

    Users, passwords and databases are those of the project's Compose files, where these have such a service.
    """
    failure, recipe = context.failure, context.recipe
    if failure.phase != "tests":
        return
    named = services_named(failure_text(failure))
    if not named:
        return
    composed = {service.kind: service for service in compose_services(context.files)}
    detailed = []
    for service in named:
        known = composed.get(service.kind)
        detailed.append(service if known is None else merged((service, replace(known, port=service.port)))[0])
    kinds = {service.kind: service.port for service in recipe.services}
    there = tuple(
        replace(service, port=kinds[service.kind])
        for service in detailed
        if service.kind in kinds and (service.accounts or service.databases)
    )
    changed = replace(recipe, services=merged((*recipe.services, *there)))
    changed = with_further(changed, detailed)
    before = {service.effect for service in recipe.services}
    new = [service for service in changed.services if service.effect not in before]
    if new:
        reason = f"{', '.join(service.place for service in new)}, as {new[0].where or 'they say'}"
        yield context.repaired(ErrorClass.NEEDS_SERVICE, _RULE, reason, changed)


def help_of(text: str) -> str:
    """What would help tests that said ``text``, where it names services; else empty."""
    return "; ".join(map(_help, services_named(text)))


def _help(service: WantedService) -> str:
    packages = " ".join(row_of(service.kind).packages)
    if not packages:
        return f"{service.place} is wanted, of which Debian has no package"
    return f"{service.place} is wanted: apt-get install {packages}, or run with --apt as root"
