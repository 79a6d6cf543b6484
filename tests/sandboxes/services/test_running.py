"""Real services in a real sandbox, where the machine has them; what is recorded where it does not."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from patience import PATIENCE_S
from sandboxed_shell import bubblewrap, interpreter_mount

from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import BaseSystem, Command, Limits, Workspace
from backdate.sandboxes.services import installed
from backdate.sandboxes.services.installed import InstalledService, can_start, installed_services
from backdate.sandboxes.services.kinds import wanted_service
from backdate.sandboxes.services.plan import NO_SERVICES, plan_services
from backdate.sandboxes.services.running import started_with
from backdate.sandboxes.services.wanted import (
    ServiceAccount,
    ServiceKind,
    ServiceRecord,
    ServiceState,
    WantedService,
)
from backdate.sandboxes.unsafe_local import UnsafeLocal

__all__ = ("bubblewrap",)


@dataclass
class Session:
    """Runs shell scripts beside services."""

    sandbox: Bubblewrap
    folder: Path
    text: str = ""

    def __call__(self, script: str, *services: WantedService) -> tuple[ServiceRecord, ...]:
        plan = plan_services(services, self.sandbox, None, templates=self.folder / "templates")
        for record in plan.missing:
            pytest.skip(f"{record.kind.value} is not installed on this machine")
        python, mount = interpreter_mount()
        command = Command(argv=("/bin/sh", "-c", script), cwd="/tmp", limits=Limits(wall_s=PATIENCE_S))
        log = self.folder / "log"
        workspace = Workspace(mounts=(mount,))
        with started_with(plan, command, workspace, sandbox=self.sandbox, python=Path(python)) as started:
            run = self.sandbox.run(started.command, started.workspace, log=log)
            records = started.records()
        self.text = log.read_text()
        assert run.exit_code == 0, self.text
        return records


@pytest.fixture
def session(bubblewrap: Bubblewrap, tmp_path: Path) -> Session:
    return Session(bubblewrap, tmp_path)


def test_redis_runs_at_the_port_and_under_the_name_that_are_wanted(session: Session) -> None:
    wanted = wanted_service(
        ServiceKind.REDIS,
        port=6390,
        hosts=["cache"],
        accounts=[ServiceAccount(user="", password='it\'s "x" \\')],
    )
    records = session('redis-cli -h cache -p 6390 -a "it\'s \\"x\\" \\\\" ping', wanted)
    assert "PONG" in session.text
    assert [(record.kind, record.state) for record in records] == [(ServiceKind.REDIS, ServiceState.STARTED)]
    assert records[0].version[0].isdigit()


def test_nothing_of_one_run_is_there_in_the_next(session: Session) -> None:
    wanted = wanted_service(ServiceKind.REDIS)
    session("redis-cli set key value", wanted)
    session("redis-cli get key; redis-cli dbsize", wanted)
    assert "value" not in session.text


def test_postgresql_has_the_users_and_databases_that_are_wanted(session: Session) -> None:
    wanted = wanted_service(
        ServiceKind.POSTGRESQL,
        hosts=["data"],
        accounts=[ServiceAccount(user="me", password="it's\\")],
        databases=["my app"],
    )
    session(
        "psql -h data -U me -d 'my app' -tc 'SELECT current_user, 42' && psql -U postgres -tc 'SELECT 43' && "
        "psql -h localhost -U me -tc 'CREATE EXTENSION IF NOT EXISTS plpgsql' && id -u",
        wanted,
    )
    assert "me | " in session.text.replace("me           |", "me |")
    assert "43" in session.text


@pytest.mark.slow
def test_mysql_has_the_users_and_databases_that_are_wanted(session: Session) -> None:
    wanted = wanted_service(
        ServiceKind.MYSQL,
        accounts=[ServiceAccount(user="me", password="it's\\"), ServiceAccount(user="root", password="r")],
        databases=["my`app"],
    )
    session(
        "mysql -h 127.0.0.1 -u me -p\"it's\\\\\" -D 'my`app' -e 'SELECT 42' && "
        "mysql -u root -pr -e 'SELECT 43'",
        wanted,
    )
    assert "42" in session.text
    assert "43" in session.text


def test_no_service_outlives_its_run_and_nobody_outside_reaches_it(
    session: Session, running: Callable[[str], list[int]], eventually: Callable[..., bool]
) -> None:
    wanted = wanted_service(ServiceKind.REDIS, port=6391)
    with socket.socket() as outside:  # the port is free on this machine, and stays so
        outside.bind(("127.0.0.1", 6391))
        records = session("redis-cli -p 6391 ping; cat /proc/net/tcp", wanted)
    assert records[0].running
    assert "PONG" in session.text
    assert eventually(lambda: running("127.0.0.1:6391") == [])


def test_memcached_answers(session: Session) -> None:
    records = session("true", wanted_service(ServiceKind.MEMCACHED))
    assert records[0].running


def test_services_run_as_the_commands_own_user_without_rights(session: Session) -> None:
    session(
        "for status in /proc/[0-9]*/status; do "
        'grep -q redis $status && grep -E "Uid|CapEff|Seccomp:" $status; done; true',
        wanted_service(ServiceKind.REDIS),
    )
    lines = session.text.split()
    assert lines[lines.index("Uid:") + 1] == "1000"
    assert lines[lines.index("CapEff:") + 1].strip("0") == ""
    assert lines[lines.index("Seccomp:") + 1] == "2"


def a_server(monkeypatch: pytest.MonkeyPatch, *servers: InstalledService) -> None:
    """A machine on which those servers are installed."""
    monkeypatch.setattr(installed, "installed_services", lambda sandbox, base: servers)


def test_what_cannot_be_started_is_recorded_with_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wanted = [wanted_service(ServiceKind.REDIS, where="ci.yml:3"), wanted_service(ServiceKind.MONGODB)]

    def states(sandbox: Bubblewrap | UnsafeLocal, **options: bool) -> list[ServiceState]:
        plan = plan_services(wanted, sandbox, None, templates=tmp_path, **options)
        assert (plan.started, plan.key) == ((), ())
        assert plan.missing[0].where == "ci.yml:3"
        return [record.state for record in plan.missing]

    a_server(monkeypatch)
    assert states(Bubblewrap()) == [ServiceState.NOT_INSTALLED, ServiceState.NOT_PACKAGED]
    assert states(UnsafeLocal()) == [ServiceState.NOT_IN_SANDBOX, ServiceState.NOT_PACKAGED]
    assert states(Bubblewrap(), allowed=False) == [ServiceState.TURNED_OFF, ServiceState.TURNED_OFF]


def test_the_key_of_a_plan_holds_the_version_and_not_who_wants_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def key(version: str, **said: str) -> tuple[object, ...]:
        server = InstalledService(kind=ServiceKind.REDIS, program="/usr/bin/redis-server", version=version)
        a_server(monkeypatch, server)
        services = [wanted_service(ServiceKind.REDIS, **said)]
        return plan_services(services, Bubblewrap(), None, templates=tmp_path).key

    assert key("7.0.1") == key("7.0.1", where="elsewhere") != key("7.0.2") != ()


def test_a_stored_recipe_brings_no_line_of_its_own_into_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    a_server(
        monkeypatch,
        InstalledService(kind=ServiceKind.REDIS, program="/usr/bin/redis-server", version="7.0.1"),
    )
    forged = WantedService(
        kind=ServiceKind.REDIS,
        port=80,
        hosts=("good", "x\n127.0.0.1 evil"),
        accounts=(ServiceAccount(user="", password='"\nmodule load x'),),
    )
    plan = plan_services([forged] * 100, Bubblewrap(), None, templates=tmp_path)
    ((wanted, _),) = plan.started
    assert (wanted.port, wanted.hosts, wanted.accounts) == (6379, ("good", "redis"), ())


def test_without_services_the_command_is_the_same(tmp_path: Path) -> None:
    command, workspace = Command(argv=("true",), cwd="/"), Workspace()
    with started_with(
        NO_SERVICES, command, workspace, sandbox=Bubblewrap(), python=Path("/nowhere")
    ) as started:
        assert (started.command, started.workspace, started.records()) == (command, workspace, ())


def test_services_are_started_only_where_they_cannot_be_reached_from_outside() -> None:
    base = BaseSystem(sandbox="docker", place="x", key="k", packages=("redis-server",))
    named: Callable[[str], Bubblewrap] = lambda name: type("Named", (), {"name": name})()  # noqa: E731
    assert can_start(named("bwrap"), None)
    assert not can_start(named("unsafe-local"), None)
    assert not can_start(named("docker"), None)
    assert can_start(named("docker"), base)
    assert installed_services(UnsafeLocal(), None) == ()
