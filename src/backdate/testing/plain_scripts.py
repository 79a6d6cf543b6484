"""Test scripts that do nothing but start one suite by python: these can be handed the secret of a run.

What else a script starts would inherit the secret, and could read it before the suite does.
"""

from __future__ import annotations

import re
from pathlib import Path

from backdate.errors import ConfigurationError
from backdate.projects.read import read_text
from backdate.recipes.recipe import SuitePlan

_WORD = re.compile(r"[A-Za-z0-9_./:=@%+,-]+\Z")
"""A word that the shell leaves as it is."""
_MODULES = ("pytest", "py.test", "unittest")
_PYTHONS = ("python", "python3")
_MANAGERS = ("poetry", "uv")
"""Whose ``run`` goes on to the command at once: no project gives "python" another meaning there."""


def is_plain(tree: Path, plan: SuitePlan) -> bool:
    """Whether ``plan`` is one script in ``tree`` that starts one suite and nothing else."""
    if plan.runner != "script" or len(plan.targets) != 1 or plan.arguments or plan.environment:
        return False
    try:
        text = read_text(tree, plan.targets[0])
    except ConfigurationError:
        return False
    return text is not None and starts_one_suite(text)


def starts_one_suite(script: str) -> bool:
    """Whether a shell script is ``set``, and then one ``python -m pytest …`` or ``python -m unittest …``.

    It may stand behind ``poetry run`` or ``uv run``.

    >>> starts_one_suite("#!/bin/bash\\nset -euo pipefail\\n\\npython -m pytest .\\n")
    True
    >>> starts_one_suite("make\\npython -m pytest .\\n"), starts_one_suite("python -m pytest $(pwd)\\n")
    (False, False)
    """
    commands = []
    for line in script.replace("\\\n", " ").split("\n"):
        plain = line.strip()
        if plain and not plain.startswith("#"):
            commands.append(plain)
    while commands and re.fullmatch(r"set( [-+][A-Za-z]+| pipefail)+", commands[0]):
        del commands[0]
    if len(commands) != 1:
        return False
    python, *words = commands[0].split()
    if python in _MANAGERS and words[:1] == ["run"] and len(words) > 1:
        python, *words = words[1:]
    module = words[1] if words[:1] == ["-m"] and len(words) > 1 else ""
    return python in _PYTHONS and module in _MODULES and all(map(_WORD.match, words))
