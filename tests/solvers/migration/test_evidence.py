"""What the evidence tools tell of two environments: the bare interpreters 3.8 and 3.12."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import builders
import pytest
from diagnosis_environments import environment_of, find_interpreter
from fake_runner import make_task
from msgspec import structs

from backdate.sandboxes.choose import choose_sandbox
from backdate.solvers.migration.evidence import EnvironmentEvidence
from backdate.solvers.tools.interface import ToolRefusal, read_arguments
from backdate.tasks.kinds.migration import migration_facts
from backdate.tasks.task import KnownCulprit


@pytest.fixture(scope="module")
def environments():
    found = {}
    for side, version, lock in (
        ("origin", "3.8", builders.lock(numpy="1.18.0", same="1.0", gone="2.0")),
        ("target", "3.12", builders.lock(numpy="2.0.0", same="1.0")),
    ):
        executable = find_interpreter(version)
        found[side] = replace(environment_of(executable.parent.parent, executable), lock=lock)
    return found


@pytest.fixture(scope="module")
def sandbox():
    chosen = choose_sandbox("bwrap")
    if not all(one.ok for one in chosen.probe() if one.needed):
        pytest.skip("bubblewrap does not work here")
    return chosen


@pytest.fixture
def ask(environments, sandbox, tmp_path: Path):
    log = tmp_path / "tests.log"
    log.write_text(
        "x.py:3: DeprecationWarning: np.float goes\nfine\nx.py:3: DeprecationWarning: np.float goes\n"
    )
    culprit = KnownCulprit(
        distribution="numpy", version="1.24", released=datetime(2022, 12, 18, tzinfo=UTC), confirmed=True
    )
    facts = structs.replace(migration_facts(make_task()), culprits=(culprit,))
    evidence = EnvironmentEvidence(
        replace(make_task(), facts=facts), sandbox, environments.__getitem__, lambda: log
    )
    tools = {tool.name: tool for tool in evidence.tools()}

    def call(name: str, **arguments: object) -> str:
        return str(tools[name].run(read_arguments(tools[name], arguments)))

    return call


def test_names_that_went_moved_and_changed_are_told(ask) -> None:
    told = ask("name_changes", names="collections.Mapping, math.pi, os.path.nothing")
    assert "collections.Mapping: moved" in told
    assert "now probably at: collections.abc.Mapping" in told
    assert "the old one warned: DeprecationWarning: Using or importing the ABCs" in told
    page = Path(__file__).parents[3] / "docs" / "how-it-works" / "evaluation.md"
    assert told.partition("math.pi")[0] in page.read_text()
    assert "math.pi: same" in told
    assert "os.path.nothing: in-neither" in told


def test_versions_are_compared(ask) -> None:
    told = ask("version_changes")
    assert "numpy: 1.18.0 -> 2.0.0" in told
    assert "gone: 2.0 -> not installed" in told
    assert "same" not in told
    assert "gone" not in ask("version_changes", query="numpy")


def test_a_module_s_names_and_those_it_lost_are_listed(ask) -> None:
    told = ask("module_contents", module="unittest", query="testcase")
    assert "TestCase" in told
    assert "_TextTestResult" not in told
    lost = ask("module_contents", module="ssl").partition("Not there any more: ")[2]
    assert "wrap_socket" in lost.split(", ")
    told = ask("module_contents", module="imp")
    assert told.startswith("imp cannot be imported in the new environment: ModuleNotFoundError")
    assert "It was there in the old environment" in told


def test_old_warnings_come_once(ask) -> None:
    assert ask("old_warnings") == "x.py:3: DeprecationWarning: np.float goes"
    assert ask("old_warnings", query="pandas") == "No such warnings in the old environment."


@pytest.mark.parametrize("names", ["", "os; rm -rf /", "a" * 3 + "()", ",".join(["a.b"] * 30), "../x"])
def test_what_is_no_name_is_refused(ask, names) -> None:
    with pytest.raises(ToolRefusal, match="dotted names"):
        ask("name_changes", names=names)


def test_an_environment_that_did_not_build_is_told() -> None:
    evidence = EnvironmentEvidence(
        make_task(), choose_sandbox("bwrap"), lambda side: f"no {side} wheel", lambda: None
    )
    tools = {tool.name: tool for tool in evidence.tools()}
    with pytest.raises(ToolRefusal, match="no origin wheel"):
        tools["version_changes"].run({"query": ""})
    with pytest.raises(ToolRefusal, match="could not be run"):
        tools["old_warnings"].run({"query": ""})
