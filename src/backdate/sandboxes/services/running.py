"""Services around one command: what is started, where it lies, and what became of it.

``plan.py`` says what can be started. ``started_with`` gives the command that starts it and then becomes
the command that was asked for, and the workspace that shows what it needs: folders of their own, which
are removed when the run ended, and the names by which the suite knows them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from backdate.errors import StoredDataError
from backdate.sandboxes import scratch
from backdate.sandboxes.identity import HOSTS
from backdate.sandboxes.interface import BaseSystem, Command, Mount, Sandbox, Workspace
from backdate.sandboxes.services.installed import InstalledService
from backdate.sandboxes.services.plan import ServicePlan
from backdate.sandboxes.services.programs import FOLDER, SOCKETS, ServiceProgram, folder_of, programs_of
from backdate.sandboxes.services.templates import copy_template
from backdate.sandboxes.services.wanted import ServiceRecord, ServiceState, WantedService
from backdate.serial import from_json, to_json

_PROGRAM = "/backdate/start-services.py"
_SPECIFICATION = "/backdate/services.json"
_REPORT = "/backdate/services-report.json"
"""A file mounted by itself, which the command cannot put another in the place of."""
_SCRIPT = Path(__file__).parent.parent / "inside" / "backdate_services.py"
_PATIENCE_S = 180.0
_LARGEST_REPORT = 64 * 1024


@dataclass(slots=True)
class StartedRun:
    """A command with its services, ready to be run once."""

    command: Command
    workspace: Workspace
    _plan: ServicePlan
    _report: Path | None

    def records(self) -> tuple[ServiceRecord, ...]:
        """What became of each service, to be asked after the run; those that could not be started last."""
        problems = _problems(self._report) if self._report is not None else {}
        started = tuple(
            ServiceRecord(
                kind=wanted.kind,
                port=wanted.port,
                hosts=wanted.hosts,
                where=wanted.where,
                version=server.version,
                state=ServiceState.FAILED if problem else ServiceState.STARTED,
                problem=problem,
            )
            for wanted, server in self._plan.started
            for problem in [problems.get(_name(wanted), "nothing was heard of it")]
        )
        return (*started, *self._plan.missing)


@contextlib.contextmanager
def started_with(
    plan: ServicePlan, command: Command, workspace: Workspace, *, sandbox: Sandbox, python: Path
) -> Iterator[StartedRun]:
    """``command`` in ``workspace`` with the services and locales of ``plan``; the same where there are none.

    ``python``: an interpreter that the workspace shows and that no foreign code wrote. Raises MachineError
    when an empty database cannot be made.
    """
    if plan.locales:
        from backdate.sandboxes.services.locales import with_locales

        command, workspace = with_locales(
            plan.locales, command, workspace, sandbox=sandbox, folder=plan.templates
        )
    if not plan.started:
        yield StartedRun(command=command, workspace=workspace, _plan=plan, _report=None)
        return
    with scratch.scratch_folder(scratch.default_root()) as folder:
        own, shown = folder / "services", folder / "shown"
        own.mkdir()
        shown.mkdir(mode=0o755)
        programs = tuple(programs_of(plan.started))
        for wanted, server, program in programs:
            _lay_out(own, wanted, server, program, plan, sandbox, workspace.base)
        report = folder / "report.json"
        report.touch(mode=0o644)
        _write(shown / "services.json", to_json(_specification(programs)))
        _write(shown / "hosts", _hosts(plan).encode())
        argv = (str(python), "-E", "-s", "-S", _PROGRAM, _SPECIFICATION, *command.argv)
        mounts = (*workspace.mounts, *_mounts(plan, own, shown, report))
        yield StartedRun(
            command=replace(command, argv=argv),
            workspace=replace(workspace, mounts=mounts),
            _plan=plan,
            _report=report,
        )


def _name(wanted: WantedService) -> str:
    return f"{wanted.kind.value}-{wanted.port}"


def _lay_out(
    own: Path,
    wanted: WantedService,
    server: InstalledService,
    program: ServiceProgram,
    plan: ServicePlan,
    sandbox: Sandbox,
    base: BaseSystem | None,
) -> None:
    """Make the folder of one service, with the files and the empty database that it begins with."""
    folder = own / _name(wanted)
    folder.mkdir()
    for name in program.folders:
        (folder / name).mkdir(mode=0o700)
    for name, content in program.files.items():
        _write(folder / name, content)
    copy_template(server, folder / "data", sandbox=sandbox, base=base, folder=plan.templates)
    if wanted.kind in SOCKETS:
        (own / f"sockets-{wanted.kind.value}").mkdir(exist_ok=True)


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    path.chmod(0o644)


def _specification(
    programs: Iterable[tuple[WantedService, InstalledService, ServiceProgram]],
) -> dict[str, Any]:
    """What the program in the sandbox is told (``inside/backdate_services.py``)."""
    services = []
    for wanted, _, program in programs:
        folder = folder_of(wanted)
        services.append(
            {
                "name": _name(wanted),
                "argv": program.argv,
                "env": dict(program.env),
                "folder": folder,
                "log": f"{folder}/log",
                "port": wanted.port,
                "prepare": program.prepare,
            }
        )
    return {"services": services, "patience_s": _PATIENCE_S, "report": _REPORT}


def _hosts(plan: ServicePlan) -> str:
    """The file of names: what a sandbox always has, and the services' own."""
    names = sorted({host for wanted, _ in plan.started for host in wanted.hosts})
    return HOSTS + "".join(f"127.0.0.1 {name}\n" for name in names)


def _mounts(plan: ServicePlan, own: Path, shown: Path, report: Path) -> Iterator[Mount]:
    yield Mount(source=_SCRIPT, target=_PROGRAM)
    yield Mount(source=shown / "services.json", target=_SPECIFICATION)
    yield Mount(source=shown / "hosts", target="/etc/hosts")
    yield Mount(source=own, target=FOLDER, writable=True, own=True)
    yield Mount(source=report, target=_REPORT, writable=True, own=True)
    for kind in dict.fromkeys(wanted.kind for wanted, _ in plan.started):
        if kind in SOCKETS:
            for target in (SOCKETS[kind], f"/var{SOCKETS[kind]}"):
                yield Mount(source=own / f"sockets-{kind.value}", target=target, writable=True)


def _problems(report: Path) -> dict[str, str]:
    """What the report says of each service. Tests could have written it: it is believed of problems only."""
    try:
        with report.open("rb") as file:
            content = file.read(_LARGEST_REPORT)
        return from_json(dict[str, str], content, what="the report of services") if content else {}
    except (OSError, StoredDataError):
        return {}
