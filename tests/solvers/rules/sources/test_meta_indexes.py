"""Indexes over several fields of Django's models."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

REFUSED = "'class Meta' got invalid attribute(s): index_together"
MODEL = """\
from django.db import models


class Thing(models.Model):
    class Meta:
        {}
        verbose_name = "thing"
"""


def mended(texts: dict[str, str], message: str = REFUSED) -> dict[str, str]:
    place = SourcePlace(file="models.py", line=4)
    cause = Cause(kind=CauseKind.CHANGED_TYPE, type="TypeError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    evidence = evidence_of(texts)
    made = [one for one in RestructuringSource().propose(group, evidence) if one.file_edits]
    return {edit.file: edit.text for edit in made[0].file_edits} if made else {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            'index_together = [("a", "b"), ["c"]]',
            'indexes = [models.Index(fields=["a", "b"]), models.Index(fields=["c"])]',
        ),
        ('index_together = ("a", "b")', 'indexes = [models.Index(fields=["a", "b"])]'),
        (
            'index_together = ("a", "b")\n        indexes = [INDEX]',
            'indexes = [models.Index(fields=["a", "b"]), INDEX]',
        ),
    ],
)
def test_they_become_indexes(before: str, after: str) -> None:
    assert mended({"models.py": MODEL.format(before)}) == {"models.py": MODEL.format(after)}


def test_all_models_are_mended_at_once() -> None:
    texts = {name: MODEL.format('index_together = [("a", "b")]') for name in ("models.py", "more.py")}
    other = texts["more.py"].replace("models.Model", "Own")
    found = mended({**texts, "more.py": other, "rest.py": "index_together = 1\n"})
    assert sorted(found) == ["models.py", "more.py"]
    assert "class Thing(Own):" in found["more.py"]
    assert 'models.Index(fields=["a", "b"])' in found["more.py"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MODEL.format("index_together = FIELDS"), REFUSED),
        (MODEL.format("index_together = ['a']\n        indexes = INDEXES"), REFUSED),
        (MODEL.format("index_together = [('a', 'b')]"), "'class Meta' got invalid attribute(s): other"),
        ("class Thing(Own):\n    class Meta:\n        index_together = ['a']\n", REFUSED),
    ],
)
def test_what_is_not_written_out_is_left_alone(text: str, message: str) -> None:
    assert mended({"models.py": text}, message) == {}
