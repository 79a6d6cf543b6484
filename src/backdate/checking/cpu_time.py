"""Processor time, which a busy machine changes less than the time on the clock."""

from __future__ import annotations

import os


def cpu_time_s() -> float:
    """Seconds that this process and its children that ended have computed, for themselves and in the system.

    What a container's engine computes for us is in no process of ours.
    """
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
