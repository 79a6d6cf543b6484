"""Other tools' edits as proposals: those alone that are about a failure's lines and its name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from fix_evidence import evidence_of

from backdate.advice import EvidenceKind, SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import Edit
from backdate.solvers.reasons import ProposalOrigin
from backdate.solvers.rules.applying import identity_of
from backdate.solvers.rules.fixers.installed import FixerName
from backdate.solvers.rules.fixers.ruff import RuffFinding
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.choose import choose_sources
from backdate.solvers.rules.sources.fixers import FixerSource

TEXT = """\
import numpy as np

def total(x):
    return np.product(x) + np.float(1)

def again(x):
    return np.product(x)

def never(x):
    return np.product(x)
"""
GONE = Cause(
    kind=CauseKind.MISSING_ATTRIBUTE,
    type="AttributeError",
    message="module 'numpy' has no attribute 'product'",
    name="product",
    owner="numpy",
    owner_is="module",
    distribution="numpy",
)


@dataclass
class ReadyFixers:
    found: tuple[RuffFinding, ...] = ()
    after: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[FixerName] = field(default_factory=list)

    def findings(self, texts, python):
        self.asked.append(FixerName.RUFF)
        return self.found

    def rewritten(self, name, arguments, texts):
        self.asked.append(name)
        return self.after.get(name, {})


def finding(old: str, new: str, nth: int = 0, code: str = "NPY201", text: str = TEXT) -> RuffFinding:
    start = -1
    for _ in range(nth + 1):
        start = text.index(old, start + 1)
    line = text.count("\n", 0, start) + 1
    return RuffFinding(
        file="a.py",
        first_line=line,
        last_line=line,
        code=code,
        message=f"`{old}` is gone",
        url="https://docs.astral.sh/ruff/rules/x",
        edits=(Edit(start, start + len(old), new),),
    )


def group(line: int, cause: Cause = GONE) -> FailureGroup:
    place = SourcePlace(file="a.py", line=line)
    return FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))


def evidence(fixers: ReadyFixers, text: str = TEXT, **more) -> FixEvidence:
    given = {"versions": {"numpy": ("1.0", "2.0")}, "python": "3.12.1", **more}
    return evidence_of({"a.py": text}, fixers=fixers, **given)


def changed(proposal, text: str = TEXT) -> dict[int, str]:
    (edit,) = proposal.file_edits
    pairs = zip(text.splitlines(), edit.text.splitlines(), strict=True)
    return {number: new.strip() for number, (old, new) in enumerate(pairs, start=1) if old != new}


ALL = tuple(finding("np.product", "np.prod", nth) for nth in range(3))


def test_the_failing_line_and_the_same_name_on_lines_that_run() -> None:
    known = evidence(ReadyFixers(ALL), executed={"a.py": frozenset({4, 7})})
    (proposal,) = FixerSource().propose(group(4), known)
    assert changed(proposal) == {4: "return np.prod(x) + np.float(1)", 7: "return np.prod(x)"}
    assert proposal.origin is ProposalOrigin.FIXER
    assert (proposal.rule, proposal.distribution) == ("ruff NPY201", "numpy")
    assert proposal.why[0].kind is EvidenceKind.TOOL


def test_what_is_on_the_line_and_about_another_name_stays() -> None:
    fixers = ReadyFixers((finding("np.float", "float", code="NPY001"), *ALL))
    (proposal,) = FixerSource().propose(group(4), evidence(fixers))
    assert changed(proposal) == {4: "return np.prod(x) + np.float(1)"}


def test_an_error_without_a_name_may_be_about_all_of_its_line() -> None:
    cause = Cause(kind=CauseKind.UNKNOWN, type="RuntimeError", message="something")
    fixers = ReadyFixers((finding("np.float", "float", code="NPY001"), *ALL))
    assert len(FixerSource().propose(group(4, cause), evidence(fixers))) == 2


def test_what_the_compiler_warns_of_is_asked_for_where_a_warning_is_the_error() -> None:
    text = 're.compile("a\\s(?i)")\n'
    fixers = ReadyFixers((finding('"a\\s(?i)"', 'r"a\\s(?i)"', code="W605", text=text),))
    flags = Cause(kind=CauseKind.OTHER_ERROR, type="re.error", message="global flags not at the start")
    assert not FixerSource().propose(group(1, flags), evidence(fixers, text))
    warned = Cause(kind=CauseKind.OTHER_ERROR, type="SyntaxWarning", message="invalid escape sequence '\\s'")
    assert len(FixerSource().propose(group(1, warned), evidence(fixers, text))) == 1


def test_an_attribute_that_objects_lack_is_written_no_more() -> None:
    text = "def test(self, client):\n    self.assertIn(1, client.jar)\n    self.assertEquals(2, client.jar)\n"
    assertion = finding("self.assertIn(1, client.jar)", "assert 1 in client.jar", code="PT009", text=text)
    fixers = ReadyFixers(
        (assertion, finding("self.assertEquals", "self.assertEqual", code="PT009", text=text))
    )

    def lacking(owner: str, name: str, line: int) -> int:
        message = f"{owner!r} object has no attribute {name!r}"
        cause = replace(GONE, message=message, name=name, owner=owner, owner_is="type")
        return len(FixerSource().propose(group(line, cause), evidence(fixers, text)))

    assert lacking("Client", "jar", 2) == 0
    assert lacking("Test", "assertEquals", 3) == 1


def test_an_assertion_that_fails_is_not_written_otherwise() -> None:
    text = "def test(self):\n    self.assertEqual(status(), 302)\n"
    cause = Cause(kind=CauseKind.UNKNOWN, type="AssertionError", message="500 != 302")
    made = finding("self.assertEqual(status(), 302)", "assert status() == 302", code="PT009", text=text)
    assert FixerSource().propose(group(2, cause), evidence(ReadyFixers((made,)), text)) == ()


def test_two_rules_that_write_the_same_are_one_proposal() -> None:
    fixers = ReadyFixers((finding("np.product", "np.prod", code="NPY003"), *ALL[:1]))
    assert len(FixerSource().propose(group(4), evidence(fixers))) == 1


def test_a_proposal_is_the_same_when_other_lines_changed() -> None:
    (one,) = FixerSource().propose(group(4), evidence(ReadyFixers(ALL[:1])))
    text = TEXT.replace("again", "others")
    moved = finding("np.product", "np.prod", text=text)
    (other,) = FixerSource().propose(group(4), evidence(ReadyFixers((moved,)), text))
    assert one.file_edits != other.file_edits
    assert identity_of(one) == identity_of(other)


def test_nothing_is_asked_without_a_sandbox_or_a_place() -> None:
    fixers = ReadyFixers(ALL)
    nowhere = FailureGroup(cause=GONE, tests=("t",), places=())
    assert FixerSource().propose(nowhere, evidence(fixers)) == ()
    assert FixerSource().propose(group(4), evidence(None)) == ()
    assert fixers.asked == []


DJANGO = "from django.utils.encoding import force_text\n\ndef shown(x):\n    return force_text(x) % u'a'\n"
NO_FORCE_TEXT = Cause(
    kind=CauseKind.MISSING_NAME,
    type="ImportError",
    message="cannot import name 'force_text' from 'django.utils.encoding'",
    name="force_text",
    owner="django.utils.encoding",
    owner_is="module",
    distribution="Django",
)


def test_a_rewriter_of_files_gives_what_concerns_the_failure() -> None:
    after = DJANGO.replace("force_text", "force_str").replace("u'a'", "'a'")
    fixers = ReadyFixers(after={FixerName.DJANGO_UPGRADE: {"a.py": after}})
    known = evidence(fixers, DJANGO, versions={"django": ("3.2", "4.2")})
    (proposal,) = FixerSource().propose(group(1, NO_FORCE_TEXT), known)
    assert changed(proposal, DJANGO) == {1: "from django.utils.encoding import force_str"}
    assert proposal.rule == "django-upgrade"
    ran = evidence(fixers, DJANGO, versions=known.versions, executed={"a.py": frozenset({1, 4})})
    (proposal,) = FixerSource().propose(group(1, NO_FORCE_TEXT), ran)
    assert set(changed(proposal, DJANGO)) == {1, 4}


def test_a_rewriter_is_asked_only_where_its_library_moved() -> None:
    fixers = ReadyFixers()
    FixerSource().propose(group(1, NO_FORCE_TEXT), evidence(fixers, DJANGO))
    assert fixers.asked == [FixerName.RUFF]


def test_an_import_that_goes_with_lines_which_stay_is_not_taken_alone() -> None:
    """bump-pydantic takes `validator` out of an import whose `BaseSettings` is gone."""
    source = DJANGO.replace("import force_text", "import force_text, other").replace("% u'a'", "% other(1)")
    after = source.replace("import force_text, other", "import force_str, another").replace(
        "other(1)", "another(1)"
    )
    fixers = ReadyFixers(after={FixerName.DJANGO_UPGRADE: {"a.py": after}})
    known = evidence(fixers, source, versions={"django": ("3.2", "4.2")})
    assert FixerSource().propose(group(1, NO_FORCE_TEXT), known) == ()
    ran = evidence(fixers, source, versions=known.versions, executed={"a.py": frozenset({1, 4})})
    (proposal,) = FixerSource().propose(group(1, NO_FORCE_TEXT), ran)
    assert set(changed(proposal, source)) == {1, 4}


def test_other_tools_are_no_evidence() -> None:
    named = {text: [str(each.origin) for each in choose_sources(text)] for text in ("", "evidence", "fixer")}
    assert named["fixer"] == ["fixer"]
    assert "fixer" in named[""]
    assert "fixer" not in named["evidence"]
