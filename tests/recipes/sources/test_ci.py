"""CI files as they are written, for every service: which jobs, which steps, from which line."""

from pathlib import Path

import pytest

from backdate.recipes.extract import extract_recipes
from backdate.recipes.extraction import Extraction
from backdate.recipes.recipe import Recipe

TEST = "def test_a():\n    assert 1\n"


def extract(root: Path, files: dict[str, str]) -> Extraction:
    for name, text in {
        "tests/test_a.py": TEST,
        "setup.py": "from setuptools import setup\nsetup(name='x')\n",
        **files,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return extract_recipes(root)


def short(recipe: Recipe) -> list[str]:
    """A recipe in short: every step with its file and line."""
    found = [f"python {' '.join(recipe.interpreter.versions)}"] if recipe.interpreter else []
    found += [f"{one.manager} {' '.join(one.packages)} @{one.provenance.location}" for one in recipe.system]
    found += [f"{one.name}={one.value} @{one.provenance.location}" for one in recipe.variables]
    for step in recipe.install:
        what = " ".join([step.file or "", *(f"[{extra}]" for extra in step.extras), *step.packages]).strip()
        found.append(f"{step.kind} {what} @{step.provenance.location}")
    for plan in (recipe.test, *recipe.further_tests):
        words = " ".join([plan.runner, *plan.arguments, *plan.targets])
        found.append(f"{words} in {plan.cwd} @{plan.provenance.location}")
    return found


def first(root: Path, files: dict[str, str]) -> list[str]:
    return short(extract(root, files).candidates[0])


def reasons(extraction: Extraction) -> str:
    return "\n".join(one.reason for one in extraction.skipped)


def kinds(extraction: Extraction) -> list[str]:
    """The services that the first recipe wants."""
    return [service.kind.value for service in extraction.candidates[0].services]


GITHUB = """\
name: CI
on: [push]
env:
  GLOBAL: "1"
defaults:
  run:
    working-directory: .
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - run: pip install flake8 && flake8
  test:
    runs-on: ${{ matrix.os }}
    services:
      postgres: {image: postgres}
    strategy:
      matrix:
        os: [macos-latest, ubuntu-22.04]
        python-version: ["3.8", "3.10", 3.9, pypy-3.9, 3.13-dev]
        extra: [a, b]
        exclude:
          - {os: ubuntu-22.04, python-version: "3.10", extra: a}
        include:
          - {os: ubuntu-22.04, python-version: "3.7", extra: c}
    env:
      TOKEN: ${{ secrets.TOKEN }}
      EXTRA: ${{ matrix.extra }}
    steps:
      - uses: actions/checkout@v3
      - uses: actions/setup-python@v4
        with: {python-version: "${{ matrix.python-version }}"}
      - uses: ./.github/actions/prepare
        with:
          file: requirements.txt
      - if: runner.os == 'Windows'
        run: pip install never
      - if: github.ref == 'refs/heads/main'
        run: pip install perhaps
      - name: install
        run: |
          sudo apt-get install -y libxml2-dev
          pip install .[${{ matrix.extra }}]
      - run: pytest --cov=x tests
        working-directory: ./
      - run: pytest -v
        shell: pwsh
"""
ACTION = """\
inputs:
  file: {required: true}
  upgrade: {default: "--upgrade"}
runs:
  using: composite
  steps:
    - shell: bash
      run: pip install ${{ inputs.upgrade }} -r ${{ inputs.file }}
"""


def test_github_actions(tmp_path: Path) -> None:
    files = {
        ".github/workflows/ci.yml": GITHUB,
        ".github/actions/prepare/action.yml": ACTION,
        "requirements.txt": "a\n",
    }
    extraction = extract(tmp_path, files)
    assert short(extraction.candidates[0]) == [
        "python 3.7 3.8 3.9 3.10 3.13",
        "apt libxml2-dev @.github/workflows/ci.yml:42",
        "GLOBAL=1 @.github/workflows/ci.yml:4",
        "EXTRA=b @.github/workflows/ci.yml:28",
        "requirements requirements.txt @.github/actions/prepare/action.yml:8",
        "project . [b] @.github/workflows/ci.yml:43",
        "packages pytest @",
        "pytest tests in . @.github/workflows/ci.yml:44",
    ]
    why = reasons(extraction)
    assert kinds(extraction) == ["postgresql"]
    assert "TOKEN is not set: ${{ secrets.TOKEN }} is not known" in why
    assert "run only if github.ref == 'refs/heads/main'" in why
    assert "the shell pwsh is not followed" in why
    assert "never" not in str(extraction.candidates)


def test_github_prefers_the_job_that_tests_on_linux(tmp_path: Path) -> None:
    job = "jobs:\n  {}:\n    runs-on: {}\n    steps:\n    - run: pip install {} pytest\n    - run: pytest\n"
    extraction = extract(
        tmp_path,
        {
            ".github/workflows/a-windows.yml": job.format("tests", "windows-latest", "w"),
            ".github/workflows/b-nightly.yml": job.format("nightly", "ubuntu-latest", "n"),
            ".github/workflows/c.yml": job.format("build", "ubuntu-latest", "c"),
        },
    )
    packages = [recipe.install[0].packages for recipe in extraction.candidates]
    assert packages[0] == ("c", "pytest")
    assert packages[-1] == ("w", "pytest")


def test_github_actions_that_call_themselves_end(tmp_path: Path) -> None:
    loop = "runs:\n  using: composite\n  steps:\n" + "  - uses: ./a\n" * 200
    workflow = "jobs:\n  t:\n    steps:\n    - uses: ./a\n    - run: pytest\n"
    extraction = extract(tmp_path, {".github/workflows/t.yml": workflow, "a/action.yml": loop})
    assert extraction.candidates
    assert "call each other too often" in reasons(extraction)


def test_of_a_matrix_of_variables_travis_runs_the_newest(tmp_path: Path) -> None:
    text = """\
language: python
python: 3.6
env:
- TOXENV=py27-django18
- TOXENV=py36-django18
- TOXENV=py36-django111
- TOXENV=py36-django20
- TOXENV=py36-djangomaster
script: pytest $TOXENV
"""
    extraction = extract(tmp_path, {".travis.yml": text})
    assert "pytest py36-django20 in . @.travis.yml:9" in short(extraction.candidates[0])


def test_travis(tmp_path: Path) -> None:
    text = """\
language: python
python: [2.7, "3.6", 3.8, nightly, pypy3]
services: [redis-server]
addons:
  apt:
    packages:
    - pandoc
    - 'x y'
env:
  global:
    - A=1 B="x y"
    - secure: abcdef=
  matrix:
    - DJANGO=2.2
    - DJANGO=3.0
matrix:
  include:
    - python: 3.9
      env: DJANGO=3.1
    - stage: deploy
      script: skip
install:
  - pip install django==$DJANGO
  - if [[ $TRAVIS_PYTHON_VERSION == 2.7 ]]; then pip install mock; fi
before_script: cd $TRAVIS_BUILD_DIR/tests
script:
  - pytest test_a.py
  - python -m unittest discover
"""
    extraction = extract(tmp_path, {".travis.yml": text})
    assert short(extraction.candidates[0]) == [
        "python 2.7 3.6 3.8 3.9",
        "apt pandoc @.travis.yml:7",
        "A=1 @.travis.yml:11",
        "B=x y @.travis.yml:11",
        "DJANGO=3.1 @.travis.yml:19",
        "packages django==3.1 @.travis.yml:23",
        "packages pytest @",
        "pytest test_a.py in tests @.travis.yml:27",
        "unittest discover in tests @.travis.yml:28",
    ]
    why = reasons(extraction)
    assert kinds(extraction) == ["redis"]
    assert "an encrypted variable is not set" in why
    assert "'x y' is not the name of a Debian package" in why


def test_travis_installs_requirements_where_install_is_not_given(tmp_path: Path) -> None:
    found = first(tmp_path, {".travis.yml": "script: pytest\n", "requirements.txt": "a\n"})
    assert found[0] == "requirements requirements.txt @requirements.txt"


def test_gitlab(tmp_path: Path) -> None:
    text = """\
include:
  - local: /ci/shared.yml
  - project: other/thing
    file: x.yml
image: python:3.9-slim
variables: {A: "1"}
before_script:
  - pip install -e .[test]
lint:
  script: [flake8]
unit:
  extends: .base
  parallel:
    matrix:
      - PY: ["3.8", "3.10"]
  services: [postgres:12]
  script:
    - cd tests
    - pytest -k "a"
"""
    shared = ".base:\n  image: python:$PY\n  before_script:\n    - pip install shared\n"
    extraction = extract(tmp_path, {".gitlab-ci.yml": text, "ci/shared.yml": shared})
    recipe = next(
        one for one in extraction.candidates if one.provenance and "job unit" in one.provenance.rule
    )
    assert short(recipe)[:3] == [
        "python 3.8 3.10",
        "A=1 @.gitlab-ci.yml:6",
        "packages shared @ci/shared.yml:4",
    ]
    assert (recipe.test.arguments, recipe.test.cwd) == (("-k", "a"), "tests")
    assert kinds(extraction) == ["postgresql"]
    assert "an include from elsewhere is not read" in reasons(extraction)


def test_circleci(tmp_path: Path) -> None:
    text = """\
version: 2.1
orbs: {python: circleci/python@1}
commands:
  prepare:
    parameters:
      file: {type: string, default: requirements.txt}
    steps:
      - run: pip install -r << parameters.file >>
jobs:
  test:
    parameters: {version: {type: string, default: "3.8"}}
    docker:
      - image: cimg/python:<< parameters.version >>
        environment: {A: "1"}
      - image: redis:6
    steps:
      - checkout
      - python/install-packages: {pkg-manager: pip, pip-dependency-file: dev.txt}
      - prepare
      - codecov/upload
      - run:
          name: test
          working_directory: tests
          command: |
            . venv/bin/activate
            pytest
"""
    extraction = extract(tmp_path, {".circleci/config.yml": text, "requirements.txt": "", "dev.txt": ""})
    assert short(extraction.candidates[0]) == [
        "python 3.8",
        "A=1 @.circleci/config.yml:14",
        "requirements dev.txt @.circleci/config.yml:18",
        "requirements requirements.txt @.circleci/config.yml:8",
        "packages pytest @",
        "pytest in tests @.circleci/config.yml:26",
    ]
    assert kinds(extraction) == ["redis"]
    assert "the orb codecov/upload is not followed" in reasons(extraction)


def test_azure(tmp_path: Path) -> None:
    text = """\
variables: {A: "1"}
stages:
- stage: test
  jobs:
  - job: linux
    pool: {vmImage: ubuntu-20.04}
    strategy:
      matrix:
        py37: {python.version: "3.7"}
        py38: {python.version: "3.8"}
    steps:
    - task: UsePythonVersion@0
      inputs: {versionSpec: $(python.version)}
    - template: ci/steps.yml
    - script: |
        cd $(Build.SourcesDirectory)
        pytest tests/
    - script: pip install never
      condition: eq(variables['x'], 'y')
"""
    files = {"azure-pipelines.yml": text, "ci/steps.yml": "steps:\n- bash: pip install .\n"}
    extraction = extract(tmp_path, files)
    assert short(extraction.candidates[0]) == [
        "python 3.7 3.8",
        "A=1 @azure-pipelines.yml:1",
        "project . @ci/steps.yml:2",
        "packages pytest @",
        "pytest tests in . @azure-pipelines.yml:17",
    ]
    assert "run only if eq(variables['x'], 'y')" in reasons(extraction)


def test_appveyor_is_listed_only(tmp_path: Path) -> None:
    extraction = extract(tmp_path, {"appveyor.yml": "test_script: pytest\n"})
    assert "AppVeyor builds on Windows" in reasons(extraction)
    assert len(extraction.candidates) == 1


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)
FILES = (
    ".github/workflows/test.yml",
    ".gitlab-ci.yml",
    ".travis.yml",
    ".circleci/config.yml",
    "azure-pipelines.yml",
    "environment.yml",
)


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize(
    "text",
    [
        BOMB + "jobs: {test: {steps: *j}}\n",
        "a: &a [*a]\njobs: &b\n  test: {steps: *b}\n# pytest",
        "[" * 3000 + "pytest",
        "pytest: " + "{a: " * 500,
        "- " * 5000 + "pytest",
        "? " * 5000 + "pytest",
        "%YAML 9.9\n--- pytest",
        "jobs: [pytest]\nscript: {a: b}\nsteps: pytest\ndependencies: pytest",
        "\tpytest: x",
        "!!python/object/apply:os.system ['pytest']",
        "pytest\0",
        "a: pytest\n" * 40_000,
        "? [pytest]\n: x\n? {a: b}\n: y",
        "- 'pytest",
    ],
    ids=range(14),
)
def test_hostile_yaml_is_skipped_with_a_reason_or_says_nothing(tmp_path: Path, file: str, text: str) -> None:
    extraction = extract(tmp_path, {file: text})
    assert extraction.candidates[0].provenance is not None
    assert "metadata" in extraction.candidates[0].provenance.rule


def test_a_repeated_key_means_its_last_value(tmp_path: Path) -> None:
    found = first(tmp_path, {".travis.yml": "script: nothing\nscript: pytest tests\n"})
    assert found[-1] == "pytest tests in . @.travis.yml:2"
