"""Which requirements a fix gives the new side besides, and names then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from backdate.checking.result import PackageChange
from backdate.diagnosis.result import Cause, CauseKind, Cluster, FrameKind, PlacedFrame
from backdate.fixing.further_requirements import FurtherRequirement, declarations, further_requirements
from backdate.testing.outcomes import Frame

MOVED = [PackageChange(name="setuptools", old="69.0", new="84.0")]
PYTHONS = ("3.10.1", "3.12.1")
GONE = "No module named 'pkg_resources'"


def asked(
    tree: Path,
    message: str,
    name: str = "",
    line: str = "",
    may_edit: Callable[[str], bool] = lambda _: True,
) -> list[str]:
    cause = Cause(kind=CauseKind.MISSING_MODULE, type="ImportError", message=message, name=name)
    frame = Frame(file="mine.py", line=1, function="<module>", source=line)
    places = (PlacedFrame(frame=frame, kind=FrameKind.PROJECT),) if line else ()
    cluster = Cluster(cause=cause, tests=("a",), places=places, messages=())
    found = further_requirements(
        [cluster], tree, MOVED, PYTHONS, declarations(tree), frozenset({"mine"}), may_edit=may_edit
    )
    return [one.requirement for one in found]


@pytest.mark.parametrize(
    ("message", "requirement"),
    [
        ("lxml.html.clean is a project of its own. Install lxml[html_clean] or that", ["lxml[html_clean]"]),
        ("it is optional: try `pip install aiodns`.", ["aiodns"]),
        ("Missing: pip install 'httpx[http2]'", ["httpx[http2]"]),
        ("`inflection` must be installed for OpenAPI schema support.", ["inflection"]),
        ("the plugin must be installed first", []),
        ("could not install packages", []),
        ("", []),
    ],
)
def test_what_the_error_says_to_install(tmp_path: Path, message: str, requirement: list[str]) -> None:
    assert asked(tmp_path, message) == requirement


@pytest.mark.parametrize(
    ("message", "requirement"),
    [
        ("The '.style' accessor requires jinja2", ["jinja2"]),
        ("Plotting needs the package Jinja2.", ["jinja2"]),
        ("MarkupSafe is required", []),  # it is there, in another version
        ("jinja2 has no attribute 'escape'", []),
        ("jinja2.escape", []),
    ],
)
def test_what_the_error_lacks_and_another_library_brought_before(
    tmp_path: Path, message: str, requirement: list[str]
) -> None:
    moved = [
        PackageChange(name="jinja2", old="3.0", new=None),
        PackageChange(name="markupsafe", old="1", new="3"),
    ]
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="AttributeError", message=message)
    cluster = Cluster(cause=cause, tests=("a",), places=(), messages=())
    found = further_requirements([cluster], tmp_path, moved, PYTHONS, "", frozenset())
    assert [one.requirement for one in found] == requirement
    of_call = replace(cluster, cause=replace(cause, kind=CauseKind.ARGUMENT_COUNT))
    assert further_requirements([of_call], tmp_path, moved, PYTHONS, "", frozenset()) == ()


def test_a_module_of_a_distribution_that_left_where_another_one_has_its_name(tmp_path: Path) -> None:
    moved = [PackageChange(name="py", old="1.7", new=None)]
    cause = Cause(
        kind=CauseKind.MISSING_MODULE,
        type="ModuleNotFoundError",
        message="No module named 'py.builtin'; 'py' is not a package",
        name="py.builtin",
    )
    cluster = Cluster(cause=cause, tests=("a",), places=(), messages=())
    found = further_requirements([cluster], tmp_path, moved, PYTHONS, "", frozenset())
    assert [one.requirement for one in found] == ["py"]
    assert further_requirements([cluster], tmp_path, MOVED, PYTHONS, "", frozenset()) == ()
    assert further_requirements([cluster], tmp_path, moved, PYTHONS, "", frozenset({"py"})) == ()


def test_what_a_rule_writes_in_the_place_of_what_is_gone(tmp_path: Path) -> None:
    code = tmp_path / "mine.py"
    code.write_text("from pkg_resources import Requirement\nRequirement.parse('a')\n")
    assert asked(tmp_path, GONE, "pkg_resources") == ["packaging"]
    (tmp_path / "setup.py").write_text("setup(install_requires=['Packaging>=20'])")
    assert asked(tmp_path, GONE, "pkg_resources") == []
    (tmp_path / "setup.py").write_text("setup(install_requires=['packaging-utils'])")
    assert asked(tmp_path, GONE, "pkg_resources") == ["packaging"]


def test_what_no_rule_replaces_is_had_the_old_way(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import pkg_resources\npkg_resources.working_set.by_key\n")
    assert asked(tmp_path, GONE, "pkg_resources") == ["setuptools<81"]
    (tmp_path / "mine.py").write_text("import pkg_resources\npkg_resources.resource_string('a', 'b')\n")
    assert asked(tmp_path, GONE, "pkg_resources") == []
    assert asked(tmp_path, "No module named 'six'", "six") == ["six"]
    assert asked(tmp_path, "No module named 'asyncore'", "asyncore") == ["standard-asyncore"]
    assert asked(tmp_path, "No module named 'audioop'", "audioop") == ["audioop-lts"]
    assert asked(tmp_path, "No module named 'imp'", "imp") == []
    assert asked(tmp_path, "No module named 'mine'", "mine") == []


def test_in_files_that_are_left_alone_no_rule_replaces_anything(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("import pkg_resources\npkg_resources.resource_string('a', 'b')\n")
    assert asked(tmp_path, GONE, "pkg_resources") == []
    found = asked(tmp_path, GONE, "pkg_resources", may_edit=lambda file: file != "conftest.py")
    assert found == ["setuptools<81"]


def test_what_a_library_imports_no_rule_replaces(tmp_path: Path) -> None:
    line = "from distutils.version import StrictVersion"
    (tmp_path / "mine.py").write_text(f"import redis_of_then\n{line}\nStrictVersion('1')\n")
    gone = "No module named 'distutils'"
    assert asked(tmp_path, gone, "distutils", line) == ["packaging"]
    assert asked(tmp_path, gone, "distutils", "import redis_of_then") == ["packaging", "setuptools"]


def test_only_what_the_patch_imports_is_needed_by_it() -> None:
    written = FurtherRequirement(requirement="packaging", module="packaging")
    assert written.is_needed_by("+++ a.py\n+from packaging.version import parse\n")
    assert not written.is_needed_by("+++ packaging.py\n-import packaging\n+import other_packaging\n")
    assert FurtherRequirement(requirement="six").is_needed_by("")
