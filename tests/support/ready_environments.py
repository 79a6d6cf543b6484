"""Environments that are there already, as values."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from backdate.environments.environment import Environment, Interpreter, InterpreterChoice, Lock


def environment_of(root: Path, executable: Path) -> Environment:
    """A value that stands for an environment which is already there."""
    probe = (
        "import sys; print('%d.%d.%d' % sys.version_info[:3]); print(getattr(sys, 'base_prefix', sys.prefix))"
    )
    version, prefix = subprocess.run(
        [str(executable), "-c", probe], capture_output=True, text=True, check=True
    ).stdout.split("\n")[:2]
    interpreter = Interpreter(version=version, executable=executable, prefix=Path(prefix), source="pyenv")
    choice = InterpreterChoice(wanted=version, reason="for a test", interpreter=interpreter)
    lock = Lock(instant=datetime(2024, 1, 1, tzinfo=UTC), python=version, distributions=())
    return Environment(
        key="0" * 64, root=root, choice=choice, lock=lock, build_s=0.0, reused=False, log=Path(os.devnull)
    )
