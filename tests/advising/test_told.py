"""What a library says to do about a name that goes, where no name takes its place."""

import pytest

from backdate.advice import AdviceEvidence, AdvisedChange, EvidenceKind
from backdate.advising.replacements import LibraryWords
from backdate.advising.told import is_told, told_of

PKCS = "``crypto.PKCS12`` may be replaced by the PKCS#12 APIs in the ``other`` package."
CHANGELOG = (
    f"Removals * Removed the deprecated ``crypto.PKCS12`` and ``crypto.Spki``. {PKCS} * Use a better lock."
)


def words(kind: EvidenceKind, text: str) -> LibraryWords:
    return LibraryWords(kind=kind, text=text, source="CHANGES")


def told(name: str, argument: str, *said: LibraryWords, own: tuple[str, ...] = ()) -> tuple[str, str]:
    found = told_of(name, argument, said, own)
    return ("", "") if found is None else (found.kind.value, found.text)


def test_the_sentence_of_a_changelog_that_names_it() -> None:
    changelog = words(EvidenceKind.CHANGELOG, CHANGELOG)
    assert told("lib.crypto.PKCS12", "", changelog) == ("changelog", PKCS)
    assert told("lib.crypto.Other", "", changelog) == ("", "")


def test_the_error_and_the_warning_come_first() -> None:
    said = [
        words(EvidenceKind.CHANGELOG, CHANGELOG),
        words(EvidenceKind.WARNING, "PKCS12 is deprecated since 2.1. Use the APIs of other instead."),
        words(EvidenceKind.WARNING, "`unlike` is deprecated. Use the other one instead."),
    ]
    assert told("lib.PKCS12", "", *said) == ("warning", "Use the APIs of other instead.")
    error = words(EvidenceKind.MESSAGE, "PKCS12 is gone. Please use what other has.")
    assert told("lib.PKCS12", "", *said, error) == ("message", "Please use what other has.")


def test_of_links_the_words_are_quoted() -> None:
    """The address stood in the way of what follows, as a quotation is cut."""
    links = "`lib.resources <https://docs.example.org/resources.html>`_ or [lib.data](https://example.org/x)"
    text = f"``old`` has been superseded by {links}. Use those instead."
    found = told("lib.old", "", words(EvidenceKind.CHANGELOG, text))
    assert found == (
        "changelog",
        "``old`` has been superseded by lib.resources or lib.data. Use those instead.",
    )


def test_what_should_not_be_needed_any_more_is_left_out() -> None:
    text = "`FIX_REPR` has been removed as it should no longer be needed."
    assert told("lib.FIX_REPR", "", words(EvidenceKind.CHANGELOG, f"- {text}")) == ("changelog", text)


def test_what_using_the_name_warned_of_need_not_name_it() -> None:
    own = ("Support is deprecated. You should use the APIs in other.",)
    assert told("lib.PKCS12", "", own=own) == ("warning", "You should use the APIs in other.")


@pytest.mark.parametrize(
    "text",
    [
        "`gone` was renamed to `not_there`",  # asked for, and not there
        "`gone` is removed.",
        "`gone_too` is removed. Use something else instead.",
        "",
    ],
)
def test_nothing_else_is_quoted(text: str) -> None:
    assert told("lib.gone", "", words(EvidenceKind.CHANGELOG, text)) == ("", "")


def test_a_change_with_a_replacement_is_not_told_in_words() -> None:
    evidence = (AdviceEvidence(kind=EvidenceKind.WARNING, text="Use other."),)
    assert is_told(AdvisedChange(distribution="lib", name="lib.x", evidence=evidence))
    assert not is_told(AdvisedChange(distribution="lib", name="lib.x", replacement="y", evidence=evidence))
    assert not is_told(AdvisedChange(distribution="lib", name="lib.x"))
