"""A build leaves a daemon that goes on changing its environment, and swaps its files for links."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hostile_projects import builder_in, built, project, request_for

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
        seen = [tick.read_bytes() for tick in ticks]
        time.sleep(0.3)  # three hundred of its rounds
        assert [tick.read_bytes() for tick in ticks] == seen
    assert victim.read_text(encoding="utf-8") == "of the host"
    assert victim.stat().st_mode & 0o777 == 0o600
