"""What is imported before anything is asked for: what takes long is imported where it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

_HEAVY = ("click", "docker", "httpx", "jinja2", "matplotlib", "pygments", "rich", "ruamel", "uvicorn")


@pytest.mark.parametrize("module", ["backdate", "backdate.session", "backdate.checking.check"])
def test_the_library_imports_nothing_that_takes_long(module: str) -> None:
    code = f"import sys, {module}; print(*sorted({{*{_HEAVY!r}}} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
