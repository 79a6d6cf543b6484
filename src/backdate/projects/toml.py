"""TOML of foreign projects: every refusal is one kind of error, and no document takes long to read."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from backdate.errors import ConfigurationError

_MOST_PARTS = 32
"""Of one dotted key. The standard library's reader takes quadratic time for them; real keys have six."""

_NOT_IN_A_KEY = re.compile(r"[=,{}\[\]#]|\.{2,}")


def parse_toml(text: str) -> dict[str, Any]:
    """The document that ``text`` holds.

    Raises ConfigurationError, in one line, for what is not TOML, and for documents with which the standard
    library's reader would take too much time, depth or digits.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") >= _MOST_PARTS and _parts(line) > _MOST_PARTS:
            raise ConfigurationError(f"not TOML that is read: a name of {_MOST_PARTS} parts in line {number}")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ConfigurationError("not TOML that is read: it is nested too deep") from error
    except ValueError as error:  # TOMLDecodeError, and int() of thousands of digits
        raise ConfigurationError(f"not TOML: {str(error)[:200]}") from error


def _parts(line: str) -> int:
    """How many parts a key in ``line`` has at most."""
    return max(run.count(".") + 1 for run in _NOT_IN_A_KEY.split(line))
