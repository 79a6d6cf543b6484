"""Suites beside a service: witnessed as without one, with a new one for each process, its version noted."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.checking.service_notes import service_notes
from backdate.environments.environment import Environment
from backdate.recipes.recipe import Provenance, SuitePlan
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import Limits
from backdate.sandboxes.services.kinds import wanted_service
from backdate.sandboxes.services.plan import plan_services
from backdate.sandboxes.services.wanted import ServiceKind, WantedService
from backdate.testing.outcomes import SuiteRun
from backdate.testing.several import run_plans

TALK = """
import os, socket, unittest

def ask(words, port=6390):
    connection = socket.create_connection(("cache", port))
    connection.sendall(words + b"\\r\\n")
    answer = connection.recv(1000)
    connection.close()
    return answer

class Test(unittest.TestCase):
    def test_a_it_answers(self):
        self.assertEqual(ask(b"PING"), b"+PONG\\r\\n")
        ask(b"SET key 1")

    def test_b_it_dies(self):
        os.kill(os.getpid(), 9)

    def test_c_nothing_is_left_of_the_process_before(self):
        self.assertEqual(ask(b"DBSIZE"), b":0\\r\\n")
"""
WITHOUT = """
import socket, unittest
class Test(unittest.TestCase):
    def test(self):
        socket.create_connection(("127.0.0.1", 27017))
    def test_other(self):
        pass
"""


def run(text: str, folder: Path, environment: Environment, *services: WantedService) -> SuiteRun:
    """The suite of one file, run beside services."""
    sandbox = Bubblewrap()
    tree = folder / "tree"
    tree.mkdir()
    (tree / "test_it.py").write_text(text)
    plan = plan_services(services, sandbox, None, templates=folder / "templates")
    return run_plans(
        sandbox,
        environment,
        tree,
        [SuitePlan(runner="unittest", provenance=Provenance(rule="a test"))],
        limits=Limits(wall_s=300.0),
        log_folder=folder / "logs",
        services=plan,
    )


@pytest.fixture
def redis(bare_pytest: Environment) -> WantedService:
    wanted = wanted_service(ServiceKind.REDIS, port=6390, hosts=["cache"], where="ci.yml:3")
    if plan_services([wanted], Bubblewrap(), None, templates=Path()).missing:
        pytest.skip("redis-server is not installed on this machine")
    return wanted


def test_a_suite_beside_a_service(redis: WantedService, bare_pytest: Environment, tmp_path: Path) -> None:
    done = run(TALK, tmp_path, bare_pytest, redis)
    outcomes = {result.id.rpartition(".test_")[2][0]: result.outcome.value for result in done.results}
    assert outcomes == {"a": "passed", "b": "crashed", "c": "passed"}, done.trouble
    assert done.attempts == 2
    (record,) = done.services
    assert record.running
    (note,) = service_notes(done)
    assert note == f"redis {record.version}, as it is today, ran at localhost:6390 (ci.yml:3)"


def test_the_secret_of_a_run_reaches_the_suite_and_no_service(
    redis: WantedService, bare_pytest: Environment, tmp_path: Path
) -> None:
    honest = TALK.replace("os.kill(os.getpid(), 9)", "pass").replace(":0", ":1")
    done = run(honest, tmp_path, bare_pytest, redis)
    assert [result.outcome.value for result in done.results] == ["passed"] * 3, done.trouble
    assert done.integrity.state == "witnessed", done.integrity


def test_a_service_that_cannot_be_had_is_named(bare_pytest: Environment, tmp_path: Path) -> None:
    wanted = wanted_service(ServiceKind.MONGODB, where="ci.yml:9")
    done = run(WITHOUT, tmp_path, bare_pytest, wanted)
    assert [result.outcome.good for result in done.results] == [False, True]
    (note,) = service_notes(done)
    assert note.startswith("mongodb at localhost:27017 is wanted (ci.yml:9): Debian has no package")
