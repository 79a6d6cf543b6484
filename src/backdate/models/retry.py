"""Wait between attempts, and limit the rate of requests."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from backdate.models.interface import FailureKind, ModelFailure
from backdate.models.settings import Patience

_WORTH_ANOTHER: frozenset[FailureKind] = frozenset(
    ("timeout", "rate-limited", "endpoint-down", "stream-broken")
)


def read_retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds that ``Retry-After`` asks for (RFC 9110 §10.2.3: seconds or a date); None without one.

    ``retry-after-ms``, which some endpoints send, is finer and comes first.
    """
    by_name = {name.lower(): value.strip() for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(by_name[name]) * unit
        except (KeyError, ValueError):
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        moment = parsedate_to_datetime(by_name["retry-after"])
    except (KeyError, ValueError, TypeError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def wait_before_next(failure: ModelFailure, attempt: int, patience: Patience, chance: float) -> float | None:
    """Seconds to wait after the failed ``attempt`` (from 1); None when another is pointless.

    Doubles from ``first_delay_s``, reduced by up to half (``chance`` in 0..1), so that many rejected callers
    do not return together; never less than the endpoint asked for.
    """
    if failure.kind not in _WORTH_ANOTHER or attempt >= patience.attempts:
        return None
    if failure.retry_after_s is not None and failure.retry_after_s > patience.max_delay_s:
        return None
    full = min(patience.first_delay_s * 2.0 ** min(attempt - 1, 60), patience.max_delay_s)
    return max(full * (0.5 + chance / 2), failure.retry_after_s or 0.0)


class Turnstile:
    """Lets callers through at most ``per_minute`` times a minute, evenly spaced, whatever their thread."""

    def __init__(
        self,
        per_minute: float | None,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._gap_s = 60.0 / per_minute if per_minute else 0.0
        self._sleep = sleep
        self._clock = clock
        self._free_at = 0.0
        self._lock = threading.Lock()

    def pass_through(self) -> None:
        """Wait until the next request is allowed."""
        if not self._gap_s:
            return
        with self._lock:
            moment = self._clock()
            turn = max(moment, self._free_at)
            self._free_at = turn + self._gap_s
        if turn > moment:
            self._sleep(turn - moment)
