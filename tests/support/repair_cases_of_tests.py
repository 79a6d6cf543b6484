"""Cases of repair: environments in which tests fail or are not found; and all cases together."""

from __future__ import annotations

from repair_cases import WHY, Case
from repair_cases_of_builds import BUILDS, SETUP, TEST

from backdate.recipes.recipe import STAND_IN_APPS, STAND_IN_SETTINGS, SuitePlan
from backdate.recipes.repair.error_class import ErrorClass as E

_TESTS = {"test_one.py": "def test_one():\n    pass\n"}


def _django() -> dict[str, str]:
    return {
        "site_/__init__.py": "",
        "site_/settings.py": "SECRET_KEY = 'x'\nINSTALLED_APPS = []\n"
        "DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': ':memory:'}}\n",
        "manage.py": "import os, sys\nos.environ.setdefault('DJANGO_SETTINGS_MODULE', 'site_.settings')\n"
        "from django.core.management import execute_from_command_line\n"
        "execute_from_command_line(sys.argv)\n",
        "test_one.py": "from django.conf import settings\ndef test_one():\n    assert settings.SECRET_KEY\n",
    }


_APP = {
    "app/__init__.py": "",
    "app/models.py": "from django.db import models\nclass Thing(models.Model):\n    pass\n",
    "app/tests/__init__.py": "",
    "app/tests/test_one.py": "from django.test import TestCase\nfrom app.models import Thing\n"
    "class One(TestCase):\n    def test_one(self):\n        Thing.objects.create()\n",
}
_MADE_BY_THE_BUILD = {
    "m/__init__.py": "from m._fast import FAST\n",
    "setup.py": "from setuptools import setup\nfrom setuptools.command.build_py import build_py\n"
    "class Make(build_py):\n    def run(self):\n        super().run()\n"
    "        with open(self.build_lib + '/m/_fast.py', 'w') as made:\n            made.write('FAST = 1')\n"
    "setup(name='case', packages=['m'] + ['m.tests'] * __import__('os').path.exists('m/tests'), "
    "cmdclass={'build_py': Make})\n",
}
_MAIN = """import unittest
READY = True
from checks.all import *
if __name__ == "__main__":
    unittest.main()
"""
_CONFIGURED = """import sys
from django.conf import settings
settings.configure(SECRET_KEY="x", INSTALLED_APPS=["app"], DATABASES={})
if __name__ == "__main__":
    import django
    django.setup()
    from django.test.utils import get_runner
    sys.exit(bool(get_runner(settings)().run_tests(["app"])))
"""

_OWN_SUITE = """import unittest
class Base(unittest.TestCase):
    def test_one(self):
        self.assertTrue(self.ready())
class First(Base):
    def ready(self):
        return True
def test_main():
    suite = unittest.TestSuite()
    suite.addTests(unittest.makeSuite(First))
    return suite
"""

TESTS = (
    Case(
        name="own-suite",
        files={"tests.py": _OWN_SUITE},
        at="2021-03-01",
        python="3.8",
        error=E.TESTS_FAIL,
        rule="the file's own suite",
        plan=SuitePlan(runner="pytest", targets=("tests.py",), provenance=WHY),
    ),
    Case(
        name="names-of-main",
        files={
            "run_tests.py": _MAIN,
            "checks/__init__.py": "",
            "checks/all.py": "from __main__ import READY, unittest\n"
            "class One(unittest.TestCase):\n    def test_one(self):\n        assert READY\n",
        },
        at="2021-03-01",
        python="3.8",
        error=E.TESTS_FAIL,
        rule="the project's own program",
        plan=SuitePlan(runner="unittest", targets=("run_tests",), provenance=WHY),
    ),
    Case(
        name="settings-of-a-program",
        files={
            "runtests.py": _CONFIGURED,
            "app/__init__.py": "",
            "app/tests.py": "from django.test import SimpleTestCase\nfrom django.utils.translation import "
            "gettext\nclass One(SimpleTestCase):\n    def test_one(self):\n        gettext('a')\n",
        },
        at="2021-03-01",
        python="3.8",
        error=E.DJANGO_SETTINGS,
        rule="the project's own program",
        packages=("django", "pytest"),
        plan=SuitePlan(runner="pytest", targets=("app/tests.py",), provenance=WHY),
    ),
    Case(
        name="missing-module",
        files={
            "test_one.py": TEST.format(module="yaml")
            + "\n"
            + TEST.format(module="dateutil").replace("one", "two")
        },
        at="2021-03-01",
        python="3.8",
        error=E.MISSING_MODULE,
        rule="missing module",
    ),
    Case(
        name="missing-module-namespace",
        files={"test_one.py": "import google.protobuf\ndef test_one():\n    import zope.interface\n"},
        at="2021-03-01",
        python="3.8",
        error=E.MISSING_MODULE,
        rule="missing module",
    ),
    Case(
        name="own-module-in-a-folder",
        files={"src/inner/__init__.py": "", "tests/test_one.py": "import inner\ndef test_one():\n    pass\n"},
        at="2021-03-01",
        python="3.8",
        error=E.MISSING_MODULE,
        rule="own modules on the path",
    ),
    Case(
        name="project-not-installed",
        files={
            "src/m.py": "",
            "setup.py": SETUP.format(more=", package_dir={'': 'src'}, install_requires=['six']"),
            "checks/test_one.py": "import m\ndef test_one():\n    import six\n",
        },
        plan=SuitePlan(runner="pytest", targets=("checks",), provenance=WHY),
        at="2021-03-01",
        python="3.8",
        error=E.MISSING_MODULE,
        rule="project installed",
    ),
    Case(
        name="hidden-by-its-source-folder",
        files={**_MADE_BY_THE_BUILD, "tests/test_one.py": "import m\ndef test_one():\n    assert m.FAST\n"},
        at="2021-03-01",
        python="3.8",
        error=E.MISSING_MODULE,
        rule="what is installed, not the source folder",
        project=True,
    ),
    Case(
        name="hidden-with-its-tests-inside",
        files={
            **_MADE_BY_THE_BUILD,
            "m/tests/__init__.py": "",
            "m/tests/test_one.py": "from .. import FAST\nimport unittest\n"
            "class One(unittest.TestCase):\n    def test_one(self):\n        assert FAST\n",
        },
        plan=SuitePlan(runner="unittest", targets=("m.tests.test_one",), provenance=WHY),
        packages=(),
        at="2021-03-01",
        python="3.8",
        error=E.MISSING_MODULE,
        rule="what is installed, not the source folder",
        project=True,
    ),
    Case(
        name="installed-tests-of-a-namespace",
        files={
            "setup.py": "from setuptools import setup\nsetup(name='case', package_dir={'': 'src'}, "
            "packages=['ns', 'ns.thing', 'ns.thing.tests'], namespace_packages=['ns'])\n",
            "src/ns/__init__.py": "__import__('pkg_resources').declare_namespace(__name__)\n",
            "src/ns/thing/__init__.py": "",
            "src/ns/thing/tests/__init__.py": "",
            "src/ns/thing/tests/test_one.py": "import unittest\nclass One(unittest.TestCase):\n"
            "    def test_one(self):\n        pass\n",
        },
        plan=SuitePlan(runner="unittest", arguments=("discover", "-s", "src"), provenance=WHY),
        packages=("setuptools<58",),
        at="2021-03-01",
        python="3.8",
        error=E.NOT_IMPORTABLE,
        rule="the installed tests, by the files of the tree",
        project=True,
    ),
    Case(
        name="plugins-of-a-lower-conftest",
        files={
            "m/tests/conftest.py": "pytest_plugins = ['m.plugin']\n",
            "m/__init__.py": "",
            "m/plugin.py": "import pytest\n@pytest.fixture\ndef one():\n    return 1\n",
            "m/tests/test_one.py": "def test_one(one):\n    assert one\n",
            "test_two.py": "def test_two():\n    pass\n",
        },
        at="2021-03-01",
        python="3.8",
        error=E.TESTS_FAIL,
        rule="conftest that names plugins",
    ),
    Case(
        name="missing-fixture",
        files={"test_one.py": "def test_one(mocker, benchmark):\n    benchmark(mocker.Mock())\n"},
        at="2021-03-01",
        python="3.8",
        error=E.MISSING_TEST_PLUGIN,
        rule="missing test plugin",
    ),
    Case(
        name="missing-option",
        files={**_TESTS, "pytest.ini": "[pytest]\naddopts = --cov=. --cov-report=term -n 2\n"},
        at="2021-03-01",
        python="3.8",
        error=E.MISSING_TEST_PLUGIN,
        rule="missing test plugin",
    ),
    Case(
        name="async-test",
        files={
            "test_one.py": "import pytest\n@pytest.mark.asyncio\nasync def test_one():\n    pass\n",
            "pytest.ini": "[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n",
        },
        at="2021-03-01",
        python="3.8",
        error=E.MISSING_TEST_PLUGIN,
        rule="missing test plugin",
    ),
    Case(
        name="unknown-option",
        files={**_TESTS, "pytest.ini": "[pytest]\naddopts = --nothing-has-this\n"},
        at="2021-03-01",
        python="3.8",
        error=E.MISSING_TEST_PLUGIN,
        rule="unknown option",
    ),
    Case(
        name="newer-syntax",
        files={"test_one.py": "def test_one():\n    if (n := 3) > 2:\n        assert n\n"},
        at="2021-03-01",
        python="3.7",
        error=E.WRONG_INTERPRETER,
        rule="wrong interpreter",
    ),
    Case(
        name="older-standard-library",
        files={"test_one.py": "from collections import Mapping\ndef test_one():\n    pass\n"},
        at="2022-03-01",
        python="3.10",
        error=E.WRONG_INTERPRETER,
        rule="wrong interpreter",
    ),
    Case(
        name="fails-on-newer-python",
        files={
            "setup.cfg": "[options]\npython_requires = >=3.6\n[metadata]\nclassifiers =\n"
            "    Programming Language :: Python :: 3.7\n    Programming Language :: Python :: 3.8\n",
            "test_one.py": "import ast\ndef test_one():\n    assert 'Index' in ast.dump(ast.parse('a[0]'))\n",
        },
        at="2021-03-01",
        python="3.9",
        error=E.TESTS_FAIL,
        rule="interpreter that it was tested with",
    ),
    Case(
        name="release-that-dropped",
        files={"test_one.py": "import jinja2\ndef test_one():\n    assert jinja2.Template('a').render()\n"},
        packages=("pytest", "jinja2<3"),
        at="2022-03-01",
        python="3.9",
        error=E.INCOMPATIBLE_RELEASE,
        rule="release that dropped what is used",
    ),
    Case(
        name="numpy-dropped",
        files={
            "test_one.py": "import numpy\ndef test_one():\n"
            "    assert numpy.zeros(1, dtype=numpy.float)[0] == 0\n"
        },
        packages=("pytest", "numpy"),
        at="2023-03-01",
        python="3.9",
        error=E.INCOMPATIBLE_RELEASE,
        rule="release that dropped what is used",
    ),
    Case(
        name="django-settings",
        files=_django(),
        packages=("pytest", "django"),
        at="2021-03-01",
        python="3.8",
        error=E.DJANGO_SETTINGS,
        rule="Django settings",
    ),
    Case(
        name="django-of-an-example-project",
        files={
            f"example/{name}": text.replace("[]", "['app']")
            for name, text in _django().items()
            if name != "test_one.py"
        }
        | _APP,
        packages=("pytest", "django"),
        at="2021-03-01",
        python="3.8",
        error=E.DJANGO_SETTINGS,
        rule="Django settings",
    ),
    Case(
        name="django-without-settings",
        files=_APP,
        packages=("pytest", "django"),
        at="2021-03-01",
        python="3.8",
        error=E.DJANGO_SETTINGS,
        rule="Django settings",
    ),
    Case(
        name="django-of-further-applications",
        files={
            **_APP,
            "app/models.py": "from django.contrib.sites.models import Site\nfrom django.db import models\n"
            "class Thing(models.Model):\n    site = models.ForeignKey(Site, models.CASCADE)\n",
            "app/tests/test_one.py": "from django.test import TestCase\n"
            "from django.contrib.sites.models import Site\nfrom app.models import Thing\n"
            "class One(TestCase):\n    def test_one(self):\n"
            "        Thing.objects.create(site=Site.objects.get_current())\n",
        },
        packages=("pytest", "pytest-django", "django"),
        plan=SuitePlan(
            runner="pytest",
            environment=(("DJANGO_SETTINGS_MODULE", STAND_IN_SETTINGS), (STAND_IN_APPS, "app")),
            provenance=WHY,
        ),
        at="2021-03-01",
        python="3.8",
        error=E.UNKNOWN,
        rule="applications of Django",
    ),
    Case(
        name="django-database",
        files={
            **_APP,
            "conftest.py": "import django\nfrom django.conf import settings\ndef pytest_configure():\n"
            "    settings.configure(INSTALLED_APPS=['app'], DATABASES={'default': "
            "{'ENGINE': 'django.db.backends.sqlite3', 'NAME': ':memory:'}})\n    django.setup()\n",
        },
        packages=("pytest", "django"),
        at="2021-03-01",
        python="3.8",
        error=E.TESTS_FAIL,
        rule="Django's test database",
    ),
    Case(
        name="django-of-its-own-runner",
        files={
            **_django(),
            "test_one.py": "from django.test import TestCase\nfrom django.contrib.auth.models import User\n"
            "class One(TestCase):\n    def test_one(self):\n        assert not User.objects.count()\n",
            "site_/settings.py": _django()["site_/settings.py"].replace(
                "[]", "['django.contrib.auth', 'django.contrib.contenttypes']"
            ),
        },
        packages=("pytest", "django"),
        at="2021-03-01",
        python="3.8",
        error=E.DJANGO_SETTINGS,
        rule="Django's own runner",
    ),
    Case(
        name="folder-not-found",
        files=_TESTS,
        plan=SuitePlan(runner="pytest", targets=("../test_one.py",), cwd="build", provenance=WHY),
        at="2021-03-01",
        python="3.8",
        error=E.WRONG_FOLDER,
        rule="folder not found",
    ),
    Case(
        name="target-not-found",
        files=_TESTS,
        plan=SuitePlan(runner="pytest", targets=("test_one.py", "gone"), provenance=WHY),
        at="2021-03-01",
        python="3.8",
        error=E.WRONG_FOLDER,
        rule="target not found",
    ),
    Case(
        name="wrong-runner",
        files=_TESTS,
        packages=(),
        plan=SuitePlan(runner="unittest", targets=("test_one",), provenance=WHY),
        at="2021-03-01",
        python="3.8",
        error=E.NO_TESTS,
        rule="another way to run",
    ),
    Case(
        name="working-folder",
        files={
            "tests/data/a.txt": "a",
            "tests/test_one.py": "def test_one():\n    assert open('data/a.txt').read()\n",
        },
        at="2021-03-01",
        python="3.8",
        error=E.WRONG_FOLDER,
        rule="working folder",
    ),
    Case(
        name="import-mismatch",
        files={
            "a/test_one.py": "def test_one():\n    pass\n",
            "b/test_one.py": "def test_two():\n    pass\n",
        },
        at="2021-03-01",
        python="3.8",
        error=E.TESTS_FAIL,
        rule="import mode",
    ),
    Case(
        name="warnings-as-errors",
        files={
            "test_one.py": "import warnings\ndef test_one():\n    warnings.warn('old', DeprecationWarning)\n",
            "pytest.ini": "[pytest]\nfilterwarnings = error\n",
        },
        at="2021-03-01",
        python="3.8",
        error=E.TESTS_FAIL,
        rule="warnings as errors",
    ),
    Case(
        name="example-of-variables",
        files={
            "test_one.py": "import os\nNAME = os.environ['CASE_API_KEY']\ndef test_one():\n    assert NAME\n",
            ".env.example": "CASE_API_KEY=abc\n",
        },
        at="2021-03-01",
        python="3.8",
        error=E.NEEDS_SECRET,
        rule="example of variables",
    ),
    Case(
        name="example-of-variables-elsewhere",
        files={
            "settings.py": "from decouple import config\nKEY = config('CASE_NAME')\n",
            "test_one.py": "import settings\ndef test_one():\n    assert settings.KEY == 'abc'\n",
            "contrib/env-sample": "CASE_NAME=abc\n",
        },
        packages=("pytest", "python-decouple==3.4"),
        at="2021-03-01",
        python="3.8",
        error=E.NEEDS_SECRET,
        rule="example of variables",
    ),
    Case(
        name="variables-without-example",
        files={
            "settings.py": "import os\nNAME = os.environ['case_name']\nPORT = int(os.environ['CASE_PORT'])\n",
            "test_one.py": "import settings\ndef test_one():\n    assert settings.PORT\n",
        },
        at="2021-03-01",
        python="3.8",
        error=E.TESTS_FAIL,
        rule="stand-in for a variable",
    ),
    Case(
        name="fields-of-settings",
        files={
            "settings.py": "from pydantic import BaseSettings\nclass Settings(BaseSettings):\n"
            "    CASE_NAME: str\n    case_port: int\nSETTINGS = Settings()\n",
            "test_one.py": "import settings\ndef test_one():\n    assert settings.SETTINGS.case_port\n",
        },
        packages=("pytest", "pydantic==1.8"),
        at="2021-03-01",
        python="3.8",
        error=E.NEEDS_SECRET,
        rule="stand-in for a variable",
    ),
    Case(
        name="example-of-settings",
        files={
            "settings.py": "from pydantic import BaseSettings\nclass Settings(BaseSettings):\n"
            "    case_name: str\nSETTINGS = Settings()\n",
            "test_one.py": "import settings\n"
            "def test_one():\n    assert settings.SETTINGS.case_name == 'abc'\n",
            ".env.test": "CASE_NAME=abc\n",
        },
        packages=("pytest", "pydantic==1.8"),
        at="2021-03-01",
        python="3.8",
        error=E.NEEDS_SECRET,
        rule="example of variables",
    ),
    Case(
        name="no-display",
        files={
            "test_one.py": "import pygame\ndef test_one():\n    pygame.display.init()\n"
            "    assert pygame.display.set_mode((10, 10))\n"
        },
        packages=("pytest", "pygame==2.0.1"),
        at="2021-03-01",
        python="3.8",
        error=E.NEEDS_DISPLAY,
        rule="no display",
    ),
    Case(
        name="needs-network",
        files={
            "test_one.py": "import urllib.request\ndef test_one():\n"
            "    urllib.request.urlopen('http://example.org')\n"
        },
        at="2021-03-01",
        python="3.8",
        error=E.NEEDS_NETWORK,
        rule="",
        works=False,
    ),
    Case(
        name="needs-service",
        files={
            "test_one.py": "import socket\ndef test_one():\n"
            "    socket.create_connection(('127.0.0.1', 5432))\n"
        },
        at="2021-03-01",
        python="3.8",
        error=E.NEEDS_SERVICE,
        rule="",
        works=False,
    ),
    Case(
        name="time-out",
        files={"test_one.py": "import time\ndef test_one():\n    time.sleep(600)\n"},
        at="2021-03-01",
        python="3.8",
        error=E.TIMEOUT,
        rule="",
        works=False,
    ),
    Case(
        name="memory",
        files={"test_one.py": "def test_one():\n    assert bytearray(3 * 1024 ** 3)\n"},
        at="2021-03-01",
        python="3.8",
        error=E.MEMORY,
        rule="",
        works=False,
    ),
)
CASES = (*BUILDS, *TESTS)
