"""What pandas 3.0 copies, calls a text and counts otherwise, on the lines that tests run."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.copied_frames import copied_frames

SILENT = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message="assert 1 == 2")


def results(
    text: str, *, lines: frozenset[int] = frozenset({1}), new: str = "3.0.1", cause: Cause = SILENT
) -> list[str]:
    """What each proposal makes of ``text``."""
    place = SourcePlace(file="test_a.py", line=1)
    evidence = evidence_of({"a.py": text}, executed={"a.py": lines}, versions={"pandas": ("2.2.3", new)})
    group = FailureGroup(cause=cause, tests=("t",), places=(place,))
    return [edit.text for one in copied_frames(group, evidence) for edit in one.file_edits]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('frame["a"][frame["b"] > 1] = 100\n', 'frame.loc[frame["b"] > 1, "a"] = 100\n'),
        ("self.data[name][rows] += 1\n", "self.data.loc[rows, name] += 1\n"),
        ('frame["a"].fillna(0, inplace=True)\n', 'frame["a"] = frame["a"].fillna(0)\n'),
        (
            'self.df["ä"].replace({1: 2}, inplace=True, regex=True)\n',
            'self.df["ä"] = self.df["ä"].replace({1: 2}, regex=True)\n',
        ),
        ("x = s.dtype == object\n", 'x = s.dtype in ("object", "str")\n'),
        ('if f["a"].dtype != np.object_: pass\n', 'if f["a"].dtype not in ("object", "str"): pass\n'),
        ("x = s.dtype == np.dtype('O')\n", 'x = s.dtype in ("object", "str")\n'),
        (
            'x = pd.to_datetime(t).astype("int64") // 10**9\n',
            'x = pd.to_datetime(t).astype("datetime64[ns]").astype("int64") // 10**9\n',
        ),
        ('x = f.groupby("c").size()\n', 'x = f.groupby("c", observed=False).size()\n'),
        (
            'x = f.groupby(["c"], sort=False,)["v"].sum()\n',
            'x = f.groupby(["c"], sort=False, observed=False,)["v"].sum()\n',
        ),
        ("x = t.view(np.int64)\n", 'x = t.astype("datetime64[ns]").view(np.int64)\n'),
    ],
)
def test_what_is_written_since_then(before: str, after: str) -> None:
    assert results(before) == [after]


@pytest.mark.parametrize(
    "text",
    [
        'd["a"][1:3] = 5\n',
        'd["a"]["b"]["c"] = 5\n',
        'load()["a"][mask] = 5\n',
        "frame.fillna(0, inplace=True)\n",
        'frame["a"].fillna(0, inplace=False)\n',
        "x = s.dtype == float\n",
        "x = s.astype(float)\n",
        "x = f.groupby('c', observed=True).size()\n",
        "x = itertools.groupby(*rows)\n",
        "x = f.groupby(level=0)\n",
        'frame["a"][mask] =\n',
    ],
)
def test_what_is_as_it_was_is_left_alone(text: str) -> None:
    assert results(text) == []


def test_only_lines_that_ran_change_and_only_where_pandas_came_to_it() -> None:
    text = 'f["a"][m] = 1\nf["b"][m] = 2\n'
    assert results(text, lines=frozenset({2})) == ['f["a"][m] = 1\nf.loc[m, "b"] = 2\n']
    assert results(text, new="2.3.0") == []
    gone = Cause(kind=CauseKind.MISSING_MODULE, type="ModuleNotFoundError", message="x", name="x")
    assert results(text, cause=gone) == []
