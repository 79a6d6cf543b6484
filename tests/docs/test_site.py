"""The documentation's site is built without a warning: no dead link, no page that none leads to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    built = subprocess.run(
        [*command, "-d", str(tmp_path / "read"), str(ROOT / "docs"), str(tmp_path / "site")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    commands = (tmp_path / "site" / "reference" / "commands.html").read_text()
    assert "backdate bench verify" in commands
    assert "--from" in commands
    assert "still_good" in (tmp_path / "site" / "reference" / "library.html").read_text()
