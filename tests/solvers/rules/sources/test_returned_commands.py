"""Commands of sh are returned again where code asks for their exit status."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.returned_commands import returned_commands

MESSAGE = "'str' object has no attribute 'exit_code'"


def edited(text: str, *, message: str = MESSAGE, new: str = "2.2.2") -> list[str]:
    cause = Cause(kind=CauseKind.MISSING_ATTRIBUTE, type="AttributeError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=1),))
    evidence = evidence_of({"a.py": text}, versions={"sh": ("1.14.3", new)})
    proposal = returned_commands(group, evidence)
    return [] if proposal is None else [edit.text for edit in proposal.file_edits]


@pytest.mark.parametrize(
    ("imports", "lines"),
    [
        ("import os\nimport sh\n", "\nsh = sh.bake(_return_cmd=True)\n"),
        (
            "from sh import git, tar as t, ErrorReturnCode\n",
            "\ngit = git.bake(_return_cmd=True)\nt = t.bake(_return_cmd=True)\n",
        ),
    ],
)
def test_they_are_baked_behind_the_imports(imports: str, lines: str) -> None:
    code = "\nx = f().exit_code\n"
    assert edited(f"{imports}{code}") == [f"{imports}{lines}{code}"]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("import sh\nx.exit_code\n", {"new": "1.14.3"}),
        ("import sh\nx.exit_code\n", {"message": "'str' object has no attribute 'items'"}),
        ("import sh\nsh.ls(_return_cmd=True).exit_code\n", {}),
        ("import sh\nsh.ls().split()\n", {}),
        ("import shutil\nfrom .sh import ls\nls().exit_code\n", {}),
    ],
)
def test_other_code_stays(text: str, options: dict[str, str]) -> None:
    assert edited(text, **options) == []  # type: ignore[arg-type]
