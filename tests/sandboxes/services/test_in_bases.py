"""Services that ``--apt`` brings along, in a small Debian."""

from __future__ import annotations

from pathlib import Path

import pytest
from patience import PATIENCE_S
from sandboxed_shell import bubblewrap, interpreter_mount
from small_debian import bases, small_debian

from backdate.errors import MachineError
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import BaseSystem, Command, Limits, Workspace
from backdate.sandboxes.services.installed import installed_services
from backdate.sandboxes.services.kinds import row_of, wanted_service
from backdate.sandboxes.services.plan import plan_services
from backdate.sandboxes.services.running import started_with
from backdate.sandboxes.services.wanted import ServiceKind

__all__ = ("bubblewrap",)

pytestmark = pytest.mark.debian


@pytest.fixture(scope="module")
def base(bubblewrap: Bubblewrap) -> BaseSystem:
    """A small Debian with redis and PostgreSQL."""
    try:
        small_debian()
        packages = [*row_of(ServiceKind.REDIS).packages, *row_of(ServiceKind.POSTGRESQL).packages]
        made = bases().prepare(packages)
    except MachineError as error:
        pytest.skip(str(error))
    assert isinstance(made, BaseSystem), made.message
    return made


def test_services_of_a_base_are_found_and_started(
    bubblewrap: Bubblewrap, base: BaseSystem, tmp_path: Path
) -> None:
    kinds = [server.kind for server in installed_services(bubblewrap, base)]
    assert kinds == [ServiceKind.REDIS, ServiceKind.POSTGRESQL]
    wanted = [wanted_service(kind) for kind in kinds]
    plan = plan_services(wanted, bubblewrap, base, templates=tmp_path / "templates")
    python, mount = interpreter_mount()
    script = "redis-cli -h redis ping && psql -h db -U postgres -tc 'SELECT 42'"
    command = Command(argv=("/bin/sh", "-c", script), cwd="/tmp", limits=Limits(wall_s=PATIENCE_S))
    workspace = Workspace(mounts=(mount,), base=base)
    log = tmp_path / "log"
    with started_with(plan, command, workspace, sandbox=bubblewrap, python=Path(python)) as started:
        run = bubblewrap.run(started.command, started.workspace, log=log)
        records = started.records()
    assert run.exit_code == 0, log.read_text()
    assert "PONG" in log.read_text()
    assert "42" in log.read_text()
    assert [record.running for record in records] == [True, True]
