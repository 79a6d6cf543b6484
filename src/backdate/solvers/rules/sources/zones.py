"""Time zones of pytz that are of ``zoneinfo`` by now, whichever library gives them (PEP 615)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from backdate.rewriting.rewrite import ReplaceUse, Rewrite

NO_PYTZ = re.compile(r"'(?:[\w.]{1,40}\.)?ZoneInfo' object has no attribute '(localize|normalize|zone)'")
_CALLED: Mapping[str, str] = MappingProxyType(
    {"localize": "{0}.replace(tzinfo={self})", "normalize": "{0}.astimezone({self})"}
)


def by_zoneinfo(match: re.Match[str], _: object) -> Iterator[Rewrite]:
    """What ``zoneinfo`` has instead of a method or the name of a zone of pytz."""
    name = match[1]
    if name in _CALLED:
        yield ReplaceUse(target=f".{name}", template=_CALLED[name])
    else:
        yield ReplaceUse(target=".zone", template="{self}.key", called=False)
