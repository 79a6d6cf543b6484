import pytest

from backdate.advice import EvidenceKind
from backdate.advising.project_uses import CallShape
from backdate.advising.replacements import LibraryWords, known_leads, known_words, leads_for


def words(kind: EvidenceKind, text: str) -> LibraryWords:
    return LibraryWords(kind=kind, text=text)


def test_a_rule_comes_before_the_message_the_warning_and_the_changelog() -> None:
    said = [
        words(EvidenceKind.CHANGELOG, "* ``np.float_`` is removed. Use ``np.double`` instead."),
        words(EvidenceKind.WARNING, "`np.float_` is deprecated since 1.25, use `np.longdouble` instead"),
        words(EvidenceKind.MESSAGE, "`np.float_` was removed. Use `np.float64` instead."),
        words(EvidenceKind.WARNING, "`np.other` is deprecated, use `np.x` instead"),
    ]
    leads = list(leads_for("numpy", "numpy.float_", "", said))
    assert [(lead.replacement, lead.evidence[0].kind) for lead in leads] == [
        ("numpy.float64", EvidenceKind.KNOWN),
        ("numpy.float64", EvidenceKind.MESSAGE),
        ("numpy.longdouble", EvidenceKind.WARNING),
        ("numpy.double", EvidenceKind.CHANGELOG),
        ("numpy.float64", EvidenceKind.KNOWN),
    ]
    assert leads[2].evidence[0].since == "1.25"


@pytest.mark.parametrize(
    ("distribution", "name", "argument", "replacement"),
    [
        ("numpy", "numpy.float", "", "float"),
        ("werkzeug", "werkzeug.urls.url_quote", "", "urllib.parse.quote"),
        ("marshmallow", "marshmallow.fields.Str", "missing", "load_default"),
        ("python", "inspect.getargspec", "", "inspect.getfullargspec"),
        ("python", "threading.Thread.isAlive", "", "is_alive"),
        ("python", "cPickle", "", "pickle"),
        ("isort", "isort.SortImports", "", "isort.code"),
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


def test_a_rule_is_what_is_written_of_a_method_a_module_and_an_argument() -> None:
    def first(distribution: str, name: str, argument: str = "", old: str = "") -> tuple[str, str]:
        lead = next(leads_for(distribution, name, argument, [], old=old))
        return lead.replacement, lead.rewrite

    assert first("pandas", "pandas.DataFrame.iteritems") == ("items", "")
    assert first("python", "collections.Mapping") == ("collections.abc.Mapping", "")
    assert first("pyjwt", "jwt.decode", "verify") == (
        "",
        "options={'verify_signature': False} where it is False",
    )
    assert first("numpy", "numpy.array", "copy") == ("", "copy=None where it is False")


def test_of_a_replacement_that_is_used_otherwise_it_is_said() -> None:
    def evidence(name: str) -> list[EvidenceKind]:
        said = [words(EvidenceKind.WARNING, f"'{name}' is deprecated. Use `inspect.signature` instead.")]
        (lead, *_) = leads_for("python", f"inspect.{name}", "", said)
        assert lead.replacement == "inspect.signature"
        return [one.kind for one in lead.evidence]

    assert evidence("formatargspec") == [EvidenceKind.KNOWN, EvidenceKind.WARNING]
    assert evidence("other") == [EvidenceKind.WARNING]


@pytest.mark.parametrize(
    ("calls", "rewrite"),
    [
        ([CallShape(positional=1)], "scipy.integrate.simpson({0})"),
        ([CallShape(positional=2)], "scipy.integrate.simpson({0}, x={1})"),
        (
            [
                CallShape(positional=1),
                *(CallShape(positional=2, keywords=frozenset({k})) for k in ("a", "b")),
            ],
            "scipy.integrate.simpson({0}, {args})",
        ),
        ([CallShape(positional=1, keywords=frozenset({"x"}))], "scipy.integrate.simpson({0}, {args})"),
        ([], "scipy.integrate.simpson({0})"),
    ],
)
def test_of_several_rules_the_one_that_carries_over_the_calls_is_first(
    calls: list[CallShape], rewrite: str
) -> None:
    leads = leads_for("scipy", "scipy.integrate.simps", "", [], old="1.13.1", until="1.14.0", calls=calls)
    assert next(leads).rewrite == rewrite


def test_a_rule_that_can_carry_over_no_call_says_nothing() -> None:
    def rewrites(*calls: CallShape) -> list[str]:
        return [lead.rewrite for lead in leads_for("scipy", "scipy.integrate.simps", "", [], calls=calls)]

    assert "scipy.integrate.simpson({0}, x={1})" not in rewrites(CallShape(positional=1))
    assert "scipy.integrate.simpson({0}, x={1})" in rewrites(CallShape(positional=0, starred=True))


def test_what_tables_say_of_a_module_that_none_takes_the_place_of() -> None:
    said = known_words("python", "cgi", until="3.13.0")
    assert said is not None
    assert said.kind is EvidenceKind.KNOWN
    assert "legacy-cgi" in said.text
    assert "3.13" in said.source
    assert known_words("python", "cgi", until="3.12.1") is None  # it is still there
    loosely = known_words("isort", "isort.SortImports", until="5.1.4")
    assert loosely is not None
    assert loosely.text.startswith("no exact successor: functions take its place: isort.code and check_code")
    assert known_words("python", "pipes", until="3.13.0") is None  # subprocess is written
    assert known_words("python", "xdrlib", until="3.13.0") is None
