"""Credentials for private indexes: from the user's netrc, to their host alone, and in no address."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from backdate.checking.settings import Settings
from backdate.errors import ConfigurationError, UsageError
from backdate.index.credentials import sign_with_netrc
from backdate.index.http import Fetcher
from backdate.index.upstream import check_upstream, open_index

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
