"""Cases of repair: environments that cannot be built."""

from __future__ import annotations

from repair_cases import Case

from backdate.recipes.repair.error_class import ErrorClass as E

SETUP = "from setuptools import setup\nsetup(name='case', version='1', py_modules=['m']{more})\n"
TEST = "def test_one():\n    import {module}\n    assert {module}\n"
_TESTS = {"test_one.py": "def test_one():\n    pass\n"}

BUILDS = (
    Case(
        name="generated-source",
        files={
            "setup.py": "from setuptools import Extension, setup\ntry:\n"
            "    from Cython.Build import cythonize\nexcept ImportError:\n"
            "    made = [Extension('m', ['m.c'])]\nelse:\n    made = cythonize(['m.pyx'])\n"
            "setup(name='case', ext_modules=made)\n",
            "m.pyx": "def one():\n    return 1\n",
            "tests/test_one.py": "import m\ndef test_one():\n    assert m.one() == 1\n",
        },
        at="2021-03-01",
        python="3.8",
        error=E.INCOMPLETE_SDIST,
        rule="generated source",
        project=True,
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
        name="setuptools-fails-itself",
        files={
            **_TESTS,
            "m.py": "",
            "setup.py": SETUP.format(more=", long_description='A case.'"),
            "pyproject.toml": "[build-system]\nrequires = ['setuptools']\n[project]\n"
            "name = 'case'\ndynamic = ['version']\n",
        },
        at="2024-02-01",
        python="3.11",
        error=E.BUILD_TOOL,
        rule="setuptools that fails itself",
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
        name="requirements-read-by-pip",
        files={
            **_TESTS,
            "m.py": "",
            "requirements.txt": "six\n",
            "pyproject.toml": "[build-system]\nrequires = ['setuptools', 'wheel', 'pip']\n",
            "setup.py": "from setuptools import setup\nfrom pip._internal.req import parse_requirements\n"
            "read = parse_requirements('requirements.txt', session='a session')\n"
            "setup(name='case', py_modules=['m'], install_requires=[str(one.req) for one in read])\n",
        },
        at="2021-03-01",
        python="3.8",
        error=E.UNKNOWN,
        rule="missing build dependency",
        project=True,
    ),
    Case(
        name="file-that-the-sdist-lacks",
        files={
            "test_one.py": "import m\nimport six\nimport yaml\ndef test_one():\n    pass\n",
            "m.py": "",
            "setup.py": "from setuptools import setup\n"
            "setup(name='case', py_modules=['m'], install_requires=open('requirements.txt').readlines())\n",
            "case.egg-info/PKG-INFO": "Metadata-Version: 1.0\nName: case\nVersion: 1.0\n",
            "case.egg-info/requires.txt": "six>=1.10\n\n[tests]\nPyYAML\n\n[other]\nno-such-thing\n",
        },
        at="2021-03-01",
        python="3.8",
        error=E.INCOMPLETE_SDIST,
        rule="without the project's own build",
        project=True,
        extras=("tests",),
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
        name="own-build-needs-network",
        files={
            "test_one.py": "import m\ndef test_one():\n    import six\n",
            "m.py": "",
            "setup.py": "from urllib.request import urlopen\nurlopen('https://nowhere.invalid/a.js')\n"
            + SETUP.format(more=", install_requires=['six']"),
        },
        at="2022-09-01",
        python="3.8",
        error=E.NEEDS_NETWORK,
        rule="without the project's own build",
        project=True,
    ),
)
"""Each as small as it can be."""
