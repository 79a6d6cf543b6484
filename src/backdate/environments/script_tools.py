"""Project managers that a set-up script installs, and where they go.

Where Poetry and its like make an environment for the project, what they themselves need is not in it: with
them in the project's, each would see, and change, what the other installed. So a script's ``pip install
poetry`` makes an environment for Poetry alone, which is gone when the script is done; the project's is the
active one, which all of them use. A script that tells its manager to install into its own environment
(``virtualenvs.create false``, ``pipenv install --system``) gets that: there the project can import what the
manager needs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backdate.errors import ConfigurationError
from backdate.projects.read import read_text
from backdate.projects.toml import parse_toml

MANAGERS = ("hatch", "pdm", "pipenv", "poetry", "uv")
"""By the name of the distribution, which is that of the program."""

_SHARED = {
    "poetry": re.compile(
        r"\bvirtualenvs\.create\s+(?:false|0|no|off)\b|"
        r"\bPOETRY_VIRTUALENVS_CREATE\s*=\s*[\"']?(?:false|0|no|off)\b",
        re.IGNORECASE,
    ),
    "pipenv": re.compile(r"\bpipenv\s[^\n;&|]*--system\b|\bPIPENV_SYSTEM\s*=\s*[\"']?(?:1|true|yes)\b"),
}
"""What a script says when a manager is to install into the environment that it is in itself."""
_ESCAPED_NEWLINE = re.compile(r"\\\n")
_COMMENT = re.compile(r"(?m)^\s*#.*$")


def managers_apart(tree: Path, script: str) -> tuple[str, ...]:
    """The managers that get an environment of their own when ``script`` (a path in ``tree``) installs them.

    >>> managers_apart(Path("/nonexistent"), "setup.sh")
    ('hatch', 'pdm', 'pipenv', 'poetry', 'uv')
    """
    try:
        text = read_text(tree, script) or ""
    except ConfigurationError:
        text = ""
    plain = _COMMENT.sub("", _ESCAPED_NEWLINE.sub(" ", text))
    shared = {name for name, said in _SHARED.items() if said.search(plain)}
    if _settings_of_poetry(tree).get("create") is False:
        shared.add("poetry")
    return tuple(name for name in MANAGERS if name not in shared)


def _settings_of_poetry(tree: Path) -> Mapping[str, Any]:
    try:
        settings = parse_toml(read_text(tree, "poetry.toml") or "").get("virtualenvs")
    except ConfigurationError:
        return {}
    return settings if isinstance(settings, Mapping) else {}
