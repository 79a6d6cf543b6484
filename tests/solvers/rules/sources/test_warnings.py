"""Which warnings of the old side are about a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.advice import SourcePlace
from backdate.advising.uses import uses_in
from backdate.bisection.result import GivenWarning
from backdate.solvers.rules.proposals import FixEvidence
from backdate.solvers.rules.sources.subjects import Subject
from backdate.solvers.rules.sources.warnings import warnings_about

HERE = SourcePlace(file="a.py", line=2)


@pytest.mark.parametrize(
    ("name", "message", "line", "about"),
    [
        ("lib.keys", "Indexing with multiple keys is deprecated, use rows instead", 9, False),
        ("lib.keys", "Indexing with multiple keys is deprecated, use rows instead", 2, True),
        ("lib.keys", "`keys` is deprecated", 9, True),
        ("lib.keys", "lib.keys is deprecated", 9, True),
        ("lib.keys", "keys() is deprecated", 9, True),
        ("lib.keys", "keys is deprecated", 9, True),
        ("lib.sorted_keys", "the function sorted_keys is deprecated", 9, True),
    ],
)
def test_a_warning_of_another_line_has_to_spell_the_name(
    tmp_path: Path, name: str, message: str, line: int, about: bool
) -> None:
    given = GivenWarning(
        category="FutureWarning",
        message=message,
        places=(SourcePlace(file="a.py", line=line),),
        names_it=True,
    )
    evidence = FixEvidence(tree=tmp_path, uses=uses_in(tmp_path), warnings=(given,))
    subject = Subject(name=name, distribution="lib", places=(HERE,))
    assert list(warnings_about(subject, evidence)) == ([given] if about else [])
