"""backdate: time travel for Python dependencies.

::

    import backdate

    result = backdate.check("path/to/project", from_instant=backdate.parse_instant("2021-03-01"))

What is exported here is the library; everything else may move. Nothing prints, and nothing heavy is
imported before it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from backdate.version import __version__ as __version__

if TYPE_CHECKING:
    from backdate.checking.options import SetupOptions
    from backdate.checking.result import Breakage, CheckResult, Comparison, PackageChange, Side, Verdict
    from backdate.checking.settings import Settings
    from backdate.checking.setup_result import SetupResult
    from backdate.checking.stored import read_result
    from backdate.errors import BackdateError
    from backdate.session import Session, bisect, build_environment, check, set_up
    from backdate.timeline.instants import parse_instant


__all__ = [
    "BackdateError",
    "Breakage",
    "CheckResult",
    "Comparison",
    "PackageChange",
    "Session",
    "Settings",
    "SetupOptions",
    "SetupResult",
    "Side",
    "Verdict",
    "bisect",
    "build_environment",
    "check",
    "parse_instant",
    "read_result",
    "set_up",
]

_HOMES = {
    "BackdateError": "backdate.errors",
    "Breakage": "backdate.checking.result",
    "CheckResult": "backdate.checking.result",
    "Comparison": "backdate.checking.result",
    "PackageChange": "backdate.checking.result",
    "Session": "backdate.session",
    "SetupOptions": "backdate.checking.options",
    "Settings": "backdate.checking.settings",
    "SetupResult": "backdate.checking.setup_result",
    "Side": "backdate.checking.result",
    "Verdict": "backdate.checking.result",
    "bisect": "backdate.session",
    "build_environment": "backdate.session",
    "check": "backdate.session",
    "parse_instant": "backdate.timeline.instants",
    "read_result": "backdate.checking.stored",
    "set_up": "backdate.session",
}


def __getattr__(name: str) -> Any:
    """Import an exported name from its home when it is first used (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'backdate' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
