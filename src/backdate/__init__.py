"""backdate: time travel for Python dependencies.

::

    import backdate

    result = backdate.check("path/to/project", from_instant=backdate.parse_instant("2021-03-01"))

What is exported here is the library (``docs/reference/api.md``); everything else may move. Nothing prints,
and nothing heavy is imported before it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from backdate.version import __version__ as __version__

if TYPE_CHECKING:
    from backdate.bisection.result import BisectResult, Culprit, Finding, read_bisect_result
    from backdate.checking.answers import CheckAnswers, NeededCap, UnneededCap, read_answers
    from backdate.checking.build_environment import EnvironmentResult
    from backdate.checking.question import AskedQuestions, Question
    from backdate.checking.result import (
        Breakage,
        CheckAudit,
        CheckResult,
        Comparison,
        PackageChange,
        Side,
        Verdict,
        read_result,
    )
    from backdate.checking.settings import AuditOptions, Settings, SetupOptions
    from backdate.checking.setup_result import SetupResult, read_setup_result
    from backdate.diagnosis.diagnose import clusters_of, diagnose, diagnose_log
    from backdate.diagnosis.logs import read_log
    from backdate.environments.environment import BuildFailure, Environment, Lock
    from backdate.errors import BackdateError, MachineError, StoredDataError, UsageError
    from backdate.index.server import SnapshotServer
    from backdate.index.upstream import IndexClient
    from backdate.progress import Activity, Event, Reporter, StageEntered, SuiteAdvanced
    from backdate.sandboxes.interface import Limits
    from backdate.session import Session, answer, bisect, build_environment, check, set_up
    from backdate.testing.outcomes import CaseResult, Outcome, SuiteRun
    from backdate.timeline.instants import Instant, parse_instant


__all__ = [
    "Activity",
    "AskedQuestions",
    "AuditOptions",
    "BackdateError",
    "BisectResult",
    "Breakage",
    "BuildFailure",
    "CaseResult",
    "CheckAnswers",
    "CheckAudit",
    "CheckResult",
    "Comparison",
    "Culprit",
    "Environment",
    "EnvironmentResult",
    "Event",
    "Finding",
    "IndexClient",
    "Instant",
    "Limits",
    "Lock",
    "MachineError",
    "NeededCap",
    "Outcome",
    "PackageChange",
    "Question",
    "Reporter",
    "Session",
    "Settings",
    "SetupOptions",
    "SetupResult",
    "Side",
    "SnapshotServer",
    "StageEntered",
    "StoredDataError",
    "SuiteAdvanced",
    "SuiteRun",
    "UnneededCap",
    "UsageError",
    "Verdict",
    "answer",
    "bisect",
    "build_environment",
    "check",
    "clusters_of",
    "diagnose",
    "diagnose_log",
    "parse_instant",
    "read_answers",
    "read_bisect_result",
    "read_log",
    "read_result",
    "read_setup_result",
    "set_up",
]

_HOMES = {
    "Activity": "backdate.progress",
    "AskedQuestions": "backdate.checking.question",
    "AuditOptions": "backdate.checking.settings",
    "BackdateError": "backdate.errors",
    "BisectResult": "backdate.bisection.result",
    "Breakage": "backdate.checking.result",
    "BuildFailure": "backdate.environments.environment",
    "CaseResult": "backdate.testing.outcomes",
    "CheckAnswers": "backdate.checking.answers",
    "CheckAudit": "backdate.checking.result",
    "CheckResult": "backdate.checking.result",
    "Comparison": "backdate.checking.result",
    "Culprit": "backdate.bisection.result",
    "Environment": "backdate.environments.environment",
    "EnvironmentResult": "backdate.checking.build_environment",
    "Event": "backdate.progress",
    "Finding": "backdate.bisection.result",
    "IndexClient": "backdate.index.upstream",
    "Instant": "backdate.timeline.instants",
    "Limits": "backdate.sandboxes.interface",
    "Lock": "backdate.environments.environment",
    "MachineError": "backdate.errors",
    "NeededCap": "backdate.checking.answers",
    "Outcome": "backdate.testing.outcomes",
    "PackageChange": "backdate.checking.result",
    "Question": "backdate.checking.question",
    "Reporter": "backdate.progress",
    "Session": "backdate.session",
    "Settings": "backdate.checking.settings",
    "SetupOptions": "backdate.checking.settings",
    "SetupResult": "backdate.checking.setup_result",
    "Side": "backdate.checking.result",
    "SnapshotServer": "backdate.index.server",
    "StageEntered": "backdate.progress",
    "StoredDataError": "backdate.errors",
    "SuiteAdvanced": "backdate.progress",
    "SuiteRun": "backdate.testing.outcomes",
    "UnneededCap": "backdate.checking.answers",
    "UsageError": "backdate.errors",
    "Verdict": "backdate.checking.result",
    "answer": "backdate.session",
    "bisect": "backdate.session",
    "build_environment": "backdate.session",
    "check": "backdate.session",
    "clusters_of": "backdate.diagnosis.diagnose",
    "diagnose": "backdate.diagnosis.diagnose",
    "diagnose_log": "backdate.diagnosis.diagnose",
    "parse_instant": "backdate.timeline.instants",
    "read_answers": "backdate.checking.answers",
    "read_bisect_result": "backdate.bisection.result",
    "read_log": "backdate.diagnosis.logs",
    "read_result": "backdate.checking.result",
    "read_setup_result": "backdate.checking.setup_result",
    "set_up": "backdate.session",
}


def __getattr__(name: str) -> Any:
    """Import an exported name from its home when it is first used (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'backdate' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
