"""The same attacks on a backdate that an ordinary user runs, who has no other user to hide behind."""

from __future__ import annotations

import re

import pytest
from ordinary_user import require_another_user, run_tests_as_user

FILES = (
    "test_calls_into_the_kernel.py",
    "test_device_nodes.py",
    "test_inherited_descriptors.py",
    "test_kernel_settings.py",
    "test_lingering_daemon.py",
    "test_left_behind_rights.py",
    "test_new_namespaces.py",
    "test_overwriting_programs.py",
    "test_planted_folders.py",
    "test_planted_lock.py",
    "test_planted_mount_source.py",
    "test_poisoned_store.py",
    "test_reaching_another_run.py",
    "test_reaching_the_supervisor.py",
    "test_reading_another_process.py",
    "test_replaced_interpreter.py",
    "test_replaced_reports.py",
    "test_tests_reaching_this_machine.py",
    "test_wheel_of_another.py",
)
DEFAULT = "test_new_namespaces.py"


@pytest.mark.parametrize(
    "file", [pytest.param(one, marks=() if one == DEFAULT else pytest.mark.slow) for one in FILES]
)
def test_they_are_contained_all_the_same(file: str) -> None:
    require_another_user()
    done = run_tests_as_user(f"tests/attacks/{file}")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert re.search(r"\b[1-9]\d* passed", done.stdout), done.stdout
