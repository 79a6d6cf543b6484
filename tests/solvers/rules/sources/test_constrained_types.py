"""Classes made from pydantic's constrained types."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.constrained_types import constrained_types

GONE = "`pydantic:ConstrainedInt` has been removed in V2."
TYPES = '''import re

from pydantic import BaseModel, ConstrainedInt, ConstrainedStr


class Code(ConstrainedStr):
    """Two letters."""

    strip_whitespace: bool = True
    regex = re.compile(r"[A-Z]{2}")


class Grams(ConstrainedInt):
    gt = 0
    le = LIMIT


class Any(ConstrainedStr):
    pass
'''
AFTER = '''import re

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints


Code = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^(?:[A-Z]{2})")]
"""Two letters."""


Grams = Annotated[int, Field(gt=0, le=LIMIT)]


Any = Annotated[str, StringConstraints()]
'''


def edited(
    text: str, message: str = GONE, *, new: str = "2.11.7", python: str = "3.12.1", kept: str = ""
) -> list[str]:
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="PydanticImportError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=3),))
    evidence = evidence_of(
        {"a.py": text, "b.py": "import os\n"},
        versions={"pydantic": ("1.3", new), "python": ("3.7.16", python)},
        kept_files=frozenset({kept}),
    )
    return [edit.text for one in constrained_types(group, evidence) for edit in one.file_edits]


def test_a_class_that_sets_limits_is_an_annotated_type() -> None:
    assert edited(TYPES) == [AFTER]
    assert edited(TYPES, python="3.8.18") == [AFTER.replace("from typing ", "from typing_extensions ")]
    assert edited(TYPES, "cannot import name 'ConstrainedStr' from 'pydantic'") == [AFTER]


@pytest.mark.parametrize(("pattern", "after"), [("^A|B", "^(?:^A|B)"), ("^AB", "^AB"), ("A|B", "^(?:A|B)")])
def test_a_pattern_matches_from_the_start_alone_as_before(pattern: str, after: str) -> None:
    (text,) = edited(TYPES.replace("[A-Z]{2}", pattern))
    assert f'pattern=r"{after}"' in text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    le = LIMIT\n", "    le = LIMIT\n\n    def more(self):\n        pass\n"),
        ("    le = LIMIT\n", "    curtail_length = 3\n"),
        ("class Any(ConstrainedStr)", "class Any(Mixin, ConstrainedStr)"),
        ("class Any(ConstrainedStr)", "class Any(pydantic.ConstrainedStr)"),
        ('re.compile(r"[A-Z]{2}")', 're.compile(r"[A-Z]{2}", re.I)'),
        ('re.compile(r"[A-Z]{2}")', 'r"(?!A)[A-Z]{2}"'),
        ("    pass\n", "    pass\n\n\nx = isinstance(y, ConstrainedStr)\n"),
        ("ConstrainedStr\n\n\n", "ConstrainedStr as Text\n\n\n"),
        ("import re\n", "import re as (\n"),
    ],
)
def test_where_one_does_more_all_stay(before: str, after: str) -> None:
    assert before in TYPES
    assert edited(TYPES.replace(before, after, 1)) == []


def test_only_for_that_error_past_the_release_and_where_it_may_be_edited() -> None:
    assert edited(TYPES, "cannot import name 'BaseSettings' from 'pydantic'") == []
    assert edited(TYPES, new="1.10.2") == []
    assert edited(TYPES, kept="a.py") == []
