"""One download in a sandbox of its own, which reaches what it is told to and nothing of this machine."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from backdate.environments.environment import Interpreter
from backdate.environments.uv import network_variables
from backdate.sandboxes.gateway import Gateway
from backdate.sandboxes.gateway_upstream import UpstreamEndpoint
from backdate.sandboxes.interface import (
    MIB,
    BaseSystem,
    Command,
    Limits,
    Mount,
    RunResult,
    Sandbox,
    Workspace,
)
from backdate.sandboxes.unsafe_local import UnsafeLocal

_LIMITS = Limits(wall_s=900.0, memory_bytes=4096 * MIB, processes=256, disk_bytes=4096 * MIB)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRun:
    """Where downloads are run."""

    sandbox: Sandbox
    interpreter: Interpreter
    base: BaseSystem | None
    log: Path


def fetch_in_sandbox(
    run: FetchRun,
    line: str,
    *,
    endpoints: Collection[UpstreamEndpoint],
    further: Collection[UpstreamEndpoint],
    variables: Mapping[str, str],
    mounts: Sequence[Mount],
    anywhere: bool = False,
) -> RunResult:
    """Run the shell line ``line``, which runs no foreign code.

    ``endpoints``, ``further``: see ``Gateway``. ``anywhere``: it may ask every host of the internet by https.
    """
    isolated = run.sandbox.name != UnsafeLocal.name
    interpreter = run.interpreter
    with ExitStack() as stack:
        gateway = None
        if isolated:
            gateway = stack.enter_context(Gateway(endpoints, further=lambda: further, anywhere=anywhere))
        connecting = f"{gateway.start_line(interpreter.executable)} && " if gateway else ""
        connection = Gateway.variables() if gateway else network_variables()
        prefix = Mount(source=interpreter.prefix, target=str(interpreter.prefix))
        return run.sandbox.run(
            Command(
                argv=("/bin/sh", "-c", connecting + line),
                cwd="/tmp",  # noqa: S108 - private to the sandbox
                env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", **variables, **connection},
                network="gateway" if gateway else "on",
                limits=_LIMITS,
            ),
            Workspace(mounts=(prefix, *mounts, *(gateway.mounts if gateway else ())), base=run.base),
            log=run.log,
        )
