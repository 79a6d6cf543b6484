"""Items of a suite that run a linter or a type checker over a file, which says nothing of what code does."""

from __future__ import annotations

import re

_TOOLS = (
    *(
        "flake8",
        "mypy",
        "pylint",
        "pycodestyle",
        "pydocstyle",
        "pep8",
        "pyflakes",
        "flakes",
        "black",
        "isort",
    ),
    *("ruff", "pylama", "mccabe", "codestyle", "pep257", "bandit", "pyright", "codespell", "yapf", "vulture"),
)
_NAMES = "|".join(_TOOLS)
_ITEM = re.compile(
    rf"(?:\A|::)(?P<tool>{_NAMES})(?:-(?:8|check|status|ignore))?(?:::(?:format|check))?(?:\[[^\]]*\])?(?:#\d+)?\Z",
    re.IGNORECASE,
)
"""What plugins of pytest call their items: ``pkg/a.py::FLAKE8``, ``pkg/a.py::mypy``, ``::mypy-status``."""
_RAISED = re.compile(
    rf"(?:\A|\.)pytest_(?P<tool>{_NAMES})\b|(?:\A|\.)(?P<short>{_NAMES})(?:Error|Exception|Failure)\Z",
    re.IGNORECASE,
)


def lint_tool(test: str, raised_type: str = "") -> str:
    """The linter or type checker that the item ``test`` runs, by its id or what it raised; "" for a test."""
    item = _ITEM.search(test)
    if item is not None:
        return item["tool"].lower()
    raised = _RAISED.search(raised_type)
    return "" if raised is None else (raised["tool"] or raised["short"]).lower()
