"""Something writes into a finished environment that others use: a line that every Python there runs.

The attacker has found a way to the store that builds and tests do not have: another program of the user, a
sandbox of another kind, a hole in the kernel. It puts back every time that it can.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hostile_projects import builder_in, built, project, request_for

from backdate.environments import seal
from backdate.environments.environment import Environment
from backdate.environments.seal import Seal

LINE = "import sys; sys.stdout.write('POISON')\n"


def plant(environment: Environment, *, below: bool) -> None:
    """Add to the lower layer or to the upper one; folder and file look as old as before."""
    root = environment.roots[-1 if below else 0]
    (site,) = root.glob("lib/python*/site-packages")
    before = site.stat()
    (site / "zz.pth").write_text(LINE, encoding="utf-8")
    os.utime(site, ns=(before.st_atime_ns, before.st_mtime_ns))


def output(environment: Environment) -> str:
    code = "print('started')"
    return subprocess.run(
        [str(environment.python), "-B", "-c", code], capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize(
    "below", [pytest.param(True, marks=pytest.mark.slow), False], ids=["the lower layer", "the upper layer"]
)
def test_the_line_is_not_run(below: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with builder_in(tmp_path / "cache") as builder:
        request = request_for(project(tmp_path / "victim", name="victim"), builder.cache)
        first = built(builder.prepare(request))
        plant(first, below=below)

        def as_before(kept: Seal, _root: Path, *, thoroughly: bool = False) -> Seal:
            return kept

        with monkeypatch.context() as off:  # without the mechanism it is used as it is
            off.setattr(seal, "compare", as_before)
            unseen = built(builder.prepare(request))
            assert unseen.reused
            assert any(list(root.rglob("zz.pth")) for root in unseen.roots)
            if not below:
                assert output(unseen).startswith("POISON")
        second = built(builder.prepare(request))
        assert not any(list(root.rglob("zz.pth")) for root in second.roots)
        assert output(second) == "started\n"
        assert second.replaced, "it is not said"
        assert built(builder.prepare(request)).reused
