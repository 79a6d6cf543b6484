"""The gateway by itself, and from inside of sandboxes."""

from __future__ import annotations

import gc
import http.server
import shlex
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sandboxed_shell import Shell, interpreter_mount
from slow_tests import others_slow

from backdate.sandboxes.gateway import Gateway, parse_request
from backdate.sandboxes.gateway_upstream import UpstreamEndpoint, endpoint_of, is_on_internet
from backdate.sandboxes.interface import Mount, Sandbox


class Server(http.server.ThreadingHTTPServer):
    """A web server of this machine's loopback that notes what it was asked."""

    def __init__(self, body: bytes = b"the index") -> None:
        self.seen: list[tuple[str, str]] = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.seen.append((self.path, self.headers.get("host", "")))
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def endpoint(self) -> UpstreamEndpoint:
        return UpstreamEndpoint("127.0.0.1", self.server_port)


@pytest.fixture
def index() -> Iterator[Server]:
    with Server() as server:
        yield server
        server.shutdown()


@pytest.fixture
def other() -> Iterator[Server]:
    with Server(b"a secret of this machine") as server:
        yield server
        server.shutdown()


@pytest.fixture(autouse=True)
def no_proxy_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def ask(gateway: Gateway, request: bytes) -> bytes:
    """What the gateway answers to a request."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(str(gateway.mounts[0].source))
        connection.sendall(request)
        answer = b""
        while data := connection.recv(65536):
            answer += data
        return answer


def get(endpoint: UpstreamEndpoint, *headers: str) -> bytes:
    lines = (f"GET http://{endpoint}/simple/?a=b HTTP/1.1", *headers, "", "")
    return "\r\n".join(lines).encode()


def test_requests_to_the_index_are_forwarded_under_its_own_name(index: Server) -> None:
    with Gateway([index.endpoint]) as gateway:
        assert ask(gateway, get(index.endpoint, "Host: elsewhere.example")).endswith(b"the index")
        assert gateway.refused == ()
    assert index.seen == [("/simple/?a=b", str(index.endpoint))]


def test_a_tunnel_to_the_index(index: Server) -> None:
    request = f"CONNECT {index.endpoint} HTTP/1.1\r\n\r\nGET / HTTP/1.0\r\n\r\n".encode()
    with Gateway([index.endpoint]) as gateway:
        answer = ask(gateway, request)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.endswith(b"the index")


def test_an_answer_that_takes_long_reaches_a_client_that_has_said_everything() -> None:
    with socket.create_server(("127.0.0.1", 0)) as upstream, socket.socket(socket.AF_UNIX) as client:
        upstream.settimeout(30)
        client.settimeout(30)
        endpoint = UpstreamEndpoint("127.0.0.1", upstream.getsockname()[1])
        with Gateway([endpoint]) as gateway:
            client.connect(str(gateway.mounts[0].source))
            client.sendall(f"CONNECT {endpoint} HTTP/1.1\r\n\r\nall of it".encode())
            assert client.recv(65536).startswith(b"HTTP/1.1 200 ")
            client.shutdown(socket.SHUT_WR)
            connection, _ = upstream.accept()
            with connection:
                connection.settimeout(30)
                while connection.recv(65536):
                    """Until the client's end has arrived."""
                gc.collect()
                connection.sendall(b"the answer")
            assert client.recv(65536) == b"the answer"


def test_nothing_else_is_reached_and_its_name_is_kept(index: Server, other: Server) -> None:
    with Gateway([index.endpoint]) as gateway:
        for request in (get(other.endpoint), f"CONNECT {other.endpoint} HTTP/1.1\r\n\r\n".encode()):
            assert ask(gateway, request).startswith(b"HTTP/1.1 403 ")
        assert ask(gateway, b"CONNECT github.com:443 HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 403 ")
        assert gateway.refused == (str(other.endpoint), "github.com:443")
    assert other.seen == []


def test_further_hosts_must_not_be_at_private_addresses(index: Server, other: Server) -> None:
    named = UpstreamEndpoint("localhost", other.server_port)
    elsewhere = [UpstreamEndpoint("192.0.2.1", 80)]
    with Gateway(elsewhere, further=lambda: [named]) as gateway:
        assert ask(gateway, get(named)).startswith(b"HTTP/1.1 403 ")
        assert gateway.refused == (str(named),)
    with Gateway([index.endpoint], further=lambda: [other.endpoint]) as gateway:  # at the index' own address
        assert ask(gateway, get(other.endpoint)).endswith(b"a secret of this machine")


def test_a_name_is_looked_up_once_and_closing_waits_for_no_answer(
    index: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    answered, look_up = threading.Event(), socket.getaddrinfo

    def slow(host: str, *rest: Any, **more: Any) -> Any:
        asked.append(host)
        if host == "silent.example":
            assert answered.wait(60)
        return look_up(host, *rest, **more)

    named = UpstreamEndpoint("localhost", index.server_port)
    silent = UpstreamEndpoint("silent.example", 443)
    monkeypatch.setattr(socket, "getaddrinfo", slow)
    try:
        with Gateway([named, silent]) as gateway:
            for _ in range(3):
                assert ask(gateway, get(named)).endswith(b"the index")
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(gateway.mounts[0].source))
                connection.sendall(f"CONNECT {silent} HTTP/1.1\r\n\r\n".encode())
                while "silent.example" not in asked:
                    time.sleep(0.01)
        assert not answered.is_set()
    finally:
        answered.set()
    assert asked.count("localhost") == 1


def test_an_index_that_is_down_is_not_a_refusal() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        gone = UpstreamEndpoint("127.0.0.1", server.getsockname()[1])
    with Gateway([gone]) as gateway:
        assert ask(gateway, get(gone)).startswith(b"HTTP/1.1 502 ")
        assert gateway.refused == ()


def test_the_proxy_of_this_machine_is_gone_through(
    index: Server, other: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://user:word@{index.endpoint}")
    public = UpstreamEndpoint("index.example", 80)
    with Gateway([public, other.endpoint]) as gateway:
        assert ask(gateway, get(public)).endswith(b"the index")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        assert ask(gateway, get(other.endpoint)).endswith(b"a secret of this machine")
    assert index.seen == [("http://index.example:80/simple/?a=b", "index.example:80")]


def test_a_tunnel_through_the_proxy_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[bytes] = []

    def tunnel(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            heard.append(connection.recv(65536))
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            heard.append(connection.recv(65536))
            connection.sendall(b"through the tunnel")

    with socket.create_server(("127.0.0.1", 0)) as proxy:
        thread = threading.Thread(target=tunnel, args=(proxy,))
        thread.start()
        monkeypatch.setenv("https_proxy", f"http://user:word@127.0.0.1:{proxy.getsockname()[1]}")
        public = UpstreamEndpoint("index.example", 443)
        with Gateway([public]) as gateway:
            answer = ask(gateway, b"CONNECT index.example:443 HTTP/1.1\r\n\r\nhello")
        thread.join()
    assert answer == b"HTTP/1.1 200 Connection established\r\n\r\nthrough the tunnel"
    assert heard[0].startswith(b"CONNECT index.example:443 HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic dXNlcjp3b3Jk\r\n" in heard[0]
    assert heard[1] == b"hello"


def test_a_proxy_of_another_kind_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", "socks5://127.0.0.1:1080")
    with Gateway([UpstreamEndpoint("index.example", 443)]) as gateway:
        answer = ask(gateway, b"CONNECT index.example:443 HTTP/1.1\r\n\r\n")
    assert b"of the kind 'socks5'" in answer


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"GET / HTTP/1.1",
        b"GET ftp://h/ HTTP/1.1",
        b"GET file:///etc/passwd HTTP/1.1",
        b"CONNECT h HTTP/1.1",
        b"CONNECT h:99999 HTTP/1.1",
        b"CONNECT [::1 HTTP/1.1",
        b"GET http://h/ HTTP/2",
        b"\xff\xfe\x00",
    ],
)
def test_what_is_no_request_for_a_proxy(head: bytes) -> None:
    assert parse_request(head + b"\r\n\r\n") is None


def test_the_host_of_a_request() -> None:
    for head, endpoint in (
        (b"CONNECT PyPI.org:443 HTTP/1.1", UpstreamEndpoint("pypi.org", 443)),
        (b"CONNECT [::1]:443 HTTP/1.1", UpstreamEndpoint("::1", 443)),
        (b"GET http://pypi.org@evil.example/ HTTP/1.1", UpstreamEndpoint("evil.example", 80)),
        (b"CONNECT pypi.org:443@evil.example:443 HTTP/1.1", UpstreamEndpoint("evil.example", 443)),
    ):
        request = parse_request(head + b"\r\n\r\n")
        assert request is not None
        assert request.endpoint == endpoint


def test_the_endpoint_of_an_address() -> None:
    assert endpoint_of("https://Pypi.org/simple") == UpstreamEndpoint("pypi.org", 443)
    assert endpoint_of("http://127.0.0.1:3141/root/pypi/+simple/") == UpstreamEndpoint("127.0.0.1", 3141)
    assert endpoint_of("file:///srv/index") is None


FETCH = """
import sys
try:
    from urllib.request import urlopen
except ImportError:
    from urllib2 import urlopen
print(urlopen(sys.argv[1]).read().decode("ascii"))
try:
    print(urlopen(sys.argv[2]).read().decode("ascii"))
except Exception as error:
    print("refused with " + str(error.code))
"""


def fetch_inside(shell: Shell, interpreter: str, mount: Mount, index: Server, other: Server) -> list[str]:
    with Gateway([index.endpoint]) as gateway:
        urls = [f"http://{server.endpoint}/" for server in (index, other)]
        line = " && ".join(
            (
                gateway.start_line(Path(interpreter)),
                f"exec {shlex.quote(interpreter)} -c {shlex.quote(FETCH)} {shlex.join(urls)}",
            )
        )
        result = shell(
            line, network="gateway", mounts=(mount, *gateway.mounts), env={**gateway.variables(), "LANG": "C"}
        )
        assert result.enforced.network == "gateway"
        assert gateway.refused == (str(other.endpoint),)
    return shell.text.splitlines()


def test_from_inside_of_the_default_sandbox(shell: Shell, index: Server, other: Server) -> None:
    interpreter, mount = interpreter_mount()
    lines = fetch_inside(shell, interpreter, mount, index, other)
    assert lines == ["the index", "refused with 403"]
    assert other.seen == []


def test_the_forwarder_runs_on_old_pythons(shell: Shell, index: Server, other: Server) -> None:
    found = next(iter(sorted(Path.home().glob(".pyenv/versions/2.7.*"))), None)
    if found is None and shutil.which("python2.7") is None:
        pytest.skip("there is no Python 2.7 here")
    prefix = found or Path("/usr")
    mount = Mount(source=prefix, target=str(prefix))
    lines = fetch_inside(shell, str(prefix / "bin" / "python2.7"), mount, index, other)
    assert lines == ["the index", "refused with 403"]


@pytest.mark.docker
def test_from_inside_of_a_container(
    docker_sandbox: Sandbox, tmp_path: Path, index: Server, other: Server
) -> None:
    interpreter, mount = interpreter_mount()
    lines = fetch_inside(Shell(docker_sandbox, tmp_path), interpreter, mount, index, other)
    assert lines == ["the index", "refused with 403"]


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.255.0.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
        *("100.64.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "::1", "::", "fe80::1", "fe80::1%lo"),
        *("fc00::1", "fec0::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1"),
        *("64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::", "2001:0:1:2:3:4:80ff:fffe"),
    ],
)
def test_addresses_that_are_not_of_the_internet(address: str) -> None:
    assert not is_on_internet(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "151.101.0.223", "2606:4700::1111", "64:ff9b::101:101"])
def test_addresses_of_the_internet(address: str) -> None:
    assert is_on_internet(address)


@pytest.mark.parametrize(
    "host",
    others_slow(["127.0.0.1", "localhost", "127.1", "0x7f000001", "2130706433"], kept=["127.0.0.1", "127.1"]),
)
@pytest.mark.parametrize("proxied", [False, True])
def test_a_gateway_to_the_internet_leads_nowhere_on_this_machine(
    other: Server, monkeypatch: pytest.MonkeyPatch, host: str, proxied: bool
) -> None:
    if proxied:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{other.server_port}")
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{other.server_port}")
    with Gateway(internet=True) as gateway:
        plain = ask(gateway, f"GET http://{host}:{other.server_port}/ HTTP/1.1\r\n\r\n".encode())
        tunnel = ask(gateway, f"CONNECT {host}:{other.server_port} HTTP/1.1\r\n\r\n".encode())
    assert plain.startswith(b"HTTP/1.1 403 ")
    assert tunnel.startswith(b"HTTP/1.1 403 ")
    assert other.seen == []
    assert gateway.refused == (f"{host}:{other.server_port}",)


def test_a_gateway_to_the_internet_leads_there(other: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backdate.sandboxes.gateway.is_on_internet", lambda _: True)  # for want of a real one
    with Gateway(internet=True) as gateway:
        assert ask(gateway, get(other.endpoint)).endswith(b"a secret of this machine")
    assert gateway.refused == ()
