from __future__ import annotations

import ast

import pytest

from backdate.editing.spans import apply_edits
from backdate.testing.changed_tests.candidates import candidates_of
from backdate.testing.changed_tests.kinds import ChangeKind

SECRET = "0123abcd"


def changed(text: str) -> dict[ChangeKind, str]:
    """The text after each change of its only test."""
    found = candidates_of(text) or ()
    texts = {one.kind: apply_edits(text, [one.edit_with(SECRET)]) for one in found}
    for other in texts.values():
        ast.parse(other)
        assert SECRET in other
    return texts


def body(*lines: str) -> str:
    return "def test_it(self):\n" + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize(
    ("line", "kind", "becomes"),
    [
        ("assert f(1)  # why", ChangeKind.INVERTED, f"assert not f(1), '{SECRET}'  # why"),
        ("assert a == 'x', 'msg'", ChangeKind.LITERAL, f"assert a == 'x{SECRET}', '{SECRET}'"),
        ("assert a == b", ChangeKind.WRAPPED, f"assert a == (b, '{SECRET}'), '{SECRET}'"),
        ("assert [1] == a", ChangeKind.LITERAL, f"assert [1, '{SECRET}'] == a, '{SECRET}'"),
        ("assert f(1)", ChangeKind.REPLACED, f"raise AssertionError('{SECRET}')"),
        ("self.assertIn(a, b, 'm')", ChangeKind.INVERTED, f"self.assertNotIn(a, b, msg='{SECRET}')"),
        ("self.assertTrue(a, 'm')", ChangeKind.INVERTED, f"self.assertFalse(a, msg='{SECRET}')"),
        ("self.assertEqual(a, True)", ChangeKind.LITERAL, f"self.assertEqual(a, False, msg='{SECRET}')"),
        (
            "self.assertAlmostEqual(a, b, 3)",
            ChangeKind.INVERTED,
            f"self.assertNotAlmostEqual(a, b, 3, msg='{SECRET}')",
        ),
    ],
)
def test_the_last_assertion_is_changed(line, kind, becomes) -> None:
    assert changed(body("x = 1", line, "done()"))[kind] == body("x = 1", becomes, "done()")


def test_an_assertion_of_several_lines_keeps_what_is_around_it() -> None:
    text = "# a\n" + body("assert (", "    a ==", "    b", "), 'm'", "done()") + "\nx  =  1\n"
    after = changed(text)[ChangeKind.INVERTED]
    assert after == "# a\n" + body(f"assert not a == b, '{SECRET}'", "done()") + "\nx  =  1\n"


@pytest.mark.parametrize(
    "lines",
    [
        ("with open(f):", "    assert a"),
        ("try:", "    assert a", "finally:", "    pass"),
        ("try:", "    pass", "finally:", "    assert a"),
    ],
)
def test_what_surely_runs_is_found(lines) -> None:
    assert ChangeKind.INVERTED in changed(body(*lines))


@pytest.mark.parametrize(
    "lines",
    [
        ("with pytest.raises(AssertionError):", "    assert a"),
        ("try:", "    assert a", "except E:", "    pass"),
        ("if x:", "    assert a"),
        ("for x in y:", "    assert a"),
    ],
)
def test_what_may_not_run_is_left_alone(lines) -> None:
    assert set(changed(body(*lines))) == {ChangeKind.RAISES}


@pytest.mark.parametrize("line", ["if x: return", "pytest.xfail('why')", "pytest.skip()"])
def test_a_body_that_may_be_left_before_its_assertion_is_marked(line) -> None:
    found = {one.kind: one for one in candidates_of(body(line, "assert f(1) == 2")) or ()}
    assert set(found) == {*ChangeKind} - {ChangeKind.RAISES}
    assert all(one.may_be_skirted for one in found.values())
    plain = candidates_of(body("assert f(1) == 2")) or ()
    assert {one.kind for one in plain} == {*ChangeKind}
    assert not any(one.may_be_skirted for one in plain)


@pytest.mark.parametrize(
    "line",
    ["return", "pytest.skip()", "yield 1", "raise E", "while True: pass", "sys.exit()", "self.skipTest()"],
)
def test_a_body_that_may_not_reach_its_end_does_not_raise_there(line) -> None:
    assert ChangeKind.RAISES not in changed(body("a()", line))


def test_the_raise_comes_last_with_tabs_and_other_line_ends() -> None:
    text = "def test_it():\r\n\ta()  # b\r\n\r\nc = 1\r\n"
    after = changed(text)[ChangeKind.RAISES]
    assert after == f"def test_it():\r\n\ta()  # b\n\traise AssertionError('{SECRET}')\r\n\r\nc = 1\r\n"


def test_python_2_is_not_read() -> None:
    assert candidates_of("def test_it():\n    print 'a'\n") is None


def test_of_two_tests_with_one_name_none_is_changed() -> None:
    assert candidates_of(body("assert a") * 2) == ()
