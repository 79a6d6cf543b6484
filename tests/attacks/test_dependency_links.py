"""A ``setup.py`` has old setuptools fetch what it needs from a server of this machine.

``dependency_links`` and ``setup_requires`` make easy_install, or a pip that setuptools starts, look there
first. The index is reached, and what it has is installed; the server is not.
"""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from project_builds import INSTANT, build_project

from backdate.checking.dated_project import Interpreters
from backdate.environments.build import Builder
from backdate.environments.cache import Cache, default_cache
from backdate.environments.environment import Environment
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.script_installer import prepare_by_script
from backdate.projects.python_constraint import read_python_constraint
from backdate.projects.tree import tree_digest
from backdate.sandboxes.choose import choose_sandbox

SETUP = """
from setuptools import setup
setup(
    name="project",
    version="1",
    py_modules=["project"],
    setup_requires=["six==1.15.0"],
    install_requires=["docopt==0.6.2"],
    dependency_links=["http://127.0.0.1:{port}/links/"],
)
"""


class _Links(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        self.send_error(404)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def links() -> Iterator[http.server.ThreadingHTTPServer]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Links) as server:
        server.asked = []  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.parametrize("open_network", [False, True], ids=["gateway", "open"])
def test_the_index_is_reached_and_no_server_of_this_machine(
    open_network: bool, tmp_path: Path, links: http.server.ThreadingHTTPServer
) -> None:
    tree = tmp_path / "project"
    tree.mkdir()
    (tree / "setup.py").write_text(SETUP.format(port=links.server_port))
    (tree / "project.py").write_text("x = 1\n")
    (tree / "setup.sh").write_text("set -e\npython setup.py install\n")
    cache = Cache(tmp_path / "cache")
    interpreters = Interpreters(default_cache())
    request = EnvironmentRequest(
        tree=tree,
        digest=tree_digest(tree),
        steps=(),
        name="project",
        choice=interpreters.choose(read_python_constraint(tree), INSTANT, forced="3.11"),
        instant=INSTANT,
    )
    builder = Builder(cache, choose_sandbox("bwrap"), open_network=open_network)
    made = prepare_by_script(builder, request, "setup.sh")
    assert isinstance(made, Environment), made.message
    log = made.log.read_text(encoding="utf-8")
    locked = {one.name: one for one in made.lock.distributions}
    assert locked["docopt"].version == "0.6.2", "an egg is part of the lock"
    assert locked["docopt"].hashes
    assert locked["project"].source == "."
    if open_network:  # so it would be
        assert links.asked  # type: ignore[attr-defined]
        return
    assert links.asked == []  # type: ignore[attr-defined]
    assert f"Not let through to the network while building: 127.0.0.1:{links.server_port}" in log


@pytest.mark.network
@pytest.mark.slow
def test_a_page_of_links_that_requirements_name_is_refused(
    tmp_path: Path, links: http.server.ThreadingHTTPServer
) -> None:
    address = f"127.0.0.1:{links.server_port}"
    made = build_project(
        tmp_path,
        "from setuptools import setup; setup(name='project', version='1')",
        requirements=f"--find-links http://{address}/links/\nsix==1.15.0\n",
    )
    assert links.asked == []  # type: ignore[attr-defined]
    # uv does not go on without the page; the pip of the time, which takes its place, asks the index.
    assert isinstance(made, Environment), made.message
    assert address in made.installer
    log = made.log.read_text(encoding="utf-8")
    assert f"Not let through to the network while building: {address}" in log
    assert [one.version for one in made.lock.distributions if one.name == "six"] == ["1.15.0"]
