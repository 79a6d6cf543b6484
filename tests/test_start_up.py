"""What is imported before anything is asked for: what takes long is imported where it is used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_HEAVY = ("click", "docker", "httpx", "jinja2", "matplotlib", "pygments", "rich", "ruamel", "uvicorn")


@pytest.mark.parametrize("module", ["backdate", "backdate.session", "backdate.checking.check"])
def test_the_library_imports_nothing_that_takes_long(module: str) -> None:
    code = f"import sys, {module}; print(*sorted({{*{_HEAVY!r}}} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_client_of_the_index_that_asks_nothing_imports_no_http_client(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from backdate.index.upstream import open_index\n"
        f"with open_index('https://pypi.org/simple', Path({str(tmp_path)!r})) as client:\n"
        "    assert client.upstreams == ('https://pypi.org/simple/',)\n"
        "print('httpx' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
