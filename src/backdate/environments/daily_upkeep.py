"""Bringing a cache within its bound once a day, at the end of a command."""

from __future__ import annotations

import logging
import time

from backdate.environments.cache import Cache
from backdate.errors import MachineError, UsageError

logger = logging.getLogger(__name__)

_EVERY_S = 24 * 3600.0
_STAMP = "upkeep"


def keep_within_bound(cache: Cache) -> None:
    """Once a day, bring the cache within the user's bound. A cache that cannot be pruned stays as it is.

    Nothing but the time of one file is looked at on other days; environments are measured once.
    """
    stamp = cache.folder / "sizes" / _STAMP
    try:
        age = time.time() - stamp.stat().st_mtime
    except FileNotFoundError:
        age = None
    if age is not None and 0 <= age < _EVERY_S:
        return
    try:
        stamp.touch()  # first, so that of several processes that end now one does it
        if age is not None:  # a new cache holds nothing that is old
            from backdate.environments.cache_upkeep import bound_of, prune  # on one command of a day

            bound = bound_of()
            if bound is not None:
                prune(cache, to_bytes=bound)
    except (OSError, MachineError, UsageError) as error:  # the command's own work is done, and stays done
        logger.warning("the cache %s could not be brought within its bound: %s", cache.folder, error)
