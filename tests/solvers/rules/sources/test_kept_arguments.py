"""Arguments that a base class takes no more."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

TEXT = """\
class Own(Mixin, Schema):
    def __init__(self, *args, **kwargs):
        options = {key: kwargs.pop(key) for key in KEYS}
        super().__init__(*args, **kwargs)
        Schema.__init__(self, **options)
"""


def proposed(text: str, line: int, name: str = "context") -> list[str]:
    cause = Cause(
        kind=CauseKind.UNEXPECTED_ARGUMENT,
        type="TypeError",
        message=f"Schema.__init__() got an unexpected keyword argument '{name}'",
        name=name,
        owner="Schema.__init__",
        owner_is="function",
    )
    place = SourcePlace(file="a.py", line=line)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    evidence = evidence_of({"a.py": text})
    return [edit.text for one in RestructuringSource().propose(group, evidence) for edit in one.file_edits]


@pytest.mark.parametrize(("line", "options"), [(5, "options"), (4, "kwargs")])
def test_the_class_keeps_what_its_base_takes_no_more(line: int, options: str) -> None:
    lines = TEXT.splitlines(keepends=True)
    lines.insert(line - 1, f'        self.context = {options}.pop("context", None)\n')
    assert proposed(TEXT, line) == ["".join(lines)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (TEXT.replace("**options", "context=options"), 5),
        (TEXT.replace("def __init__", "def start"), 5),
        (TEXT.replace("Schema.__init__(self", "Schema.start(self"), 5),
        (TEXT.replace("options = {", "self.context = 1; options = {"), 5),
        (TEXT, 3),
        ("x = (\n", 1),
    ],
)
def test_all_else_is_left_alone(text: str, line: int) -> None:
    assert proposed(text, line) == []
