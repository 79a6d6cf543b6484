from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from backdate.sandboxes.interface import Command, Limits, Workspace
from backdate.testing.moved_clock import MovedClock, find_libfaketime


def test_a_run_gets_the_library_and_the_time_and_keeps_the_rest(tmp_path: Path) -> None:
    clock = MovedClock(
        library=tmp_path / "libfaketime.so.1", instant=datetime(2021, 3, 1, 12, 30, tzinfo=UTC)
    )
    command = Command(argv=("true",), cwd="/", env={"A": "b", "TZ": "Asia/Tokyo"}, limits=Limits())
    changed, workspace = clock.applied(command, Workspace(tree=tmp_path))
    assert changed.env["A"] == "b"
    assert changed.env["FAKETIME"] == "@2021-03-01 12:30:00"
    assert changed.env["TZ"] == "UTC"  # the time is read as local time
    [mount] = workspace.mounts
    assert (mount.source, mount.target) == (clock.library, changed.env["LD_PRELOAD"])
    assert not mount.writable


def test_the_library_may_lie_elsewhere(tmp_path: Path) -> None:
    library = tmp_path / "lib.so"
    assert find_libfaketime({"BACKDATE_LIBFAKETIME": str(library)}) is None
    library.touch()
    assert find_libfaketime({"BACKDATE_LIBFAKETIME": str(library)}) == library
