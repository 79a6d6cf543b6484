"""Point every client of a package index at one URL, and disable every other source.

pip, uv, Poetry, PDM, pipenv and setuptools' own fetching are set by environment variables and by
files in a folder that stands for HOME. Isolated builds (PEP 517) inherit both. What would add
another index (extra indexes, find-links, pip.conf, uv.toml) is emptied, removed or not read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from backdate.timeline.instants import Instant, parse_instant

FILE_HOSTS = ("files.pythonhosted.org",)
"""The host of the public index' files: the only other one that setuptools may fetch from."""

_BUILDS_FETCH_WITH_PIP = parse_instant("2019-11-23")
"""setuptools 42: builds fetch what they need by pip, and refuse to where hosts are limited."""

BYPASSES = frozenset(
    {
        "PIP_EXTRA_INDEX_URL",
        "PIP_FIND_LINKS",
        "PIP_NO_INDEX",
        "PIP_PROCESS_DEPENDENCY_LINKS",
        "PIP_PYPI_URL",
        "PIP_UPLOADED_PRIOR_TO",
        "PIPENV_EXTRA_INDEX",
        "PIPENV_TEST_INDEX",
        "UV_CONFIG_FILE",
        "UV_EXCLUDE_NEWER",
        "UV_EXCLUDE_NEWER_PACKAGE",
        "UV_EXTRA_INDEX_URL",
        "UV_FIND_LINKS",
        "UV_INDEX",
        "UV_INDEX_STRATEGY",
        "UV_NO_INDEX",
        "UV_OFFLINE",
        "UV_TORCH_BACKEND",
    }
)
"""Variables that make a client use anything but the one index at the one instant."""

_HOME_ENTRIES = frozenset({".pydistutils.cfg", "pydistutils.cfg", ".pip", "bin", ".backdate"})


def client_environment(index_url: str, home: Path) -> dict[str, str]:
    """The variables that point every client at ``index_url``, ``home`` holding ``client_files(index_url)``.

    Pure. Put ``home / "bin"`` at the front of PATH: Poetry has no variable for its index, so that folder
    holds a wrapper named ``poetry``.
    """
    host = urlsplit(index_url).hostname or ""
    return {
        "HOME": str(home),
        "BACKDATE_INDEX_URL": index_url,
        # pip: PIP_CONFIG_FILE=/dev/null makes it read no configuration file at all; empty is unset.
        "PIP_INDEX_URL": index_url,
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_EXTRA_INDEX_URL": "",
        "PIP_FIND_LINKS": "",
        "PIP_TRUSTED_HOST": host,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        # uv, and its releases before 0.4.23
        "UV_DEFAULT_INDEX": index_url,
        "UV_INDEX_URL": index_url,
        "UV_NO_CONFIG": "1",
        "PDM_PYPI_URL": index_url,
        "PDM_CONFIG_FILE": str(home / ".backdate" / "pdm.toml"),
        "PDM_CHECK_UPDATE": "0",
        "PIPENV_PYPI_MIRROR": index_url,
        "POETRY_PYPI_MIRROR_URL": index_url,  # read by the plugin poetry-plugin-pypi-mirror
        # setuptools from 60 on; those before read ~/.pydistutils.cfg
        "DIST_EXTRA_CONFIG": str(home / ".pydistutils.cfg"),
        # tox 3 hands on no variables but these
        "TOX_TESTENV_PASSENV": "PIP_* UV_* DIST_EXTRA_CONFIG HOME",
        "NO_PROXY": f"{host},127.0.0.1,localhost",
        "no_proxy": f"{host},127.0.0.1,localhost",
    }


def client_files(
    index_url: str, instant: Instant, *, file_hosts: Sequence[str] = FILE_HOSTS
) -> dict[str, str]:
    """The files to write below the folder that serves as HOME: relative path to content. Pure.

    ``instant`` decides how a setuptools released by then must be configured: before release 42 it downloads
    by itself, from any host that a distribution names, unless hosts are limited.
    """
    hosts = ",".join((urlsplit(index_url).netloc, *file_hosts))
    limit = f"allow_hosts = {hosts}\n" if instant < _BUILDS_FETCH_WITH_PIP else ""
    return {
        ".pydistutils.cfg": f"[easy_install]\nindex_url = {index_url}\n{limit}find_links =\n",
        ".backdate/pdm.toml": "",
        ".backdate/poetry_at_instant.py": (files("backdate.index") / "poetry_at_instant.py").read_text(),
        "bin/poetry": _POETRY_STARTER,
    }


def write_client_files(
    index_url: str, instant: Instant, home: Path, *, file_hosts: Sequence[str] = FILE_HOSTS
) -> None:
    """Write ``client_files`` under ``home``."""
    for name, content in client_files(index_url, instant, file_hosts=file_hosts).items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        path.chmod(0o755 if name.startswith("bin/") else 0o644)


def pointed_at(environment: Mapping[str, str], index_url: str, home: Path) -> dict[str, str]:
    """``environment`` with every client pointed at ``index_url``, and nothing that bypasses it. Pure."""
    kept = {name: value for name, value in environment.items() if name not in BYPASSES}
    ours = client_environment(index_url, home)
    for name in ("NO_PROXY", "no_proxy", "TOX_TESTENV_PASSENV"):
        if kept.get(name):
            separator = " " if name.startswith("TOX") else ","
            ours[name] = f"{kept[name]}{separator}{ours[name]}"
    ours["PATH"] = f"{home / 'bin'}{os.pathsep}{kept.get('PATH', os.defpath)}"
    return {**kept, **ours}


def folders_of(real: Path) -> dict[str, str]:
    """Where the home ``real`` keeps caches and data: for a command whose HOME is another folder.

    Virtual environments that such a command creates (Poetry, pipenv) then keep valid paths.
    """
    return {
        "XDG_CACHE_HOME": str(real / ".cache"),
        "XDG_CONFIG_HOME": str(real / ".config"),
        "XDG_DATA_HOME": str(real / ".local" / "share"),
        "XDG_STATE_HOME": str(real / ".local" / "state"),
        "PYTHONUSERBASE": str(real / ".local"),
    }


def shadow_home(real: Path, home: Path) -> None:
    """Link everything in ``real`` into ``home``, except the files that ``client_files`` puts there.

    A command then finds its keys and settings although its HOME is another folder.
    """
    for entry in sorted(real.iterdir()) if real.is_dir() else ():
        if entry.name not in _HOME_ENTRIES:
            (home / entry.name).symlink_to(entry)


_POETRY_STARTER = """\
#!/bin/sh
# Starts the real Poetry with its built-in index replaced by the one in BACKDATE_INDEX_URL.
here=$(cd "$(dirname "$0")" && pwd)
remaining=$PATH:
real=
while [ -n "$remaining" ]; do
    folder=${remaining%%:*}
    remaining=${remaining#*:}
    if [ "$folder" != "$here" ] && [ -x "$folder/poetry" ]; then
        real=$folder/poetry
        break
    fi
done
if [ -z "$real" ]; then
    echo "poetry: not found on PATH" >&2
    exit 127
fi
{ read -r first; read -r second; } < "$real"
case "$first" in
    # a path that is too long for the system is in a second line, which python takes for a text
    "#!/bin/sh") python=${second#"'''exec' "}; python=${python%' "$0" "$@"'} ;;
    *) python=${first#\\#!} ;;
esac
case "$python" in
    '"'*python*'"')
        python=${python#'"'}
        exec "${python%'"'}" "$here/../.backdate/poetry_at_instant.py" "$real" "$@"
        ;;
    *python*) exec $python "$here/../.backdate/poetry_at_instant.py" "$real" "$@" ;;
    *) echo "poetry: $real is no Python script, so it cannot be pointed at an instant" >&2; exit 126 ;;
esac
"""
