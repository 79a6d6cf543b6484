"""A project on real releases with three independent breakages, from the source to the proof."""

import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from backdate.bisection.index_releases import releases_on_index
from backdate.bisection.result import BisectResult
from backdate.checking.question import Question
from backdate.checking.result import Verdict
from backdate.checking.settings import Settings
from backdate.cli.render_bisection import bisection_lines
from backdate.diagnosis.api import NameChange
from backdate.environments.cache import default_cache
from backdate.errors import IndexUnavailable
from backdate.index.cache import DiskCache
from backdate.index.upstream import IndexClient, UsageError
from backdate.projects.sources.listing import fetch_listing
from backdate.serial import from_json, to_json
from backdate.session import bisect

MOVED: dict[str, Any] = {"question": Question.LIFTED, "move_python": True}
OLD, NEW = datetime(2021, 11, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)
BOTH = ("forward", "backward")
TESTS = """
import unittest


class Three(unittest.TestCase):
    def test_transitive(self):
        from markupsafe import soft_unicode  # jinja2 needs markupsafe; gone in 2.1.0

        self.assertEqual(soft_unicode("x"), "x")

    def test_direct(self):
        from werkzeug.urls import url_quote  # gone in 3.0.0

        self.assertEqual(url_quote("a b"), "a%20b")

    def test_interpreter(self):
        from collections import Mapping  # gone in Python 3.10

        self.assertTrue(issubclass(dict, Mapping))

    def test_good(self):
        import jinja2

        self.assertEqual(jinja2.Template("{{ x }}").render(x=1), "1")
"""


@pytest.fixture(scope="module")
def index() -> None:
    try:
        with IndexClient() as client:
            fetch_listing(client, "markupsafe")
    except IndexUnavailable as error:
        pytest.skip(f"the package index does not answer: {error}")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "three"
    folder.mkdir()
    (folder / "requirements.txt").write_text("jinja2==3.0.2\nwerkzeug==2.0.2\n")
    (folder / "test_three.py").write_text(TESTS)
    return folder


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.usefixtures("index")
def test_three_breakages_are_attributed_and_a_second_time_nothing_is_built(project: Path) -> None:
    settings = Settings(cache=default_cache())
    first = bisect(project, from_instant=OLD, to_instant=NEW, **MOVED, settings=settings)
    found = {finding.tests: finding for finding in first.findings}
    moves = {
        tests[0].rpartition(".")[2]: [(one.name, one.new) for one in finding.culprits]
        for tests, finding in found.items()
    }
    assert moves["test_transitive"] == [("markupsafe", "2.1.0")]
    assert moves["test_direct"] == [("werkzeug", "3.0.0")]
    assert [name for name, _ in moves["test_interpreter"]] == ["python"]
    assert moves["test_interpreter"][0][1].startswith("3.10.")
    assert {finding.confirmed for finding in first.findings} == {BOTH}
    said = {finding.tests[0].rpartition(".")[2]: finding.explanations for finding in first.findings}
    for test, name, warned in (
        ("test_transitive", "markupsafe.soft_unicode", "'soft_unicode' has been renamed to 'soft_str'"),
        (
            "test_direct",
            "werkzeug.urls.url_quote",
            "url_quote' is deprecated and will be removed in Werkzeug 3",
        ),
        ("test_interpreter", "collections.Mapping", "Using or importing the ABCs from 'collections'"),
    ):
        told = said[test]
        assert told is not None
        moved = test == "test_interpreter"
        assert told.names[0].name == name
        assert told.names[0].change is (NameChange.MOVED if moved else NameChange.GONE)
        assert told.names[0].moved_to[:1] == (("collections.abc.Mapping",) if moved else ())
        assert any(warned in one.message for one in told.warnings), test
    # werkzeug 3.0.0 has a changelog, in which "Remove previously deprecated code" names nothing
    assert said["test_direct"].changelog == said["test_direct"].notes == ()  # type: ignore[union-attr]
    advised = {change.name: (change.replacement, len(change.places)) for change in first.advice.fixes}
    assert advised == {
        "markupsafe.soft_unicode": ("markupsafe.soft_str", 2),
        "werkzeug.urls.url_quote": ("urllib.parse.quote", 2),
        "collections.Mapping": ("collections.abc.Mapping", 2),
    }
    assert all(limits.passing for limits in first.advice.now)
    assert from_json(BisectResult, to_json(first)) == first
    second = bisect(project, from_instant=OLD, to_instant=NEW, **MOVED, settings=settings)
    assert (second.builds, second.runs) == (0, 0)
    assert [one.culprits for one in second.findings] == [one.culprits for one in first.findings]
    with pytest.raises(UsageError, match="has no test 'test_none'"):
        bisect(project, from_instant=OLD, to_instant=NEW, **MOVED, tests=["test_none"], settings=settings)


HIDDEN = """
import pytest


@pytest.mark.parametrize("number", range(40))
def test_good(number):
    assert number >= 0


def test_wants_a_server():
    from werkzeug.urls import url_quote  # gone in 3.0.0

    raise ConnectionError("no server is there for " + url_quote("me"))
"""


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.usefixtures("index")
def test_what_hides_behind_an_older_failure_is_attributed(project: Path) -> None:
    (project / "test_three.py").write_text(HIDDEN)
    with (project / "requirements.txt").open("a") as file:
        file.write("pytest==6.2.5\n")
    settings = Settings(cache=default_cache())
    result = bisect(project, from_instant=OLD, to_instant=NEW, **MOVED, python="3.10", settings=settings)
    assert result.check.verdict is Verdict.FAILS_DIFFERENTLY
    (finding,) = result.findings
    assert [(one.name, one.new) for one in finding.culprits] == [("werkzeug", "3.0.0")]
    assert (finding.failed_before, finding.confirmed, result.unattributed) == (True, BOTH, ())
    assert [change.replacement for change in result.advice.fixes] == ["urllib.parse.quote"]
    assert result.advice.now == ()  # with the older werkzeug it fails as before
    assert result.verdict is Verdict.BROKE
    lines = [line for line, _ in bisection_lines(result)]
    assert "  1 test, which did not pass before; confirmed both ways" in lines


def never(project: Path, name: str, text: str) -> BisectResult:
    (project / name).write_text(text)
    return bisect(project, from_instant=OLD, to_instant=NEW, **MOVED, python="3.11", settings=Settings())


NEVER = """
import unittest


class Never(unittest.TestCase):
    def test_never(self):
        self.fail()
"""


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.usefixtures("index")
def test_a_project_that_never_worked_has_no_culprit(project: Path) -> None:
    result = never(project, "test_three.py", NEVER)
    assert result.verdict is Verdict.CANNOT_TELL
    assert result.check.reason.startswith("no test passes in the old environment")
    assert (result.findings, result.builds, result.runs) == ((), 0, 0)
    assert list(bisection_lines(result))[-2][0].startswith("CANNOT TELL: no test passes in the old")


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.usefixtures("index")
def test_a_side_that_does_not_build_is_said_and_nobody_is_blamed(project: Path) -> None:
    result = never(project, "requirements.txt", "markupsafe>=2.1.1\n")  # of 2022
    assert result.verdict is Verdict.CANNOT_TELL
    assert result.check.reason.startswith("the old environment does not build (resolve): ")
    assert "markupsafe" in result.check.reason
    assert (result.findings, result.builds) == ((), 0)


@pytest.mark.network
@pytest.mark.usefixtures("index")
@pytest.mark.slow
def test_a_build_that_broke_is_attributed_to_the_build_tool(tmp_path: Path) -> None:
    folder = tmp_path / "unbuildable"
    folder.mkdir()
    (folder / "setup.py").write_text(
        "import setuptools\n"
        'assert int(setuptools.__version__.split(".")[0]) < 60, "made for setuptools before 60"\n'
        'setuptools.setup(name="unbuildable", version="1", py_modules=["unbuildable"])\n'
    )
    (folder / "unbuildable.py").write_text("X = 1\n")
    (folder / "requirements.txt").write_text("pytest\n")
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools", "wheel"]\nbuild-backend = "setuptools.build_meta"\n'
    )
    (folder / "test_x.py").write_text("import unbuildable\n\n\ndef test_x():\n    assert unbuildable.X\n")
    old, new = datetime(2021, 6, 1, tzinfo=UTC), datetime(2022, 6, 1, tzinfo=UTC)
    result = bisect(folder, from_instant=old, to_instant=new, **MOVED, python="3.8", settings=Settings())
    (finding,) = result.findings
    (culprit,) = finding.culprits
    assert (culprit.name, culprit.old, culprit.new) == ("setuptools", "59.8.0", "60.0.0")
    assert (finding.breaks, finding.confirmed, finding.tests) == ("build", BOTH, ())
    assert "made for setuptools before 60" in finding.error.message
    assert from_json(BisectResult, to_json(result)) == result
    lines = [line for line, _ in bisection_lines(result)]
    assert "  the environment; confirmed both ways" in lines
    assert sum("made for setuptools before 60" in line for line in lines) == 1
    assert result.verdict is Verdict.BROKE


def test_an_index_without_upload_times_is_refused_by_name(tmp_path: Path) -> None:
    page = b'<!DOCTYPE html><html><body><a href="a-1.0.tar.gz#sha256=00">a-1.0.tar.gz</a></body></html>'

    class Timeless(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Timeless) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            url = f"http://127.0.0.1:{server.server_port}/simple"
            with (
                IndexClient(upstreams=(url,), cache=DiskCache(tmp_path)) as client,
                pytest.raises(IndexUnavailable, match="upload time"),
            ):
                releases_on_index(["a"], client)
        finally:
            server.shutdown()
            thread.join()
