"""A build leaves a daemon that goes on changing its environment, and swaps its files for links.

Another one holds the output of its build open, so that the installer waits for it.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from hostile_projects import builder_in, built, project, request_for
from patience import PATIENCE_S

from backdate.environments.build_limits import BUILD_LIMITS
from backdate.environments.incidents import IncidentKind
from backdate.sandboxes import left_behind

DAEMON = """
import itertools, signal, time
if os.fork() == 0:
    os.setsid()
    os.closerange(0, 256)  # whoever waits for its output goes on
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    if os.fork():
        os._exit(0)
    for number in itertools.count():
        for one in environments():
            for name in ("pylock.toml", "pyvenv.cfg", "turning"):
                try:
                    os.unlink(one / name)
                except OSError:
                    pass
                try:
                    if number % 2:
                        os.symlink("VICTIM", one / name)
                    else:
                        (one / name).write_text(str(number))
                except OSError:
                    pass
            try:
                (one / "ticking").write_text(str(time.time()))
            except OSError:
                pass
        time.sleep(0.001)
time.sleep(0.2)
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", ["shared", "at a place"])
def test_nothing_changes_once_the_build_is_over(way: str, tmp_path: Path) -> None:
    victim = tmp_path / "host-file"
    victim.write_text("of the host", encoding="utf-8")
    victim.chmod(0o600)
    tree = project(tmp_path / "thing", DAEMON.replace("VICTIM", str(victim)))
    with builder_in(tmp_path / "cache") as builder:
        request = request_for(tree, builder.cache)
        if way == "shared":
            environment = built(builder.prepare(request))
        else:
            environment = built(builder.build_at(request, tmp_path / "place"))
        ticks = [root / "ticking" for root in environment.roots if (root / "ticking").exists()]
        assert ticks, "the daemon did not reach the environment"
        assert IncidentKind.LEFT_BEHIND in {one.kind for one in environment.incidents}
        seen = [tick.read_bytes() for tick in ticks]
        time.sleep(0.3)  # three hundred of its rounds
        assert [tick.read_bytes() for tick in ticks] == seen
    assert victim.read_text(encoding="utf-8") == "of the host"
    assert victim.stat().st_mode & 0o777 == 0o600


HOLDING = """
import time
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    time.sleep(10 ** 6)  # with the output of the build, which uv reads to its end
"""


@pytest.mark.slow
def test_one_that_holds_the_output_ends_with_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(left_behind, "GRACE_S", 0.0)
    tree = project(tmp_path / "thing", HOLDING)
    with builder_in(tmp_path / "cache", limits=replace(BUILD_LIMITS, wall_s=PATIENCE_S)) as builder:
        environment = built(builder.prepare(request_for(tree, builder.cache)))
    assert "left behind held its output open" in environment.log.read_text(encoding="utf-8")
    assert environment.incident_notes == ("1 process was left behind by the build, and ended",)
