"""What files say of services is checked before anything uses it."""

from __future__ import annotations

import re

import pytest

from backdate.knowledge import load
from backdate.sandboxes.services.kinds import (
    kind_of_image,
    kind_of_port,
    kind_of_scheme,
    merged,
    wanted_service,
)
from backdate.sandboxes.services.wanted import ServiceAccount, ServiceKind


def test_every_kind_has_one_row_and_its_patterns_match_their_messages() -> None:
    assert [row.kind for row in load.services()] == [kind.value for kind in ServiceKind]
    for row in load.services():
        for pattern in row.says:
            assert any(re.search(pattern, message) for message in row.messages), (row.kind, pattern)
        for message in row.messages:
            assert any(re.search(pattern, message) for pattern in row.says), message


@pytest.mark.parametrize(
    ("image", "kind"),
    [
        ("redis", ServiceKind.REDIS),
        ("docker.io/library/postgres:14-alpine", ServiceKind.POSTGRESQL),
        ("localhost:5000/team/postgis@sha256:abc", ServiceKind.POSTGRESQL),
        ("mariadb:10", ServiceKind.MYSQL),
        ("rabbitmq:3-management", ServiceKind.RABBITMQ),
        ("mongo", ServiceKind.MONGODB),
        ("python:3.9", None),
        ("", None),
    ],
)
def test_an_image_means_a_service(image: str, kind: ServiceKind | None) -> None:
    assert kind_of_image(image) is kind


def test_ports_and_addresses_mean_a_service() -> None:
    assert kind_of_port(11211) is ServiceKind.MEMCACHED
    assert kind_of_port(80) is None
    assert kind_of_scheme("postgresql+psycopg2") is ServiceKind.POSTGRESQL
    assert kind_of_scheme("https") is None


def test_what_could_be_no_name_or_port_is_left_out() -> None:
    service = wanted_service(
        ServiceKind.POSTGRESQL,
        port=22,
        hosts=["db2", "a b", "x\n127.0.0.1 pypi", "-e", "localhost", "y" * 90],
        accounts=[
            ServiceAccount(user="me", password="it's; DROP\\"),
            ServiceAccount(user="a\nb"),
            ServiceAccount(user="you", password="\0"),
        ],
        databases=["one", "t\0wo", "x" * 64, 'quo"te'],
    )
    assert service.port == 5432  # nobody is root there
    assert service.hosts == ("db", "db2", "postgres", "postgresql")
    assert service.accounts == (ServiceAccount(user="me", password="it's; DROP\\"),)
    assert service.databases == ("one", 'quo"te')


def test_services_of_one_kind_and_port_are_one() -> None:
    first = wanted_service(
        ServiceKind.POSTGRESQL, accounts=[ServiceAccount(user="a", password="1")], databases=["one"]
    )
    again = wanted_service(
        ServiceKind.POSTGRESQL,
        hosts=["data"],
        accounts=[ServiceAccount(user="a", password="2"), ServiceAccount(user="b")],
        databases=["one", "two"],
    )
    elsewhere = wanted_service(ServiceKind.POSTGRESQL, port=5433)
    in_the_way = wanted_service(ServiceKind.REDIS, port=5433)
    services = merged([first, again, elsewhere, in_the_way])
    assert [(service.kind.value, service.port) for service in services] == [
        ("postgresql", 5432),
        ("postgresql", 5433),
    ]
    assert [(account.user, account.password) for account in services[0].accounts] == [("a", "1"), ("b", "")]
    assert services[0].databases == ("one", "two")
    assert "data" in services[0].hosts


def test_a_recipe_asks_for_few_services() -> None:
    many = [wanted_service(ServiceKind.REDIS, port=6000 + number) for number in range(50)]
    assert len(merged(many)) == 8


def test_what_no_encoding_holds_is_left_out() -> None:
    service = wanted_service(
        ServiceKind.POSTGRESQL,
        accounts=[ServiceAccount(user="a", password="\ud800"), ServiceAccount(user="\udfff", password="b")],
        databases=["\udc00", "good"],
    )
    assert (service.accounts, service.databases) == ((), ("good",))
