"""Locales for tests, in a real sandbox, where the machine has their definitions."""

from __future__ import annotations

from pathlib import Path

import pytest
from patience import PATIENCE_S
from sandboxed_shell import bubblewrap, interpreter_mount

from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import Command, Limits, Workspace
from backdate.sandboxes.services.locales import MOST_LOCALES, locales_there
from backdate.sandboxes.services.plan import NO_SERVICES, ServicePlan, plan_services
from backdate.sandboxes.services.running import started_with
from backdate.sandboxes.unsafe_local import UnsafeLocal

__all__ = ("bubblewrap",)

SETS = """
import locale, sys
for name in ("en_US.UTF-8", "en_US.utf8", "de_DE.UTF-8", "C.UTF-8"):
    print(name, locale.setlocale(locale.LC_ALL, name))
locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
print(locale.format_string("%.2f", 1234.5, grouping=True))
"""


def planned(sandbox: Bubblewrap, folder: Path, *names: str) -> ServicePlan:
    plan = plan_services((), sandbox, None, templates=folder, locales=names)
    if not plan.locales:
        pytest.skip("Debian's package locales is not installed on this machine")
    return plan


def test_programs_can_set_what_is_wanted(bubblewrap: Bubblewrap, tmp_path: Path) -> None:
    plan = planned(bubblewrap, tmp_path / "templates", "de_DE", "en_US")
    python, mount = interpreter_mount()
    for number in range(2):  # the second time they are there
        command = Command(argv=(python, "-c", SETS), cwd="/tmp", limits=Limits(wall_s=PATIENCE_S))
        log = tmp_path / f"log-{number}"
        workspace = Workspace(mounts=(mount,))
        with started_with(plan, command, workspace, sandbox=bubblewrap, python=Path(python)) as started:
            run = bubblewrap.run(started.command, started.workspace, log=log)
            assert started.records() == ()
        assert run.exit_code == 0, log.read_text()
        assert log.read_text().splitlines()[-1] == "1.234,50"
    assert plan.key == ("de_DE", "en_US")


def test_only_what_the_system_defines_is_planned(bubblewrap: Bubblewrap, tmp_path: Path) -> None:
    plan = planned(bubblewrap, tmp_path, "en_US", "xx_XX", "../en_US", "en_US; touch x", "POSIX")
    assert plan.locales == ("en_US",)
    many = [f"e{letter}_US" for letter in "abcdefghijklmnopqrstuvwxyz"]
    assert len(locales_there(many, bubblewrap, None)) <= MOST_LOCALES


def test_without_a_sandbox_and_without_a_wish_there_is_none(tmp_path: Path) -> None:
    assert plan_services((), UnsafeLocal(), None, templates=tmp_path, locales=("en_US",)).key == ()
    assert plan_services((), UnsafeLocal(), None, templates=tmp_path) is NO_SERVICES
