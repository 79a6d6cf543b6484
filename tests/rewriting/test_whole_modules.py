"""A module takes the place of an attribute, as ``math`` of ``numpy.math``."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import ReplaceName
from backdate.rewriting.rewrite_source import rewrite_source


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import numpy as np\nx = np.math.pi + np.pi\n", "math.pi + np.pi\n"),
        ("import math\nimport numpy as np\nx = np.math.pi + np.pi\n", "x = math.pi + np.pi\n"),
        ("import math as m\nimport numpy as np\nx = np.math.pi + np.pi\n", "x = m.pi + np.pi\n"),
        ("from numpy import math\nx = math.pi\n", "import math\nx = math.pi\n"),
    ],
)
def test_a_module_is_imported_as_itself(before: str, after: str) -> None:
    made = rewrite_source(before, ReplaceName(old="numpy.math", new="math"), lines=None)
    text = apply_edits(before, made.edits)
    assert text.endswith(after)
    assert "builtins" not in text
    assert "import math" in text
