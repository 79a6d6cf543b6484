"""The canaries of a run: which there are, and what became of them (see the capture's file)."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Mapping
from enum import StrEnum

from backdate.testing.assembly import Capture, CaseRecord
from backdate.testing.integrity import IntegrityReason
from backdate.testing.judging import UnfinishedOutcome, result_of
from backdate.testing.outcomes import CaseResult, Outcome

CANARIES = 9
"""How many a run has; what runs them has the same number."""

_LAST_NAME = re.compile(r"test_([0-9a-f]{16})\Z")
_BAD = (Outcome.FAILED, Outcome.ERROR)


class CanaryKind(StrEnum):
    """What a canary must do."""

    FAILS = "fails"
    PASSES = "passes"
    RAISES = "raises"


_KINDS = (CanaryKind.FAILS, CanaryKind.PASSES, CanaryKind.RAISES)


def new_secret() -> bytes:
    """A secret for one process."""
    return secrets.token_bytes(32)


def canary_kinds(secret: bytes) -> dict[str, tuple[CanaryKind, str]]:
    """What each canary of the run must do, and what it says when it fails, by the code in its name."""
    kinds = {}
    for number in range(CANARIES):
        code = hmac.new(secret, b"canary %d" % number, "sha256").hexdigest()
        kinds[code[:16]] = (_KINDS[number % len(_KINDS)], code[16:32])
    return kinds


def canary_names(secret: bytes | None) -> frozenset[str]:
    """The names of their functions; none without a secret."""
    return frozenset() if secret is None else frozenset(f"test_{code}" for code in canary_kinds(secret))


def code_in(identity: str) -> str | None:
    """The code that the id of a test ends with; None for a name that no canary has."""
    match = _LAST_NAME.search(identity)
    return None if match is None else match.group(1)


def look_at_canaries(
    capture: Capture, secret: bytes, ending: UnfinishedOutcome
) -> tuple[int, set[IntegrityReason]]:
    """How many canaries came out as they must, and what speaks against the run."""
    kinds = canary_kinds(secret)
    reasons: set[IntegrityReason] = set()
    good = 0
    for record in capture.canaries:
        reason = _wrong(record, kinds, ending)
        if reason is None:
            good += 1
        else:
            reasons.add(reason)
    if capture.canaries_off is not None:
        reasons.add(IntegrityReason.CANARIES_OFF)
    elif {code_in(record.id) for record in capture.canaries} != kinds.keys():
        reasons.add(_missing(capture))
    return good, reasons


def _missing(capture: Capture) -> IntegrityReason:
    """Why there are fewer: where all tests ran, all canaries did, before them and after the last one."""
    ended = {record.id for record in capture.tests if record.ended}
    ran = bool(ended) and ended.issuperset(capture.collected)
    if ran and capture.finish is not None and not capture.finish.stopped:
        return IntegrityReason.CANARY_SKIRTED
    return IntegrityReason.CANARIES_MISSING


def _wrong(
    record: CaseRecord, kinds: Mapping[str, tuple[CanaryKind, str]], ending: UnfinishedOutcome
) -> IntegrityReason | None:
    """What is wrong with the outcome of a canary; None when it is what it must be."""
    kind, said = kinds[code_in(record.id) or ""]
    result = result_of(record, ending)
    if kind is CanaryKind.PASSES:
        if result.outcome is Outcome.PASSED:
            return None
        return IntegrityReason.CANARY_UNSETTLED
    if result.outcome.good:
        return IntegrityReason.CANARY_WRONG
    return None if result.outcome in _BAD and _says(result, said) else IntegrityReason.CANARY_UNSETTLED


def _says(result: CaseResult, said: str) -> bool:
    return any(said in raised.message for raised in result.raised)
