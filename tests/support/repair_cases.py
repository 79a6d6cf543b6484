"""Small projects that do not set up, each for one rule of repair, and how they are carried out for real."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from small_debian import PACKAGES

from backdate.environments.build import Builder
from backdate.environments.cache import Cache, default_cache
from backdate.projects.python_wish import read_python_wish
from backdate.projects.tree import tree_digest
from backdate.recipes.recipe import InstallStep, Provenance, Recipe, SystemPackages, TestPlan
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.trouble import Trouble
from backdate.sandboxes.bases import BaseSettings
from backdate.sandboxes.choose import choose_sandbox
from backdate.sandboxes.interface import MIB, Limits
from backdate.serial import from_json, to_json
from backdate.setup.carry_out import Carried, Ground, Means, carry_out
from backdate.setup.interpreters import Interpreters
from backdate.setup.reading_trouble import trouble_of

LOGS = Path(__file__).parents[1] / "recipes" / "repair" / "logs"
_WHY = Provenance(rule="a case")
_LIMITS = Limits(wall_s=60.0, memory_bytes=1024 * MIB)


@dataclass(frozen=True, kw_only=True)
class Case:
    """One project, and what is expected of the rules."""

    name: str
    files: dict[str, str]
    at: str
    python: str
    error: ErrorClass
    rule: str
    """The rule (or a part of the joined rules' name) that has to be among what is proposed."""
    packages: tuple[str, ...] = ("pytest",)
    requirements: tuple[str, ...] = ()
    project: bool = False
    extras: tuple[str, ...] = ()
    plan: TestPlan = field(default_factory=lambda: TestPlan(runner="pytest", provenance=_WHY))
    small: bool = False
    """Whether it is built in a small Debian, which has a C compiler and hardly a header."""
    works: bool = True
    """Whether the repaired recipe is run for real, and has to pass."""

    @property
    def instant(self) -> datetime:
        return datetime.fromisoformat(self.at).replace(tzinfo=UTC)

    @property
    def recipe(self) -> Recipe:
        steps = [InstallStep(kind="requirements", file=one, provenance=_WHY) for one in self.requirements]
        if self.project:
            steps.append(InstallStep(kind="project", file=".", extras=self.extras, provenance=_WHY))
        if self.packages:
            steps.append(InstallStep(kind="packages", packages=self.packages, provenance=_WHY))
        system = (SystemPackages(manager="apt", packages=("gcc",), provenance=_WHY),) if self.small else ()
        return Recipe(system=system, install=tuple(steps), test=self.plan)

    def write(self, folder: Path) -> Path:
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return folder


def carry(case: Case, recipe: Recipe, tree: Path, logs: Path, python: str) -> tuple[Carried, Trouble | None]:
    """``recipe`` carried out on the case's tree; what it came to, and what went wrong if anything did."""
    cache = Cache(default_cache())
    interpreters = Interpreters(cache.folder)
    ground = Ground(
        name=case.name,
        tree=tree,
        digest=tree_digest(tree),
        instant=case.instant,
        wish=read_python_wish(tree),
        python=python,
    )
    means = Means(
        builder=Builder(cache, choose_sandbox("bwrap")),
        interpreters=interpreters,
        limits=_LIMITS,
        apt=case.small,
        bases=BaseSettings(packages=PACKAGES),
    )
    carried = carry_out(recipe, ground, means, log_folder=logs)
    pythons = tuple(dict.fromkeys(one.version for one in interpreters.available))
    if carried.run is not None and carried.run.status == "completed" and carried.run.exit_code == 0:
        return carried, None
    return carried, trouble_of(carried, ground, pythons)


def stored(trouble: Trouble, case: Case, header: str) -> str:
    """A trouble as the text of a file: a line on how it was made, the facts, the log."""
    text = portable(trouble.text)
    lines = text.split("\n")
    if len(lines) > 160:
        text = "\n".join((*lines[:40], f"[{len(lines) - 160} lines left out]", *lines[-120:]))
    facts = portable(to_json(Trouble(**{**_fields(trouble), "text": ""})).decode())
    return f"# {header}\n# {facts}\n{text}\n"


def _fields(trouble: Trouble) -> dict[str, object]:
    return {name: getattr(trouble, name) for name in Trouble.__slots__}


def portable(text: str) -> str:
    """Without the paths of the machine that it was made on."""
    text = re.sub(r"/[^\s\"':,]*?/(?:environments|envs)/[0-9a-f]{64}", "/env", text)
    text = re.sub(r"/work/[0-9a-f]{16}/[\w.-]+", "/project", text)
    text = re.sub(r"/root/\.cache/backdate[^\s\"':,]*?/(?=builds-v0|sdists|wheels)", "/cache/", text)
    text = re.sub(r"/root/\.pyenv/versions/([\d.]+)", r"/python-\1", text)
    return re.sub(r"/(?:root|work|tmp)/[^\s\"':,)]*", "/somewhere", text)


def read_stored(path: Path) -> tuple[str, Trouble]:
    """The header and the trouble that ``stored`` wrote."""
    header, facts, text = path.read_text().split("\n", 2)
    trouble = from_json(Trouble, facts[2:].encode())
    return header, Trouble(**{**_fields(trouble), "text": text})


SETUP = "from setuptools import setup\nsetup(name='case', version='1', py_modules=['m']{more})\n"
TEST = "def test_one():\n    import {module}\n    assert {module}\n"


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


_TESTS = {"test_one.py": "def test_one():\n    pass\n"}
E = ErrorClass

CASES = (
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
        plan=TestPlan(runner="pytest", targets=("checks",), provenance=_WHY),
        at="2021-03-01",
        python="3.8",
        error=E.MISSING_MODULE,
        rule="project installed",
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
        name="use-2to3",
        files={
            **_TESTS,
            "m.py": "",
            "setup.py": SETUP.format(more=", use_2to3=True"),
            "pyproject.toml": "[build-system]\nrequires = ['setuptools', 'wheel']\n",
        },
        at="2023-03-01",
        python="3.8",
        error=E.USE_2TO3,
        rule="build tool",
        project=True,
    ),
    Case(
        name="missing-build-dependency",
        files={**_TESTS, "m.py": "", "setup.py": "import yaml\n" + SETUP.format(more="")},
        at="2023-03-01",
        python="3.11",
        error=E.MISSING_BUILD_DEPENDENCY,
        rule="missing build dependency",
        project=True,
    ),
    Case(
        name="cython-too-new",
        files={**_TESTS, "requirements.txt": "PyYAML==5.4.1\n"},
        at="2023-08-01",
        python="3.10",
        error=E.BUILD_TOOL,
        rule="build tool",
        requirements=("requirements.txt",),
    ),
    Case(
        name="flat-layout",
        files={
            "test_one.py": TEST.format(module="one"),
            "one/__init__.py": "",
            "two/__init__.py": "",
            "pyproject.toml": "[build-system]\nrequires = ['setuptools']\n",
            "setup.cfg": "[metadata]\nname = case\nversion = 1\n",
            "setup.py": "import setuptools\nsetuptools.setup()\n",
        },
        at="2022-06-01",
        python="3.10",
        error=E.BUILD_TOOL,
        rule="build tool",
        project=True,
    ),
    Case(
        name="no-version",
        files={
            **_TESTS,
            "m.py": "",
            "pyproject.toml": "[build-system]\nrequires = ['setuptools', 'wheel', 'setuptools_scm']\n",
            "setup.py": "from setuptools import setup\n"
            "setup(name='case', py_modules=['m'], use_scm_version=True)\n",
        },
        at="2022-06-01",
        python="3.10",
        error=E.UNKNOWN_VERSION,
        rule="unknown version",
        project=True,
    ),
    Case(
        name="missing-system-package",
        files={"test_one.py": TEST.format(module="ldap"), "requirements.txt": "python-ldap==3.4.0\n"},
        at="2022-03-01",
        python="3.10",
        error=E.MISSING_HEADER,
        rule="missing system package",
        requirements=("requirements.txt",),
        small=True,
    ),
    Case(
        name="wheel-instead-of-header",
        files={"test_one.py": TEST.format(module="psycopg2"), "requirements.txt": "six\npsycopg2==2.9.3\n"},
        at="2022-03-01",
        python="3.10",
        error=E.MISSING_HEADER,
        rule="missing header",
        requirements=("requirements.txt",),
        small=True,
    ),
    Case(
        name="no-wheel-for-the-interpreter",
        files={"test_one.py": TEST.format(module="llvmlite"), "requirements.txt": "llvmlite==0.39.1\n"},
        at="2022-11-01",
        python="3.11",
        error=E.UNKNOWN,
        rule="no wheel for the interpreter",
        requirements=("requirements.txt",),
    ),
    Case(
        name="header-of-an-older-interpreter",
        files={"test_one.py": TEST.format(module="aiohttp"), "requirements.txt": "aiohttp==3.8.1\n"},
        at="2022-11-01",
        python="3.11",
        error=E.WRONG_INTERPRETER,
        rule="wrong interpreter",
        requirements=("requirements.txt",),
    ),
    Case(
        name="requirement-that-does-not-build",
        files={"test_one.py": TEST.format(module="six"), "requirements.txt": "six\nllvmlite==0.39.1\n"},
        at="2022-11-01",
        python="3.11",
        error=E.UNKNOWN,
        rule="without what does not build",
        requirements=("requirements.txt",),
    ),
    Case(
        name="broken-requirements-file",
        files={
            "test_one.py": TEST.format(module="six"),
            "requirements.txt": "six\n",
            "requirements-dev.txt": "<<<<<<< HEAD\nattrs\n=======\n",
        },
        at="2021-03-01",
        python="3.8",
        error=E.UNAVAILABLE_SOURCE,
        rule="fewer steps",
        requirements=("requirements.txt", "requirements-dev.txt"),
    ),
    Case(
        name="deleted-and-uploaded-again",
        files={"test_one.py": TEST.format(module="codecov"), "requirements.txt": "codecov>=2.0.5\n"},
        at="2022-11-01",
        python="3.10",
        error=E.UNSATISFIABLE,
        rule="pin to a later release",
        requirements=("requirements.txt",),
    ),
    Case(
        name="pin-to-a-later-release",
        files={**_TESTS, "requirements.txt": "attrs==21.3.0\n"},
        at="2021-12-28",
        python="3.8",
        error=E.UNSATISFIABLE,
        rule="pin to a later release",
        requirements=("requirements.txt",),
    ),
    Case(
        name="vanished-release",
        files={**_TESTS, "requirements.txt": "six==1.15.99\n"},
        at="2021-03-01",
        python="3.8",
        error=E.UNSATISFIABLE,
        rule="unsatisfiable requirement",
        requirements=("requirements.txt",),
    ),
    Case(
        name="vanished-distribution",
        files={**_TESTS, "requirements.txt": "six\nno-such-distribution-of-case==1.0\n"},
        at="2021-03-01",
        python="3.8",
        error=E.UNSATISFIABLE,
        rule="unsatisfiable requirement",
        requirements=("requirements.txt",),
    ),
    Case(
        name="conflicting-pins",
        files={**_TESTS, "requirements.txt": "jinja2==3.0.0\nmarkupsafe==1.1.1\n"},
        at="2021-07-01",
        python="3.8",
        error=E.UNSATISFIABLE,
        rule="unsatisfiable requirement",
        requirements=("requirements.txt",),
    ),
    Case(
        name="repository-that-cannot-be-fetched",
        files={
            **_TESTS,
            "requirements.txt": "six\ngit+https://nowhere.invalid/a/simplejson.git#egg=simplejson\n",
        },
        at="2021-03-01",
        python="3.8",
        error=E.UNAVAILABLE_SOURCE,
        rule="address that cannot be fetched",
        requirements=("requirements.txt",),
    ),
    Case(
        name="extra-that-fails",
        files={**_TESTS, "m.py": "", "setup.py": SETUP.format(more=", extras_require={'test': ['six>=99']}")},
        at="2021-03-01",
        python="3.8",
        error=E.UNSATISFIABLE,
        rule="fewer extras",
        project=True,
        extras=("test",),
    ),
    Case(
        name="requires-python",
        files={**_TESTS, "m.py": "", "setup.py": SETUP.format(more=", python_requires='>=3.9'")},
        at="2023-03-01",
        python="3.8",
        error=E.WRONG_INTERPRETER,
        rule="wrong interpreter",
        project=True,
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
        plan=TestPlan(runner="pytest", targets=("../test_one.py",), cwd="build", provenance=_WHY),
        at="2021-03-01",
        python="3.8",
        error=E.WRONG_FOLDER,
        rule="folder not found",
    ),
    Case(
        name="target-not-found",
        files=_TESTS,
        plan=TestPlan(runner="pytest", targets=("test_one.py", "gone"), provenance=_WHY),
        at="2021-03-01",
        python="3.8",
        error=E.WRONG_FOLDER,
        rule="target not found",
    ),
    Case(
        name="wrong-runner",
        files=_TESTS,
        packages=(),
        plan=TestPlan(runner="unittest", targets=("test_one",), provenance=_WHY),
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
