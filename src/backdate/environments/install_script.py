"""Shell lines of build steps: those that make an environment from a lock, and one for requirement files."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from backdate.environments import uv
from backdate.environments.compiled import compiling_arguments, sharing_arguments
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.step_files import placed

COPIES_INSTEAD_OF_LINKS = (
    r"find . -maxdepth 4 -type f \( -name '*.txt' -o -name '*.in' -o -name '*.pip' \) "
    r"-exec sed -i -E 's/^[[:space:]]*(-e|--editable)[[:space:]=]+//' {} +"
)
"""A shell line, for the private copy of the tree: requirements that ask for an editable install get a plain
one.

An editable install leads into the tree that the build saw, which is gone when tests run; and it needs
setuptools 64, which most old instants do not have.
"""


def install_script(
    request: EnvironmentRequest,
    root: Path,
    install: Sequence[str],
    lock: Path,
    neighbours: Sequence[Path] | None,
) -> list[str]:
    """Shell lines that make the environment at ``root``; ``neighbours``: None for one that can be moved."""
    python = request.choice.interpreter.executable
    script = [
        shlex.join(uv.create_arguments(python=python, root=root, movable=neighbours is None)),
        placed(lock, request.at),
        f'{shlex.join(install)} "$TMPDIR/{lock.name}"',
    ]
    return script if neighbours is None else [*script, *compile_script(root, neighbours, python)]


def compile_script(root: Path, neighbours: Sequence[Path], python: Path) -> list[str]:
    """Shell lines that compile the modules at ``root``, or take what ``neighbours`` have of the same ones."""
    sharing = [attempt(sharing_arguments(root, neighbours, python))] if neighbours else []
    return [*sharing, attempt(compiling_arguments(root, python))]


def attempt(arguments: Sequence[str]) -> str:
    """A shell line that succeeds whatever the command does."""
    return f"{{ {shlex.join(arguments)} || :; }}"


def step_script(connecting: Sequence[str], beside: Sequence[str], script: Sequence[str]) -> str:
    """The shell script of a step, which ends with the first line that fails.

    ``connecting``: without these lines it has no network. ``beside``: lines that are run meanwhile, and
    have to end well before ``script`` begins.
    """
    if not beside:
        return " && ".join((*connecting, *script))
    own = f"{{ {' && '.join(beside)}; }} & own=$!"
    return f"{own}; {' && '.join((*connecting, 'wait $own', *script))}"
