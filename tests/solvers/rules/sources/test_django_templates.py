"""What Django's templates have no more, in pages and in texts of the code."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.django_templates import django_templates

ERROR = "django.template.exceptions.TemplateSyntaxError"
LOADS = "'staticfiles' is not a registered tag library. Must be one of:\nadmin_list"
EQUAL = "Invalid block tag on line 3: 'ifequal', expected 'endblock'. Did you forget to load this tag?"
LENGTH = "Invalid filter: 'length_is'"
FUTURE = "'future' is not a registered tag library. Must be one of:"


def mended(
    tmp_path: Path, files: dict[str, str], message: str, *, versions: tuple[str, str] = ("1.8", "5.2")
) -> dict[str, str]:
    """By file what the proposal makes of it."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(text.encode())
    texts = {name: text for name, text in files.items() if name.endswith(".py")}
    kept = frozenset(name for name in texts if name.startswith("tests"))
    evidence = evidence_of(texts, versions={"django": versions}, kept_files=kept)
    cause = Cause(kind=CauseKind.OTHER_ERROR, type=ERROR, message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="views.py", line=1),))
    found = django_templates(group, replace(evidence, tree=tmp_path))
    return {} if found is None else {edit.file: edit.text for edit in found.file_edits}


@pytest.mark.parametrize(
    ("message", "before", "after"),
    [
        (LOADS, "{% load staticfiles %}\n<p>", "{% load static %}\n<p>"),
        (LOADS, "{%load i18n staticfiles static%}", "{%load i18n static%}"),
        (LOADS, "{% load i18n admin_static admin_modify %}", "{% load i18n static admin_modify %}"),
        (LOADS, "{% load static from staticfiles %}", "{% load static %}"),
        (
            LOADS,
            "{%load get_static_prefix static from staticfiles%}",
            "{%load get_static_prefix static from static%}",
        ),
        (FUTURE, "{% load url from future %}\r\n<p>{% load i18n %}", "<p>{% load i18n %}"),
        (
            EQUAL,
            "{% ifequal a.b 'c d' %}é{% else %}{% endifequal %}",
            "{% if a.b == 'c d' %}é{% else %}{% endif %}",
        ),
        (EQUAL, "{%ifnotequal a|f:1 b%}x{%endifnotequal%}", "{%if a|f:1 != b%}x{%endif%}"),
        (LENGTH, "{% if a|length_is:'4' and b|length_is:n %}", "{% if a|length == 4 and b|length == n %}"),
        (
            LENGTH,
            '{% elif a|length_is:"1" %}{{ a|length_is:1 }}',
            "{% elif a|length == 1 %}{{ a|length_is:1 }}",
        ),
    ],
)
def test_pages_and_texts_of_the_code_are_mended(
    tmp_path: Path, message: str, before: str, after: str
) -> None:
    page = {"app/templates/a.html": before, "other.html": "<p>", "notes.txt": before}
    assert mended(tmp_path, page, message) == {"app/templates/a.html": after}
    code = f"PAGE = '''{before}'''  # {{% load staticfiles %}}\n"
    files = {"views.py": code, "tests/test_a.py": code}
    assert mended(tmp_path / "code", files, message) == {"views.py": code.replace(before, after, 1)}


@pytest.mark.parametrize(
    ("message", "text", "versions"),
    [
        (LOADS, "{% load static %}{% load other from staticfiles_x %}", ("2.2", "5.2")),
        (LOADS, "{% load staticfiles %}", ("3.0", "5.2")),
        ("'other' is not a registered tag library", "{% load staticfiles %}", ("2.2", "5.2")),
        (EQUAL, "{% if a == b %}", ("2.2", "5.2")),
        (LENGTH, "{{ a|length_is:1 }}", ("2.2", "5.2")),
    ],
)
def test_all_else_stays(tmp_path: Path, message: str, text: str, versions: tuple[str, str]) -> None:
    assert mended(tmp_path, {"a.html": text}, message, versions=versions) == {}


def test_all_that_a_template_lacks_is_mended_at_once(tmp_path: Path) -> None:
    before = "{% load staticfiles %}{% ifequal a b %}{% endifequal %}{% if a|length_is:1 %}"
    after = "{% load static %}{% if a == b %}{% endif %}{% if a|length == 1 %}"
    assert mended(tmp_path, {"a.html": before}, LOADS, versions=("2.2", "5.2")) == {"a.html": after}
    older = after.replace("a|length == 1", "a|length_is:1")
    assert mended(tmp_path, {"a.html": before}, LOADS, versions=("2.2", "4.2")) == {"a.html": older}


def test_what_is_linked_or_no_text_is_left_alone(tmp_path: Path) -> None:
    outside = tmp_path / "outside.html"
    outside.write_text("{% load staticfiles %}")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "linked.html").symlink_to(outside)
    (tree / "folder.html").symlink_to(tmp_path)
    (tree / "bytes.html").write_bytes(b"{% load staticfiles %}\xff\x00\xfe")
    assert mended(tree, {}, LOADS) == {}


def test_hostile_templates_take_no_time(tmp_path: Path) -> None:
    page = "".join(
        ("{% load " + " " * 100_000, "{% ifequal " * 5_000, "{% ifequal a '" * 2_000, "{% if" * 5_000)
    )
    assert mended(tmp_path, {"a.html": page}, LOADS, versions=("1.8", "5.2")) == {}
