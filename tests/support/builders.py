"""Short ways to make runs and locks."""

from datetime import UTC, datetime
from pathlib import Path

from backdate.environments.environment import Lock, LockedDistribution
from backdate.sandboxes.interface import Enforced
from backdate.testing.outcomes import CaseResult, Frame, Outcome, Raised, SuiteRun

ENFORCED = Enforced(
    sandbox="bwrap",
    memory="tree",
    processes="tree",
    disk="hard",
    network="off",
    files="isolated",
    seccomp="on",
)


def frame(file: str, line: int = 1) -> Frame:
    return Frame(file=file, line=line, function="f", source="x = 1")


def raised(kind: str, message: str = "", *frames: Frame, link: str = "") -> Raised:
    return Raised(type=kind, message=message, frames=frames, link=link)


def result(
    name: str, outcome: Outcome = Outcome.PASSED, *chain: Raised, file: str | None = None
) -> CaseResult:
    return CaseResult(
        id=name, outcome=outcome, duration_s=0.0, raised=chain, file=file or name.split("::", maxsplit=1)[0]
    )


def run(*results: CaseResult, status: str = "completed", **more: object) -> SuiteRun:
    return SuiteRun(
        status=status,
        exit_code=0,
        signal=None,
        results=results,
        runner="pytest 7",
        duration_s=1.0,
        enforced=ENFORCED,
        log=Path("/log"),
        **more,
    )


def lock(**versions: str) -> Lock:
    return Lock(
        instant=datetime(2021, 3, 1, tzinfo=UTC),
        python="3.8.18",
        distributions=tuple(
            LockedDistribution(name=name, version=version) for name, version in sorted(versions.items())
        ),
    )
