"""Changed trees of a published task: their set-up script runs again, in a throw-away folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from task_builders import PUBLISHED, repository, task

from backdate.checking.settings import Settings
from backdate.environments.environment import Environment
from backdate.sandboxes.disk_budget import GIB
from backdate.tasks.local_runner import LocalRunner
from backdate.tasks.trees import Sources

pytestmark = [pytest.mark.network, pytest.mark.slow]

SETUP = """\
from setuptools import setup
setup(name='shouting', version='1', py_modules=['shouting'])
"""


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*")}


def test_a_changed_tree_is_built_from_what_the_task_locks(tmp_path: Path, index_url: str) -> None:
    files = {**PUBLISHED, "setup.py": SETUP.encode()}
    commit = repository(tmp_path / "clones" / "owner" / "shouting", files)
    one = task(commit=commit, setup="pip install -r requirements.txt\npip install .")
    cache = tmp_path / "cache"
    sources = Sources(
        index_url=index_url,
        downloads=cache / "d",
        pages=cache / "index",
        repositories=tmp_path / "clones",
    )
    runner = LocalRunner(Settings(cache=cache, index_url=index_url), sources)
    logs = tmp_path / "logs"
    logs.mkdir()
    with runner.for_changed_trees(20 * GIB) as (changed, folder):
        given, answer, greedy = folder / "given", folder / "answer", folder / "greedy"
        for tree in (given, answer, greedy):
            runner.make_tree(one, tree)
        changed.keep_first_tree(one, given)
        shared = changed.build(one, given, "target").answer
        assert isinstance(shared, Environment)
        assert shared.root.is_relative_to(cache / "built")
        assert not list(folder.parent.glob("own-*/tree")), "the kept tree is not made again"
        before = names(cache / "built" / "environments"), names(cache / "records")
        (answer / "shouting.py").write_text("def shout(word):\n    return word.upper()\n")
        made = changed.build(one, answer, "target").answer
        assert isinstance(made, Environment), made.message
        assert made.root.is_relative_to(cache / "throwaway")
        assert {(each.name, each.version) for each in made.lock.distributions} == {
            (each.name, each.version) for each in shared.lock.distributions
        }
        module = next(made.root.glob("lib/python*/site-packages/shouting.py"))
        assert module.read_text() == (answer / "shouting.py").read_text()
        assert changed.run_tests(one, answer, "target", log_folder=logs).solved
        # What the task does not lock is not there for an answer.
        (greedy / "setup.py").write_text(
            SETUP.replace("version='1'", "version='1', install_requires=['six']")
        )
        assert not isinstance(changed.build(one, greedy, "target").answer, Environment)
        assert (names(cache / "built" / "environments"), names(cache / "records")) == before
    assert names(cache / "throwaway") == set()
