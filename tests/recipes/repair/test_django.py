from collections.abc import Mapping
from pathlib import Path

import pytest
from repair_proposals import PYTEST, WHY, proposals

from backdate.recipes.recipe import (
    STAND_IN_APPS,
    STAND_IN_SETTINGS,
    STAND_IN_URLS,
    SuitePlan,
)
from backdate.recipes.repair.django import own_database, settings_module
from backdate.recipes.repair.django_settings import further_applications
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import Rule
from backdate.recipes.repair.setup_failure import Problem

SETTINGS = "SECRET_KEY = 'a secret'\nINSTALLED_APPS = []\n"
MANAGE = "os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'site.settings')\n"
NOT_CONFIGURED = "Requested setting INSTALLED_APPS, but settings are not configured."


def proposed(
    rule: Rule,
    root: Path,
    files: Mapping[str, str],
    message: str,
    kind: str,
    plan: SuitePlan = PYTEST,
) -> list[Repair]:
    return proposals(rule, root, files, Problem(type=kind, message=message), plan=plan)


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


APPLICATION = {
    "shop/__init__.py": "",
    "shop/models.py": "",
    "shop/tests/__init__.py": "",
    "shop/tests/urls.py": "",
}


@pytest.mark.parametrize(
    ("files", "apps", "urls"),
    [
        (APPLICATION, "shop", "shop.tests.urls"),
        ({"src/shop/__init__.py": "", "src/shop/apps.py": "", "src/shop/urls.py": ""}, "shop", "shop.urls"),
        (
            {**APPLICATION, "shop/more/__init__.py": "", "shop/more/models.py": "", "more/__init__.py": "",
             "more/apps.py": "", "shop/tests/models.py": "", "docs/__init__.py": "", "docs/models.py": ""},
            "more,shop,shop.tests",
            "shop.tests.urls",
        ),
        ({"shop/__init__.py": "", "shop/models.py": ""}, "shop", None),
    ],
)  # fmt: skip
def test_plain_settings_stand_in_where_there_are_none(
    tmp_path: Path, files: dict[str, str], apps: str, urls: str | None
) -> None:
    (only,) = proposed(settings_module, tmp_path, files, NOT_CONFIGURED, "ImproperlyConfigured")
    known = dict(only.recipe.test.environment)
    assert known["DJANGO_SETTINGS_MODULE"] == STAND_IN_SETTINGS
    assert (known[STAND_IN_APPS], known.get(STAND_IN_URLS)) == (apps, urls)
    assert only.recipe.install[-1].packages == ("pytest-django",)


def test_nothing_stands_in_without_an_application(tmp_path: Path) -> None:
    files = {"shop/__init__.py": "", "shop/core.py": ""}
    assert not proposed(settings_module, tmp_path, files, NOT_CONFIGURED, "ImproperlyConfigured")


def test_applications_that_a_run_misses_join_those_of_the_stand_in(tmp_path: Path) -> None:
    missing = (
        "Model class django.contrib.sites.models.Site doesn't declare an explicit app_label and isn't in an "
        "application in INSTALLED_APPS."
    )
    known = (("DJANGO_SETTINGS_MODULE", STAND_IN_SETTINGS), (STAND_IN_APPS, "shop"))
    plan = SuitePlan(runner="pytest", environment=known, provenance=WHY)
    (more,) = proposed(further_applications, tmp_path, {}, missing, "RuntimeError", plan)
    assert dict(more.recipe.test.environment)[STAND_IN_APPS] == "django.contrib.sites,shop"
    assert not proposed(further_applications, tmp_path, {}, missing, "RuntimeError", more.recipe.test)
    own = SuitePlan(runner="pytest", environment=(("DJANGO_SETTINGS_MODULE", "a.b"),), provenance=WHY)
    assert not proposed(further_applications, tmp_path, {}, missing, "RuntimeError", own)


def test_django_runs_what_unittest_would_import_before_it_is_set_up(tmp_path: Path) -> None:
    plan = SuitePlan(runner="unittest", targets=("shop.tests",), provenance=WHY)
    (only,) = proposed(settings_module, tmp_path, APPLICATION, NOT_CONFIGURED, "ImproperlyConfigured", plan)
    assert (only.recipe.test.runner, only.recipe.test.targets) == ("django", ("shop.tests",))
    files = {**APPLICATION, "shop/settings.py": SETTINGS}
    named, *_ = proposed(settings_module, tmp_path, files, NOT_CONFIGURED, "ImproperlyConfigured", plan)
    assert (named.recipe.test.runner, named.recipe.test.targets) == ("django", ("shop.tests",))
    assert only.recipe.install == named.recipe.install == ()  # pytest's plugin is for pytest


def test_the_database_of_tests_is_made_by_pytest_s_plugin(tmp_path: Path) -> None:
    message = "no such table: app_thing"
    (repair,) = proposed(own_database, tmp_path, {}, message, "django.db.utils.OperationalError")
    assert repair.recipe.install[-1].packages == ("pytest-django",)
    assert not proposed(own_database, tmp_path, {}, message, "sqlite3.OperationalError")
