"""What Django's system checks refuse: its runner prints that, and its exceptions say it, behind a heading.

Errors come with warnings below them, which are all that the end of a long log shows.
"""

from __future__ import annotations

import re
from dataclasses import replace

from backdate.testing.outcomes import Raised
from backdate.testing.traceback_text import LONGEST_MESSAGE

_REFUSED = "SystemCheckError"
_TYPE = f"django.core.management.base.{_REFUSED}"
_HEADING = "System check identified some issues:"
_SECTION = re.compile(r"(CRITICALS|ERRORS|WARNINGS|INFOS|DEBUGS):")
_BAD = frozenset({"CRITICALS", "ERRORS"})
_END = re.compile(r"System check identified (?:\d+|no) issues?\b")


def check_errors(text: str) -> str:
    """The errors of the last report in ``text``, with their hints, one a line; "" where there are none."""
    _, heading, report = text.rpartition(_HEADING)
    found: list[str] = []
    bad = False
    for line in map(str.strip, report.splitlines() if heading else ()):
        section = _SECTION.fullmatch(line)
        if section is not None:
            bad = section[1] in _BAD
        elif _END.match(line):
            break
        elif bad and line:
            found.append(line)
    return "\n".join(found)[:LONGEST_MESSAGE]


def refused_by_checks(chain: tuple[Raised, ...], log: str) -> tuple[Raised, ...]:
    """``chain``, with which a log ends, or in its place what checks refused: that is printed without one."""
    errors = check_errors(log)
    if not errors:
        return chain
    if chain and _is_refusal(chain[-1]):
        return (*chain[:-1], replace(chain[-1], message=errors))
    return (Raised(type=_TYPE, message=errors, frames=()),)


def errors_first(chain: tuple[Raised, ...]) -> tuple[Raised, ...]:
    """``chain``, of which the last one says what checks refused and nothing around that."""
    errors = check_errors(chain[-1].message) if chain and _is_refusal(chain[-1]) else ""
    return (*chain[:-1], replace(chain[-1], message=errors)) if errors else chain


def _is_refusal(raised: Raised) -> bool:
    return raised.type.rpartition(".")[2] == _REFUSED
