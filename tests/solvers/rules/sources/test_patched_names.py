"""Names of a library that a file keeps while something else stands in their place."""

from __future__ import annotations

from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.patched_names import patched_names

CAUSE = Cause(
    kind=CauseKind.MISSING_ATTRIBUTE,
    type="AttributeError",
    message="module 'ssl' has no attribute 'wrap_socket'",
    name="wrap_socket",
    owner="ssl",
    owner_is="module",
)
PATCHING = "\n\ndef enable(fake):\n    ssl.wrap_socket = fake\n"


def results(text: str, line: int = 2) -> list[str]:
    group = FailureGroup(cause=CAUSE, tests=("t",), places=(SourcePlace(file="a.py", line=line),))
    evidence = evidence_of({"a.py": text})
    made = []
    for proposal in patched_names(group, evidence):
        assert proposal.rewrite is not None
        edits = rewrite_source(text, proposal.rewrite, lines=frozenset({line})).edits
        made.append(apply_edits(text, edits))
    return made


def test_the_original_of_what_is_gone_is_none() -> None:
    head = "import ssl\noriginal = "
    assert results(f"{head}ssl.wrap_socket{PATCHING}") == [
        f"{head}getattr(ssl, 'wrap_socket', None){PATCHING}"
    ]


def test_what_is_called_or_not_replaced_anywhere_is_left_alone() -> None:
    assert results("import ssl\noriginal = ssl.wrap_socket\n") == []
    assert results(f"import ssl\nsecure = ssl.wrap_socket(s){PATCHING}") == []
    assert results(f"import ssl\nuse(ssl.wrap_socket){PATCHING}") == []
    assert results(f"import ssl\noriginal = tls.wrap_socket{PATCHING}") == []
