"""Arguments are brought into the form that NumPy and SciPy gave them until they refused it."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

_VECTOR = "Input vector should be 1-D."
_RAGGED = (
    "setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 "
    "dimensions. The detected shape was (20,) + inhomogeneous part."
)


def edited(message: str, text: str, *lines: int) -> list[str]:
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="ValueError", message=message)
    places = tuple(SourcePlace(file="a.py", line=line) for line in lines)
    group = FailureGroup(cause=cause, tests=("t",), places=places, raised_at=places)
    found = RestructuringSource().propose(group, evidence_of({"a.py": text}))
    return [edit.text for proposal in found for edit in proposal.file_edits]


@pytest.mark.parametrize(
    ("message", "before", "after"),
    [
        (
            _VECTOR,
            "import numpy as np\nfrom scipy.spatial.distance import mahalanobis as m\nx = m(a, f.y, f.SI)\n",
            (
                "import numpy as np\nfrom scipy.spatial.distance import mahalanobis as m\n"
                "x = m(np.ravel(a), np.ravel(f.y), f.SI)\n"
            ),
        ),
        (
            _VECTOR,
            "from scipy.spatial import distance\n\nx = 1 - distance.cosine(a[0], b)\n",
            (
                "from scipy.spatial import distance\nimport numpy\n\n"
                "x = 1 - distance.cosine(numpy.ravel(a[0]), numpy.ravel(b))\n"
            ),
        ),
        (
            _RAGGED,
            "import numpy as np\n\nn = np.size(zs, 0)\n",
            "import numpy as np\n\nn = np.size(np.array(zs, dtype=object), 0)\n",
        ),
    ],
)
def test_the_arguments_have_the_form_that_they_were_given(message: str, before: str, after: str) -> None:
    assert edited(message, before, 3) == [after]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (_VECTOR, "from lib import cosine\n\nx = cosine(a, b)\n"),
        (_VECTOR, "from scipy.spatial.distance import cosine\n\nx = cosine(*both)\n"),
        (_RAGGED, "import numpy as np\n\nn = np.array(zs)\n"),
        ("shapes do not match", "import numpy as np\n\nn = np.size(zs, 0)\n"),
    ],
)
def test_calls_of_others_and_what_something_else_is_written_for_stay(message: str, text: str) -> None:
    assert edited(message, text, 3) == []


def test_all_failing_lines_of_a_file_are_one_proposal() -> None:
    text = "import numpy as np\nn = np.size(a, 0)\nm = np.shape(b)\nk = np.shape(c)\n"
    assert edited(_RAGGED, text, 2, 3) == [
        (
            "import numpy as np\nn = np.size(np.array(a, dtype=object), 0)\n"
            "m = np.shape(np.array(b, dtype=object))\nk = np.shape(c)\n"
        )
    ]
