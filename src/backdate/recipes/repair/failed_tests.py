"""The class of a single failed test, from what it raised."""

from __future__ import annotations

import re
from collections.abc import Iterable

from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.setup_failure import MISSING_MODULE, bounded
from backdate.recipes.repair.signs import signed

_MOST_MESSAGE = 4_000
_REMOTE = re.compile(
    r"Max retries exceeded|Cannot connect to host|Could not resolve host|No address associated with hostname|"
    r"Name does not resolve|Temporary failure in name resolution|Name or service not known|"
    r"Network is unreachable"
)
"""What libraries say of an address of the internet."""
_LOCAL = re.compile(r"localhost|127\.0\.0\.1|\[?::1\]?[:\s]|0\.0\.0\.0|local server through socket")


def class_of_failed_test(texts: Iterable[str]) -> ErrorClass:
    """The class of the error that ``texts`` tell of: the exceptions of a test, the first raised first.

    An exception that led to another one tells more than the assertion that noticed.
    """
    text = bounded("\n".join(" ".join(part[:_MOST_MESSAGE].split()) for part in texts if part))
    if _REMOTE.search(text):
        return ErrorClass.NEEDS_SERVICE if _LOCAL.search(text) else ErrorClass.NEEDS_NETWORK
    named = signed("tests", text)
    if named is not None and named is not ErrorClass.WRONG_FOLDER:
        return named
    if MISSING_MODULE.search(text):
        return ErrorClass.MISSING_MODULE
    return named or ErrorClass.TESTS_FAIL
