"""What a library says to do about a name that goes, where no name takes its place. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from backdate.advice import AdviceEvidence, AdvisedChange, EvidenceKind
from backdate.advising.replacements import LibraryWords
from backdate.advising.wording import replacement_in, since_in
from backdate.diagnosis.messages import read_hint
from backdate.text import without_addresses

_LONGEST = 300
_ORDER = (EvidenceKind.MESSAGE, EvidenceKind.WARNING, EvidenceKind.CHANGELOG)
_ENTRY = re.compile(r"\s[*\u2022-]\s")
_SENTENCE_END = re.compile(r"\n|(?<=[.!?])\s(?=[A-Z`'\"(:])")


def told_of(
    name: str, argument: str, words: Sequence[LibraryWords], own_warnings: Sequence[str] = ()
) -> AdviceEvidence | None:
    """What the library says to do about ``name``, or its ``argument``, in its own sentences; the surest.

    Of the error, warnings and changelogs in ``words`` only what names it counts, in the sentence that tells
    what to do or in the one before. ``own_warnings``: what using the name itself warned of, which need not
    name it. None where nothing is said.
    """
    leaf = argument or name.rpartition(".")[2]
    for text in own_warnings:
        hint = read_hint(text)
        if hint:
            return _evidence(EvidenceKind.WARNING, hint, since=since_in(text))
    for kind in _ORDER:
        for one in words:
            said = " ".join(_sentences_about(one.text, leaf)) if one.kind is kind else ""
            refuted = kind is EvidenceKind.CHANGELOG and replacement_in(one.text, leaf) is not None
            if said and not refuted:
                since = since_in(one.text) if kind is not EvidenceKind.CHANGELOG else ""
                return _evidence(kind, said, since=since, source=one.source)
    return None


def is_told(change: AdvisedChange) -> bool:
    """Whether a change without a replacement has what the library, or a table, says to do in words."""
    open_one = not change.replacement and not change.rewrite
    kinds = (*_ORDER, EvidenceKind.KNOWN)
    return open_one and bool(change.evidence) and change.evidence[0].kind in kinds


def _evidence(kind: EvidenceKind, text: str, *, since: str = "", source: str = "") -> AdviceEvidence:
    said = " ".join(without_addresses(text).split())[:_LONGEST]
    return AdviceEvidence(kind=kind, text=said, since=since, source=source)


def _sentences_about(text: str, leaf: str) -> Iterator[str]:
    """The sentences that say what to do and name ``leaf``, or follow in one entry the one that does."""
    named = re.compile(rf"(?<!\w){re.escape(leaf)}(?!\w)")
    for entry in _ENTRY.split(text):
        before = False
        for sentence in _SENTENCE_END.split(entry):
            here = named.search(sentence) is not None
            if (here or before) and read_hint(sentence):
                yield sentence.strip().lstrip("-*\u2022 ")
            before = here
