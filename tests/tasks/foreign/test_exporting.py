"""Other tools' forms, read back by those tools where they are installed."""

from __future__ import annotations

import json
import subprocess
import tomllib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from slow_tests import others_slow
from task_builders import FIXED, MODULE, PUBLISHED, FakeTaskRunner, repository, row, task

from backdate.editing.patch import as_git_patch
from backdate.errors import SourceError, UsageError
from backdate.recipes.recipe import (
    BuildConstraint,
    InstallStep,
    LaterCut,
    Provenance,
    Recipe,
    SuitePlan,
    Variable,
)
from backdate.tasks.card import DatasetInfo
from backdate.tasks.dataset import Dataset
from backdate.tasks.foreign.docker_files import environment_file
from backdate.tasks.foreign.exporting import export_tasks
from backdate.tasks.foreign.timemachine import FIELDS, row_of_task, task_of_row
from backdate.tasks.kinds.migration import migration_facts
from backdate.tasks.scripts import setup_script, suite_script
from backdate.tasks.task import Patches, RecipeSetup
from backdate.tasks.trees import Sources
from backdate.tasks.verify_task import verify_task

INFO = DatasetInfo(name="a set", created=datetime(2025, 1, 2, tzinfo=UTC), made_by="test", license="MIT")


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    commit = repository(tmp_path / "clones" / "owner" / "shouting")
    _, proven = verify_task(task(commit=commit), FakeTaskRunner(), log_folder=tmp_path / "l", repeats=1)
    return Dataset.create(tmp_path / "set", [proven], INFO)


def _export(dataset: Dataset, form: str, output: Path) -> int:
    base = dataset.folder.parent
    sources = Sources(
        index_url="https://index.example/simple",
        downloads=base / "d",
        pages=base / "p",
        repositories=base / "clones",
        archive=dataset.source_of,
    )
    return export_tasks(dataset, dataset.tasks, form, output, sources=sources)


def test_timemachine(dataset: Dataset, tmp_path: Path) -> None:
    assert _export(dataset, "timemachine", tmp_path / "out.jsonl") == 1
    written = json.loads((tmp_path / "out.jsonl").read_text())
    assert written == row(commit=dataset.tasks[0].source.revision)


def test_swebench(dataset: Dataset, tmp_path: Path) -> None:
    _export(dataset, "swebench", tmp_path / "out.jsonl")
    instance = json.loads((tmp_path / "out.jsonl").read_text())
    assert set(instance) >= {
        *("instance_id", "repo", "base_commit", "patch", "test_patch", "problem_statement", "hints_text"),
        *("created_at", "version", "FAIL_TO_PASS", "PASS_TO_PASS", "environment_setup_commit"),
    }
    assert json.loads(instance["FAIL_TO_PASS"]) == ["tests.test_it.Shouting.test_it"]
    assert json.loads(instance["PASS_TO_PASS"]) == ["tests.test_it.Shouting.test_nothing"]
    clone = tmp_path / "clones" / "owner" / "shouting"
    for name in ("unpinning_patch", "patch"):
        subprocess.run(["git", "apply", "-"], cwd=clone, input=instance[name].encode(), check=True)
    assert (clone / "shouting.py").read_bytes() == FIXED
    assert "soft_str" not in instance["problem_statement"]


@pytest.mark.filterwarnings("ignore")  # theirs
def test_swebench_loads_in_its_own_tool(dataset: Dataset, tmp_path: Path) -> None:
    utilities = pytest.importorskip("swebench.harness.utils", reason="swebench is not installed")
    _export(dataset, "swebench", tmp_path / "out.jsonl")
    loaded = utilities.load_swebench_dataset(str(tmp_path / "out.jsonl"))
    assert [one["instance_id"] for one in loaded] == [dataset.tasks[0].instance_id]


def test_git_patches_of_what_comes_and_goes(tmp_path: Path) -> None:
    repository(tmp_path / "repo", {"gone": b"x\n", "kept": b"a", "void": b""})
    from backdate.editing.diff import diff_files

    patch = diff_files(
        {"gone": b"x\n", "kept": b"a", "void": b""}, {"made": b"y\n", "kept": b"b", "none": b""}
    )
    subprocess.run(
        ["git", "apply", "-"], cwd=tmp_path / "repo", input=as_git_patch(patch).encode(), check=True
    )
    files = {path.name: path.read_bytes() for path in (tmp_path / "repo").iterdir() if path.is_file()}
    assert files == {"made": b"y\n", "kept": b"b", "none": b""}


def test_harbor(dataset: Dataset, tmp_path: Path) -> None:
    _export(dataset, "harbor", tmp_path / "out")
    folder = tmp_path / "out" / dataset.tasks[0].instance_id
    settings = tomllib.loads((folder / "task.toml").read_text())
    assert settings["metadata"]["instance_id"] == dataset.tasks[0].instance_id
    assert settings["environment"]["network_mode"] == "no-network"
    assert (folder / "environment" / "tree" / "shouting.py").read_bytes() == MODULE
    assert (folder / "environment" / "tree" / "requirements.txt").read_bytes() == b"markupsafe\n"
    assert (folder / "tests" / "files" / "tests" / "test_it.py").read_bytes() == PUBLISHED["tests/test_it.py"]
    assert "gold" not in (folder / "environment" / "Dockerfile").read_text()
    for script in ("tests/test.sh", "solution/solve.sh"):
        assert (folder / script).stat().st_mode & 0o100
        subprocess.run(["bash", "-n", str(folder / script)], check=True)


@pytest.mark.filterwarnings("ignore")  # theirs
def test_harbor_loads_in_its_own_tool(dataset: Dataset, tmp_path: Path) -> None:
    models = pytest.importorskip("harbor.models.task.task", reason="harbor is not installed")
    _export(dataset, "harbor", tmp_path / "out")
    loaded = models.Task(tmp_path / "out" / dataset.tasks[0].instance_id)
    assert loaded.config.agent.timeout_sec == 7200


def test_parquet(dataset: Dataset, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    _export(dataset, "parquet", tmp_path / "out")
    rows = parquet.read_table(tmp_path / "out" / "data" / "test-00000-of-00001.parquet").to_pylist()
    assert rows[0]["gold_patch"] == dataset.tasks[0].patches.reference
    assert rows[0]["fail_to_pass"] == ["tests.test_it.Shouting.test_it"]
    assert '"data/test-*"' in (tmp_path / "out" / "README.md").read_text()


@pytest.mark.filterwarnings("ignore")  # theirs
def test_parquet_loads_in_its_own_tool(dataset: Dataset, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    _export(dataset, "parquet", tmp_path / "out")
    loaded = datasets.load_dataset(str(tmp_path / "out"), split="test", cache_dir=str(tmp_path / "cache"))
    assert loaded[0]["instance_id"] == dataset.tasks[0].instance_id


@pytest.mark.filterwarnings("ignore")  # theirs
def test_croissant_loads_in_its_own_tool(dataset: Dataset) -> None:
    croissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    loaded = croissant.Dataset(jsonld=str(dataset.folder / "croissant.json"))
    assert not loaded.metadata.issues.errors
    records = list(loaded.records("tasks"))
    assert records[0]["tasks/instance_id"].decode() == dataset.tasks[0].instance_id


def test_docker(dataset: Dataset, tmp_path: Path) -> None:
    _export(dataset, "docker", tmp_path / "out")
    folder = tmp_path / "out" / dataset.tasks[0].instance_id
    subprocess.run(["sh", "-n", str(folder / "build.sh")], check=True)
    text = (folder / "build.sh").read_text()
    assert text.count("docker build ") == 5
    assert "ARG INDEX_URL=" in (folder / "new" / "Dockerfile.environment").read_text()
    assert (folder / "old" / "tree" / "requirements.txt").read_bytes() == PUBLISHED["requirements.txt"]
    assert (folder / "new" / "tree" / "requirements.txt").read_bytes() == b"markupsafe\n"


def test_system_packages_are_an_argument() -> None:
    from backdate.tasks.foreign.docker_files import base_file

    lines = base_file(task().environment).splitlines()
    assert any(line.startswith('ARG SYSTEM_PACKAGES="autoconf ') for line in lines)
    assert any(line.endswith(" \\") and "apt-get update" in line for line in lines)


def test_layers_are_named_by_their_content() -> None:
    from backdate.tasks.foreign.docker_files import base_tag, environment_tag

    one, other = task(), task("owner/other")
    assert base_tag(one.environment) == base_tag(other.environment) != base_tag(migration_facts(one).old)
    assert environment_tag(one, one.environment) != environment_tag(other, other.environment)
    assert environment_tag(one, one.environment) != environment_tag(
        replace(one, patches=Patches()), one.environment
    )


def _built() -> Recipe:
    why = Provenance(rule="test")
    return Recipe(
        install=(InstallStep(kind="requirements", file="requirements.txt", provenance=why),),
        test=SuitePlan(runner="unittest", targets=("tests.test_it",), provenance=why),
    )


def test_scripts_hold_all_that_a_recipe_says() -> None:
    why = Provenance(rule="test")
    plan = SuitePlan(runner="pytest", environment=(("FLAG", "a b"),), provenance=why)
    one = replace(
        _built(),
        test=plan,
        further_tests=(replace(plan, cwd="sub", environment=(("FLAG", "a b"), ("MORE", "1"))),),
        variables=(Variable(name="FLAG", value="a b", provenance=why),),
        build_constraints=(BuildConstraint(requirement="setuptools<58", provenance=why),),
    )
    setup, test = setup_script(one), suite_script(one)
    assert "export FLAG='a b'\n" in setup
    assert "'setuptools<58' >> /tmp/build-constraints.txt" in setup
    assert "export PIP_CONSTRAINT=/tmp/build-constraints.txt\n" in setup
    assert setup.endswith("python -m pip install -r requirements.txt\n")
    assert test.splitlines()[2:] == [
        "FLAG='a b' python -m pytest",
        "(cd sub && FLAG='a b' MORE=1 python -m pytest)",
    ]


def test_an_image_is_told_where_cuts_are_moved() -> None:
    why = Provenance(rule="test")
    side = replace(migration_facts(task()).old, instant=datetime(2018, 6, 1, tzinfo=UTC))
    cut = LaterCut(name="six", until=datetime(2019, 1, 1, tzinfo=UTC), provenance=why)
    moved = replace(_built(), extra_cutoff_overrides=(cut,))
    one = replace(task(), setup=RecipeSetup(recipe=moved))
    text = environment_file(one, side)
    (line,) = [line for line in text.splitlines() if line.startswith("ARG INDEX_URL=")]
    assert "/snapshot/2018-06-01T00:00:00Z," in line
    assert ",six=2019-01-01T00:00:00Z," in line
    assert ",setuptools=2019-02-10T00:00:00Z," in line


def test_a_built_task_is_written_as_a_row_that_can_be_imported() -> None:
    one = replace(task(), setup=RecipeSetup(recipe=_built()), published=None)
    written = row_of_task(one)
    assert tuple(written) == FIELDS
    again = task_of_row(written)
    assert (migration_facts(again).old.instant, again.patches.reference, again.instance_id) == (
        migration_facts(one).old.instant,
        one.patches.reference,
        one.instance_id,
    )
    assert "python -m unittest tests.test_it" in written["patch"]
    sdist = replace(one, source=replace(one.source, kind="sdist"))
    with pytest.raises(UsageError, match="is an sdist"):
        row_of_task(sdist)


@pytest.mark.parametrize(
    "form", others_slow(["timemachine", "swebench", "harbor", "parquet", "docker"], kept=["timemachine"])
)
def test_what_is_there_is_not_overwritten(dataset: Dataset, tmp_path: Path, form: str) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(UsageError, match="there already"):
        _export(dataset, form, tmp_path / "out")


def test_nothing_is_left_when_a_tree_cannot_be_had(tmp_path: Path) -> None:
    dataset = Dataset.create(tmp_path / "set", [task(url="https://127.0.0.1:9/nowhere")], INFO)
    (tmp_path / "clones").mkdir()
    with pytest.raises(SourceError):
        _export(dataset, "docker", tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clones", "set"]
