"""Tests of a class that is gone, where a wider one takes its place."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.knowledge.rules import rules_for
from backdate.rewriting.rewrite_source import rewrite_source

WHOLE = "isinstance(a, pd.Index) and pd.api.types.is_integer_dtype(a)"


def rewritten(source: str, number: int) -> str:
    rule = rules_for("pandas", "pandas.Int64Index", old="1.5.3", new="2.0.0")[number]
    made = rewrite_source(source, rule.rewrite, lines=frozenset({2}))
    return apply_edits(source, made.edits)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = isinstance(a, pd.Int64Index)", f"x = {WHOLE}"),
        ("x = not isinstance(a, (pd.Int64Index,))", f"x = not ({WHOLE})"),
        ("x = isinstance(a, (pd.Int64Index, int))", f"x = isinstance(a, int) or {WHOLE}"),
        (
            "if isinstance(a, (int, pd.Int64Index, b.C)): pass",
            f"if isinstance(a, (int, b.C)) or {WHOLE}: pass",
        ),
        ("x = pd.Int64Index(a)", "x = pd.Int64Index(a)"),
        ("x = isinstance(pd.Int64Index, a)", "x = isinstance(pd.Int64Index, a)"),
        ("x = check(a, pd.Int64Index)", "x = check(a, pd.Int64Index)"),
    ],
)
def test_a_test_of_the_class_is_one_of_what_the_class_held(before: str, after: str) -> None:
    head = "import pandas as pd\n"
    assert rewritten(f"{head}{before}\n", 0) == f"{head}{after}\n"


def test_other_uses_have_the_wider_class() -> None:
    made = rewritten("import pandas as pd\nx = pd.Int64Index(a)\n", 1)
    assert made == "import pandas as pd\nx = pd.Index(a)\n"


def test_a_function_of_that_name_of_the_file_is_another_one() -> None:
    source = "import pandas as pd\nx = isinstance(a, pd.Int64Index)\ndef isinstance(*a): pass\n"
    assert rewritten(source, 0) == source
