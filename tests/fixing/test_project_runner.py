"""Which tests of a project count when it is fixed."""

from __future__ import annotations

import pytest
from builders import result, run

from backdate.fixing.project_runner import roles_of_tests
from backdate.testing.outcomes import Outcome


@pytest.mark.parametrize(
    ("test", "blocker"),
    [
        ("t.py::test_a", "t.py"),
        ("tests.test_a.Case.test_x", "tests.test_a"),
        ("tests.test_a.Case.test_x", "tests.test_a.test_suite"),
        ("t.py::test_a", "."),
    ],
)
def test_what_keeps_a_broken_test_from_being_collected_is_no_test(test: str, blocker: str) -> None:
    old = run(result(test), result("u.py::good"))
    new = run(
        result(blocker, Outcome.NOT_COLLECTED),
        result("v", Outcome.NOT_COLLECTED),
        result("u.py::good"),
    )
    roles = {each.id: each.role for each in roles_of_tests(old, new, frozenset({test}))}
    assert roles == {test: "fail-to-pass", "u.py::good": "pass-to-pass", "v": "excluded"}
