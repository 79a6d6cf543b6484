"""What a project requires, with metadata and without."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_runner import write_files

from backdate.lowest.declared import ProjectRequirements, declaring_files, project_requirements
from backdate.recipes.recipe import InstallStep, Provenance, Recipe, SuitePlan

WHERE = Provenance(rule="a test")


def recipe(*files: str, project: bool = False) -> Recipe:
    steps = [InstallStep(kind="requirements", file=file, provenance=WHERE) for file in files]
    steps += [InstallStep(kind="project", provenance=WHERE)] if project else []
    return Recipe(install=tuple(steps), test=SuitePlan(runner="pytest", provenance=WHERE))


def read(folder: Path, *files: str, **texts: str) -> ProjectRequirements | None:
    write_files(
        folder, {name.replace("__", "/").replace("_txt", ".txt"): text for name, text in texts.items()}
    )
    return project_requirements(folder, recipe(*files), None)


def test_without_metadata_requirement_files_say_it(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "requirements.txt",
        "requirements-dev.txt",
        requirements_txt="# own\nflask>=2.0,<4  # web\n-r more/base.txt\nclick==8.1.0\n--no-binary x\n-e .\n",
        more__base_txt="-r ../requirements.txt\nattrs >=20.1 ; python_version > '3' \\\n  --hash=sha256:aa\n",
    )
    (tmp_path / "requirements-dev.txt").write_text("pytest>=7\n")
    assert found is not None
    assert found.texts == ("flask>=2.0,<4", "attrs >=20.1 ; python_version > '3'")
    assert (found.files, found.pinned) == (("requirements.txt",), ("click==8.1.0",))


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("requirements.txt", True),
        ("requirements/base.txt", True),
        ("requirements/test.txt", False),
        ("dev-requirements.txt", False),
        ("docs/requirements.txt", False),
    ],
)
def test_files_for_developers_do_not_say_it(file: str, counts: bool, tmp_path: Path) -> None:
    assert declaring_files(tmp_path, recipe(file)) == ((file,) if counts else ())


def test_metadata_go_before_files(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "pyproject.toml": '[project]\nname = "p"\nversion = "1"\ndependencies = ["idna>=3"]\n',
            "requirements.txt": "six>=1\n",
        },
    )
    both = recipe("requirements.txt", project=True)
    assert project_requirements(tmp_path, both, None) == ProjectRequirements(texts=("idna>=3",))
    assert declaring_files(tmp_path, both) == ()


def test_where_nothing_is_bounded_it_is_said_why(tmp_path: Path) -> None:
    pinned = read(tmp_path, "requirements.txt", requirements_txt="a==1\nb==2\nc===3\nd==4\ne\n")
    assert pinned is not None
    assert pinned.why_nothing_is_bounded() == (
        "requirements.txt pins 4 versions (a==1, b==2, c===3, …) and declares no lower bound, such as a>=1: "
        "there is nothing to lower; check --from-lock requirements.txt compares what it pins with today"
    )
    free = read(tmp_path, "requirements.txt", requirements_txt="a\nb<3\n")
    assert free is not None
    assert "no requirement in requirements.txt has a lower bound" in free.why_nothing_is_bounded()
    assert ProjectRequirements(texts=()).why_nothing_is_bounded() == "the project requires nothing"
    assert read(tmp_path) is None
