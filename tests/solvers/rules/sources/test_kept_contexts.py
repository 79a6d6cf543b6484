"""Schemas that keep their contexts, which marshmallow does no more."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.kept_contexts import kept_contexts

SCHEMA = """\
from marshmallow import Schema, fields


class Line(Schema):
    sku = fields.Str()

    def net(self, data):
        return data * self.context["tax"]
"""
METHOD = """
    def __init__(self, *args, context=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.context = {} if context is None else context
"""
USE = "from lines import Line\nschema = Line(context={'tax': 2})\n"


def proposed(
    texts: dict[str, str],
    *,
    kind: CauseKind = CauseKind.UNEXPECTED_ARGUMENT,
    name: str = "context",
    new: str = "4.0.0",
) -> dict[str, str]:
    message = "Schema.__init__() got an unexpected keyword argument 'context'"
    cause = Cause(kind=kind, type="TypeError", message=message, name=name)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="use.py", line=2),))
    evidence = evidence_of(texts, versions={"marshmallow": ("3.3.0", new)})
    found = kept_contexts(group, evidence)
    return {} if found is None else {edit.file: edit.text for edit in found.file_edits}


@pytest.mark.parametrize("kind", [CauseKind.UNEXPECTED_ARGUMENT, CauseKind.MISSING_ATTRIBUTE])
def test_a_schema_that_has_a_context_takes_and_keeps_it(kind: CauseKind) -> None:
    assert proposed({"lines.py": SCHEMA, "use.py": USE}, kind=kind) == {"lines.py": SCHEMA + METHOD}


def test_the_one_that_others_are_made_from_does() -> None:
    base = "from marshmallow import Schema\nclass Base(Schema):\n    pass\n"
    other = "from base import Base\nclass Line(Base):\n    def f(self): return self.context\n"
    assert proposed({"base.py": base, "lines.py": other, "use.py": USE}) == {"base.py": base + METHOD}


@pytest.mark.parametrize(
    ("text", "name", "new"),
    [
        (SCHEMA, "only", "4.0.0"),
        (SCHEMA, "context", "3.26.1"),
        (SCHEMA.replace("marshmallow", "other"), "context", "4.0.0"),
        (SCHEMA + "\n    def __init__(self):\n        pass\n", "context", "4.0.0"),
        (SCHEMA.replace("self.context", "context").replace("Line", "Other"), "context", "4.0.0"),
    ],
)
def test_all_else_stays(text: str, name: str, new: str) -> None:
    assert proposed({"lines.py": text, "use.py": USE}, name=name, new=new) == {}
