"""A Dask cluster of three workers on this machine, until its standard input ends; tells where it is."""

from __future__ import annotations

import json
import os
import sys

if __name__ == "__main__":
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        pids = client.run(os.getpid)
        print(json.dumps([cluster.scheduler_address, *pids.values()]), flush=True)  # noqa: T201 - for whoever started it
        sys.stdin.read()
