"""Runs tests of this checkout once more as a user who is not root and owns nothing."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from patience import PATIENCE_S

USER = 61234
"""A number that no distribution hands out."""
ROOT = Path(__file__).parents[2]


def _closed_above(paths: Iterable[Path]) -> Iterator[tuple[Path, Path]]:
    """The first folder above each path that others may not enter, with the path."""
    for path in paths:
        for parent in reversed(path.parents):
            if not parent.stat().st_mode & 0o001:
                yield parent, path
                break


def _opening(paths: Iterable[Path], stash: Path) -> str:
    """A shell script that shows ``paths``, in a mount namespace of its own, below folders that are closed."""
    wanted: dict[Path, list[Path]] = {}
    for closed, path in _closed_above(paths):
        wanted.setdefault(closed, []).append(path)
    lines = ["set -e"]
    for number, (closed, below) in enumerate(wanted.items()):
        aside = stash / str(number)
        lines += [
            f"mkdir {shlex.quote(str(aside))}",
            f"mount --rbind {shlex.quote(str(closed))} {shlex.quote(str(aside))}",
            f"mount -t tmpfs -o mode=0755 none {shlex.quote(str(closed))}",
        ]
        for path in dict.fromkeys(below):
            place = shlex.quote(str(path))
            lines.append(f"mkdir -p {place}")
            lines.append(f"mount --rbind {shlex.quote(str(aside / path.relative_to(closed)))} {place}")
    return "\n".join((*lines, 'exec "$@"'))


def run_tests_as_user(*tests: str) -> subprocess.CompletedProcess[str]:
    """Pytest's run of ``tests`` (paths from the top of the checkout) as that user. Needs root."""
    folder = Path(tempfile.mkdtemp(prefix="backdate-user-"))
    try:
        folder.chmod(0o755)
        stash = folder / "stash"
        stash.mkdir(mode=0o700)
        own = folder / "own"
        own.mkdir()
        os.chown(own, USER, USER)
        pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
        shown = [ROOT, Path(sys.prefix), Path(sys.base_prefix), *([pyenv] if pyenv.is_dir() else [])]
        environment = {
            "PATH": f"{Path(sys.prefix, 'bin')}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(own / "home"),
            "TMPDIR": str(own / "tmp"),
            "BACKDATE_TEST_CACHE": str(own / "downloads"),
            "PYENV_ROOT": str(pyenv),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        for name in ("home", "tmp"):
            (own / name).mkdir()
            os.chown(own / name, USER, USER)
        command = [
            *("unshare", "--mount", "--propagation", "private", "sh", "-c", _opening(shown, stash), "sh"),
            *("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--inh-caps=-all"),
            *(sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--rootdir", str(ROOT)),
            *("--all", "-m", "not docker and not debian", "--basetemp", str(own / "tests"), *tests),
        ]
        return subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    finally:
        subprocess.run(["rm", "-rf", "--one-file-system", str(folder)], check=False)


def require_another_user() -> None:
    """Skip where no other user can be become."""
    if os.geteuid() != 0:
        pytest.skip("these tests run as an ordinary user already")
    lacking = [name for name in ("unshare", "setpriv", "mount") if shutil.which(name) is None]
    if lacking:
        pytest.skip(f"not installed: {', '.join(lacking)}")
