"""An answer's patch writes outside of its tree, through links, over judges, or is costly to read."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_runner import FILES, FakeScriptRunner, make_task
from small_runner import write_files

from backdate.evaluation.answers import Submission
from backdate.evaluation.load import Benchmark
from backdate.evaluation.score_run import Answers, score_run
from backdate.evaluation.scores import Score

NEW = "diff --git a/{0} b/{0}\nnew file mode 100644\n--- /dev/null\n+++ b/{0}\n@@ -0,0 +1 @@\n+PLANTED\n"
LINK = "diff --git a/{0} b/{0}\nnew file mode 120000\n--- /dev/null\n+++ b/{0}\n@@ -0,0 +1 @@\n+{1}\n"
CHANGE = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-{1}\n+PLANTED\n"
RENAME = "diff --git a/{0} b/{1}\nsimilarity index 100%\nrename from {0}\nrename to {1}\n"
PATCHES = {
    "up and out": NEW.format("../planted.py"),
    "up and out later": NEW.format("pkg/../../planted.py"),
    "absolute": NEW.format("/tmp/backdate-planted.py"),
    "git's hooks": NEW.format(".git/hooks/post-checkout"),
    "git's hooks in other letters": NEW.format(".GIT/hooks/post-checkout"),
    "a link, then through it": LINK.format("pkg/out", "..") + NEW.format("pkg/out/planted.py"),
    "a link over a module": LINK.format("pkg/shapes.py", "/etc/passwd"),
    "by quotes": NEW.replace("{0}", '"{0}"').format("\\056\\056/planted.py"),
    "renamed out": RENAME.format("pkg/text.py", "../planted.py"),
    "renamed in": RENAME.format("/etc/passwd", "pkg/planted.py"),
    "the test": CHANGE.format("tests/test_shapes.py", FILES["tests/test_shapes.py"].split("\n")[0]),
    "the test's configuration": NEW.format("conftest.py"),
    "the script": CHANGE.format("test_o__n.sh", FILES["test_o__n.sh"].strip()),
    "what Python runs unasked": NEW.format("sitecustomize.py"),
    "a module of the runner": NEW.format("pytest.py"),
    "an editor's script": "--- a/pkg/text.py\n+++ b/pkg/text.py\n1d\n!touch planted\n.\n",
    "numbers beyond all lines": (
        "--- a/pkg/text.py\n+++ b/pkg/text.py\n@@ -99999999999999999999,1 +1 @@\n-x\n+y\n"
    ),
    "a hunk of billions": "--- a/pkg/text.py\n+++ b/pkg/text.py\n@@ -1,4000000000 +1,4000000000 @@\n-x\n+y\n",
    "twenty thousand files": "".join(f"--- a/f{n}\n+++ b/f{n}\n@@ -1 +1 @@\n-x\n+y\n" for n in range(20_000)),
    "a name of megabytes": NEW.format("x" * 4_000_000),
    "a line of megabytes": CHANGE.format("pkg/text.py", "x" * 7_000_000),
    "controls in names": NEW.format("pkg/\x1b]0;title\x07.py"),
    "a binary": "diff --git a/x.pyc b/x.pyc\nGIT binary patch\nliteral 999999999999\nzc$@(#000\n",
    "nothing but controls": "\x00\x1b[2J\x07" * 1000,
}


def scored(patch: str, folder: Path) -> Score:
    task = make_task()
    return score_run(
        Benchmark(name="small", tasks=(task,), task_runner=FakeScriptRunner()),
        Answers(model="m", by_task={task.instance_id: Submission(patch=patch)}, source="preds.jsonl"),
        folder / "run",
        flags="none",
        unverified=True,
    ).scores[0]


@pytest.mark.parametrize("name", PATCHES)
def test_it_is_refused_by_name(name: str, tmp_path: Path) -> None:
    score = scored(PATCHES[name], tmp_path)
    assert not score.solved
    assert score.reason or score.dropped
    assert not Path("/tmp/backdate-planted.py").exists()
    planted = [
        path
        for path in tmp_path.rglob("*")
        if path.is_symlink() or "planted" in path.name or (path.is_file() and path.suffix == ".py")
    ]
    assert planted == []


@pytest.mark.slow
def test_the_tree_that_they_attack_is_as_it_was(tmp_path: Path) -> None:
    """As above, on a tree that stays: what is taken of each patch changes only what answers may change."""
    from backdate.evaluation.answer_patch import AllowedEdits, take_patch
    from backdate.tasks.kinds.choose import edit_policy_of

    tree = write_files(tmp_path / "tree", FILES)
    for name, patch in PATCHES.items():
        taken = take_patch(patch, tree, edit_policy_of(make_task()))
        if isinstance(taken, AllowedEdits):
            assert {file.path for file in taken.files} <= {"pkg/text.py", "pkg/shapes.py"}, name
