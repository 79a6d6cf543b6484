"""Serializers that were told how long tokens hold become those that are told how old a token may be."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

NAME = "TimedJSONWebSignatureSerializer"


def edited(text: str, name: str = NAME) -> str:
    cause = Cause(
        kind=CauseKind.MISSING_NAME,
        type="ImportError",
        message=f"cannot import name '{name}' from 'itsdangerous' (…)",
        name=name,
        owner="itsdangerous",
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=1),))
    evidence = evidence_of({"a.py": text})
    found = RestructuringSource().propose(group, evidence)
    return "".join(edit.text for one in found for edit in one.file_edits)


def test_a_model_that_gives_out_tokens_and_reads_them() -> None:
    text = f"""from itsdangerous import {NAME} as Serializer, BadSignature

class User:
    def token(self, seconds=1800):
        s = Serializer(app.config["KEY"], seconds)
        return s.dumps({{"id": self.id}}).decode("utf-8")

    @staticmethod
    def of(token):
        s = Serializer(app.config["KEY"])
        try:
            return s.loads(token)["id"]
        except BadSignature:
            return None
"""
    assert edited(text) == (
        text.replace(NAME, "URLSafeTimedSerializer")
        .replace('["KEY"], seconds)', '["KEY"])')
        .replace('.decode("utf-8")', "")
        .replace("s.loads(token)", "s.loads(token, max_age=1800)")
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f"import itsdangerous as i\nx = i.{NAME}(k, expires_in=9).loads(t)\n",
            "import itsdangerous as i\nx = i.URLSafeTimedSerializer(k).loads(t, max_age=9)\n",
        ),
        (  # nothing says how long: as long as the library held them
            f"from itsdangerous import {NAME}\ns = {NAME}(k)\nx = s.loads(t)\n",
            (
                "from itsdangerous import URLSafeTimedSerializer\ns = URLSafeTimedSerializer(k)\n"
                "x = s.loads(t, max_age=3600)\n"
            ),
        ),
        (  # what is local to another function cannot be written here
            (
                f"from itsdangerous import {NAME} as S\ndef a(n):\n    m = n * 2\n"
                "    return S(k, m).dumps(1)\ndef b(t):\n    return S(k).loads(t)\n"
            ),
            (
                "from itsdangerous import URLSafeTimedSerializer as S\ndef a(n):\n    m = n * 2\n"
                "    return S(k).dumps(1)\ndef b(t):\n    return S(k).loads(t, max_age=3600)\n"
            ),
        ),
        (
            (
                f"from itsdangerous import {NAME} as S\nclass A:\n    def __init__(self):\n"
                "        self.s = S(k, 60)\n    def read(self, t):\n        return self.s.loads(t)\n"
            ),
            (
                "from itsdangerous import URLSafeTimedSerializer as S\nclass A:\n    def __init__(self):\n"
                "        self.s = S(k)\n    def read(self, t):\n        return self.s.loads(t, max_age=60)\n"
            ),
        ),
    ],
)
def test_other_ways_to_write_it(before: str, after: str) -> None:
    assert edited(before) == after


def test_one_without_times_is_the_other_one_without_times() -> None:
    text = (
        "from itsdangerous import JSONWebSignatureSerializer as S\nx = S(k).loads(S(k).dumps(1).decode())\n"
    )
    assert edited(text, "JSONWebSignatureSerializer") == (
        "from itsdangerous import URLSafeSerializer as S\nx = S(k).loads(S(k).dumps(1))\n"
    )


def test_other_names_and_other_loads_stay() -> None:
    text = f"from itsdangerous import {NAME}\nimport json\nx = json.loads(t)\ny = z.dumps(1).decode()\n"
    assert edited(text) == text.replace(NAME, "URLSafeTimedSerializer")
    assert edited("from itsdangerous import json\n", "json") == ""
