"""What is built in by now goes out of the lists that name it."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.built_in_items import built_in_items

WITH, ESCAPE = "jinja2.ext.with_", "jinja2.ext.autoescape"


def proposed(text: str, *, name: str = "with_", new: str = "3.1.6") -> str | None:
    message = f"module 'jinja2.ext' has no attribute '{name}'"
    cause = Cause(kind=CauseKind.MISSING_ATTRIBUTE, type="AttributeError", message=message, name=name)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="b.py", line=1),))
    evidence = evidence_of({"b.py": "x = 1\n", "a.py": text}, versions={"jinja2": ("2.10", new)})
    found = built_in_items(group, evidence)
    return None if found is None else found.file_edits[0].text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"E = ['{WITH}', 'other', '{ESCAPE}']\n", "E = ['other']\n"),
        (f"E = ['{WITH}', '{ESCAPE}']\n", "E = []\n"),
        (f"E = (\n    '{WITH}',\n    'other',\n)\n", "E = (\n    'other',\n)\n"),
        (f'f(extensions=["other", "{WITH}"])\n', 'f(extensions=["other"])\n'),
        (f"import jinja2.ext\nE = [{WITH}, jinja2.ext.do]\n", "import jinja2.ext\nE = [jinja2.ext.do]\n"),
        (f"import jinja2\nE = [\n    {WITH},\n    a,\n]\n", "import jinja2\nE = [\n    a,\n]\n"),
        ("from jinja2 import ext as e\nE = [e.with_]\n", "from jinja2 import ext as e\nE = []\n"),
    ],
)
def test_they_go_with_their_commas(before: str, after: str) -> None:
    assert proposed(before) == after


@pytest.mark.parametrize(
    ("text", "name", "new"),
    [
        (f"E = ('{WITH}',)\n", "with_", "3.1.6"),
        (f"E = '{WITH}'\n", "with_", "3.1.6"),
        ("from other import ext\nE = [ext.with_]\n", "with_", "3.1.6"),
        (f"E = ['{WITH}']\n", "do_it", "3.1.6"),
        (f"E = ['{WITH}']\n", "with_", "3.0.3"),
        (f"E = ['{WITH}'\n", "with_", "3.1.6"),
    ],
)
def test_all_else_stays(text: str, name: str, new: str) -> None:
    assert proposed(text, name=name, new=new) is None
