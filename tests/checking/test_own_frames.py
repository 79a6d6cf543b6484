from pathlib import Path

import pytest
from builders import frame, raised, result, run

from backdate.checking.own_frames import with_own_frames
from backdate.testing.outcomes import Outcome

SITE = "env/lib/python3.11/site-packages"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("installed", "in_tree", "expected"),
    [
        ("pkg/a.py", "src/pkg/a.py", "src/pkg/a.py"),
        ("pkg/a.py", "pkg/a.py", "pkg/a.py"),
        ("other/a.py", "pkg/a.py", None),
    ],
)
def test_copies_are_named_by_their_originals(
    tmp_path: Path, installed: str, in_tree: str, expected: str | None
) -> None:
    copy = write(tmp_path / SITE / installed, "x = 1\n")
    tree = tmp_path / "tree"
    write(tree / in_tree, "x = 1\n")
    failed = run(result("t", Outcome.FAILED, raised("E", "", frame(str(copy)), frame("t.py"))))
    (one,) = with_own_frames(failed, tree).results
    assert [inner.file for inner in one.raised[0].frames] == [expected or str(copy), "t.py"]


def test_another_file_of_that_name_is_not_ours(tmp_path: Path) -> None:
    copy = write(tmp_path / SITE / "tests/a.py", "x = 1\n")
    write(tmp_path / "tree/tests/a.py", "something else\n")
    failed = run(status="broken", raised=(raised("E", "", frame(str(copy))),))
    assert with_own_frames(failed, tmp_path / "tree").raised[0].frames[0].file == str(copy)
