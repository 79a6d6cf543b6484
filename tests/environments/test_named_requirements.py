"""What names distributions of the index and nothing else, and what is left to the resolver."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.environments.build import Builder
from backdate.environments.cache import Cache
from backdate.environments.environment import Interpreter, InterpreterChoice
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.keys import Keys
from backdate.environments.named_requirements import named_requirements
from backdate.recipes.recipe import InstallStep, Provenance
from backdate.sandboxes.bubblewrap import Bubblewrap

RULE = Provenance(rule="a test")
INTERPRETER = Interpreter(
    executable=Path("/usr/bin/python3.12"), prefix=Path("/usr"), version="3.12.1", source="path"
)


def request(tree: Path, *steps: InstallStep, constraints: tuple[str, ...] = ()) -> EnvironmentRequest:
    return EnvironmentRequest(
        name="thing",
        tree=tree,
        digest="0" * 64,
        steps=steps,
        choice=InterpreterChoice(wanted="3.12", reason="a test", interpreter=INTERPRETER),
        instant=datetime(2024, 3, 1, tzinfo=UTC),
        constraints=constraints,
    )


def of_file(tree: Path, text: str, kind: str = "requirements") -> EnvironmentRequest:
    (tree / "requirements.txt").write_text(text, encoding="utf-8")
    return request(tree, InstallStep(kind=kind, file="requirements.txt", provenance=RULE))  # type: ignore[arg-type]


def test_requirement_files_are_written_out(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more/base.txt").write_text("-c limits.txt\nsix  # needed\n", encoding="utf-8")
    (tmp_path / "more/limits.txt").write_text("six<2\n", encoding="utf-8")
    text = (
        "\ufeff# what we need\nflask[async] >=1.0, <2 ; python_version > '3'\n\n--requirement more/base.txt\n"
    )
    named = named_requirements(of_file(tmp_path, text))
    assert named is not None
    assert named.asked == ('flask[async]<2,>=1.0; python_version > "3"', "six", "pip")
    assert named.limits == ("six<2",)


def test_constraint_files_and_limits_install_nothing(tmp_path: Path) -> None:
    (tmp_path / "limits.txt").write_text("six<2\n-r more.txt\n", encoding="utf-8")
    (tmp_path / "more.txt").write_text("attrs<23\n", encoding="utf-8")
    steps = (
        InstallStep(kind="packages", packages=("six",), provenance=RULE),
        InstallStep(kind="constraints", file="limits.txt", provenance=RULE),
    )
    named = named_requirements(request(tmp_path, *steps, constraints=("idna<3",)))
    assert named is not None
    assert named.asked == ("six", "pip")
    assert named.limits == ("six<2", "attrs<23", "idna<3")


@pytest.mark.parametrize(
    "line",
    [
        "--find-links .",
        "-f wheels",
        "-i https://example.org/simple",
        "--index-url=https://example.org/simple",
        "--extra-index-url https://example.org/simple",
        "--no-binary :all:",
        "--pre",
        "-e .",
        "-e.",
        ".",
        "./six",
        "six/",
        "six-1.0.tar.gz",
        "six-1.0-py3-none-any.whl",
        "six.ZIP",
        "file:///tmp/six-1.0-py3-none-any.whl",
        "six @ file:///tmp/six-1.0-py3-none-any.whl",
        "six @ https://example.org/six-1.0-py3-none-any.whl",
        "git+https://example.org/six.git",
        "six ; python_version > '${HOME}'",
        "${WHAT}",
        "six \\\n--find-links .",
        "six\r--find-links .",
        "six\x0c--find-links .",
        "six\u2028--find-links .",
        "six --hash=sha256:00",
        "-r missing.txt",
        "-r requirements.txt",
        "-r /etc/passwd",
        "-r ../outside.txt",
        "-r https://example.org/requirements.txt",
        "-r 'requirements.txt'",
    ],
)
@pytest.mark.parametrize("kind", ["requirements", "constraints"])
def test_whatever_else_a_line_says_is_left_to_the_resolver(line: str, kind: str, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tmp_path / "outside.txt").write_text("attrs\n", encoding="utf-8")
    assert named_requirements(of_file(tree, f"attrs\n{line}\n", kind)) is None


def test_files_that_lead_out_of_the_tree_by_a_link_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("attrs\n", encoding="utf-8")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "inside.txt").symlink_to(tmp_path / "outside.txt")
    assert named_requirements(of_file(tree, "-r inside.txt\n")) is None


def test_a_project_is_no_distribution_of_the_index(tmp_path: Path) -> None:
    steps = (
        InstallStep(kind="packages", packages=("six",), provenance=RULE),
        InstallStep(kind="project", file=".", provenance=RULE),
    )
    assert named_requirements(request(tmp_path, steps[0])) is not None
    assert named_requirements(request(tmp_path, *steps)) is None


@pytest.mark.parametrize("line", ["-e .", "./six", "https://example.org/six.zip", "six\n--find-links ."])
def test_packages_may_be_addresses_too(line: str, tmp_path: Path) -> None:
    step = InstallStep(kind="packages", packages=("attrs", line), provenance=RULE)
    assert named_requirements(request(tmp_path, step)) is None
    assert named_requirements(request(tmp_path, constraints=(line,))) is None


def test_the_lowest_versions_are_another_resolution(tmp_path: Path) -> None:
    step = InstallStep(kind="packages", packages=("six>=1.10",), provenance=RULE)
    highest = request(tmp_path, step)
    lowest = replace(highest, resolution="lowest-direct")
    keys = Keys(Builder(Cache(tmp_path / "cache"), Bubblewrap()).steps)
    assert keys.resolution(highest, "x") != keys.resolution(lowest, "x")
    found = [named_requirements(one) for one in (highest, lowest)]
    assert [one.asked if one else None for one in found] == [("six>=1.10", "pip"), ("six>=1.10",)]
