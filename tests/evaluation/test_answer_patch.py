from __future__ import annotations

from pathlib import Path

import pytest
from fake_runner import GOLD, FakeScriptRunner, make_task
from hypothesis import given, settings
from hypothesis import strategies as st

from backdate.editing.apply import apply_files
from backdate.editing.patch import as_git_patch
from backdate.evaluation.answer_patch import LONGEST_PATCH, AllowedEdits, RejectedAnswer, take_patch
from backdate.evaluation.scores import ScoreOutcome
from backdate.tasks.kinds.choose import edit_policy_of

TASK = make_task()
RULES = edit_policy_of(TASK)
LINK = """\
diff --git a/pkg/link.py b/pkg/link.py
new file mode 120000
index 0000000..1234567
--- /dev/null
+++ b/pkg/link.py
@@ -0,0 +1 @@
+/etc/passwd
\\ No newline at end of file
"""
BINARY = """\
diff --git a/pkg/data.bin b/pkg/data.bin
index 0000000..1234567 100644
GIT binary patch
literal 10
RcmZQzWMXDvWn~9}0ssI20RR91

literal 0
HcmV?d00001

"""
MODE = "diff --git a/pkg/text.py b/pkg/text.py\nold mode 100644\nnew mode 100755\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    FakeScriptRunner().make_tree(TASK, tmp_path / "tree")
    return tmp_path / "tree"


def change(path: str, old: str, new: str, *, line: int = 1) -> str:
    return f"--- {path}\n+++ {path}\n@@ -{line} +{line} @@\n-{old}\n+{new}\n"


def paths(edits: AllowedEdits | RejectedAnswer) -> list[str]:
    assert isinstance(edits, AllowedEdits), edits
    return [file.path for file in edits.files]


def test_both_forms_of_paths_are_one_patch(tree) -> None:
    bare, prefixed = take_patch(GOLD, tree, RULES), take_patch(as_git_patch(GOLD), tree, RULES)
    assert paths(bare) == paths(prefixed) == ["pkg/shapes.py"]
    apply_files(prefixed.files, tree)
    assert "math.pi * r" in (tree / "pkg/shapes.py").read_text()


def test_a_folder_called_a_is_not_taken_for_a_prefix(tree) -> None:
    (tree / "a").mkdir()
    (tree / "a/x.py").write_text("1\n")
    assert paths(take_patch(change("a/x.py", "1", "2"), tree, RULES)) == ["a/x.py"]
    (tree / "a/a").mkdir()
    (tree / "a/a/x.py").write_text("1\n")
    patch = "diff --git a/a/a/x.py b/a/a/x.py\n--- a/a/a/x.py\n+++ b/a/a/x.py\n@@ -1 +1 @@\n-1\n+2\n"
    assert paths(take_patch(patch, tree, RULES)) == ["a/a/x.py"]


def test_a_removed_line_that_looks_like_a_header_is_a_line(tree) -> None:
    (tree / "pkg/sql.py").write_text("-- a/old\n")
    patch = "--- pkg/sql.py\n+++ pkg/sql.py\n@@ -1 +1 @@\n--- a/old\n+++ b/new\n"
    edits = take_patch(patch, tree, RULES)
    assert paths(edits) == ["pkg/sql.py"]
    apply_files(edits.files, tree)
    assert (tree / "pkg/sql.py").read_text() == "++ b/new\n"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("tests/test_shapes.py", "test file"),
        ("tests/../tests/test_shapes.py", ""),
        ("Tests/Test_Shapes.py", "test file"),
        ("conftest.py", "configures"),
        ("setup.py", "declares"),
        ("test_o__n.sh", "runs the tests"),
        ("pkg/sitecustomize.py", "configures"),
        ("pkg/new.py", "new files"),
    ],
)
def test_what_is_not_part_of_an_answer_is_left_out(tree, path, why) -> None:
    both = change(path, "x", "y") + GOLD
    edits = take_patch(both, tree, RULES)
    if not why:
        assert isinstance(edits, RejectedAnswer)
        assert edits.outcome is ScoreOutcome.MALFORMED
        return
    assert paths(edits) == ["pkg/shapes.py"]
    assert why in edits.dropped[0]
    alone = take_patch(change(path, "x", "y"), tree, RULES)
    assert isinstance(alone, RejectedAnswer)
    assert alone.outcome is ScoreOutcome.NOT_ALLOWED
    assert alone.dropped == edits.dropped


@pytest.mark.parametrize(
    ("part", "outcome", "word"),
    [
        (LINK, ScoreOutcome.NOT_ALLOWED, "link"),
        (BINARY, ScoreOutcome.BINARY, "binary"),
        (MODE, ScoreOutcome.NOT_ALLOWED, "mode"),
        ("diff --git a/pkg/text.py b/x.py\nsimilarity index 100%\nrename from pkg/text.py\nrename to x.py\n",
         ScoreOutcome.NOT_ALLOWED, "renames"),
        ("--- a/pkg/text.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-def shout(word):\n-    return word.upper()\n",
         ScoreOutcome.NOT_ALLOWED, "removed"),
    ],
)  # fmt: skip
def test_parts_that_change_no_text_are_left_out_and_the_rest_stays(tree, part, outcome, word) -> None:
    alone = take_patch("diff --git a/q b/q\n" * (word == "removed") + part, tree, RULES)
    assert isinstance(alone, RejectedAnswer)
    assert alone.outcome is outcome
    assert any(word in one for one in alone.dropped)
    edits = take_patch(part + as_git_patch(GOLD), tree, RULES)
    assert paths(edits) == ["pkg/shapes.py"]
    assert any(word in one for one in edits.dropped)


def test_a_file_behind_a_link_is_not_changed(tree, tmp_path) -> None:
    (tmp_path / "outside.py").write_text("1\n")
    (tree / "pkg/link.py").symlink_to(tmp_path / "outside.py")
    edits = take_patch(change("pkg/link.py", "1", "2"), tree, RULES)
    assert isinstance(edits, RejectedAnswer)
    assert "link" in edits.dropped[0]
    assert (tmp_path / "outside.py").read_text() == "1\n"


@pytest.mark.parametrize(
    ("patch", "outcome"),
    [
        ("", ScoreOutcome.EMPTY),
        (" \n\t\n", ScoreOutcome.EMPTY),
        ("I cannot solve this task.", ScoreOutcome.MALFORMED),
        ("@@ -1 +1 @@\n-a\n+b\n", ScoreOutcome.MALFORMED),
        ("--- pkg/text.py\n+++ pkg/text.py\n@@ -1,9 +1,9 @@\n-a\n", ScoreOutcome.MALFORMED),
        ("--- ../x.py\n+++ ../x.py\n@@ -1 +1 @@\n-a\n+b\n", ScoreOutcome.MALFORMED),
        ("--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n", ScoreOutcome.MALFORMED),
        ("--- .git/config\n+++ .git/config\n@@ -1 +1 @@\n-a\n+b\n", ScoreOutcome.MALFORMED),
        ("\ud800", ScoreOutcome.MALFORMED),
        ("+" * (LONGEST_PATCH + 1), ScoreOutcome.HUGE),
    ],
    ids=range(10),
)
def test_an_answer_that_comes_to_nothing_has_a_name(tree, patch, outcome) -> None:
    refused = take_patch(patch, tree, RULES)
    assert isinstance(refused, RejectedAnswer)
    assert refused.outcome is outcome
    assert refused.reason


PIECES = [
    *GOLD.splitlines(), *LINK.splitlines(), *BINARY.splitlines(), "@@ -1 +1 @@", "@@ -0,0 +9 @@",
    "diff --git a/x b/x", "--- /dev/null", "+++ /dev/null", "", "+", "-", "\\", "--- a/../x", "+++ b/../x",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=20), max_size=25).map("\n".join))
def test_no_text_makes_taking_fail(tmp_path_factory, text) -> None:
    tree = tmp_path_factory.mktemp("t") / "tree"
    FakeScriptRunner().make_tree(TASK, tree)
    edits = take_patch(text, tree, RULES)
    if isinstance(edits, AllowedEdits):
        assert all(not RULES.why_not(file.path) and file.kind == "change" for file in edits.files)
