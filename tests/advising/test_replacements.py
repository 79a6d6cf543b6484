import pytest

from backdate.advice import EvidenceKind
from backdate.advising.replacements import LibraryWords, known_leads, leads_for


def words(kind: EvidenceKind, text: str) -> LibraryWords:
    return LibraryWords(kind=kind, text=text)


def test_the_message_comes_before_the_warning_the_changelog_and_the_tables() -> None:
    said = [
        words(EvidenceKind.CHANGELOG, "* ``np.float_`` is removed. Use ``np.double`` instead."),
        words(EvidenceKind.WARNING, "`np.float_` is deprecated since 1.25, use `np.longdouble` instead"),
        words(EvidenceKind.MESSAGE, "`np.float_` was removed. Use `np.float64` instead."),
        words(EvidenceKind.WARNING, "`np.other` is deprecated, use `np.x` instead"),
    ]
    leads = list(leads_for("numpy", "numpy.float_", "", said))
    assert [(lead.replacement, lead.evidence.kind) for lead in leads] == [
        ("numpy.float64", EvidenceKind.MESSAGE),
        ("numpy.longdouble", EvidenceKind.WARNING),
        ("numpy.double", EvidenceKind.CHANGELOG),
        ("numpy.float64", EvidenceKind.KNOWN),
    ]
    assert leads[1].evidence.since == "1.25"


@pytest.mark.parametrize(
    ("distribution", "name", "argument", "replacement"),
    [
        ("numpy", "numpy.float", "", "float"),
        ("werkzeug", "werkzeug.urls.url_decode", "", "urllib.parse.parse_qs"),
        ("marshmallow", "marshmallow.fields.Str", "missing", "load_default"),
        ("python", "inspect.getargspec", "", "inspect.getfullargspec"),
        ("python", "threading.Thread.isAlive", "", "is_alive"),
        ("python", "cPickle", "", "pickle"),
        ("numpy", "numpy.linalg.float", "", ""),
        ("numpy", "other.float", "", ""),
        ("nothing", "numpy.float", "", ""),
    ],
)
def test_what_the_tables_know(distribution: str, name: str, argument: str, replacement: str) -> None:
    assert next((lead.replacement for lead in known_leads(distribution, name, argument)), "") == replacement


def test_rows_about_later_releases_do_not_count() -> None:
    assert list(known_leads("numpy", "numpy.float_", until="1.26.4")) == []
    assert list(known_leads("numpy", "numpy.float_", until="2.0.0"))
