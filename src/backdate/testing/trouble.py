"""Why a run did not reach the tests, in one line."""

from __future__ import annotations

import re

from backdate.testing.outcomes import SuiteRun
from backdate.text import first_line

_NAMES_AN_ERROR = re.compile(r"(?:^|[\s.])\w{0,60}(?:[Ee]rror|ERROR|Exception)\b")


def trouble_line(run: SuiteRun) -> str:
    """Of the log's end only the last line that names an error, if one does; "" where nothing was wrong."""
    lines = [line for line in run.log_end.splitlines() if _NAMES_AN_ERROR.search(line)]
    errors = [line for line in lines if "usage:" not in line]
    if not errors:
        return first_line(run.trouble)
    before = run.trouble.partition(run.log_end)[0]
    return first_line(f"{' '.join(before.split())} {errors[-1].strip()}")
