from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan
from backdate.recipes.repair.django import own_database, settings_module
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, Rule
from backdate.recipes.repair.setup_failure import Problem, read_failure

WHY = Provenance(rule="a test")
SETTINGS = "SECRET_KEY = 'a secret'\nINSTALLED_APPS = []\n"
MANAGE = "os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'site.settings')\n"
NOT_CONFIGURED = "Requested setting INSTALLED_APPS, but settings are not configured."


class NoIndex:
    """Facts of an index that is never asked."""


def proposed(rule: Rule, root: Path, files: Mapping[str, str], message: str, kind: str) -> list[Repair]:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    failure = read_failure(
        phase="tests",
        status="completed",
        texts=[],
        problems=[Problem(type=kind, message=message)],
        python="3.8.18",
        instant=datetime(2021, 3, 1, tzinfo=UTC),
    )
    recipe = Recipe(install=(), test=SuitePlan(runner="pytest", provenance=WHY))
    facts: object = NoIndex()
    return list(rule(RepairContext(failure=failure, recipe=recipe, files=Files(root), index_facts=facts)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("files", "module", "path"),
    [
        ({"pytest.ini": "DJANGO_SETTINGS_MODULE = elsewhere.settings"}, "elsewhere.settings", None),
        ({"tests/settings.py": SETTINGS}, "tests.settings", None),
        (
            {"app/__init__.py": "", "app/tests/__init__.py": "", "app/tests/settings.py": SETTINGS},
            "app.tests.settings",
            None,
        ),
        (
            {"manage.py": MANAGE, "site/settings.py": SETTINGS, "a/settings.py": SETTINGS},
            "site.settings",
            None,
        ),
        ({"example/manage.py": MANAGE, "example/site/settings.py": SETTINGS}, "site.settings", "example:."),
        (
            {"example/site/__init__.py": "", "example/site/settings.py": SETTINGS},
            "site.settings",
            "example:.",
        ),
        ({"src/app/__init__.py": "", "src/app/settings.py": SETTINGS}, "app.settings", "src:."),
        (
            {
                "app/__init__.py": "",
                "app/settings.py": "from django.conf import settings\nDEFAULTS = {'PAGE': 20}\n",
                "app/tests/__init__.py": "",
                "app/tests/settings.py": "from app.tests.base import *\n",
            },
            "app.tests.settings",
            None,
        ),
        (
            {"tox.ini": "commands = django-admin test --settings=tests.sets", "tests/sets.py": ""},
            "tests.sets",
            None,
        ),
        ({"tests/settings/__init__.py": "", "tests/__init__.py": ""}, "tests.settings", None),
    ],
)
def test_settings_are_found(tmp_path: Path, files: dict[str, str], module: str, path: str | None) -> None:
    kind = "django.core.exceptions.ImproperlyConfigured"
    first = proposed(settings_module, tmp_path, files, NOT_CONFIGURED, kind)[0]
    environment = dict(first.recipe.test.environment)
    assert environment["DJANGO_SETTINGS_MODULE"] == module
    assert environment.get("PYTHONPATH") == path
    assert first.recipe.install[-1].packages == ("pytest-django",)


def test_tests_are_looked_for_in_the_files_that_django_takes(tmp_path: Path) -> None:
    """pytest passes over "tests.py", and most of a suite was in files of that name."""
    suite = "class T(TestCase):\n    def test_it(self):\n        pass\n"
    files = {"tests/settings.py": SETTINGS, "tests/test_a.py": suite, "tests/more/tests.py": suite}
    (repair, *_) = proposed(settings_module, tmp_path / "a", files, NOT_CONFIGURED, "ImproperlyConfigured")
    assert repair.recipe.test.arguments == ("-o", "python_files=test*.py test_*.py *_test.py")
    named = {**files, "setup.cfg": "[tool:pytest]\npython_files = test_a.py\n"}
    (repair, *_) = proposed(settings_module, tmp_path / "b", named, NOT_CONFIGURED, "ImproperlyConfigured")
    assert repair.recipe.test.arguments == ()
    helpers = {**files, "tests/more/tests.py": "class Base:\n    pass\n"}
    (repair, *_) = proposed(settings_module, tmp_path / "c", helpers, NOT_CONFIGURED, "ImproperlyConfigured")
    assert repair.recipe.test.arguments == ()


def test_no_settings_and_another_error(tmp_path: Path) -> None:
    assert not proposed(settings_module, tmp_path, {}, NOT_CONFIGURED, "ImproperlyConfigured")
    files = {"tests/settings.py": SETTINGS}
    assert not proposed(settings_module, tmp_path, files, "no such table: a", "ValueError")


def test_the_database_of_tests_is_made_by_pytest_s_plugin(tmp_path: Path) -> None:
    message = "no such table: app_thing"
    (repair,) = proposed(own_database, tmp_path, {}, message, "django.db.utils.OperationalError")
    assert repair.recipe.install[-1].packages == ("pytest-django",)
    assert not proposed(own_database, tmp_path, {}, message, "sqlite3.OperationalError")
