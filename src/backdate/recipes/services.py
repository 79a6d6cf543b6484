"""Which services a recipe's tests expect: named by its job, its variables and its commands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from backdate.recipes.actions import Action
from backdate.recipes.recipe import Recipe, SkippedInstruction, SystemPackages, Variable
from backdate.recipes.sources.services import (
    of_address,
    of_variables,
    service_of_image,
)
from backdate.sandboxes.services.kinds import kind_of_image, kind_of_package, merged, wanted_service
from backdate.sandboxes.services.wanted import ServiceAccount, ServiceKind, WantedService

_NAME = r"[`'\"\\]{0,3}([A-Za-z_][\w-]{0,62})"
_STARTED = re.compile(
    r"\b(?:service\s+([\w.-]{1,40})\s+(?:re)?start|systemctl\s+(?:re)?start\s+([\w.-]{1,40}))"
)
_DOCKER = re.compile(r"\bdocker\s+run\b([^|;&]{0,400})")
_PUBLISHED = re.compile(r"(?:-p|--publish)[\s=](?:[\d.]{7,15}:)?(\d{1,5}):(\d{1,5})")
_VARIABLE = re.compile(r"(?:-e|--env)[\s=]['\"]?(\w{1,60})=([^\s'\"]{0,128})")
_CREATES_DATABASE = re.compile(rf"\bcreate\s+database\s+(?:if\s+not\s+exists\s+)?{_NAME}", re.IGNORECASE)
_CREATES_USER = re.compile(
    rf"\bcreate\s+(?:user|role)\s+(?:if\s+not\s+exists\s+)?{_NAME}"
    r"(?:[^;]{0,80}?(?:password|identified\s+by)\s+[\"'\\]{1,3}([^'\"\\]{0,128}))?",
    re.IGNORECASE,
)
_CREATEDB = re.compile(r"\bcreatedb\s+(?:-\S+\s+(?:[\w.]+\s+(?=\S))?)*" + _NAME)
_CREATEUSER = re.compile(r"\bcreateuser\s+(?:-\S+\s+)*" + _NAME)
_LONGEST = 4_000


def services_of(actions: Sequence[Action], variables: Iterable[Variable]) -> tuple[WantedService, ...]:
    """The services of one job. ``variables``: those of its tests."""
    declared = [action for action in actions if isinstance(action, WantedService)]
    texts = [
        (action.provenance.text[:_LONGEST], action.provenance.location)
        for action in actions
        if isinstance(action, SkippedInstruction) and action.provenance.text
    ]
    declared += (service for text, where in texts for service in _started_by(text, where))
    declared += (service for action in actions for service in _installed_by(action))
    known = merged(declared)
    names = [host for service in known for host in service.hosts]
    values = {variable.name: variable.value for variable in variables}
    addressed = [
        service
        for variable in variables
        for service in [of_address(variable.value, variable.provenance.location, names)]
        if service is not None
    ]
    known = merged((*known, *addressed))
    return tuple(_prepared(_with_variables(service, values), texts) for service in known)


def with_further(recipe: Recipe, services: Iterable[WantedService]) -> Recipe:
    """``recipe`` with those of ``services`` of whose kind it has none."""
    kinds = {service.kind for service in recipe.services}
    further = [service for service in services if service.kind not in kinds]
    if not further:
        return recipe
    values = {variable.name: variable.value for variable in recipe.variables}
    services = merged((*recipe.services, *(_with_variables(service, values) for service in further)))
    return replace(recipe, services=services)


def _installed_by(action: Action) -> Iterator[WantedService]:
    """The servers that CI installs from Debian's or Ubuntu's packages, which start what they install."""
    if isinstance(action, SystemPackages) and action.manager == "apt":
        for package in action.packages:
            kind = kind_of_package(package)
            if kind is not None:
                yield wanted_service(kind, where=action.provenance.location)


def _started_by(command: str, where: str) -> Iterator[WantedService]:
    """What a command of CI starts: the machine's own services, and containers."""
    for match in _STARTED.finditer(command):
        kind = kind_of_image((match[1] or match[2]).removesuffix(".service"))
        if kind is not None:
            root = [ServiceAccount(user="root", password="root")] if kind is ServiceKind.MYSQL else []  # noqa: S106 - as on GitHub's runners
            yield wanted_service(kind, accounts=root, where=where)
    for match in _DOCKER.finditer(command):
        ports = {int(inside): int(outside) for outside, inside in _PUBLISHED.findall(match[1])}
        variables = dict(_VARIABLE.findall(match[1]))
        for word in match[1].split():
            service = service_of_image(word, variables=variables, ports=ports, command=match[1], where=where)
            if service is not None and not word.startswith("-"):
                yield service
                break


def _with_variables(service: WantedService, values: dict[str, str]) -> WantedService:
    """``service`` with the accounts and databases that variables of the tests name as its image would."""
    accounts, databases = of_variables(service.kind, values)
    named = [account for account in accounts if account.user and account.password]
    if not named and not databases:
        return service
    further = wanted_service(service.kind, port=service.port, accounts=named, databases=databases)
    return merged((service, further))[0]


def _prepared(service: WantedService, texts: Sequence[tuple[str, str]]) -> WantedService:
    """``service`` with the users and databases that commands of CI make in it."""
    if service.kind not in (ServiceKind.POSTGRESQL, ServiceKind.MYSQL):
        return service
    client = "psql" if service.kind is ServiceKind.POSTGRESQL else "mysql"
    databases: list[str] = []
    accounts: list[ServiceAccount] = []
    for text, _ in texts:
        if client in text:
            databases += (match[1] for match in _CREATES_DATABASE.finditer(text))
            accounts += (
                ServiceAccount(user=match[1], password=match[2] or "")
                for match in _CREATES_USER.finditer(text)
            )
        if service.kind is ServiceKind.POSTGRESQL:
            databases += (match[1] for match in _CREATEDB.finditer(text))
            accounts += (ServiceAccount(user=match[1]) for match in _CREATEUSER.finditer(text))
    if not databases and not accounts:
        return service
    further = wanted_service(service.kind, port=service.port, accounts=accounts, databases=databases)
    return merged((service, further))[0]
