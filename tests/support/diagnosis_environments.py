"""Environments and sandboxes of this machine, for tests that run things."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.environments.environment import Environment, Interpreter, InterpreterChoice, Lock


def find_interpreter(version: str) -> Path:
    """The newest CPython of ``version`` ("3.8") in pyenv's folder or on PATH; skips without one."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    found = [
        (int(folder.name.rpartition(".")[2]), folder / "bin/python")
        for folder in root.glob(f"versions/{version}.*")
        if re.fullmatch(rf"{re.escape(version)}\.\d+", folder.name)
    ]
    if found:
        return max(found)[1]
    on_path = shutil.which(f"python{version}")
    if on_path is None or "shims" in on_path:
        pytest.skip(f"no CPython {version} on this machine")
    return Path(on_path)


def environment_of(root: Path, executable: Path) -> Environment:
    """A value that stands for an environment which is already there."""
    code = (
        "import sys; print('%d.%d.%d' % sys.version_info[:3]); print(getattr(sys, 'base_prefix', sys.prefix))"
    )
    done = subprocess.run([str(executable), "-c", code], capture_output=True, text=True, check=True)
    version, prefix = done.stdout.split("\n")[:2]
    interpreter = Interpreter(version=version, executable=executable, prefix=Path(prefix), source="pyenv")
    return Environment(
        key="0" * 64,
        root=root,
        choice=InterpreterChoice(wanted=version, reason="for a test", interpreter=interpreter),
        lock=Lock(instant=datetime(2024, 1, 1, tzinfo=UTC), python=version, distributions=()),
        build_s=0.0,
        reused=False,
        log=Path(os.devnull),
    )


def build(folder: Path, version: str, *requirements: str, instant: str | None = None) -> Environment:
    """A real environment; skips when the index cannot be reached."""
    executable = find_interpreter(version)
    uv = shutil.which("uv") or str(Path(sys.executable).parent / "uv")
    root = folder / "venv"
    indexes = ("UV_INDEX_URL", "UV_DEFAULT_INDEX")
    clean = {
        name: value
        for name, value in os.environ.items()
        if name in indexes or not name.startswith(("UV_", "PIP_"))
    }
    cut = [] if instant is None else ["--exclude-newer", instant]
    install = [uv, "pip", "install", "--no-config", "--quiet", "--python", str(root / "bin/python")]
    for command in (
        [uv, "venv", "--no-config", "--quiet", "--python", str(executable), str(root)],
        [*install, *cut, *requirements],
    ):
        done = subprocess.run(command, capture_output=True, text=True, env=clean, timeout=300, check=False)
        if done.returncode:
            message = f"{' '.join(command[:3])} failed: {done.stderr.strip()[-600:]}"
            if re.search(r"dns error|error sending request|Connection refused|timed out", done.stderr):
                pytest.skip(f"the package index cannot be reached: {message}")
            pytest.fail(message)
    return environment_of(root, root / "bin/python")
