"""Names that are gone and that the code has as texts."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.names_in_texts import names_in_texts


def edited(
    code: str,
    name: str,
    owner: str,
    *,
    line: int = 2,
    distribution: str = "numpy",
    kept: tuple[str, ...] = (),
) -> list[str]:
    cause = Cause(
        kind=CauseKind.MISSING_ATTRIBUTE,
        type="AttributeError",
        message=f"no attribute '{name}'",
        name=name,
        owner=owner,
        distribution=distribution or None,
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=line),))
    evidence = evidence_of(
        {"a.py": code},
        modules={"numpy": "numpy", "pandas": "pandas"},
        versions={"numpy": ("1.18.1", "2.3.2"), "pandas": ("0.25.3", "2.3.1")},
        kept_files=frozenset(kept),
    )
    return [edit.text for one in names_in_texts(group, evidence) for edit in one.file_edits]


@pytest.mark.parametrize("line", ['getattr(np, "product")(x)', "getattr(np, HOW['a'])(x)"])
def test_a_function_of_the_same_module_is_named_by_the_text(line: str) -> None:
    code = f"import numpy as np\n{line}\nHOW = {{'a': 'product', 'b': 'products', 'c': u'product'}}\n"
    after = code.replace('"product"', '"prod"').replace("'product'", "'prod'")
    assert edited(code, "product", "numpy")[0] == after


def test_a_method_too() -> None:
    code = "HOW = 'iteritems'\nfor a in getattr(series, HOW)():\n    'iteritems as it was'\n"
    after = code.replace("'iteritems'", "'items'")
    assert edited(code, "iteritems", "Series", distribution="pandas")[0] == after


@pytest.mark.parametrize(
    ("call", "after"),
    [
        ("getattr(window, name)(axis=0)", "getattr(np, name)(window, axis=0)"),
        ("getattr(f(a), NAMES[1])()", "getattr(np, NAMES[1])(f(a))"),
    ],
)
def test_a_function_takes_the_place_of_methods_that_are_chosen(call: str, after: str) -> None:
    code = f"import numpy as np\nx = {call}\n"
    for distribution in ("numpy", ""):
        assert edited(code, "ptp", "", distribution=distribution) == [code.replace(call, after)]


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\nnp.product(x)\nHOW = 'product'\n",
        "import numpy as np\nx = getattr(np, name, None)(x)\n",
        "from numpy import ndarray\nx = getattr(window, name)()\n",
        "import numpy as np\nx = (getattr(",
    ],
)
def test_all_else_stays(code: str) -> None:
    assert edited(code, "product", "numpy") == []
    assert edited(code, "ptp", "ndarray") == []


def test_what_may_not_be_edited_stays() -> None:
    code = "import numpy as np\ngetattr(np, 'product')(x)\n"
    assert edited(code, "product", "numpy", kept=("a.py",)) == []
    assert edited(code, "no_such_name", "numpy") == []
    assert edited(code, "product", "") == []
