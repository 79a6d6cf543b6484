"""A command types into the terminal that backdate was started from: what it types runs when it is over."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from attacker import Attacker
from sandboxed_shell import Shell

ATTACK = """
import fcntl, os
reached = []
for name in ("/dev/tty", "/dev/console", "/dev/pts/0", *(f"/proc/self/fd/{number}" for number in range(3))):
    try:
        descriptor = os.open(name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        continue
    for letter in b"touch planted\\n":
        try:
            fcntl.ioctl(descriptor, 0x5412, bytes([letter]))  # TIOCSTI
            reached.append(name)
        except OSError:
            break
print("reached:", sorted(set(reached)))
"""

CALLER = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2].split(":")
from attacker import Attacker
from sandboxed_shell import Shell
from backdate.sandboxes.bubblewrap import Bubblewrap
lines = Attacker(Shell(Bubblewrap(), Path(sys.argv[1])))(sys.argv[3])
Path(sys.argv[1], "said").write_text("\\n".join(lines))
"""


def test_nothing_is_typed(attacker: Attacker) -> None:
    assert attacker(ATTACK) == ["reached: []"]


def test_nothing_is_typed_into_a_real_terminal(shell: Shell, tmp_path: Path) -> None:
    """As the first, from a caller whose session has a terminal."""
    ours, theirs = pty.openpty()
    try:
        support = str(Path(__file__).parents[1] / "support")
        command = [sys.executable, "-c", CALLER, str(tmp_path), f"{support}:{':'.join(sys.path)}", ATTACK]
        setsid = ["setsid", "--ctty", "--wait"]
        done = subprocess.run([*setsid, *command], stdin=theirs, stdout=theirs, stderr=theirs, check=False)
        assert done.returncode == 0
        assert (tmp_path / "said").read_text() == "reached: []"
        os.set_blocking(theirs, False)
        with pytest.raises(BlockingIOError):
            os.read(theirs, 100)  # what was typed would stand here
    finally:
        os.close(ours)
        os.close(theirs)
