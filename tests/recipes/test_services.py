"""Which services the recipes of a project want, read from CI files, Compose files, variables and commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.recipes.extract import extract_recipes
from backdate.recipes.recipe import Recipe
from backdate.sandboxes.services.wanted import WantedService

GITHUB = """
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix: {python-version: ["3.9"], pg: ["13", "14"]}
    env:
      DATABASE_URL: postgres://me:secret@localhost:5433/mine
      REDIS_PORT: ${{ job.services.cache.ports['6379'] }}
    services:
      cache: {image: "redis:6", ports: ["6380:6379"]}
      postgres:
        image: postgres:${{ matrix.pg }}
        env: {POSTGRES_PASSWORD: postgres, POSTGRES_USER: runner}
        ports: ["127.0.0.1:5433:5432"]
      zookeeper: {image: zookeeper}
    steps:
      - uses: actions/setup-python@v2
        with: {python-version: "3.9"}
      - run: |
          psql -c 'create database "extra";' -U postgres
          createdb -U postgres third
          sudo systemctl start mysql
          mysql -e "CREATE DATABASE IF NOT EXISTS inside" -uroot -proot
          docker run -d -p 11222:11211 memcached:1.6
      - run: pip install . pytest
      - run: pytest
"""
COMPOSE = """
version: "3"
services:
  broker:
    image: rabbitmq:3-management
    ports: ["127.0.0.1:5673:5672"]
    environment: [RABBITMQ_DEFAULT_USER=u, "RABBITMQ_DEFAULT_PASS=${PW:-p}"]
  web: {build: .}
  db: {image: "postgres:9", environment: {POSTGRES_DB: other}}
  cache: {image: redis, command: ["redis-server", "--requirepass", "hidden"]}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup(name='it')\n")
    (tmp_path / "test_it.py").write_text("def test_it(): pass\n")
    return tmp_path


def write(project: Path, name: str, text: str) -> None:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def recipes(project: Path) -> tuple[Recipe, ...]:
    return extract_recipes(project).candidates


def by_kind(recipe: Recipe) -> dict[str, WantedService]:
    assert len({service.kind for service in recipe.services}) == len(recipe.services), recipe.services
    return {service.kind.value: service for service in recipe.services}


def accounts(service: WantedService) -> list[tuple[str, str]]:
    return [(account.user, account.password) for account in service.accounts]


def test_github_services_with_ports_users_and_databases(project: Path) -> None:
    write(project, ".github/workflows/test.yml", GITHUB)
    first, *others = recipes(project)
    services = by_kind(first)
    assert {name: service.port for name, service in services.items()} == {
        "redis": 6380,
        "postgresql": 5433,
        "mysql": 3306,
        "memcached": 11222,
    }
    postgresql = services["postgresql"]
    assert accounts(postgresql) == [("runner", "postgres"), ("me", "secret")]
    assert postgresql.databases == ("mine", "extra", "third")
    assert postgresql.where == ".github/workflows/test.yml:14"
    assert services["redis"].hosts == ("cache", "redis")
    assert accounts(services["mysql"]) == [("root", "root")]
    assert services["mysql"].databases == ("inside",)
    assert ("REDIS_PORT", "6380") in [(variable.name, variable.value) for variable in first.variables]
    assert others
    assert all(other.services == first.services for other in others)  # which have no CI file of their own


def test_a_service_that_nobody_knows_is_named(project: Path) -> None:
    write(project, ".github/workflows/test.yml", GITHUB)
    reasons = [skip.reason for skip in extract_recipes(project).skipped]
    assert "the service zookeeper is not started" in reasons


def test_a_job_in_a_container_reaches_services_at_their_own_ports(project: Path) -> None:
    inside = GITHUB.replace("    services:", "    container: python:3.9\n    services:")
    write(project, ".github/workflows/test.yml", inside)
    ports = [(service.kind.value, service.port) for service in recipes(project)[0].services]
    assert ports[:2] == [("redis", 6379), ("postgresql", 5432)]


def test_compose_files_name_what_no_ci_file_does(project: Path) -> None:
    write(project, "docker-compose.yml", COMPOSE)
    services = by_kind(recipes(project)[0])
    assert (services["rabbitmq"].port, accounts(services["rabbitmq"])) == (5673, [("u", "p")])
    assert "broker" in services["rabbitmq"].hosts
    assert services["postgresql"].databases == ("other",)
    assert accounts(services["redis"]) == [("", "hidden")]
    assert services["redis"].where == "docker-compose.yml:10"


def test_ci_comes_before_compose(project: Path) -> None:
    write(project, ".github/workflows/test.yml", GITHUB)
    write(project, "docker-compose.yml", COMPOSE)
    services = by_kind(recipes(project)[0])
    assert services["postgresql"].port == 5433
    assert services["rabbitmq"].port == 5673


def test_travis_services_and_the_databases_that_commands_make(project: Path) -> None:
    write(
        project,
        ".travis.yml",
        "language: python\npython: ['3.6']\nservices: [redis-server, postgresql, mongodb]\n"
        "before_script:\n  - psql -c 'CREATE DATABASE app;' -U postgres\n"
        "  - psql -c \"CREATE USER joe WITH PASSWORD 'secret';\" -U postgres\n"
        "install: pip install -e . pytest\nscript: pytest\n",
    )
    services = by_kind(recipes(project)[0])
    assert sorted(services) == ["mongodb", "postgresql", "redis"]
    assert services["postgresql"].databases == ("app",)
    assert accounts(services["postgresql"]) == [("joe", "secret")]


def test_a_server_that_ci_installs_is_wanted(project: Path) -> None:
    write(
        project,
        ".github/workflows/test.yml",
        "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n"
        "      - run: sudo apt-get install -y memcached libmemcached-dev postgresql-client mysql-server\n"
        "      - run: pip install . pytest\n      - run: pytest\n",
    )
    services = by_kind(recipes(project)[0])
    assert sorted(services) == ["memcached", "mysql"]
    assert services["memcached"].where == ".github/workflows/test.yml:6"


def test_gitlab_services_with_aliases_and_variables(project: Path) -> None:
    write(
        project,
        ".gitlab-ci.yml",
        "test:\n  image: python:3.8\n  services:\n    - name: postgres:12\n      alias: database\n"
        "    - redis:5\n"
        "  variables:\n    POSTGRES_DB: app\n    POSTGRES_USER: joe\n    POSTGRES_PASSWORD: secret\n"
        "  script:\n    - pip install . pytest\n    - pytest\n",
    )
    services = by_kind(recipes(project)[0])
    assert "database" in services["postgresql"].hosts
    assert services["postgresql"].databases == ("app",)
    assert accounts(services["postgresql"]) == [("joe", "secret")]
    assert services["redis"].port == 6379


def test_circleci_images_beside_the_first(project: Path) -> None:
    write(
        project,
        ".circleci/config.yml",
        "version: 2\njobs:\n  build:\n    docker:\n      - image: circleci/python:3.7\n"
        "      - image: circleci/postgres:9.6-ram\n"
        "        environment: {POSTGRES_USER: joe, POSTGRES_DB: app}\n"
        "    steps:\n      - run: pip install . pytest\n      - run: pytest\n",
    )
    services = by_kind(recipes(project)[0])
    assert services["postgresql"].databases == ("app",)
    assert accounts(services["postgresql"]) == [("joe", "")]


def test_an_address_of_another_machine_is_no_service(project: Path) -> None:
    elsewhere = GITHUB.replace("localhost:5433/mine", "db.example.com/mine").replace(
        "postgres:\n", "other:\n"
    )
    write(project, ".github/workflows/test.yml", elsewhere)
    assert accounts(by_kind(recipes(project)[0])["postgresql"]) == [("runner", "postgres")]


def test_hostile_files_name_no_host_and_no_port(project: Path) -> None:
    write(
        project,
        "docker-compose.yml",
        'services:\n  "a b\\n127.0.0.1 x":\n    image: redis\n'
        '    ports: ["99999999:6379", "1:6379", {a: b}, []]\n'
        "    environment: {A: [1, 2]}\n    command: {x: y}\n  bad: []\n  worse: {image: [redis]}\n",
    )
    assert [(service.port, service.hosts) for service in recipes(project)[0].services] == [(6379, ("redis",))]
