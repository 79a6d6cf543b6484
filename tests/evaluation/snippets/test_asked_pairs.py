"""What both environments say of names: as ``ask_both`` tells it, and each name asked for once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import pytest

from backdate.diagnosis.api import LIMITS, ApiDifference, ask_both
from backdate.environments.environment import Environment
from backdate.evaluation.snippets.asked_pairs import AskedPairs
from backdate.sandboxes.interface import Command, RunResult, Sandbox, Workspace

OLD = {
    "lib/__init__.py": "from lib.core import Box, thing\ndef gone(): pass\ndef kept(a): pass\n",
    "lib/core.py": "class Box: pass\ndef thing(a): pass\ndef only(): pass\n",
}
NEW = {
    "lib/__init__.py": "def kept(a, b=1): pass\n",
    "lib/core.py": "class Box: pass\n",
    "lib/place.py": "def thing(a): pass\ndef only(): pass\ndef never(): pass\n",
}
NAMES = ("lib.Box", "lib.thing", "lib.gone", "lib.kept", "lib.core.only", "lib.never")


@dataclass
class CountingSandbox:
    """Runs what it is given in a real one, and keeps what each environment was asked."""

    real: Sandbox
    requests: list[tuple[str, str]] = field(default_factory=list)
    least_wall_s: float = 1e9
    name: str = "counting"

    def run(self, command: Command, workspace: Workspace, *, log: Path) -> RunResult:
        """See ``Sandbox``."""
        self.least_wall_s = min(self.least_wall_s, command.limits.wall_s)
        request = next(mount for mount in workspace.mounts if mount.target.endswith("asked.json"))
        self.requests.append((command.argv[0], request.source.read_text()))
        return self.real.run(command, workspace, log=log)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, dict[str, str]], Environment]:
    from diagnosis_environments import environment_of

    def make(key: str, files: dict[str, str]) -> Environment:
        root = tmp_path_factory.mktemp("made") / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(root)], check=True)
        site = next(root.glob("lib/python*/site-packages"))
        for name, text in files.items():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(text)
        return replace(environment_of(root, root / "bin/python"), key=key)

    return make


@pytest.fixture(scope="module")
def sides(made: Callable[[str, dict[str, str]], Environment]) -> tuple[Environment, Environment]:
    return made("1" * 64, OLD), made("2" * 64, NEW)


def told(differences: tuple[ApiDifference, ...]) -> dict[str, tuple[str, str]]:
    """What a question about a snippet takes of them: what changed, and the likeliest place."""
    return {one.name: (one.change.value, one.moved_to[0] if one.moved_to else "") for one in differences}


def test_it_says_what_asking_both_says(sides: tuple[Environment, Environment], one_sandbox: Sandbox) -> None:
    assert told(AskedPairs(one_sandbox).differences(*sides, NAMES)) == told(
        ask_both(one_sandbox, *sides, NAMES)
    )


def test_of_one_name_an_environment_is_asked_once(
    sides: tuple[Environment, Environment], one_sandbox: Sandbox
) -> None:
    sandbox = CountingSandbox(one_sandbox)
    pairs = AskedPairs(cast("Sandbox", sandbox))
    first = pairs.differences(*sides, NAMES)
    asked = len(sandbox.requests)
    assert pairs.differences(*sides, NAMES[:4]) == first[:4]
    assert len(sandbox.requests) == asked
    assert pairs.of(*sides) is pairs.of(*sides)
    assert pairs.of(None, sides[1]) is None


def test_only_what_the_old_one_has_and_nothing_places_is_searched(
    sides: tuple[Environment, Environment], one_sandbox: Sandbox
) -> None:
    sandbox = CountingSandbox(one_sandbox)
    AskedPairs(cast("Sandbox", sandbox)).differences(*sides, NAMES)
    searched = [text for _, text in sandbox.requests if '"searched":[]' not in text.replace(" ", "")]
    (only,) = searched
    assert '"lib.thing"' in only
    assert '"lib.never"' not in only
    assert '"lib.Box"' not in only


def test_a_busy_machine_is_given_time(sides: tuple[Environment, Environment], one_sandbox: Sandbox) -> None:
    sandbox = CountingSandbox(one_sandbox)
    pairs = AskedPairs(cast("Sandbox", sandbox))
    pairs.differences(*sides, NAMES)
    pair = pairs.of(*sides)
    assert pair is not None
    pair.homes_of(("lib.thing",))
    pair.members_of("lib", "new")
    assert sandbox.least_wall_s > LIMITS.wall_s


def test_nothing_is_searched_where_only_what_is_gone_is_asked(
    sides: tuple[Environment, Environment], one_sandbox: Sandbox
) -> None:
    sandbox = CountingSandbox(one_sandbox)
    found = AskedPairs(cast("Sandbox", sandbox)).differences(*sides, NAMES, places=False)
    assert [one.name for one in found if one.old and one.old.present and one.new and not one.new.present] == [
        "lib.Box",
        "lib.thing",
        "lib.gone",
        "lib.core.only",
    ]
    assert all('"searched":[]' in text.replace(" ", "") for _, text in sandbox.requests)
