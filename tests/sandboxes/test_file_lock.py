"""A file that one at a time holds."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from backdate.sandboxes.file_lock import held_file


def test_one_at_a_time_holds_it(tmp_path: Path) -> None:
    inside, most = 0, 0
    counting = threading.Lock()

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with held_file(tmp_path / "lock", remove=True):
                with counting:
                    inside += 1
                    most = max(most, inside)
                with counting:
                    inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=300)
    assert (most, inside) == (1, 0)
    assert not (tmp_path / "lock").exists()


def test_another_process_waits(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom backdate.sandboxes.file_lock import held_file\n"
        "print('started', flush=True)\nwith held_file(Path(sys.argv[1])):\n"
        "    print(Path(sys.argv[2]).exists())\n"
    )
    lock, done = tmp_path / "lock", tmp_path / "done"
    with held_file(lock, remove=True):
        other = subprocess.Popen(
            [sys.executable, "-c", program, str(lock), str(done)], stdout=subprocess.PIPE, text=True
        )
        assert other.stdout is not None
        assert other.stdout.readline() == "started\n"
        done.touch()
    assert other.communicate(timeout=300)[0] == "True\n"


def test_it_is_free_again_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a fault"), held_file(tmp_path / "lock"):
        raise ValueError("a fault")
    with held_file(tmp_path / "lock"):
        pass
    assert (tmp_path / "lock").exists()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to("elsewhere")
    with pytest.raises(OSError, match="symbolic links"), held_file(tmp_path / "lock"):
        pass
    assert not (tmp_path / "elsewhere").exists()
