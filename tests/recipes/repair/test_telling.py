"""The line of a failed build that says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.recipes.repair.own_build import own_build_failed, unbuilt_requirement
from backdate.recipes.repair.telling import telling_line, telling_lines

LOGS = Path(__file__).parent / "logs"


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("header-of-an-older-interpreter", "longintrepr.h"),
        ("missing-system-package", "lber.h"),
        ("no-version", "version"),
        ("use-2to3", "use_2to3 is invalid"),
        ("missing-build-dependency", "No module named"),
    ],
)
def test_real_logs(log: str, words: str) -> None:
    line = telling_line((LOGS / f"{log}.log").read_text())
    assert words in line, line


def test_what_a_command_said_comes_before_that_it_failed() -> None:
    text = "x\nsubprocess.CalledProcessError: Command 'make' had non-zero exit status 2\nValueError: no\n"
    assert telling_line(text) == "ValueError: no"
    assert telling_lines("") == ()
    assert telling_line("") == "no message"


@pytest.mark.parametrize(
    "said",
    [
        "CMake Error: The source directory does not appear to contain CMakeLists.txt.",
        "CMake Error at CMakeLists.txt:4 (find_package):",
        "../meson.build:41:12: ERROR: Dependency lookup for OpenBLAS failed",
        "configure: error: no acceptable C compiler found in $PATH",
    ],
)
def test_what_configures_a_build_says_why(said: str) -> None:
    text = (
        f"error: Failed to build `a==1.0`\n{said}\n"
        "subprocess.CalledProcessError: Command '['cmake']' returned non-zero exit status 1.\n"
        "hint: Build failures usually indicate a problem with the package or the build environment\n"
    )
    assert telling_line(text) == said
    assert telling_line(text.replace(said, "")).startswith("subprocess.CalledProcessError")


def test_code_under_the_frames_of_a_traceback_is_no_reason() -> None:
    text = (
        'Traceback (most recent call last):\n  File "build_meta.py", line 112, in get\n'
        "    return self._get(settings, requirements=['wheel'])\n"
        '  File "setup.py", line 3, in <module>\n    because = "error: no"\n'
        "subprocess.CalledProcessError: Command 'make' returned non-zero exit status 2.\n"
    )
    assert telling_line(text) == text.splitlines()[-1]
    assert telling_line('  File "setup.py", line 3\nValueError: no') == "ValueError: no"


@pytest.mark.parametrize(
    ("text", "own", "requirement"),
    [
        ("Failed to build `thing @ file:///work/thing`", True, ""),
        ("Failed to build `thing==1.0`", True, ""),
        ("ERROR: Failed building wheel for The_Thing", False, "The_Thing"),
        ("Failed to build `lxml==1.0`", False, "lxml 1.0"),
        ("Failed to build `lxml==1.0`\nFailed to build `thing==1.0`", True, ""),
        ("the build failed", False, ""),
        ("x python setup.py egg_info did not run successfully.", True, ""),
    ],
)
def test_whether_it_is_the_project_that_does_not_build(text: str, own: bool, requirement: str) -> None:
    assert own_build_failed(text, "Thing") is own
    assert unbuilt_requirement(text, "Thing") == requirement


def test_a_resolution_says_what_excludes_what() -> None:
    text = (
        "error: No solution found when resolving dependencies\n"
        "  ╰─▶ Because only markupsafe<2.1.1 is available and you require markupsafe>=2.1.1, we can\n"
        "      conclude that your requirements are unsatisfiable.\n"
    )
    assert telling_line(text).startswith("Because only markupsafe<2.1.1 is available")


def test_that_a_build_failed_is_told_by_its_cause() -> None:
    text = (
        "error: Failed to build `thing @ file:///work/thing`\n"
        "  cause: Failed to parse metadata from built wheel\n"
        "  cause: after parsing `4.3.0`, found `numpy>=1.16.4`, which is not part of a valid version\n"
        "         py2neo (>=4.3.0numpy>=1.16.4)\n"
    )
    assert telling_line(text).startswith("after parsing `4.3.0`, found `numpy>=1.16.4`")
    by_pip = f"{text}\nERROR: Could not find a version that satisfies the requirement py2neo>=4.3.0numpy\n"
    assert telling_line(by_pip) == by_pip.splitlines()[-1]


def test_the_command_that_failed_is_told_only_where_nothing_says_why() -> None:
    text = (
        "error: The build backend returned an error\n"
        "  cause: Call to `setuptools.build_meta:__legacy__.get_requires_for_build_wheel` failed\n"
    )
    assert telling_line(text).startswith("Call to `setuptools.build_meta")
    why = "AssertionError: this setup.py does not know setuptools 60"
    assert telling_lines(
        f"{text}{why}\nerror: metadata-generation-failed\nhint: See above for details.\n"
    ) == (why,)
