"""What a project says is quoted for the one format in which it is written."""

from __future__ import annotations

import base64
import hashlib
import json

from backdate.sandboxes.services.installed import InstalledService
from backdate.sandboxes.services.kinds import wanted_service
from backdate.sandboxes.services.programs import (
    mysql_statements,
    postgresql_statements,
    program_of,
    programs_of,
    rabbitmq_definitions,
)
from backdate.sandboxes.services.wanted import ServiceAccount, ServiceKind, WantedService

HOSTILE = "x'; DROP a; -- \\"


def hostile(kind: ServiceKind) -> WantedService:
    """A service whose names try to be something else."""
    return wanted_service(
        kind, accounts=[ServiceAccount(user='a"`' + HOSTILE, password=HOSTILE)], databases=['d"`' + HOSTILE]
    )


def test_names_stay_names_in_sql_of_postgresql() -> None:
    lines = postgresql_statements(hostile(ServiceKind.POSTGRESQL)).splitlines()
    assert lines == [
        "CREATE ROLE \"a\"\"`x'; DROP a; -- \\\" SUPERUSER LOGIN PASSWORD E'x''; DROP a; -- \\\\';",
        'CREATE DATABASE "d""`x\'; DROP a; -- \\" OWNER "a""`x\'; DROP a; -- \\";',
        'CREATE DATABASE "a""`x\'; DROP a; -- \\" OWNER "a""`x\'; DROP a; -- \\";',
    ]


def test_the_administrator_of_postgresql_is_there_already() -> None:
    service = wanted_service(
        ServiceKind.POSTGRESQL,
        accounts=[ServiceAccount(user="postgres", password="p")],
        databases=["postgres"],
    )
    assert postgresql_statements(service) == "ALTER ROLE \"postgres\" SUPERUSER LOGIN PASSWORD E'p';\n"


def test_names_stay_names_in_sql_of_mysql() -> None:
    lines = mysql_statements(hostile(ServiceKind.MYSQL)).splitlines()
    assert lines[0] == "CREATE DATABASE IF NOT EXISTS `d\"``x'; DROP a; -- \\`;"
    user = "'a\"`x''; DROP a; -- \\\\'@'%'"
    assert f"CREATE OR REPLACE USER {user} IDENTIFIED BY 'x''; DROP a; -- \\\\';" in lines
    assert "CREATE OR REPLACE USER 'root'@'localhost' IDENTIFIED BY '';" in lines


def test_no_value_of_a_project_is_an_argument_or_a_line_of_configuration() -> None:
    for kind in ServiceKind:
        if kind in (ServiceKind.MONGODB, ServiceKind.ELASTICSEARCH):
            continue
        installed = InstalledService(kind=kind, program="/usr/bin/server", version="1.0")
        program = program_of(hostile(kind), installed)
        texts = [*program.argv, *program.prepare, *program.env.values()]
        texts += [content.decode() for name, content in program.files.items() if name.endswith(".conf")]
        assert not any("DROP" in text for text in texts), kind


def test_commands_that_newer_releases_of_redis_close_are_open() -> None:
    def configuration(version: str) -> bytes:
        server = InstalledService(kind=ServiceKind.REDIS, program="/usr/bin/redis-server", version=version)
        return program_of(wanted_service(ServiceKind.REDIS), server).files["redis.conf"]

    assert b"enable-debug-command local\n" in configuration("7.0.15")
    assert b"enable-" not in configuration("6.0.16")  # which does not know these settings


def test_rabbitmq_knows_the_users_and_the_one_that_clients_take_by_default() -> None:
    service = wanted_service(
        ServiceKind.RABBITMQ, accounts=[ServiceAccount(user="u", password="p")], databases=["/app"]
    )
    definitions = json.loads(rabbitmq_definitions(service))
    assert [user["name"] for user in definitions["users"]] == ["guest", "u"]
    stored = base64.b64decode(definitions["users"][1]["password_hash"])
    assert stored[4:] == hashlib.sha256(stored[:4] + b"p").digest()
    assert [host["name"] for host in definitions["vhosts"]] == ["/", "/app"]
    assert len(definitions["permissions"]) == 4


def test_two_servers_of_a_kind_do_not_share_a_socket() -> None:
    server = InstalledService(kind=ServiceKind.MYSQL, program="/usr/sbin/mariadbd", version="10.11")
    wanted = [wanted_service(ServiceKind.MYSQL, port=port) for port in (3307, 3306)]
    programs = [program for _, _, program in programs_of((one, server) for one in wanted)]
    sockets = [word for program in programs for word in program.argv if word.startswith("--socket=")]
    assert sockets == ["--socket=/run/mysqld/mysqld.sock", "--socket=/run/mysqld/mysqld-3306.sock"]
