"""Predictions by somebody who means no good: each has an outcome with a name, and a line in the report."""

from __future__ import annotations

import json

import pytest
from fake_runner import GOLD, FakeScriptRunner, make_task

from backdate.editing.patch import as_git_patch
from backdate.evaluation.load import Benchmark
from backdate.evaluation.score_run import read_answers, score_run
from backdate.evaluation.scores import ScoreOutcome
from backdate.evaluation.swebench_report import swebench_report
from backdate.reports.build import write_report

NAME = "pkg/shapes.py"
BODY = GOLD.split("\n", 2)[2]


def change(name: str) -> str:
    return f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-x\n+y\n"


def new(name: str) -> str:
    head = f"diff --git a/{name} b/{name}\nnew file mode 100644\n"
    return f"{head}--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n"


REMOVED = (
    f"diff --git a/{NAME} b/{NAME}\ndeleted file mode 100644\n--- a/{NAME}\n+++ /dev/null\n"
    "@@ -1 +0,0 @@\n-x\n"
)
SUBMODULE = (
    "diff --git a/sub b/sub\nindex 1234567..7654321 160000\n--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n"
    "-Subproject commit 1\n+Subproject commit 2\n"
)


SOLVED, NOT_ALLOWED, MALFORMED = ScoreOutcome.SOLVED, ScoreOutcome.NOT_ALLOWED, ScoreOutcome.MALFORMED
CASES: dict[str, tuple[object, ScoreOutcome]] = {
    "windows line ends": (GOLD.replace("\n", "\r\n"), SOLVED),
    "no newline at the end": (GOLD.rstrip("\n"), SOLVED),
    "a mail": (f"From: a\nSubject: [PATCH]\n---\n x | 2 +-\n\n{as_git_patch(GOLD)}-- \n2.39\n", SOLVED),
    "a fence of Markdown": (f"```diff\n{GOLD}```\n", SOLVED),
    "octal escapes": (GOLD.replace(NAME, '"pkg/\\163hapes.py"'), SOLVED),
    "and forbidden files": (as_git_patch(GOLD) + new("conftest.py") + change("setup.cfg"), SOLVED),
    "an empty text": ("", ScoreOutcome.EMPTY),
    "blanks": (" \n\n", ScoreOutcome.EMPTY),
    "what is there already": (
        f"{GOLD.split('@@')[0]}@@ -1 +1 @@\n-import math\n+import math\n",
        ScoreOutcome.EMPTY,
    ),
    "null": (None, ScoreOutcome.NO_PREDICTION),
    "a number": (5, ScoreOutcome.NO_PREDICTION),
    "a list": ([GOLD], ScoreOutcome.NO_PREDICTION),
    "git's binary form": (
        "diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZ\n\n",
        ScoreOutcome.BINARY,
    ),
    "bytes": ("\x00\x01\x02" * 50, MALFORMED),
    "prose": ("I would change the import.", MALFORMED),
    "headers alone": (f"--- {NAME}\n+++ {NAME}\n", MALFORMED),
    "half of a patch": (GOLD[: len(GOLD) * 2 // 3], MALFORMED),
    "a hunk that lies": (GOLD.replace("-4,2", "-4,900"), MALFORMED),
    "a line number without end": (GOLD.replace("-4,2", "-" + "9" * 40 + ",2"), ScoreOutcome.NOT_APPLIED),
    "text of another file": (GOLD.replace("oldlib", "other"), ScoreOutcome.NOT_APPLIED),
    "nine megabytes": ("x" * (9 << 20), ScoreOutcome.HUGE),
    "the test": (change("tests/test_shapes.py"), NOT_ALLOWED),
    "the test, spelled otherwise": (change("Tests/./TEST_shapes.py"), NOT_ALLOWED),
    "the script": (change("test_o__n.sh"), NOT_ALLOWED),
    "conftest.py": (new("conftest.py"), NOT_ALLOWED),
    "a .pth": (new("evil.pth"), NOT_ALLOWED),
    "sitecustomize.py": (new("pkg/sitecustomize.py"), NOT_ALLOWED),
    "setup.cfg": (change("setup.cfg"), NOT_ALLOWED),
    "escaped conftest.py": (
        '--- "a/conf\\164est.py"\n+++ "b/conf\\164est.py"\n@@ -1 +1 @@\n-x\n+y\n',
        NOT_ALLOWED,
    ),
    "a new file": (new("pkg/more.py"), NOT_ALLOWED),
    "a removed file": (REMOVED, NOT_ALLOWED),
    "a rename": (
        f"diff --git a/{NAME} b/n.py\nsimilarity index 100%\nrename from {NAME}\nrename to n.py\n",
        NOT_ALLOWED,
    ),
    "a mode": (f"diff --git a/{NAME} b/{NAME}\nold mode 100644\nnew mode 100755\n", NOT_ALLOWED),
    "a link": (new("l").replace("100644", "120000"), NOT_ALLOWED),
    "a submodule": (new("sub").replace("100644", "160000"), NOT_ALLOWED),
    "another commit of a submodule": (SUBMODULE, NOT_ALLOWED),
    "a folder": (change("pkg"), NOT_ALLOWED),
    "a path below a file": (change(f"{NAME}/x.py"), NOT_ALLOWED),
    "a path out": (change("../../etc/passwd"), MALFORMED),
    "an escaped path out": (
        '--- "a/\\056\\056/x.py"\n+++ "b/\\056\\056/x.py"\n@@ -1 +1 @@\n-x\n+y\n',
        MALFORMED,
    ),
    "an absolute path": ("--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-x\n+y\n", MALFORMED),
    "git's own files": (change(".git/config"), MALFORMED),
    "no path": (change(""), MALFORMED),
    "a path with NUL": (change("x\x00.py"), MALFORMED),
    "escapes that are none": ('--- "a/\\999\\x"\n+++ "b/\\"\n@@ -1 +1 @@\n-x\n+y\n', MALFORMED),
    "a path that is too long": (change("d/" * 3000 + "x.py"), NOT_ALLOWED),
    "a name that is too long": (change("d" * 300 + ".py"), NOT_ALLOWED),
    "a terminal's commands": (change("\x1b[2J\u202ex.py"), MALFORMED),
}
FURTHER = [
    "not json",
    "[]",
    '{"instance_id": 5}',
    '{"model_patch": "x"}',
    '{"instance_id": "lone", "model_patch": "\\ud800"}',
    json.dumps({"instance_id": "x" * 400, "model_patch": ""}),
    json.dumps({"instance_id": "../../evil", "model_name_or_path": "m", "model_patch": "x"}),
    json.dumps({"instance_id": "ghost\x1b[2J", "model_name_or_path": "m", "model_patch": "x"}),
]


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """One file of predictions with all of it, scored once."""
    folder = tmp_path_factory.mktemp("adversaries")
    ids = {case: f"o__n-{number}" for number, case in enumerate([*CASES, "two patches"])}
    rows = [
        {"instance_id": ids[case], "model_name_or_path": "m", "model_patch": patch}
        for case, (patch, _) in CASES.items()
    ]
    rows += [
        {"instance_id": ids["two patches"], "model_name_or_path": "m", "model_patch": patch}
        for patch in (GOLD, GOLD + "\nmore")
    ]
    path = folder / "predictions.jsonl"
    path.write_text("\n".join([*map(json.dumps, rows), *FURTHER]))
    bench = Benchmark(
        name="fake", tasks=tuple(make_task(one) for one in ids.values()), task_runner=FakeScriptRunner()
    )
    answers = read_answers(None, path, "m")
    run = score_run(bench, answers, folder / "run", flags="none", unverified=True)
    write_report([run], folder / "report")
    return run, ids, folder


@pytest.mark.parametrize("case", [*CASES, "two patches"])
def test_each_has_an_outcome_with_a_name_and_a_line(scored, case) -> None:
    run, ids, folder = scored
    (score,) = [one for one in run.scores if one.instance_id == ids[case]]
    wanted = ScoreOutcome.TWO_PATCHES if case == "two patches" else CASES[case][1]
    assert (score.outcome, bool(score.reason)) == (wanted, wanted is not SOLVED)
    assert len(score.reason) < 2000
    page = (folder / "report/index.html").read_text()
    assert f"<dd>{ids[case]}</dd>" in page
    report = swebench_report(run.info, run.scores)
    listed = [name for name, value in report.items() if name.endswith("_ids") and ids[case] in value]
    assert set(listed) - {"submitted_ids", "completed_ids"}, "nobody who reads the report finds it"


def test_what_is_no_prediction_is_listed(scored) -> None:
    run, _, folder = scored
    assert len(run.info.problems) == 6
    assert all(one.startswith("line ") for one in run.info.problems)
    assert run.info.unknown == ("../../evil", "ghost\x1b[2J")
    page = (folder / "report/index.html").read_text()
    assert "../../evil, ghost\\x1b[2J" in page
    assert page.count("it is not JSON") == 1
    assert page.count("half of a surrogate pair") == 1


def test_nothing_was_written_elsewhere(scored) -> None:
    _, _, folder = scored
    assert {one.name for one in folder.iterdir()} == {"predictions.jsonl", "run", "report"}
    assert not list(folder.rglob("evil*"))
