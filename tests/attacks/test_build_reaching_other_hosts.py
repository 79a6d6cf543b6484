"""A ``setup.py`` looks for services of this machine and for hosts beside the package index."""

from __future__ import annotations

import http.server
import socket
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from project_builds import build_project

from backdate.environments.environment import BuildFailure, Environment

ATTACK = """
import os, socket, urllib.request
reached = []
try:
    if urllib.request.urlopen("http://127.0.0.1:{port}/admin", timeout=20).read():
        reached.append("by the proxy")
except OSError:
    pass
direct = urllib.request.build_opener(urllib.request.ProxyHandler({{}}))
try:
    if direct.open("http://127.0.0.1:{port}/admin", timeout=20).read():
        reached.append("directly")
except OSError:
    pass
try:
    socket.socket(socket.AF_UNIX).connect("\\0{name}")
    reached.append("an abstract socket")
except OSError:
    pass
try:
    tunnel = socket.create_connection(("127.0.0.1", 3128), timeout=20)
    end = bytes((13, 10))  # setuptools replaces escapes of this in a setup.py
    tunnel.sendall(b"CONNECT internal.example:22 HTTP/1.1" + 2 * end)
    if b" 200 " in tunnel.recv(100):
        reached.append("a tunnel")
except OSError:
    pass
try:
    socket.getaddrinfo("pypi.org", 443)
    reached.append("name servers")
except OSError:
    pass
if {enough}:
    raise SystemExit("reached: " + ", ".join(reached))
from setuptools import setup
setup(name="project", version="1")
"""


class _Service(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Length", "6")
        self.end_headers()
        self.wfile.write(b"secret")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def service() -> Iterator[http.server.ThreadingHTTPServer]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Service) as server:
        server.asked = []  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.network
def test_a_build_reaches_nothing_of_this_machine(
    tmp_path: Path, service: http.server.ThreadingHTTPServer
) -> None:
    name = f"service-{uuid.uuid4().hex}"
    with socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0{name}")
        abstract.listen()
        attack = ATTACK.format(port=service.server_port, name=name, enough="True")
        built = build_project(tmp_path, attack)
    assert isinstance(built, BuildFailure)
    assert "reached: \n" in f"{built.message}\n"
    assert service.asked == []  # type: ignore[attr-defined]
    assert set(built.refused) == {f"127.0.0.1:{service.server_port}", "internal.example:22"}
    assert "internal.example:22" in built.message
    assert "--build-network" in built.message
    assert "internal.example:22" in built.log.read_text()


@pytest.mark.network
@pytest.mark.slow
def test_with_the_whole_network_it_reaches_them(
    tmp_path: Path, service: http.server.ThreadingHTTPServer
) -> None:
    attack = ATTACK.format(port=service.server_port, name="nobody", enough='"directly" not in reached')
    built = build_project(tmp_path, attack, open_network=True)
    assert isinstance(built, Environment)
    assert built.network == "on"
    assert "/admin" in service.asked  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.network
def test_a_requirement_from_a_git_server_of_this_machine_fails_by_name(
    tmp_path: Path, service: http.server.ThreadingHTTPServer
) -> None:
    setup = "from setuptools import setup\nsetup(name='project', version='1')\n"
    line = f"thing @ git+http://127.0.0.1:{service.server_port}/thing.git\n"
    built = build_project(tmp_path, setup, requirements=line)
    assert isinstance(built, BuildFailure)
    assert built.refused == (f"127.0.0.1:{service.server_port}",)
    assert "--build-network" in built.message
    assert service.asked == []  # type: ignore[attr-defined]
