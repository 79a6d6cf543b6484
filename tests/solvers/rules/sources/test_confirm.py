"""What an environment is asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.project_uses import ProjectUses
from backdate.environments.environment import Environment
from backdate.sandboxes.interface import Limits, Sandbox
from backdate.solvers.rules.proposals import FixEvidence
from backdate.solvers.rules.sources.confirm import is_there

THERE = frozenset({"builtins.int.from_bytes", "lib.prod"})


def answer(
    environment: Any, script: str, request: Mapping[str, Sequence[str]], *, limits: Limits
) -> tuple[str, bytes]:
    lines = ({"name": name, "present": name in THERE} for name in request["names"])
    return "exited", b"".join(json.dumps(line).encode() + b"\n" for line in lines)


@pytest.mark.parametrize(
    ("name", "there"),
    [("int.from_bytes", True), ("int.from_text", False), ("lib.prod", True), ("lib.product", False)],
)
def test_what_a_builtin_class_has_is_there(name: str, there: bool) -> None:
    old, new = (cast("Environment", SimpleNamespace(key=side, root=Path())) for side in ("old", "new"))
    sandbox = cast("Sandbox", SimpleNamespace(name="none"))
    pair = EnvironmentPair(sandbox=sandbox, old=old, new=new, by=answer)
    evidence = FixEvidence(tree=Path(), uses=ProjectUses(), pair=pair)
    assert is_there(name, evidence) is there
