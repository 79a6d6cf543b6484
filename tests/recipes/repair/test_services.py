"""Services that errors name: what they are, what the repaired recipe wants, and what a person is told."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan
from backdate.recipes.repair.classify import classify
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.remedies import what_helps
from backdate.recipes.repair.repair_context import RepairContext
from backdate.recipes.repair.services import services_named, wanted_services
from backdate.recipes.repair.setup_failure import Problem, SetupFailure, read_failure
from backdate.sandboxes.services.kinds import wanted_service
from backdate.sandboxes.services.wanted import ServiceKind, WantedService


class NoFacts:
    """An index that is not asked."""


def failed(*messages: str) -> SetupFailure:
    """A run of tests in which those were raised."""
    problems = [
        Problem(type=kind, message=text)
        for kind, _, text in (message.partition(": ") for message in messages)
    ]
    return read_failure(
        phase="tests",
        status="completed",
        texts=(),
        python="3.8.18",
        instant=datetime(2021, 3, 1, tzinfo=UTC),
        problems=problems,
        ran=4,
    )


def repaired(root: Path, failure: SetupFailure, *services: WantedService) -> tuple[WantedService, ...] | None:
    """The services of the repaired recipe; None where the rule knows nothing."""
    plan = SuitePlan(runner="pytest", provenance=Provenance(rule="a test"))
    recipe = Recipe(install=(), test=plan, services=services)
    context = RepairContext(
        failure=failure,
        recipe=recipe,
        files=Files(root),
        index_facts=NoFacts(),  # type: ignore[arg-type]
    )
    repair = next(wanted_services(context), None)
    if repair is not None:
        assert repair.error is ErrorClass.NEEDS_SERVICE
        assert repair.recipe.test == plan
    return None if repair is None else repair.recipe.services


@pytest.mark.parametrize(
    ("message", "kind", "port"),
    [
        (
            "redis.exceptions.ConnectionError: Error 111 connecting to localhost:6380. Connection refused.",
            "redis",
            6380,
        ),
        (
            (
                "psycopg2.OperationalError: could not connect to server: Connection refused\n\tIs the server "
                'running on host "localhost" (127.0.0.1) and accepting\n\tTCP/IP connections on port 5433?'
            ),
            "postgresql",
            5433,
        ),
        (
            (
                'django.OperationalError: connection to server at "localhost" (::1), port 5432 failed: '
                "Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?"
            ),
            "postgresql",
            5432,
        ),
        (
            (
                "psycopg2.OperationalError: could not connect to server: No such file or directory\n\tIs the "
                'server running locally and accepting connections on Unix domain socket "/tmp/.s.PGSQL.5432"?'
            ),
            "postgresql",
            5432,
        ),
        (
            (
                "pymysql.err.OperationalError: (2003, \"Can't connect to MySQL server on '127.0.0.1' "
                '([Errno 111] Connection refused)")'
            ),
            "mysql",
            3306,
        ),
        ("ConnectionRefusedError: [Errno 111] Connect call failed ('127.0.0.1', 11211)", "memcached", 11211),
        ("pymongo.errors.ServerSelectionTimeoutError: localhost:27017: Connection refused", "mongodb", 27017),
        (
            "redis.exceptions.ConnectionError: Error -2 connecting to redis:6379. Name or service not known.",
            "redis",
            6379,
        ),
        (
            (
                'psycopg2.OperationalError: could not translate host name "db" to address: '
                "Name or service not known"
            ),
            "postgresql",
            5432,
        ),
        ("pika.exceptions.AMQPConnectionError: Connection to 127.0.0.1:5672 failed", "rabbitmq", 5672),
    ],
)
def test_errors_name_a_service_and_its_port(message: str, kind: str, port: int, tmp_path: Path) -> None:
    (service,) = repaired(tmp_path, failed(message)) or ()
    assert (service.kind.value, service.port) == (kind, port)
    assert service.where.startswith("the tests: ")


@pytest.mark.parametrize(
    "message",
    [
        "requests.exceptions.ConnectionError: Max retries: Name or service not known",
        "redis.ConnectionError: Error -2 connecting to example.com:6379. Name or service not known",
        "ConnectionRefusedError: [Errno 111] Connection refused",
        "ConnectionRefusedError: [Errno 111] Connect call failed ('127.0.0.1', 8080)",
        "AssertionError: redis is fine at 6379",
    ],
)
def test_what_names_no_service_of_this_machine_is_left(message: str, tmp_path: Path) -> None:
    assert repaired(tmp_path, failed(message)) is None


def test_users_and_databases_that_a_running_service_lacks_are_added(tmp_path: Path) -> None:
    there = wanted_service(ServiceKind.POSTGRESQL, port=5433, databases=["one"])
    said = failed(
        'psycopg2.OperationalError: FATAL:  role "joe" does not exist',
        'psycopg2.OperationalError: connection failed: FATAL:  database "app" does not exist',
    )
    (service,) = repaired(tmp_path, said, there) or ()
    assert service.port == 5433
    assert [account.user for account in service.accounts] == ["joe"]
    assert service.databases == ("one", "app")
    assert repaired(tmp_path, said, service) is None  # once is enough


def test_a_service_that_is_started_already_is_not_added_again(tmp_path: Path) -> None:
    there = wanted_service(ServiceKind.REDIS)
    said = failed(
        "redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused"
    )
    assert repaired(tmp_path, said, there) is None


def test_what_compose_knows_of_the_service_is_taken(tmp_path: Path) -> None:
    (tmp_path / "docker-compose.yml").write_text(
        "services:\n  data: {image: postgres, environment: {POSTGRES_USER: joe, POSTGRES_PASSWORD: p}}\n"
    )
    said = failed(
        'psycopg2.OperationalError: connection to server at "localhost", port 5432 failed: refused: '
        "Is the server running on that host"
    )
    (service,) = repaired(tmp_path, said) or ()
    assert [(account.user, account.password) for account in service.accounts] == [("joe", "p")]
    assert "data" in service.hosts


def test_a_long_log_is_read_to_a_bound() -> None:
    line = "redis.exceptions.ConnectionError: Error 111 connecting to localhost:{}. Connection refused."
    text = "\n".join(line.format(2000 + number) for number in range(5_000))
    assert len(services_named(text)) == 8
    assert services_named("x" * 10_000_000) == ()


def test_the_class_and_what_helps_name_the_service() -> None:
    said = "redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused."
    assert classify(failed(said)) is ErrorClass.NEEDS_SERVICE
    assert what_helps(ErrorClass.NEEDS_SERVICE, said, of_build=False, apt=False) == (
        "redis at localhost:6379 is wanted: apt-get install redis-server, or run with --apt as root"
    )
    mongo = "pymongo.errors.ServerSelectionTimeoutError: localhost:27017: Connection refused"
    assert "no package" in what_helps(ErrorClass.NEEDS_SERVICE, mongo, of_build=False, apt=False)
    assert what_helps(ErrorClass.NEEDS_SERVICE, "Connection refused", of_build=False, apt=False).startswith(
        "start"
    )


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        (
            "KeycloakError: Can't connect to server (HTTPConnectionPool(host='localhost', port=8080))",
            [],
        ),
        ("(2003, \"Can't connect to server on '127.0.0.1' (111)\")", [ServiceKind.MYSQL]),
        ("ERROR 2002 (HY000): Can't connect to local server through socket '/x.sock'", [ServiceKind.MYSQL]),
    ],
)
def test_not_every_server_is_a_database(line: str, kinds: list[ServiceKind]) -> None:
    assert [service.kind for service in services_named(line)] == kinds
