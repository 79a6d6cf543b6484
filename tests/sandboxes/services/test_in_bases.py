"""Services that ``--apt`` brings along, in a small Debian."""

from __future__ import annotations

from pathlib import Path

import pytest
from patience import PATIENCE_S
from sandboxed_shell import bubblewrap, interpreter_mount
from small_debian import bases, small_debian

from backdate.errors import MachineError
from backdate.sandboxes.bases import Bases
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.docker import Docker
from backdate.sandboxes.interface import BaseSystem, Command, Limits, Sandbox, Workspace
from backdate.sandboxes.services.installed import installed_services
from backdate.sandboxes.services.kinds import row_of, wanted_service
from backdate.sandboxes.services.plan import plan_services
from backdate.sandboxes.services.running import started_with
from backdate.sandboxes.services.wanted import ServiceKind

__all__ = ("bubblewrap",)


def packages() -> list[str]:
    """The Debian packages of redis and PostgreSQL."""
    return [*row_of(ServiceKind.REDIS).packages, *row_of(ServiceKind.POSTGRESQL).packages]


@pytest.fixture(scope="module")
def base(bubblewrap: Bubblewrap) -> BaseSystem:
    """A small Debian with redis and PostgreSQL."""
    try:
        small_debian()
        made = bases().prepare(packages())
    except MachineError as error:
        pytest.skip(str(error))
    assert isinstance(made, BaseSystem), made.message
    return made


def answers(sandbox: Sandbox, base: BaseSystem, folder: Path) -> None:
    """See that redis and PostgreSQL of ``base`` answer under their usual names."""
    kinds = [server.kind for server in installed_services(sandbox, base)]
    assert kinds == [ServiceKind.REDIS, ServiceKind.POSTGRESQL]
    wanted = [wanted_service(kind) for kind in kinds]
    plan = plan_services(wanted, sandbox, base, templates=folder / "templates")
    python, mount = interpreter_mount()
    client = "psql -U postgres -t"
    script = f"redis-cli -h redis ping && {client} -h db -c 'SELECT 42' && {client} -c 'SELECT 43'"
    command = Command(argv=("/bin/sh", "-c", script), cwd="/tmp", limits=Limits(wall_s=PATIENCE_S))
    workspace = Workspace(mounts=(mount,), base=base)
    log = folder / "log"
    with started_with(plan, command, workspace, sandbox=sandbox, python=Path(python)) as started:
        run = sandbox.run(started.command, started.workspace, log=log)
        records = started.records()
    assert run.exit_code == 0, log.read_text()
    assert [part for part in ("PONG", "42", "43") if part not in log.read_text()] == []
    assert [record.running for record in records] == [True, True]


@pytest.mark.debian
def test_services_of_a_base_are_found_and_started(
    bubblewrap: Bubblewrap, base: BaseSystem, tmp_path: Path
) -> None:
    answers(bubblewrap, base, tmp_path)


@pytest.mark.docker
def test_services_of_a_layer_are_found_and_started(docker_sandbox: Docker, tmp_path: Path) -> None:
    made = Bases(sandbox=docker_sandbox, folder=tmp_path / "layers").prepare(packages())
    assert isinstance(made, BaseSystem), made.message
    answers(docker_sandbox, made, tmp_path)
    assert installed_services(docker_sandbox, None) == ()
