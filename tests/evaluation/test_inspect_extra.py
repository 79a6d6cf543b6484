"""The Inspect task with a scripted model: the same loop, the same endings, a log that opens."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest
from diagnosis_environments import environment_of
from fake_runner import FIX, FakeScriptRunner, make_task

inspect_ai = pytest.importorskip("inspect_ai", reason="the extra inspect is not installed")

from inspect_ai import eval as inspect_eval  # noqa: E402
from inspect_ai.log import read_eval_log  # noqa: E402
from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: E402

from backdate.checking.dated_project import DatedProject  # noqa: E402
from backdate.checking.recipe_run import request_for  # noqa: E402
from backdate.errors import UsageError  # noqa: E402
from backdate.evaluation.inspect_extra.environment import (  # noqa: E402
    _OPEN,
    BackdateSandbox,
    BenchConfig,
)
from backdate.evaluation.inspect_extra.task import (  # noqa: E402
    budgeted_loop,
    migration_task,
    passed_within,
)
from backdate.evaluation.load import Benchmark  # noqa: E402
from backdate.projects.python_constraint import read_python_constraint  # noqa: E402
from backdate.projects.tree import tree_digest  # noqa: E402
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan  # noqa: E402
from backdate.sandboxes.choose import choose_sandbox  # noqa: E402
from backdate.sandboxes.interface import Sandbox  # noqa: E402
from backdate.tasks.local_runner import BuiltSide, LocalRunner  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # the framework's own, which its releases change


@pytest.fixture(autouse=True)
def streams_end_with_their_test() -> Iterator[None]:
    """The framework leaves streams open: what they warn of in the end belongs to these tests."""
    yield
    gc.collect()


def call(tool: str, **arguments: object) -> ModelOutput:
    output = ModelOutput.for_tool_call("mockllm/model", tool, arguments, content="I think so.")
    output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
    return output


def words(text: str) -> ModelOutput:
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
    return output


def run(tmp_path: Path, outputs, task_runner=None, **settings):
    config = BenchConfig(dataset=str(tmp_path / "fake"))
    bench = Benchmark(name="fake", tasks=(make_task(),), task_runner=task_runner or FakeScriptRunner())
    _OPEN[config] = bench
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    (log,) = inspect_eval(
        migration_task(config, **settings),
        model=model,
        log_dir=str(tmp_path / "logs"),
        display="none",
        log_format="eval",
    )
    return log


@pytest.mark.slow
def test_a_scripted_model_solves_the_task_and_the_log_opens(tmp_path) -> None:
    log = run(
        tmp_path,
        [
            call("view_file", path="pkg/shapes.py"),
            call("replace_all_in_file", **FIX),
            call("execute_tests"),
        ],
    )
    assert log.status == "success", log.error
    opened = read_eval_log(log.location)
    (sample,) = opened.samples
    score = sample.scores["solved_again"]
    assert score.value == 1.0
    assert score.metadata == {"calls_needed": 3, "ending": "solved"}
    assert "+    return math.pi * r * r" in score.answer
    assert sample.store["backdate_attempt"]["sequence"] == [
        "view_file",
        "replace_all_in_file",
        "execute_tests",
    ]
    metrics = {name: one.value for one in opened.results.scores for name, one in one.metrics.items()}
    assert metrics["accuracy"] == 1.0
    assert metrics["pass@1(10)"] == 1.0
    assert sum(one.input_tokens for one in opened.stats.model_usage.values()) == 30
    assert sum(event.event == "model" for event in sample.events) == 3


class Probed(FakeScriptRunner, LocalRunner):
    """the fake runner with a real environment to ask: the one that runs these tests."""

    @property
    def sandbox(self) -> Sandbox:
        return choose_sandbox("bwrap")

    def build(self, task, tree, side) -> BuiltSide:
        answer = environment_of(Path(sys.prefix), Path(sys.executable))
        plan = SuitePlan(runner="pytest", provenance=Provenance(rule="by hand"))
        dated = DatedProject(
            name=task.instance_id,
            tree=tree,
            digest=tree_digest(tree),
            instant=task.environment.instant,
            python_constraint=read_python_constraint(tree),
        )
        recipe = Recipe(install=(), test=plan)
        request = request_for(recipe, dated, answer.choice)
        return BuiltSide(answer=answer, recipe=recipe, dated=dated, request=request, notes=())

    @contextmanager
    def for_changed_trees(self, budget_bytes: int, answers_at_once: int = 1) -> Iterator[tuple[Probed, Path]]:
        with tempfile.TemporaryDirectory() as folder:
            yield self, Path(folder)


@pytest.mark.slow
def test_the_evidence_tools_are_there_when_they_are_asked_for(tmp_path) -> None:
    if not all(one.ok for one in choose_sandbox("bwrap").probe() if one.needed):
        pytest.skip("bubblewrap does not work here")
    script = [call("module_contents", module="json"), call("name_changes", names="json.loads")]
    log = run(tmp_path, script, task_runner=Probed(), tools="evidence", calls=2)
    assert log.status == "success", log.error
    told = log.samples[0].store["backdate_attempt"]
    assert told["sequence"] == ["module_contents", "name_changes"]
    contents, changes = (
        step["observation"]["results"][0]["content"]
        for step in json.loads(told["trajectory"])["steps"]
        if step.get("tool_calls") and step["tool_calls"][0]["function_name"] in told["sequence"]
    )
    assert "JSONDecodeError" in contents
    assert "json.loads" in changes
    offered = next(event for event in log.samples[0].events if event.event == "model").tools
    assert {"name_changes", "version_changes", "old_warnings"} <= {one.name for one in offered}
    other = run(tmp_path / "second", script, task_runner=Probed(), calls=2)
    assert other.samples[0].store["backdate_attempt"]["sequence"] == ["?", "?"]


def test_tools_of_another_name_are_a_mistake() -> None:
    with pytest.raises(UsageError, match="paper or evidence"):
        budgeted_loop(tools="all")


def test_silence_ends_and_budgets_are_counted_by_our_loop(tmp_path) -> None:
    log = run(tmp_path, [words("I give up.")] * 6)
    assert log.samples[0].scores["solved_again"].metadata["ending"] == "six-replies-without-a-tool"
    log = run(tmp_path / "second", [call("execute_tests")] * 3, tests=2)
    told = log.samples[0].store["backdate_attempt"]
    assert (told["ending"], told["calls"], told["tests"]) == ("tests-used-up", 2, 2)
    assert log.samples[0].scores["solved_again"].value == 0.0


def test_a_provider_that_fails_is_an_ending(tmp_path) -> None:
    log = run(tmp_path, [words("hm")])  # its script ends: the mock raises
    assert log.status == "success"
    assert log.samples[0].store["backdate_attempt"]["ending"] == "model-failure"


def test_the_metric_takes_an_empty_list() -> None:
    assert set(passed_within()([]).values()) == {0.0}


def test_the_entry_point_names_the_registry(repository_root) -> None:
    project = tomllib.loads((repository_root / "pyproject.toml").read_text())["project"]
    registry = import_module(project["entry-points"]["inspect_ai"]["backdate"])
    assert {"migrate", "BackdateSandbox"} <= set(registry.__all__)


def test_the_sandbox_runs_in_the_tree_and_reads_nothing_else(tmp_path) -> None:
    if not all(one.ok for one in choose_sandbox("bwrap").probe() if one.needed):
        pytest.skip("bubblewrap does not work here")
    config = BenchConfig(dataset=str(tmp_path / "fake"))
    _OPEN[config] = Benchmark(name="fake", tasks=(make_task(),), task_runner=FakeScriptRunner())

    async def story() -> None:
        environments = await BackdateSandbox.sample_init(
            "migrate", config, {"instance_id": make_task().instance_id}
        )
        sandbox = environments["default"]
        done = await sandbox.exec(["sh", "-c", "cat; ls; exit 3"], input="given\n")
        assert (done.returncode, done.success) == (3, False)
        assert done.stdout.split() == ["given", "pkg", "setup.py", "setup_o__n.sh", "test_o__n.sh", "tests"]
        await sandbox.write_file("pkg/new.py", "x = 1\n")
        assert await sandbox.read_file("/work/project/pkg/new.py") == "x = 1\n"
        (sandbox.tree / "out").symlink_to("/etc")
        for path in ("../x", "/etc/passwd", "out/passwd"):
            with pytest.raises(PermissionError):
                await sandbox.read_file(path)
        with pytest.raises(TimeoutError):
            await sandbox.exec(["sleep", "30"], timeout=1)
        await BackdateSandbox.sample_cleanup("migrate", config, environments, False)
        assert not sandbox.tree.exists()

    asyncio.run(story())
