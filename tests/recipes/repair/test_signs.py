"""The class of an error by one line of a log."""

from __future__ import annotations

from typing import Literal

import pytest

from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.signs import signed


@pytest.mark.parametrize(
    ("phase", "line", "error"),
    [
        ("tests", "socket.gaierror: [Errno -2] Name or service not known", ErrorClass.NEEDS_NETWORK),
        (
            "tests",
            "dns.resolver.NoResolverConfiguration: cannot open /etc/resolv.conf",
            ErrorClass.NEEDS_NETWORK,
        ),
        ("tests", "redis.exceptions.ConnectionError: Connection refused", ErrorClass.NEEDS_SERVICE),
        ("tests", "FileNotFoundError: [Errno 2] No such file: 'data.txt'", ErrorClass.WRONG_FOLDER),
        ("tests", "KeyError: 'GITHUB_TOKEN'", ErrorClass.NEEDS_SECRET),
        ("build", "error: use_2to3 is invalid.", ErrorClass.USE_2TO3),
        ("build", "FileNotFoundError: [Errno 2] No such file: 'data.txt'", None),
        ("tests", "AssertionError: 1 != 2", None),
    ],
)
def test_the_first_sign_of_a_line_decides(
    phase: Literal["build", "tests"], line: str, error: ErrorClass | None
) -> None:
    assert signed(phase, f"collected 1 item\n{line}\n") is error
