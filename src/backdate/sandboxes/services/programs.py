"""How each server is started: its arguments, the files that it reads, and what prepares it.

All configuration is ours. What a project says (users, passwords, databases) is quoted for the one format in
which it is written here; no value of a project's is an argument of a program or part of a shell's text.
"""

from __future__ import annotations

import base64
import hashlib
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from backdate.sandboxes.services.installed import InstalledService
from backdate.sandboxes.services.wanted import ServiceKind, WantedService
from backdate.serial import to_json

FOLDER = "/backdate/services"
"""Where the folders of services are seen."""
SOCKETS = MappingProxyType({ServiceKind.POSTGRESQL: "/run/postgresql", ServiceKind.MYSQL: "/run/mysqld"})
"""Where clients look for a service's socket when they are told "localhost" or nothing."""
_ADMINISTRATOR = "postgres"
_REDIS_WITH_PROTECTED_COMMANDS = 7
"""The major version from which DEBUG and some settings are closed by default (release notes of redis 7.0)."""
_CLEAN = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceProgram:
    """What the program in the sandbox does to have one service."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files that it reads, by their names in its folder."""
    prepare: tuple[str, ...] = ()
    """A command that makes users and databases once it answers; tried until it ends well."""
    folders: tuple[str, ...] = ()
    """Empty folders of its own, by name."""


def folder_of(service: WantedService) -> str:
    """The folder of a service, as seen inside."""
    return f"{FOLDER}/{service.kind.value}-{service.port}"


def programs_of(
    started: Iterable[tuple[WantedService, InstalledService]],
) -> Iterator[tuple[WantedService, InstalledService, ServiceProgram]]:
    """The services that are started together, each with how; of a kind the first has the usual socket."""
    kinds: set[ServiceKind] = set()
    for service, installed in started:
        yield service, installed, program_of(service, installed, first=service.kind not in kinds)
        kinds.add(service.kind)


def program_of(service: WantedService, installed: InstalledService, *, first: bool = True) -> ServiceProgram:
    """How ``service`` is started with the server that is there; ``first``: as the only one of its kind."""
    if service.kind is ServiceKind.MYSQL:
        return _mysql(service, installed, folder_of(service), first=first)
    return _PROGRAMS[service.kind](service, installed, folder_of(service))


def _redis(service: WantedService, installed: InstalledService, folder: str) -> ServiceProgram:
    lines = [
        f"port {service.port}",
        "bind 127.0.0.1 -::1",
        f"dir {folder}",
        'save ""',
        "appendonly no",
        "daemonize no",
    ]
    lines += [
        f'requirepass "{_hexed(account.password)}"' for account in service.accounts[:1] if account.password
    ]
    if int(installed.version.partition(".")[0]) >= _REDIS_WITH_PROTECTED_COMMANDS:
        lines += ["enable-debug-command local", "enable-protected-configs local"]
    configuration = "\n".join(lines) + "\n"
    return ServiceProgram(
        argv=(installed.program, f"{folder}/redis.conf"),
        env=_environment(folder),
        files={"redis.conf": configuration.encode()},
    )


def _memcached(service: WantedService, installed: InstalledService, folder: str) -> ServiceProgram:
    return ServiceProgram(
        argv=(installed.program, "-l", "127.0.0.1,::1", "-p", str(service.port), "-U", "0", "-m", "64"),
        env=_environment(folder),
    )


def _postgresql(service: WantedService, installed: InstalledService, folder: str) -> ServiceProgram:
    programs = posixpath.dirname(installed.program)
    sockets = SOCKETS[ServiceKind.POSTGRESQL]
    settings = {
        "port": str(service.port),
        "listen_addresses": "127.0.0.1,::1",
        "unix_socket_directories": f"{sockets},/tmp",
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
        "shared_buffers": "32MB",
        "max_wal_size": "256MB",
        "max_connections": "100",
    }
    options = (part for name, value in settings.items() for part in ("-c", f"{name}={value}"))
    client = (f"{programs}/psql", "-X", "-q", "-h", sockets, "-p", str(service.port), "-U", _ADMINISTRATOR)
    return ServiceProgram(
        argv=(installed.program, "-D", f"{folder}/data", *options),
        env=_environment(folder),
        files={"prepare.sql": postgresql_statements(service).encode()},
        prepare=(*client, "-d", "postgres", "-f", f"{folder}/prepare.sql"),
    )


def postgresql_statements(service: WantedService) -> str:
    """SQL that makes the users (who may do everything: it is their own) and databases of ``service``."""
    lines = []
    databases = list(service.databases)
    for account in service.accounts:
        name, password = _sql_name(account.user, '"'), account.password.replace("'", "''")
        verb = "ALTER" if account.user == _ADMINISTRATOR else "CREATE"
        with_password = f" PASSWORD E'{_doubled(password)}'" if password else ""
        lines.append(f"{verb} ROLE {name} SUPERUSER LOGIN{with_password};")
        databases.append(account.user)
    for database in dict.fromkeys(databases):
        if database not in ("postgres", "template0", "template1"):
            owner = next((account.user for account in service.accounts), _ADMINISTRATOR)
            names = _sql_name(database, '"'), _sql_name(owner, '"')
            lines.append(f"CREATE DATABASE {names[0]} OWNER {names[1]};")
    return "\n".join((*lines, ""))


def _mysql(
    service: WantedService, installed: InstalledService, folder: str, *, first: bool
) -> ServiceProgram:
    name = "mysqld.sock" if first else f"mysqld-{service.port}.sock"  # two servers cannot share one
    return ServiceProgram(
        argv=(
            installed.program,
            "--no-defaults",
            f"--datadir={folder}/data",
            f"--port={service.port}",
            "--bind-address=127.0.0.1",
            f"--socket={SOCKETS[ServiceKind.MYSQL]}/{name}",
            f"--pid-file={folder}/mysqld.pid",
            f"--init-file={folder}/prepare.sql",
            "--innodb-buffer-pool-size=64M",
            "--innodb-log-file-size=16M",
            "--innodb-flush-log-at-trx-commit=0",
            "--skip-networking=0",
            "--character-set-server=utf8mb4",
        ),
        env=_environment(folder),
        files={"prepare.sql": mysql_statements(service).encode()},
    )


def mysql_statements(service: WantedService) -> str:
    """SQL, a statement a line, that makes the users and databases of ``service``."""
    lines = [f"CREATE DATABASE IF NOT EXISTS {_sql_name(name, '`')};" for name in service.databases]
    accounts = {account.user: account.password for account in service.accounts}
    for user, password in ({"root": ""} | accounts).items():
        for host in ("localhost", "127.0.0.1", "::1", "%"):
            who = f"{_sql_text(user)}@'{host}'"
            lines.append(f"CREATE OR REPLACE USER {who} IDENTIFIED BY {_sql_text(password)};")
            lines.append(f"GRANT ALL PRIVILEGES ON *.* TO {who} WITH GRANT OPTION;")
    return "\n".join((*lines, ""))


def _rabbitmq(service: WantedService, installed: InstalledService, folder: str) -> ServiceProgram:
    configuration = (
        f"listeners.tcp.1 = 127.0.0.1:{service.port}\nlisteners.tcp.2 = ::1:{service.port}\n"
        f"loopback_users = none\nload_definitions = {folder}/definitions.json\n"
    )
    return ServiceProgram(
        argv=(installed.program,),
        env={
            **_environment(folder),
            "HOME": f"{folder}/home",
            "RABBITMQ_NODENAME": f"rabbit{service.port}@localhost",
            "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq.conf",
            "RABBITMQ_MNESIA_BASE": f"{folder}/mnesia",
            "RABBITMQ_LOG_BASE": f"{folder}/logs",
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/enabled_plugins",
            "RABBITMQ_DIST_PORT": str(service.port + 20000 if service.port < 45000 else service.port - 20000),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
        },
        files={
            "rabbitmq.conf": configuration.encode(),
            "definitions.json": rabbitmq_definitions(service),
            "enabled_plugins": b"[].\n",
        },
        folders=("home", "mnesia", "logs"),
    )


def rabbitmq_definitions(service: WantedService) -> bytes:
    """The users and virtual hosts of ``service``, in the format of ``rabbitmqctl import_definitions``."""
    accounts = {"guest": "guest"} | {account.user: account.password for account in service.accounts}
    hosts = list(dict.fromkeys(("/", *service.databases)))
    return to_json(
        {
            "users": [
                {
                    "name": user,
                    "password_hash": _rabbitmq_hash(password),
                    "hashing_algorithm": "rabbit_password_hashing_sha256",
                    "tags": "administrator",
                }
                for user, password in accounts.items()
            ],
            "vhosts": [{"name": name} for name in hosts],
            "permissions": [
                {"user": user, "vhost": name, "configure": ".*", "write": ".*", "read": ".*"}
                for user in accounts
                for name in hosts
            ],
        }
    )


def _rabbitmq_hash(password: str) -> str:
    """A salted hash as RabbitMQ stores it ("Credentials and Passwords" of its documentation)."""
    salt = b"back"  # the password is in a file of the project's: the salt keeps no secret
    return base64.b64encode(salt + hashlib.sha256(salt + password.encode()).digest()).decode()


def _environment(folder: str) -> dict[str, str]:
    return {**_CLEAN, "HOME": folder, "TMPDIR": folder}


def _sql_name(name: str, quote: str) -> str:
    return quote + name.replace(quote, 2 * quote) + quote


def _sql_text(text: str) -> str:
    """A text in MySQL's quotes."""
    return "'" + _doubled(text).replace("'", "''") + "'"


def _doubled(text: str) -> str:
    return text.replace("\\", "\\\\")


def _hexed(text: str) -> str:
    """A text for a quoted argument of redis' configuration, every byte written out."""
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


_PROGRAMS: Mapping[ServiceKind, Callable[[WantedService, InstalledService, str], ServiceProgram]] = (
    MappingProxyType(
        {
            ServiceKind.REDIS: _redis,
            ServiceKind.MEMCACHED: _memcached,
            ServiceKind.POSTGRESQL: _postgresql,
            ServiceKind.RABBITMQ: _rabbitmq,
        }
    )
)
"""The others are not in Debian, and are never found installed."""
