"""Environments that are there already, as values."""

from __future__ import annotations

import os
import shutil
import subprocess
import venv
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

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


@cache
def environment_with_pytest(*plugins: str) -> Environment:
    """A virtual environment of this interpreter: a copy of this pytest, ``plugins``, and what they require.

    The one that the tests run in has many plugins, which each suite would import: four times as long.
    """
    root = Path(os.environ["XDG_CACHE_HOME"], "-".join(("bare-pytest", *plugins)))  # a folder of this process
    venv.create(root, symlinks=True)
    (target,) = root.glob("lib/python*/site-packages")
    for name in _required_by("pytest", *plugins):
        distribution = metadata.distribution(name)
        tops = {Path(file).parts[0] for file in distribution.files or () if Path(file).parts[0] != ".."}
        for top in tops:
            source = Path(str(distribution.locate_file(top)))
            if source.is_dir():
                shutil.copytree(source, target / top, dirs_exist_ok=True)
            else:
                shutil.copy2(source, target / top)
    script = root / "bin" / "pytest"
    script.write_text(f"#!{root}/bin/python\nimport sys\nimport pytest\nsys.exit(pytest.console_main())\n")
    script.chmod(0o755)
    return environment_of(root, root / "bin" / "python")


def _required_by(*names: str) -> list[str]:
    """``names``, and what they require here, each once."""
    found = list(names)
    for one in found:
        for text in metadata.requires(one) or ():
            requirement = Requirement(text)
            wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            if wanted and requirement.name not in found:
                found.append(requirement.name)
    return found
