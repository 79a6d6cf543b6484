"""What a reader has to know of the services that tests expect: which ran, and how to get the others."""

from __future__ import annotations

from collections.abc import Iterator

from backdate.sandboxes.services.wanted import ServiceRecord, ServiceState
from backdate.testing.outcomes import SuiteRun


def service_notes(run: SuiteRun) -> Iterator[str]:
    """A sentence for each service of ``run``."""
    for record in run.services:
        yield service_note(record, run.enforced.sandbox)


def service_note(record: ServiceRecord, sandbox: str) -> str:
    """What became of one service, and how to get it where it is missing."""
    place = f"localhost:{record.port}"
    where = f" ({record.where})" if record.where else ""
    if record.running:
        return f"{record.kind.value} {record.version}, as it is today, ran at {place}{where}"
    return f"{record.kind.value} at {place} is wanted{where}: {_why(record, sandbox)}"


def _why(record: ServiceRecord, sandbox: str) -> str:
    from backdate.sandboxes.services.kinds import row_of

    packages = " ".join(row_of(record.kind).packages)
    match record.state:
        case ServiceState.FAILED:
            return f"version {record.version} did not come to answer, {record.problem}"
        case ServiceState.NOT_INSTALLED:
            return f"its server is not installed; apt-get install {packages}, or use --apt"
        case ServiceState.NOT_PACKAGED:
            return "Debian has no package of its server, so it is not started"
        case ServiceState.TURNED_OFF:
            return "--no-services says that none is started"
        case _:
            return (
                "under Docker its server is started with --apt alone"
                if sandbox == "docker"
                else "it would listen on this machine, so it is not started without a sandbox"
            )
