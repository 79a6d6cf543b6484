import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import StoredDataError
from backdate.recipes.recipe import (
    DeclaredPythons,
    InstallStep,
    Provenance,
    Recipe,
    SuitePlan,
    SystemPackages,
    Variable,
)
from backdate.recipes.render import as_dockerfile, as_json, as_shell_script, command_of, read_recipe, steps_of
from backdate.sandboxes.services.wanted import ServiceAccount, ServiceKind, WantedService

WHERE = Provenance(rule="Travis CI", file=".travis.yml", line=7, text="pip install x")


def recipe(evil: str = "") -> Recipe:
    """One of everything, with ``evil`` wherever a file's text gets in."""
    where = Provenance(rule=f"rule{evil}", file=".travis.yml", line=7, text=f"text{evil}")
    return Recipe(
        install=(
            InstallStep(kind="requirements", file="req/dev.txt", provenance=where),
            InstallStep(kind="constraints", file="c.txt", provenance=where),
            InstallStep(kind="project", file=".", extras=("a", "b"), editable=True, provenance=where),
            InstallStep(kind="project", file="sub", provenance=where),
            InstallStep(kind="packages", packages=("x>1 ; python_version > '3'",), provenance=where),
        ),
        test=SuitePlan(
            runner="pytest",
            arguments=("-k", f"a and b{evil}"),
            targets=("tests",),
            cwd="sub dir",
            environment=(("A", f"1 2{evil}"), ("B", "../src")),
            provenance=where,
        ),
        further_tests=(SuitePlan(runner="django", provenance=where),),
        interpreter=DeclaredPythons(versions=("3.7", "3.8"), provenance=where),
        system=(
            SystemPackages(manager="apt", packages=(f"libxml2{evil}",), provenance=where),
            SystemPackages(manager="conda", packages=(f"gdal{evil}",), provenance=where),
        ),
        services=(
            WantedService(
                kind=ServiceKind.REDIS,
                port=6379,
                hosts=(f"x{evil}",),
                accounts=(ServiceAccount(user=f"u{evil}", password=f"p{evil}"),),
                databases=(f"d{evil}",),
                where=f"ci.yml:3{evil}",
            ),
        ),
        variables=(
            Variable(name="A", value=f"1 2{evil}", provenance=where),
            Variable(name="B", value="/PROJECT/src", provenance=where),
        ),
        provenance=where,
    )


def test_json_is_read_back() -> None:
    assert read_recipe(as_json(recipe())) == recipe()
    with pytest.raises(StoredDataError, match="the recipe"):
        read_recipe("{}")


def test_shell_script() -> None:
    lines = as_shell_script(recipe()).splitlines()
    assert lines[0] == "#!/bin/sh"
    assert "# Python 3.7, 3.8 (.travis.yml:7)" in lines
    assert "# needs: apt-get install -y --no-install-recommends libxml2" in lines
    assert "export A='1 2'" in lines
    assert "export B=./src" in lines
    quoted = "'x>1 ; python_version > '\"'\"'3'\"'\"''"
    assert f"python -m pip install -r req/dev.txt -c c.txt -e '.[a,b]' ./sub {quoted}" in lines
    assert lines[-3] == "(cd 'sub dir' && python -m pytest -k 'a and b' tests)"
    assert lines[-2:] == ["# .travis.yml:7: text", "python manage.py test --noinput"]


def test_services_are_named() -> None:
    for text in (as_shell_script(recipe()), as_dockerfile(recipe())):
        assert "# wants: redis at localhost:6379 (ci.yml:3)" in text.splitlines()
    assert ("service", "redis at localhost:6379", "ci.yml:3") in [
        (kind, text, why.rule) for kind, text, why in steps_of(recipe())
    ]


def test_dockerfile() -> None:
    text = as_dockerfile(recipe())
    assert "FROM python:3.8\nARG INDEX_URL=https://pypi.org/simple\nENV PIP_INDEX_URL=$INDEX_URL\n" in text
    assert "RUN apt-get update && apt-get install -y --no-install-recommends libxml2 && rm" in text
    assert 'ENV A="1 2"\n' in text
    assert 'ENV B="/project/src"\n' in text
    assert text.count("RUN python -m pip install") == 1
    assert "FROM python:3.6.8\n" in as_dockerfile(recipe(), python="3.6.8")


def test_a_variable_that_is_set_otherwise_is_part_of_the_command() -> None:
    plan = SuitePlan(runner="unittest", targets=("a.b",), environment=(("X", "$(id)"),), provenance=WHERE)
    assert command_of(plan, None) == "X='$(id)' python -m unittest a.b"


def test_a_program_of_the_projects_own_takes_its_arguments_behind_it() -> None:
    plan = SuitePlan(runner="program", targets=("runtests.py",), arguments=("--fast",), provenance=WHERE)
    assert command_of(plan, None) == "python runtests.py --fast"


EVIL = [
    "\nRUN evil",
    "\rRUN evil",
    "\\",
    "'; evil; '",
    '"; evil; "',
    "$(evil)",
    "`evil`",
    "\u2028RUN evil",
    "\x1b[2J",
]


@pytest.mark.parametrize("evil", EVIL)
def test_text_from_files_stays_text(evil: str, tmp_path: Path) -> None:
    docker = as_dockerfile(recipe(evil)).split("\n")
    assert all(
        line.split(" ")[0] in ("", "#", "FROM", "ARG", "ENV", "WORKDIR", "RUN", "COPY", "CMD")
        for line in docker
    )
    assert not any(line.startswith("RUN evil") for line in docker)
    stubs = tmp_path / "bin"
    stubs.mkdir()
    for name, body in (
        ("python", "exit 0"),
        ("evil", f"touch {tmp_path}/happened"),
        ("RUN", f"touch {tmp_path}/happened"),
    ):
        (stubs / name).write_text(f"#!/bin/sh\n{body}\n")
        (stubs / name).chmod(0o755)
    (tmp_path / "sub dir").mkdir()
    shell = shutil.which("sh")
    assert shell is not None
    script = as_shell_script(recipe(evil))
    done = subprocess.run(
        [shell, "-c", script], env={"PATH": str(stubs)}, cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "happened").exists()


@given(st.text(max_size=30))
def test_any_text_is_written_and_read(text: str) -> None:
    one = recipe(text.replace("\0", ""))
    assert read_recipe(as_json(one)) == one
    assert as_shell_script(one).count("\npython manage.py") == 1
    assert as_dockerfile(one).count("\nCMD ") == 1
