"""A Python for the small programs of ours that run inside a sandbox."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from backdate.environments.environment import Environment
from backdate.sandboxes.interface import Mount


def inside_python(shown: Environment | None) -> tuple[Path, tuple[Mount, ...]]:
    """An interpreter, and what has to be shown for it besides.

    That of ``shown``, an environment which the sandbox shows anyway; without one the interpreter that runs
    us.
    """
    if shown is not None:
        return shown.choice.interpreter.executable, ()
    prefix = Path(sys.base_prefix)
    return Path(os.path.realpath(sys.executable)), (Mount(source=prefix, target=str(prefix)),)
