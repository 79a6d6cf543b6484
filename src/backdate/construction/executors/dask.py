"""A Dask cluster: any number of machines, workers that come, go and die (extra ``cluster``).

The ledger stays with the driver; kept stages and trees go through the store, which all workers must reach.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from backdate.construction.executors.interface import FinishedJob
from backdate.construction.job import run_bytes
from backdate.errors import MachineError, UsageError

_DEATHS = 3
"""Workers that a job may take with it before it is handed back as lost."""


class DaskCluster:
    """An executor over the cluster whose scheduler is at ``address`` (or in the file of that name)."""

    def __init__(self, address: str, *, timeout_s: float = 30.0) -> None:
        """Raises UsageError without the extra, MachineError when no scheduler answers."""
        try:
            import distributed as dask_distributed
        except ImportError as error:
            raise UsageError("--cluster needs Dask: pip install 'backdate[cluster]'") from error
        distributed: Any = dask_distributed
        given = {"scheduler_file": address} if Path(address).is_file() else {"address": address}
        try:
            self._client: Any = distributed.Client(**given, timeout=timeout_s, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise MachineError(f"no Dask scheduler answers at {address}: {error}") from error
        self._distributed: Any = distributed
        self._running: dict[Any, int] = {}

    @property
    def width(self) -> int:
        """A few more jobs than the cluster has threads now, so that no worker waits for the driver."""
        threads = sum(self._client.nthreads().values())
        return int(threads) + max(2, int(threads) // 4)

    def submit(self, number: int, job: bytes) -> None:
        """Take a job."""
        future = self._client.submit(
            run_bytes, job, pure=False, retries=_DEATHS, key=f"backdate-{number}-{id(job)}"
        )
        self._running[future] = number

    def collect(self, timeout_s: float) -> tuple[FinishedJob, ...]:
        """What finished, waiting up to ``timeout_s`` for the first."""
        if not self._running:
            return ()
        try:
            with self._client.as_current():
                waited = self._distributed.wait(
                    list(self._running), timeout=timeout_s, return_when="FIRST_COMPLETED"
                )
        except (TimeoutError, self._distributed.TimeoutError):
            return ()
        found = []
        for future in waited.done:
            number = self._running.pop(future)
            if future.status == "finished":
                found.append(FinishedJob(number=number, answer=future.result()))
            else:
                found.append(FinishedJob(number=number, answer=None, lost=str(future.exception())[:500]))
        return tuple(found)

    def close(self, *, at_once: bool) -> None:
        """Leave the cluster as it is; ``at_once`` cancels what runs."""
        if at_once and self._running:
            self._client.cancel(list(self._running))
        self._client.close()
