"""Requirements, and what they lead to, name addresses that are meant for this machine's own services.

The attacker writes a requirement file, or serves a repository: whatever fetches that for him shall ask a
service of this machine, read a file of it, or run a program.
"""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from git_server import GitServer, git, git_server
from hostile_projects import builder_in, project, request_for

from backdate.environments.environment import BuildFailure
from backdate.environments.references.types import ReferencePolicy
from backdate.recipes.recipe import InstallStep, Provenance

ADDRESSES = (
    "git+http://127.0.0.1:{port}/thing.git",
    "git+https://127.0.0.1:{port}/thing.git",
    "git+https://localhost:{port}/thing.git",
    "http://127.0.0.1:{port}/thing-1.tar.gz",
    "https://127.0.0.1:{port}/thing-1.tar.gz",
)


class _Service(http.server.BaseHTTPRequestHandler):
    def handle(self) -> None:
        self.server.asked.append("somebody")  # type: ignore[attr-defined]


@pytest.fixture
def service() -> Iterator[http.server.ThreadingHTTPServer]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Service) as server:
        server.asked = []  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[GitServer]:
    folder = tmp_path / "served"
    folder.mkdir()
    with git_server(folder) as server:
        yield server


def fetch(tmp_path: Path, policy: ReferencePolicy, *lines: str) -> BuildFailure:
    with builder_in(tmp_path / "cache", reference_policy=policy) as builder:
        tree = project(tmp_path / "project")
        (tree / "requirements.txt").write_text("\n".join(lines))
        request = request_for(tree, builder.cache)
        step = InstallStep(kind="requirements", file="requirements.txt", provenance=Provenance(rule="a test"))
        answer = builder.resolve(replace(request, steps=(step,)))
    assert isinstance(answer, BuildFailure), "it should not be found"
    return answer


def test_a_service_of_this_machine_is_not_asked(
    tmp_path: Path, service: http.server.ThreadingHTTPServer
) -> None:
    addresses = [one.format(port=service.server_port) for one in ADDRESSES]
    failure = fetch(tmp_path, ReferencePolicy(), *addresses)
    assert service.asked == []  # type: ignore[attr-defined]
    for address in addresses:
        assert f"{address.removeprefix('git+')} is not fetched" in failure.message


@pytest.mark.slow
def test_nor_by_a_submodule_or_a_requirement_of_a_repository(
    tmp_path: Path, service: http.server.ThreadingHTTPServer, hostile: GitServer
) -> None:
    inner = f"http://127.0.0.1:{service.server_port}/inner"
    tree = project(tmp_path / "thing", "open('part/there').close()")
    (tree / "requirements.txt").write_text(f"git+{inner}.git\next @ git+ext::sh -c 'touch /tmp/pwned'\n")
    links = {}
    for number, url in enumerate((inner, "file:///etc", "ext::sh -c touch% /tmp/pwned")):
        text = f'[submodule "{number}"]\n\tpath = part{number}\n\turl = {url}\n'
        with (tree / ".gitmodules").open("a") as file:
            file.write(text)
        links[f"part{number}"] = "1" * 40
    hostile.commit("thing.git", tree, "2024-01-01", links=links)
    failure = fetch(tmp_path, hostile.policy, f"git+{hostile.origin}/thing.git")
    assert service.asked == []  # type: ignore[attr-defined]
    assert f"{inner} is not fetched" in failure.message
    assert f"{inner}.git is not fetched" in failure.message


def test_a_repository_leads_nowhere_else(
    tmp_path: Path, service: http.server.ThreadingHTTPServer, hostile: GitServer
) -> None:
    """The server answers with a redirect to the service, to git and to the download of an archive."""
    hostile.redirect = f"http://127.0.0.1:{service.server_port}"
    lines = (f"git+{hostile.origin}/moved.git", f"{hostile.origin}/moved-1.tar.gz")
    failure = fetch(tmp_path, hostile.policy, *lines)
    assert len(hostile.asked) >= 2, "the attack did not take place"
    assert service.asked == []  # type: ignore[attr-defined]
    assert "moved.git could not be fetched" in failure.message
    assert "moved-1.tar.gz could not be fetched" in failure.message


@pytest.mark.slow
def test_without_the_gateway_the_redirect_is_followed(
    service: http.server.ThreadingHTTPServer, hostile: GitServer, tmp_path: Path
) -> None:
    hostile.redirect = f"http://127.0.0.1:{service.server_port}"
    with pytest.raises(AssertionError):
        git(
            tmp_path,
            "-c",
            "protocol.http.allow=always",
            "ls-remote",
            f"{hostile.origin}/moved.git",
            allowed="http",
        )
    assert service.asked != []  # type: ignore[attr-defined]
