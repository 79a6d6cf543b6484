"""What pip says of installations that fail, old and new."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from backdate.diagnosis.pip_logs import InstallFailureKind, read_install_failures

OLD_PIP = """\
Collecting anyjson==0.3.3
  Downloading anyjson-0.3.3.tar.gz (8.3 kB)
    ERROR: Command errored out with exit status 1:
     command: /usr/bin/python3 -c 'import sys, setuptools' egg_info
         cwd: /tmp/pip-install-x/anyjson/
    Complete output (3 lines):
    Traceback (most recent call last):
      File "<string>", line 1, in <module>
    ModuleNotFoundError: No module named 'numpy'
    ----------------------------------------
ERROR: Command errored out with exit status 1: python setup.py egg_info Check the logs.
"""
COMPILER = """\
Collecting pycups==1.9.74
  error: subprocess-exited-with-error

  \u00d7 Building wheel for pycups (pyproject.toml) did not run successfully.
  │ exit code: 1
  ╰─> [4 lines of output]
      running build_ext
      gcc -c cupsmodule.c
      cupsmodule.h:28:10: fatal error: cups/http.h: No such file or directory
      error: command '/usr/bin/gcc' failed with exit code 1
      [end of output]

  note: This error originates from a subprocess, and is likely not a problem with pip.
  ERROR: Failed building wheel for pycups
ERROR: Could not build wheels for pycups, which is required to install pyproject.toml-based projects
"""


def test_a_build_that_an_old_pip_shows() -> None:
    (failure,) = read_install_failures(OLD_PIP.splitlines())
    assert (failure.kind, failure.what) == (InstallFailureKind.BUILD, "anyjson==0.3.3")
    assert failure.message == "ModuleNotFoundError: No module named 'numpy'"
    assert (failure.line, failure.last_line) == (3, 9)


def test_a_build_that_ends_in_a_compiler() -> None:
    (failure,) = read_install_failures(COMPILER.splitlines())
    assert (failure.what, failure.raised) == ("pycups", ())
    assert failure.message == "cupsmodule.h:28:10: fatal error: cups/http.h: No such file or directory"


def test_a_project_that_does_not_allow_the_python() -> None:
    line = "ERROR: Package 'thing' requires a different Python: 3.6.9 not in '>=3.7'"
    (failure,) = read_install_failures([line])
    assert (failure.kind, failure.what) == (InstallFailureKind.WRONG_PYTHON, "thing")
    assert failure.message == "3.6.9 not in '>=3.7'"


def test_a_requirement_that_no_index_has() -> None:
    lines = [
        "ERROR: Could not find a version that satisfies the requirement nothing (from versions: none)",
        "ERROR: No matching distribution found for nothing",
    ]
    (failure,) = read_install_failures(lines)
    assert (failure.kind, failure.message) == (InstallFailureKind.NO_RELEASE, "the index offers none")


@given(st.lists(st.sampled_from([*OLD_PIP.splitlines(), *COMPILER.splitlines(), ""]), max_size=60))
def test_whatever_the_order_of_lines_they_are_read(lines: list[str]) -> None:
    for failure in read_install_failures(lines):
        assert 1 <= failure.line <= failure.last_line <= len(lines)
