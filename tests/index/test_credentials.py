"""Credentials for private indexes: where they come from, to their host alone, and in no address."""

from __future__ import annotations

import base64
from pathlib import Path

import httpx
import pytest

from backdate.checking.settings import Settings
from backdate.errors import ConfigurationError, UsageError
from backdate.index.addresses import check_upstream
from backdate.index.credentials import sign_for, sign_with_netrc
from backdate.index.http import Fetcher
from backdate.index.private_index import PrivateIndex, private_index
from backdate.index.upstream import open_index

SECRET = "S3cr3tToken42"


@pytest.fixture
def own_netrc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "netrc"
    path.write_text(
        f"machine private.example login alice password {SECRET}\ndefault login any password {SECRET}\n"
    )
    path.chmod(0o600)
    monkeypatch.setenv("NETRC", str(path))
    return path


@pytest.mark.parametrize(
    ("url", "signed"),
    [
        ("https://private.example/simple/six/", True),
        ("http://private.example/simple/six/", False),
        ("https://pypi.org/simple/six/", False),
        ("https://default/simple/six/", False),
        ("https://sub.private.example/simple/six/", False),
    ],
)
def test_they_go_to_their_host_alone(own_netrc: Path, url: str, signed: bool) -> None:
    sign = sign_with_netrc()
    assert sign is not None
    request = sign(httpx.Request("GET", url))
    assert ("authorization" in request.headers) is signed
    assert SECRET not in str(request.url)


def test_they_do_not_follow_a_redirect_to_another_host(own_netrc: Path) -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        if request.url.host == "private.example":
            return httpx.Response(302, headers={"location": "https://elsewhere.example/simple/six/"})
        return httpx.Response(404, stream=httpx.ByteStream(b""))

    fetcher = Fetcher(transport=httpx.MockTransport(answer))
    assert fetcher.get("https://private.example/simple/six/", {}).status == 404
    fetcher.close()
    assert [request.url.host for request in seen] == ["private.example", "elsewhere.example"]
    assert ["authorization" in request.headers for request in seen] == [True, False]


def test_without_a_file_there_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NETRC", str(tmp_path / "gone"))
    assert sign_with_netrc() is None


def test_a_damaged_file_is_not_quoted(own_netrc: Path) -> None:
    own_netrc.write_text(f"machine private.example login alice passwrd {SECRET}\n")
    sign = sign_with_netrc()
    assert sign is not None
    assert "authorization" not in sign(httpx.Request("GET", "https://pypi.org/simple/six/")).headers
    with pytest.raises(ConfigurationError, match="is no netrc file") as told:
        sign(httpx.Request("GET", "https://private.example/simple/six/"))
    assert SECRET not in str(told.value)
    assert told.value.__cause__ is None


@pytest.mark.parametrize(
    "url", [f"https://alice:{SECRET}@private.example/simple/", f"https://{SECRET}@x/simple"]
)
def test_an_address_with_credentials_is_refused_and_not_repeated(url: str, tmp_path: Path) -> None:
    for refused in (
        lambda: Settings(index_url=url),
        lambda: check_upstream(url),
        lambda: open_index(url, tmp_path),
    ):
        with pytest.raises(UsageError, match=r"put them into ~/\.netrc") as told:
            refused()
        assert SECRET not in str(told.value)


@pytest.mark.parametrize(
    "url",
    [
        f"https:alice:{SECRET}@private.example/simple",
        f"//alice:{SECRET}@private.example/simple",
        f"alice:{SECRET}@private.example",
        f"https:\\\\alice:{SECRET}@private.example/simple",
        f"https://alice:{SECRET}%40private.example/simple",
        f"https://private.example/simple?token={SECRET}",
        f"https://private.example/simple#{SECRET}",
        f"https://alice:{SECRET}",
    ],
)
def test_nor_is_one_that_is_misspelled(url: str) -> None:
    for refused in (lambda: check_upstream(url), lambda: private_index(url)):
        with pytest.raises(UsageError) as told:
            refused()
        assert SECRET not in str(told.value)


TEAM = private_index("team=https://private.example/team/simple")
KEYRING = f"""#!/bin/sh
echo "$@" >> "$0.calls"
[ -e "$0.locked" ] && exit 1
case "$*" in
  "get https://private.example/team/simple/ bob") echo {SECRET}-of-bob;;
  "get private.example --mode creds") printf 'carol\\n{SECRET}-of-carol\\n';;
  *) exit 1;;
esac
"""


@pytest.fixture
def keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of that name on PATH, and no netrc."""
    program = tmp_path / "bin" / "keyring"
    program.parent.mkdir()
    program.write_text(KEYRING)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setenv("NETRC", str(tmp_path / "gone"))
    return program


def sent_to(url: str, *indexes: PrivateIndex, environment: dict[str, str]) -> str | None:
    """The user's name and password that a request is signed with."""
    request = sign_for(indexes or (TEAM,), environment)(httpx.Request("GET", url))
    told = request.headers.get("authorization")
    return None if told is None else base64.b64decode(told.removeprefix("Basic ")).decode()


PAGE = "https://private.example/team/simple/six/"
OWN = {"UV_INDEX_TEAM_USERNAME": "eve", "UV_INDEX_TEAM_PASSWORD": "of-eve"}


def test_the_environment_goes_before_netrc_and_that_before_the_keyring(
    own_netrc: Path, keyring: Path
) -> None:
    asks = {"UV_KEYRING_PROVIDER": "subprocess"}
    assert sent_to(PAGE, environment={**OWN, **asks}) == "eve:of-eve"
    assert sent_to(PAGE, environment={"UV_INDEX_TEAM_USERNAME": "bob", **asks}) == f"bob:{SECRET}-of-bob"
    assert sent_to(PAGE, environment=asks) == f"carol:{SECRET}-of-carol"
    calls = Path(f"{keyring}.calls").read_text().splitlines()
    assert calls == [
        "get https://private.example/team/simple/ bob",
        "get https://private.example/team/simple/ --mode creds",
        "get private.example --mode creds",
    ]


def test_netrc_serves_where_the_environment_names_nobody_else(own_netrc: Path) -> None:
    assert sent_to(PAGE, environment={}) == f"alice:{SECRET}"
    assert sent_to(PAGE, environment={"UV_INDEX_TEAM_USERNAME": "alice"}) == f"alice:{SECRET}"
    assert sent_to(PAGE, environment={"UV_INDEX_TEAM_USERNAME": "token"}) == "token:"


@pytest.mark.parametrize(
    "url",
    [
        "https://elsewhere.example/team/simple/six/",
        "http://private.example/team/simple/six/",
        "https://private.example:8443/team/simple/six/",
    ],
)
def test_credentials_of_an_index_stay_with_its_host_and_port(keyring: Path, url: str) -> None:
    assert sent_to(url, environment=OWN) is None


def test_two_indexes_of_one_host_have_their_own(keyring: Path) -> None:
    other = private_index("other=https://private.example/other/simple")
    environment = {**OWN, "UV_INDEX_OTHER_USERNAME": "oscar", "UV_INDEX_OTHER_PASSWORD": "of-oscar"}
    of_other = "https://private.example/other/simple/six/"
    assert sent_to(of_other, TEAM, other, environment=environment) == "oscar:of-oscar"
    assert sent_to(PAGE, other, TEAM, environment=environment) == "eve:of-eve"
    beside = "https://private.example/other/files/six.whl"
    assert sent_to(beside, TEAM, other, environment=environment) == "oscar:of-oscar"
    files = "https://private.example/files/six.whl"
    assert sent_to(files, TEAM, other, environment=environment) == "eve:of-eve"


def test_a_keyring_is_asked_once_and_only_when_uv_would(keyring: Path) -> None:
    assert sent_to(PAGE, environment={}) is None
    assert not Path(f"{keyring}.calls").exists()
    sign = sign_for((TEAM,), {"UV_KEYRING_PROVIDER": "subprocess"})
    for _ in range(3):
        sign(httpx.Request("GET", PAGE))
    assert len(Path(f"{keyring}.calls").read_text().splitlines()) == 2
    with pytest.raises(ConfigurationError, match="disabled or subprocess"):
        sign_for((TEAM,), {"UV_KEYRING_PROVIDER": "import"})


def test_a_keyring_without_an_entry_and_one_that_is_missing(
    keyring: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = {"UV_KEYRING_PROVIDER": "subprocess"}
    Path(f"{keyring}.locked").touch()
    assert sent_to(PAGE, environment=asks) is None
    keyring.unlink()
    with pytest.raises(ConfigurationError, match="no program 'keyring'"):
        sent_to(PAGE, environment=asks)


def test_a_password_is_not_sent_unencrypted(keyring: Path) -> None:
    plain = private_index("team=http://private.example/simple")
    with pytest.raises(ConfigurationError, match="unencrypted") as told:
        sign_for((plain,), OWN)
    assert "of-eve" not in str(told.value)
