"""Real sdists and projects of a test's own making, set up from the real package index."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from backdate.checking.ablation import ablate
from backdate.checking.recipe_store import FILE
from backdate.checking.result import Verdict
from backdate.checking.settings import Settings, SetupOptions
from backdate.checking.setup_result import SetupResult
from backdate.cli.render_setup import setup_lines
from backdate.errors import InstantError, SourceError, StoredDataError
from backdate.recipes.repair.error_class import ErrorClass
from backdate.serial import from_json, to_json
from backdate.session import check, set_up
from backdate.timeline.instants import parse_instant

AT = parse_instant("2023-01-01")
SUITE = "def test_good():\n    assert True\n"


@pytest.fixture
def settings(session_cache: Path, index_url: str) -> Settings:
    return Settings(cache=session_cache, index_url=index_url, store=False)


def project(tmp_path: Path, files: Mapping[str, str]) -> Path:
    root = tmp_path / "project"
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.network
@pytest.mark.slow
def test_a_real_sdist(settings: Settings) -> None:
    result = set_up("pypi:toolz==0.12.0", settings=settings)
    assert result.proven, result.reason
    assert result.counts.passed > 100
    assert from_json(SetupResult, to_json(result)) == result
    assert from_json(SetupResult, (result.folder / "setup.json").read_bytes()) == result


@pytest.mark.slow
@pytest.mark.network
def test_a_module_that_nothing_declares_is_found_and_installed(settings: Settings, tmp_path: Path) -> None:
    suite = "import six\ndef test_it():\n    assert six.PY3\n"
    files = {"requirements.txt": "toolz\n", "test_a.py": suite}
    result = set_up(project(tmp_path, files), instant=AT, python="3.10", settings=settings)
    assert result.proven, result.reason
    assert len(result.attempts) == 2
    assert result.attempts[0].error is ErrorClass.MISSING_MODULE
    assert "six" in result.repairs[0]
    without = set_up(
        tmp_path / "project", instant=AT, python="3.10", settings=settings, options=SetupOptions(rounds=0)
    )
    assert not without.proven
    assert without.error is ErrorClass.MISSING_MODULE


@pytest.mark.slow
@pytest.mark.network
def test_variables_and_further_commands_of_tox_are_honoured(settings: Settings, tmp_path: Path) -> None:
    tox = (
        "[tox]\nenvlist = py310\nskipsdist = true\n[testenv]\ndeps = pytest\n"
        "setenv = COLOUR = blue\ncommands =\n  pytest one\n  pytest two\n"
    )
    suite = "import os\ndef test_it():\n    assert os.environ['COLOUR'] == 'blue'\n"
    files = {"tox.ini": tox, "one/test_a.py": suite, "two/test_b.py": suite}
    result = set_up(project(tmp_path, files), instant=AT, settings=settings)
    assert result.proven, result.reason
    assert result.counts.passed == 2
    assert result.choice is not None
    assert result.choice.interpreter.version.startswith("3.10.")


@pytest.mark.network
@pytest.mark.slow
def test_a_django_app_with_a_program_that_runs_its_tests(settings: Settings, tmp_path: Path) -> None:
    program = (
        "import sys\nfrom django.conf import settings\nsettings.configure(SECRET_KEY='x', "
        "INSTALLED_APPS=['polls'], DATABASES={'default': {'ENGINE': 'django.db.backends.sqlite3'}})\n"
        "from django.core.management import execute_from_command_line\n"
        "execute_from_command_line(sys.argv[:1] + ['test', 'polls'])\n"
    )
    suite = (
        "from django.conf import settings\nfrom django.test import SimpleTestCase\n"
        "class A(SimpleTestCase):\n    def test_it(self):\n        assert settings.INSTALLED_APPS\n"
    )
    files = {"requirements.txt": "Django<4.2\n", "runtests.py": program, "polls/tests.py": suite}
    result = set_up(project(tmp_path, files | {"polls/__init__.py": ""}), instant=AT, settings=settings)
    assert result.proven, result.reason
    assert [attempt.recipe.test.runner for attempt in result.attempts] == ["program"]
    assert (result.counts.passed, result.covered, result.defined) == (1, 1, 1)


@pytest.mark.slow
@pytest.mark.network
def test_what_was_proven_is_tried_first_at_another_date_and_by_check(
    session_cache: Path, index_url: str, tmp_path: Path
) -> None:
    settings = Settings(cache=session_cache, index_url=index_url)
    suite = "import six\ndef test_it():\n    assert six.PY3\n"
    root = project(tmp_path, {"requirements.txt": "toolz\n", "test_a.py": suite})
    first = set_up(root, instant=AT, python="3.10", settings=settings)
    again = set_up(root, instant=parse_instant("2023-02-01"), python="3.10", settings=settings)
    assert len(first.attempts) == 2
    assert len(again.attempts) == 1
    assert again.attempts[0].source.startswith("store: proven at ")
    checked = check(
        root, from_instant=AT, to_instant=parse_instant("2023-02-01"), python="3.10", settings=settings
    )
    assert checked.verdict is Verdict.NOTHING_BROKE, checked.reason
    assert any(note.startswith("the recipe is from the store") for note in checked.notes)


@pytest.mark.slow
@pytest.mark.network
def test_a_check_repairs_the_old_side_and_uses_the_recipe_for_both(
    settings: Settings, tmp_path: Path
) -> None:
    suite = "import six\ndef test_it():\n    assert six.PY3\n"
    root = project(tmp_path, {"requirements.txt": "toolz\n", "test_a.py": suite})
    checked = check(
        root, from_instant=AT, to_instant=parse_instant("2023-02-01"), python="3.10", settings=settings
    )
    assert checked.verdict is Verdict.NOTHING_BROKE, checked.reason
    assert "six" in checked.old.compromise
    assert checked.old.recipe == checked.new.recipe
    assert any(note.startswith("both sides: ") and "six" in note for note in checked.notes)


@pytest.mark.network
@pytest.mark.slow
def test_an_ablation_counts_what_each_part_is_worth(settings: Settings, tmp_path: Path) -> None:
    suite = "import six\ndef test_it():\n    assert six.PY3\n"
    root = project(tmp_path, {"requirements.txt": "toolz\n", "test_a.py": suite})
    table = ablate([str(root)], instant=AT, python="3.10", settings=settings)
    counts = {row.parts: row.proven for row in table.rows}
    assert counts["everything"] == 1
    assert counts["without repair"] == 0
    assert counts["texts alone"] == 0


@pytest.mark.slow
@pytest.mark.network
def test_tests_that_fail_are_the_end_of_it(settings: Settings, tmp_path: Path) -> None:
    root = project(tmp_path, {"test_a.py": "def test_it():\n    assert False\n" + SUITE})
    result = set_up(root, instant=AT, python="3.10", settings=settings)
    assert not result.proven
    assert result.counts.passed == result.counts.failed == 1
    assert "1 of 2 tests" in result.reason
    assert result.recipe is not None


def test_no_tests(settings: Settings, tmp_path: Path) -> None:
    result = set_up(project(tmp_path, {"a.py": "x = 1\n"}), instant=AT, settings=settings)
    assert not result.proven
    assert result.recipe is None
    assert result.error is ErrorClass.NO_TESTS
    assert result.attempts == ()


def test_a_folder_that_nothing_dates(settings: Settings, tmp_path: Path) -> None:
    root = project(tmp_path, {"test_a.py": SUITE})
    with pytest.raises(SourceError, match="--at"):
        set_up(root, settings=settings)
    with pytest.raises(InstantError, match="future"):
        set_up(root, instant=parse_instant("2999-01-01"), settings=settings)


def test_a_damaged_store_is_named(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / FILE).write_bytes(b"no database" * 500)
    root = project(tmp_path, {"test_a.py": SUITE})
    with pytest.raises(StoredDataError, match="--no-store"):
        set_up(root, instant=AT, settings=Settings(cache=cache))


def test_metadata_that_cannot_be_read_are_named_as_the_reason(settings: Settings, tmp_path: Path) -> None:
    root = project(tmp_path, {"test_a.py": SUITE})
    (root / "setup.cfg").symlink_to("/dev/zero")
    result = set_up(root, instant=AT, settings=settings)
    assert not result.proven
    assert result.reason.endswith("setup.cfg is a link that leads out of the project; it is not read")
    lines = list(setup_lines(result, verbose=True))
    assert any(line.startswith("Not followed: the project's metadata: setup.cfg is a link") for line in lines)
