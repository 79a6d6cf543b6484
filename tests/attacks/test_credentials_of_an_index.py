"""A build and tests look for the credentials of private indexes; so does whoever reads what is left."""

from __future__ import annotations

from pathlib import Path

import pytest
from private_indexes import IndexAtPath, private_indexes, sent

from backdate.checking.settings import Settings
from backdate.cli.recipe_options import RecipeOptions
from backdate.serial import to_json
from backdate.session import Session
from backdate.timeline.instants import parse_instant

pytestmark = [
    pytest.mark.network,  # pip and setuptools are of the public index
    pytest.mark.slow,  # a whole set-up
]

SECRETS = {
    source: f"S3cr3tToken42-of-a-private-index-{source}" for source in ("netrc", "environment", "keyring")
}
SENT = [sent("alice", secret) for secret in SECRETS.values()]
HIDDEN = [*SECRETS.values(), *SENT]
"""The attacker's scripts hold them backwards, or would find themselves."""
LOOKS = f"""
import glob, os, pathlib
wanted = [text[::-1] for text in {[text[::-1] for text in HIDDEN]!r}]
found = [name for name, value in os.environ.items() if any(text in value for text in wanted)]
places = [os.path.expanduser("~"), "/work", "/tmp", "/run", "/etc", "."]
files = [os.path.join(folder, file) for at in places for folder, _, some in os.walk(at) for file in some]
for file in files + glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline"):
    try:
        data = pathlib.Path(file).read_bytes()
    except OSError:
        continue
    if any(text.encode() in data for text in wanted):
        found.append(file)
"""
TESTS = """
import unittest
class Looks(unittest.TestCase):
    def test_found(self):
        import of_netrc, of_environment, of_keyring
        self.assertEqual((of_netrc.VALUE, found), ("1.0", []))
"""


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's netrc, environment and keyring."""
    own = tmp_path / "own"
    own.mkdir()
    netrc, keyring = own / "netrc", own / "keyring"
    netrc.write_text(f"machine 127.0.0.1 login alice password {SECRETS['netrc']}\n")
    netrc.chmod(0o600)
    keyring.write_text(f"#!/bin/sh\n[ $# = 4 ] && printf 'alice\\n{SECRETS['keyring']}\\n'\n")
    keyring.chmod(0o700)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("PATH", str(own), prepend=":")
    monkeypatch.setenv("UV_KEYRING_PROVIDER", "subprocess")
    monkeypatch.setenv("UV_INDEX_TEAM_USERNAME", "alice")
    monkeypatch.setenv("UV_INDEX_TEAM_PASSWORD", SECRETS["environment"])


@pytest.mark.usefixtures("sources")
def test_they_are_nowhere(index_url: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    names = [f"backdate-of-{source}" for source in SECRETS]
    (tree / "setup.py").write_text(
        f"{LOOKS}\nassert not found, found\nfrom setuptools import setup\n"
        f"setup(name='p', version='1', py_modules=[], install_requires={names!r})\n"
    )
    (tree / "test_p.py").write_text(f"{LOOKS}\n{TESTS}")
    work = tmp_path / "work"
    settings = Settings(cache=work / "cache", index_url=index_url, keep=work / "kept")
    with private_indexes() as indexes:
        urls = {}
        for source, secret in SECRETS.items():
            index = IndexAtPath(wants=sent("alice", secret))
            index.put(f"backdate-of-{source}", "1.0", module=f"of_{source}")
            urls[source] = indexes.add(source, index)
        given = [
            urls["netrc"],
            f"team={urls['environment']}",
            urls["keyring"].replace("127.0.0.1", "localhost"),  # of which netrc says nothing
        ]
        with RecipeOptions(extra_index_url=given).indexes(settings) as both, Session(both) as session:
            done = session.set_up(tree, instant=parse_instant("2024-01-01"))
    (work / "result.json").write_bytes(to_json(done))

    assert done.proven, done.reason
    assert done.environment is not None
    assert set(names) <= {one.name for one in done.environment.lock.distributions}
    left = [path for path in work.rglob("*") if path.is_file() and not path.is_symlink()]
    assert any(path.name == "setup.json" for path in left)
    printed = "".join(capfd.readouterr()).encode()
    for text in HIDDEN:
        assert text.encode() not in printed
        assert not [path for path in left if text.encode() in path.read_bytes()]
