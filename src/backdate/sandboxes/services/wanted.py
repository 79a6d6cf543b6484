"""What a project expects of a service, and what became of it: plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ServiceKind(StrEnum):
    """Which program it is; each has a row in ``knowledge/tables/services.toml``."""

    REDIS = "redis"
    POSTGRESQL = "postgresql"
    MYSQL = "mysql"
    """MySQL or MariaDB: Debian has the latter, and it is started for both."""
    MEMCACHED = "memcached"
    RABBITMQ = "rabbitmq"
    MONGODB = "mongodb"
    ELASTICSEARCH = "elasticsearch"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAccount:
    """A user that a service is to know."""

    user: str
    """Empty for a service that has a password and no users (redis)."""
    password: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedService:
    """A service that a project's tests expect."""

    kind: ServiceKind
    port: int
    """The one that tests connect to; above 1023, as nobody is root in a sandbox."""
    hosts: tuple[str, ...] = ()
    """Names that tests reach it by, besides localhost; sorted."""
    accounts: tuple[ServiceAccount, ...] = ()
    databases: tuple[str, ...] = ()
    """Databases, or RabbitMQ's virtual hosts."""
    where: str = ""
    """What says so: ".github/workflows/test.yml:12"."""

    @property
    def place(self) -> str:
        """For people: "redis at localhost:6379"."""
        return f"{self.kind.value} at localhost:{self.port}"

    @property
    def effect(self) -> tuple[object, ...]:
        """All of it but who says so: equal where the same is started."""
        return (self.kind, self.port, self.hosts, self.accounts, self.databases)


class ServiceState(StrEnum):
    """What became of a service that tests want."""

    STARTED = "started"
    FAILED = "failed"
    """Its server is there and did not come to answer."""
    NOT_INSTALLED = "not-installed"
    """Debian has it, and the system in which tests run does not."""
    NOT_PACKAGED = "not-packaged"
    """Debian does not have it."""
    NOT_IN_SANDBOX = "not-in-sandbox"
    """The sandbox in use starts none."""
    TURNED_OFF = "turned-off"
    """Settings say that none is started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceRecord:
    """One service of a run."""

    kind: ServiceKind
    port: int
    hosts: tuple[str, ...] = ()
    state: ServiceState
    version: str = ""
    """Of the server: "7.0.15"; today's, whatever the instant is."""
    where: str = ""
    """What says that it is wanted."""
    problem: str = ""
    """Why it did not come to answer."""

    @property
    def running(self) -> bool:
        """Whether tests could reach it."""
        return self.state is ServiceState.STARTED
