"""A generator takes the place of a random state where a library asks for one, and the other way round."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.advice import SourcePlace
from backdate.advising.uses import uses_in
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.random_states import random_states

STATE = "'numpy.random.mtrand.RandomState' object has no attribute 'integers'"
GENERATOR = "'numpy.random._generator.Generator' object has no attribute 'randint'"


def edited(root: Path, text: str, message: str, kept: frozenset[str] = frozenset()) -> str:
    (root / "a.py").write_text(text)
    cause = Cause(kind=CauseKind.MISSING_ATTRIBUTE, type="AttributeError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=1),))
    evidence = FixEvidence(
        tree=root,
        uses=uses_in(root),
        texts={"a.py": text},
        kept_files=kept,
        modules={"numpy": "numpy"},
    )
    for proposal in random_states(group, evidence):
        assert proposal.rewrite is not None
        lines = frozenset(place.line for place in proposal.places)
        text = apply_edits(text, rewrite_source(text, proposal.rewrite, lines=lines).edits)
    return text


@pytest.mark.parametrize(
    ("before", "message", "after"),
    [
        ("r = np.random.RandomState(1)\n", STATE, "r = np.random.default_rng(1)\n"),
        ("r = np.random.default_rng(1)\n", GENERATOR, "r = np.random.RandomState(1)\n"),
        ("r = np.random.RandomState(1)\n", GENERATOR, "r = np.random.RandomState(1)\n"),
        (
            "r = np.random.RandomState(1)\n",
            STATE.replace("integers", "other"),
            "r = np.random.RandomState(1)\n",
        ),
    ],
)
def test_the_other_one_is_made(tmp_path: Path, before: str, message: str, after: str) -> None:
    assert edited(tmp_path, f"import numpy as np\n{before}", message) == f"import numpy as np\n{after}"


def test_tests_keep_theirs(tmp_path: Path) -> None:
    text = "import numpy as np\nr = np.random.RandomState(1)\n"
    assert edited(tmp_path, text, STATE, kept=frozenset({"a.py"})) == text
