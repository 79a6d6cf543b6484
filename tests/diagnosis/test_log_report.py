"""Logs of real CI jobs (``tools/collect_ci_logs.py``): the cause, the library and the change."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from backdate.cli.render_log import change_sentence, log_lines
from backdate.diagnosis.log_report import LogReport, explain_log
from backdate.diagnosis.pip_logs import InstallFailureKind
from backdate.serial import from_json, to_json

CI = Path(__file__).parent / "ci"
CHANGES = {
    "pytest-markupsafe": (
        "markupsafe.soft_unicode",
        "markupsafe",
        "markupsafe dropped markupsafe.soft_unicode in 2.1; use markupsafe.soft_str",
    ),
    "pytest-nose-numpy": (
        "collections.MutableMapping",
        "builtin",
        "Python dropped collections.MutableMapping in 3.10; use collections.abc.MutableMapping",
    ),
    "pytest-numpy-float": ("numpy.float", "numpy", "numpy dropped numpy.float in 1.24; use float"),
    "pytest-werkzeug": (
        "werkzeug.urls.url_quote",
        "Werkzeug",
        "werkzeug dropped werkzeug.urls.url_quote in 3.0; use urllib.parse.quote",
    ),
    "unittest-asyncore": ("asynchat", "builtin", "Python dropped asynchat in 3.12; use asyncio"),
    "unittest-mock": (
        "collections.MutableMapping",
        "builtin",
        "Python dropped collections.MutableMapping in 3.10; use collections.abc.MutableMapping",
    ),
}
"""By log: what is missing, whose it is, and what changed."""
INSTALLS = {
    "pip-conflict": (InstallFailureKind.CONFLICT, "Werkzeug==1.0.1 and flask==2.2.2", ""),
    "pip-cython": (InstallFailureKind.BUILD, "PyYAML==5.4.1", "cython"),
    "pip-no-release": (InstallFailureKind.NO_RELEASE, "tensorflow==1.15.0", ""),
    "pip-python-range": (InstallFailureKind.WRONG_PYTHON, "numpy==2.0.0", ""),
    "pip-use-2to3": (InstallFailureKind.BUILD, "anyjson==0.3.3", "setuptools"),
}
"""By log: how it failed, of what, and whose change is behind it."""


def report_of(name: str) -> LogReport:
    return explain_log((CI / f"{name}.log").read_text(encoding="utf-8"))


def test_every_log_has_its_answer_and_names_no_machine() -> None:
    logs = {path.stem: path.read_text(encoding="utf-8") for path in CI.glob("*.log")}
    assert logs.keys() == CHANGES.keys() | INSTALLS.keys()
    assert len(logs) >= 10
    stamped = [name for name, text in logs.items() if re.match(r"\d{4}-\d\d-\d\dT.*Z ##\[group\]", text)]
    coloured = [name for name in stamped if "\x1b[3" in logs[name]]
    assert len(coloured) >= 2
    for text in logs.values():
        assert not re.search(r"/root\b|\.pyenv|/opt/pypi|/tmp/ci-|Looking in", text)


@pytest.mark.parametrize("name", sorted(CHANGES))
def test_the_cause_the_library_and_the_change(name: str) -> None:
    report = report_of(name)
    dotted, library, sentence = CHANGES[name]
    assert not report.installs
    at = [cluster.cause.dotted for cluster in report.diagnosis.clusters].index(dotted)
    cause, change = report.diagnosis.clusters[at].cause, report.changes[at]
    assert (cause.distribution or cause.related[0]) == library
    assert change is not None
    assert change_sentence(change) == sentence
    assert change.source.startswith("https://")


@pytest.mark.parametrize("name", sorted(INSTALLS))
def test_what_could_not_be_installed(name: str) -> None:
    report = report_of(name)
    (install,) = report.installs
    kind, what, library = INSTALLS[name]
    assert (install.failure.kind, install.failure.what) == (kind, what)
    assert (install.change.distribution if install.change else "") == library
    assert not report.diagnosis.failures


def test_versions_that_the_log_names() -> None:
    report = report_of("pytest-werkzeug")
    assert report.installed["werkzeug"].startswith("3.")
    assert "  the code works unchanged with werkzeug<3.0; the log installs 3." in "\n".join(
        text for text, _ in log_lines(report)
    )
    assert report_of("pytest-nose-numpy").python == "3.10.13"


def test_colours_and_timestamps_hide_nothing() -> None:
    stamp = "2025-03-04T10:11:12.1234567Z "
    plain = (CI / "unittest-mock.log").read_text(encoding="utf-8")
    stamped = "\n".join(f"{stamp}\x1b[31m{line}\x1b[0m" for line in plain.split("\n"))
    assert explain_log(stamped) == explain_log(plain)


def test_a_build_s_traceback_is_no_failed_test() -> None:
    report = report_of("pip-cython")
    assert report.diagnosis.failures == ()
    assert report.installs[0].failure.raised[-1].type == "AttributeError"


def test_a_report_goes_to_json_and_back() -> None:
    for name in ("pytest-numpy-float", "pip-cython"):
        report = report_of(name)
        assert from_json(LogReport, to_json(report)) == report


@pytest.mark.parametrize(
    "text", ["", "\0\n", "===== 3 passed in 0.1s =====\n", "Successfully installed a-1\n"]
)
def test_a_log_without_failures_explains_nothing(text: str) -> None:
    assert explain_log(text).explains_nothing


def test_aliases_are_told_by_the_project_s_imports(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("from pandas import DataFrame\n\nDataFrame().append(1)\n")
    log = (
        "Traceback (most recent call last):\n"
        '  File "code.py", line 3, in <module>\n'
        "    DataFrame().append(1)\n"
        "AttributeError: 'DataFrame' object has no attribute 'append'\n"
    )
    report = explain_log(log, tree=tmp_path)
    (change,) = report.changes
    assert report.diagnosis.clusters[0].cause.distribution == "pandas"
    assert change is not None
    assert (change.distribution, change.name) == ("pandas", "DataFrame.append")
