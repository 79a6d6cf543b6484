"""The documentation's site is built without a warning: no dead link, no page that none leads to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
BUILD = "import gc, sys; gc.disable(); from sphinx.cmd.build import main; sys.exit(main(sys.argv[1:]))"
"""Without collecting garbage, of which a build makes little: that takes a third of its time."""


def build(builder: str, folder: Path) -> None:
    """Read all pages and resolve their links; ``html`` writes them as well."""
    command = [sys.executable, "-c", BUILD, "-W", "--keep-going", "-q", "-b", builder]
    built = subprocess.run(
        [*command, "-d", str(folder / "read"), str(ROOT / "docs"), str(folder / "site")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr


@pytest.mark.slow
def test_the_site_is_read_without_a_warning(tmp_path: Path) -> None:
    build("dummy", tmp_path)


@pytest.mark.slow  # writing the pages takes longer than reading them
def test_the_site_is_written_without_a_warning(tmp_path: Path) -> None:
    build("html", tmp_path)
    commands = (tmp_path / "site" / "reference" / "commands.html").read_text()
    assert "backdate bench verify" in commands
    assert "--from" in commands
    assert "still_good" in (tmp_path / "site" / "reference" / "library.html").read_text()
