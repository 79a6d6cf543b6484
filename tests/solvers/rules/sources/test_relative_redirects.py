"""Redirects whose address is relative by now."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.relative_redirects import relative_redirects

FACTORY = """from flask import Flask


def create_app():
    app = Flask(__name__)
    app.config["A"] = 1
    return app
"""
TOLD = "    app.response_class.autocorrect_location_header = True\n"
WANTED = "AssertionError: assert '/login?next=%2F' == 'http://localhost/login?next=%2F'\n  - http://localhost"


def mended(message: str, text: str = FACTORY, versions: tuple[str, str] = ("0.16.0", "3.1.3")) -> str:
    """The text, mended; "" where nothing is proposed."""
    evidence = evidence_of(
        {"web/app.py": text, "tests/test_app.py": text},
        executed={"web/app.py": frozenset(range(1, 9)), "tests/test_app.py": frozenset({5})},
        versions={"werkzeug": versions},
        kept_files=frozenset({"tests/test_app.py"}),
    )
    place = SourcePlace(file="tests/test_app.py", line=9)
    cause = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message=message)
    proposal = relative_redirects(FailureGroup(cause=cause, tests=("t",), places=(place,)), evidence)
    if proposal is None:
        return ""
    (edit,) = proposal.file_edits
    assert edit.file == "web/app.py"
    return edit.text


@pytest.mark.parametrize(
    "message",
    [
        WANTED,
        "'/' != 'http://localhost/'\n- /\n+ http://localhost/\n",
        'assert "https://example.org:8000/a" in "/a"',
        "'http://localhost/a' not found in '/a'",
        "assert '/us...long' == 'http://local.../long'\n  \n  - http://localhost/user/long\n  + /user/long",
    ],
)
def test_the_response_class_is_told(message: str) -> None:
    before, after = FACTORY.split("    app.config", 1)
    assert mended(message) == f"{before}{TOLD}    app.config{after}"


def test_an_application_of_the_module_or_of_an_object(tmp_path: object) -> None:
    text = "import flask\napp = flask.Flask(__name__)  # the application\n"
    assert mended(WANTED, text) == f"{text}{TOLD.strip()}\n"
    own = "class A:\n    def __init__(self):\n        self.app = Flask('a')\n"
    assert mended(WANTED, own).endswith(
        "\n        self.app.response_class.autocorrect_location_header = True\n"
    )


@pytest.mark.parametrize(
    "message",
    [
        "assert '/login' == 'http://localhost/logout'",
        "assert '/login' == '/logout'",
        "assert 'http://[' == '/'",
        "assert 302 == 200",
    ],
)
def test_other_assertions_say_nothing_of_it(message: str) -> None:
    assert mended(message) == ""


def test_nor_do_other_releases_and_applications_that_are_told_already() -> None:
    assert mended(WANTED, versions=("2.1.0", "3.1.3")) == ""
    assert mended(WANTED, FACTORY.replace("    return", TOLD + "    return")) == ""
    assert mended(WANTED, "app = Flask(__name__); app.run()\n") == ""
    assert mended(WANTED, "def f():\n    return Flask(__name__)\n") == ""
