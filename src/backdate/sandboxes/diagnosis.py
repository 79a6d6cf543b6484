"""Why bubblewrap cannot be used on this machine, and what to do about it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

ACCEPT = "or accept the risk of running foreign code without isolation with --sandbox unsafe-local"
_OLDEST = (0, 8)
_INSTALLERS = (
    ("apt-get", "apt-get install bubblewrap"),
    ("dnf", "dnf install bubblewrap"),
    ("pacman", "pacman -S bubblewrap"),
    ("zypper", "zypper install bubblewrap"),
    ("apk", "apk add bubblewrap"),
)
_SWITCHES = (
    ("kernel/unprivileged_userns_clone", "0", "1"),
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
    ("user/max_user_namespaces", "0", "10000"),
)
"""System settings that forbid user namespaces: name, a value that forbids them, one that allows them."""


def why_unavailable(program: str | None, output: str, *, sysctl: Path = Path("/proc/sys")) -> str | None:
    """What is wrong and how to fix it; None when nothing is wrong.

    ``program`` is bubblewrap's path, None when it is not installed; ``output`` is what a failed canary
    printed, empty when none ran.
    """
    if program is None:
        return f"bubblewrap is not installed; install it ({_installer()}), {ACCEPT}"
    version = _version(program)
    if version < _OLDEST:
        installed, oldest = (".".join(map(str, numbers)) for numbers in (version, _OLDEST))
        problem = f"bubblewrap {installed} at {program} is too old: {oldest} is needed"
        return f"{problem}; install a newer one, {ACCEPT}"
    if not output:
        return None
    lines = output.strip().splitlines()
    first = next((line for line in lines if "bwrap:" in line), lines[-1])
    for name, forbidding, allowing in _SWITCHES:
        try:
            value = (sysctl / name).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if value == forbidding:
            setting = name.replace("/", ".")
            return (
                f"this system forbids user namespaces ({setting} = {value}): {first}; "
                f"allow them as root (sysctl -w {setting}={allowing}), {ACCEPT}"
            )
    return (
        f"bubblewrap does not work here: {first}; in a container, start it so that user namespaces "
        "are allowed (docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined), "
        f"{ACCEPT}"
    )


def _installer() -> str:
    usable = [command for program, command in _INSTALLERS if shutil.which(program)]
    return usable[0] if usable else ", ".join(command for _, command in _INSTALLERS[:3])


def _version(program: str) -> tuple[int, ...]:
    done = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    match = re.search(rb"(\d+)\.(\d+)", done.stdout)
    return tuple(int(part) for part in match.groups()) if match else (0,)
