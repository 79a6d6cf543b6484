"""Credentials from the ``keyring`` program, called as uv and pip call it (``keyring get SERVICE …``)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from backdate.errors import ConfigurationError

PROVIDER_VARIABLE = "UV_KEYRING_PROVIDER"
_PROVIDERS = ("disabled", "subprocess")
_TIMEOUT_S = 60.0
"""A keyring may ask its user on the screen."""


def uses_keyring(environment: Mapping[str, str]) -> bool:
    """Whether ``UV_KEYRING_PROVIDER`` is "subprocess". Raises ConfigurationError for what uv refuses."""
    provider = environment.get(PROVIDER_VARIABLE, "") or "disabled"
    if provider not in _PROVIDERS:
        raise ConfigurationError(f"{PROVIDER_VARIABLE} is {' or '.join(_PROVIDERS)}, not {provider!r:.40}")
    return provider == "subprocess"


def ask_keyring(url: str, username: str | None) -> tuple[str, str] | None:
    """The user's name and password that the keyring has for ``url``, else for its host; None for none.

    The program gets no input, and what it prints is kept nowhere; what it says on standard error is the
    user's to see. Raises ConfigurationError where it is missing or does not end.
    """
    program = shutil.which("keyring")
    if (
        program is None or not Path(program).is_absolute()
    ):  # relative: of the folder that one happens to be in
        raise ConfigurationError(
            f"{PROVIDER_VARIABLE} is subprocess, and there is no program 'keyring' on PATH: install it "
            "(pipx install keyring), or unset the variable"
        )
    host = urlsplit(url).netloc
    for service in (url, host):
        found = _asked(program, service, username)
        if found is not None:
            return found
    return None


def _asked(program: str, service: str, username: str | None) -> tuple[str, str] | None:
    whose = [username] if username is not None else ["--mode", "creds"]
    try:
        answer = subprocess.run(
            [program, "get", service, *whose],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=None if username is not None else subprocess.DEVNULL,
            cwd=os.sep,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        answer = None  # its exception holds what was printed
    except OSError as error:
        raise ConfigurationError(f"{program} cannot be started: {error.strerror}") from error
    if answer is None:
        raise ConfigurationError(f"{program} did not answer for {service} within {_TIMEOUT_S:.0f} seconds")
    if answer.returncode != 0:
        return None
    lines = answer.stdout.decode("utf-8", "replace").rstrip("\r\n").splitlines()
    if username is not None:
        return (username, lines[0]) if lines and lines[0] else None
    return (lines[0], lines[1]) if len(lines) > 1 and lines[1] else None
