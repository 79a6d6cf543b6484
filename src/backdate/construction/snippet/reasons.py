"""Why a use of a changed name becomes no snippet."""

from __future__ import annotations

from enum import StrEnum


class SnippetReason(StrEnum):
    """The reasons, by stage: reading code, making cases, running the origin, the target and the reference."""

    NEEDS_OWN_PACKAGE = "needs-own-package"
    NEEDS_OTHERS = "needs-other-distributions"
    NEEDS_MORE_OF_FILE = "needs-more-of-its-file"
    REACHES_OUTSIDE = "reaches-outside"
    NO_RESULT = "no-result"
    TOO_LONG = "too-long"
    NO_ARGUMENTS = "no-arguments"
    DUPLICATE = "duplicate"
    ENOUGH = "enough-of-its-name"
    MANY_TRIED = "many-of-its-name-tried"
    ORIGIN_FAILS = "origin-fails"
    FEW_CASES = "fewer-than-three-cases"
    NOT_TELLING = "values-tell-nothing"
    NOT_DETERMINISTIC = "not-deterministic"
    NOT_ENDED = "did-not-end"
    TARGET_SAME = "target-gives-the-same"
    NO_REPLACEMENT = "no-replacement-known"
    NOT_REWRITTEN = "not-rewritten"
    REFERENCE_FAILS = "reference-fails"
    NOT_SHOWN = "argument-not-shown"
    OTHER_OBJECT = "attribute-of-another-object"
    NO_REPLY = "no-reply-of-model"
    NOT_READABLE = "reply-not-readable"
    NAME_NOT_USED = "name-not-used"


WORDS: dict[SnippetReason, str] = {
    SnippetReason.NEEDS_OWN_PACKAGE: "needs other modules of its own package",
    SnippetReason.NEEDS_OTHERS: "needs other distributions",
    SnippetReason.NEEDS_MORE_OF_FILE: "needs classes, fixtures or conditions of its file",
    SnippetReason.REACHES_OUTSIDE: "needs files, processes, clocks or the network",
    SnippetReason.NO_RESULT: "gives nothing that could be compared",
    SnippetReason.TOO_LONG: "too long",
    SnippetReason.NO_ARGUMENTS: "has nothing that a case could give it",
    SnippetReason.DUPLICATE: "the same function as another, up to names",
    SnippetReason.ENOUGH: "there are enough for this name",
    SnippetReason.MANY_TRIED: "many of this name were tried",
    SnippetReason.ORIGIN_FAILS: "does not run with the origin",
    SnippetReason.FEW_CASES: "runs with the origin on fewer than three cases",
    SnippetReason.NOT_TELLING: "gives the same, or nothing that can be printed, on all cases",
    SnippetReason.NOT_DETERMINISTIC: "gives something else when it is run again",
    SnippetReason.NOT_ENDED: "did not end within the limits, which shows nothing of a version",
    SnippetReason.TARGET_SAME: "gives the same with the target",
    SnippetReason.NO_REPLACEMENT: "nothing is known to take the name's place",
    SnippetReason.NOT_REWRITTEN: "its use of the name cannot be rewritten",
    SnippetReason.REFERENCE_FAILS: "what takes the name's place gives something else",
    SnippetReason.NOT_SHOWN: "its cases do not show what the argument does that is gone",
    SnippetReason.OTHER_OBJECT: "its attribute is not one of the library's objects",
    SnippetReason.NO_REPLY: "the model gave no reply",
    SnippetReason.NOT_READABLE: "the model's reply is not of the form that was asked for",
    SnippetReason.NAME_NOT_USED: "the model's function does not use the changed name",
}
"""What a person reads in the funnel."""
