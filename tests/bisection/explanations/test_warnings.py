from hypothesis import given
from hypothesis import strategies as st

from backdate.advice import SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.bisection.explanations.called_names import lines_about
from backdate.bisection.explanations.warnings import MOST_WARNINGS, foretelling
from backdate.diagnosis.logs import LoggedWarning, read_log
from backdate.testing.outcomes import Frame

PLACE = "/env/lib/python3.9/site-packages/"


def warning(message: str, category: str = "DeprecationWarning", file: str = "src/a.py") -> LoggedWarning:
    return LoggedWarning(category=category, message=message, file=file, line=3)


def test_what_names_the_missing_thing_comes_first_and_what_is_of_others_stays_out() -> None:
    found = foretelling(
        [
            warning("lib changes soon: this is deprecated"),
            warning("invalid escape sequence", file="src/b.py"),
            warning("`product` is deprecated as of NumPy 1.25.0", file=f"{PLACE}numpy/core.py"),
            warning("other is deprecated", file=f"{PLACE}other/core.py"),
            warning("product of two numbers", category="UserWarning"),
            warning("moved", category="lib.RemovedInLib4Warning", file=f"{PLACE}lib/x.py"),
        ],
        terms=["product"],
        modules=["lib"],
    )
    assert [(one.names_it, one.category, one.places[0].file) for one in found] == [
        (True, "DeprecationWarning", "numpy/core.py"),
        (False, "DeprecationWarning", "src/a.py"),
        (False, "RemovedInLib4Warning", "lib/x.py"),
    ]


def test_what_a_project_says_of_its_own_modules_is_no_word_of_the_library_that_it_names_instead() -> None:
    text = "Importing the `mine.pens.old` module is deprecated. Use `from lib.pens import New` instead."
    own = [warning(text), warning("lib.pens.Old is deprecated, as `mine.pens.old` is")]
    found = foretelling(own, terms=[], modules=["lib"], is_own=lambda name: name.startswith("mine."))
    assert [one.message for one in found] == [own[1].message]
    assert len(foretelling(own, terms=["New"], modules=["lib"], is_own=lambda _: True)) == 1


def test_a_warning_after_the_dots_of_unittest_is_the_same_one() -> None:
    line = "/work/1234/p/a.py:3: DeprecationWarning: soft_unicode is deprecated"
    log = read_log(f"{line}\n  soft_unicode()\n..{line}\n")
    (found,) = foretelling(log.warnings, terms=["soft_unicode"], modules=(), root="/work/1234/p")
    assert found.places == (SourcePlace(file="a.py", line=3),)


def test_a_warning_for_a_line_that_uses_the_culprit_need_not_name_it() -> None:
    rows = [
        warning("The squeeze argument is deprecated. Append .squeeze()."),
        warning("x is deprecated", file="b.py"),
    ]
    used = SourcePlace(file="src/a.py", line=3)
    (found,) = foretelling(rows, terms=[], modules=["lib"], is_used_at=lambda place: place == used)
    assert (found.names_it, found.places) == (False, (used,))
    assert foretelling(rows, terms=[], modules=["lib"]) == ()


def test_a_warning_for_the_statement_that_failed_later_is_about_it() -> None:
    """``metadata["home-page"]`` shows no name of the library that made the object."""
    uses = ProjectUses(files=("src/a.py", "src/b.py"))
    uses.record("lib.load", SourcePlace(file="src/b.py", line=9))
    uses.statements["src/a.py"] = [(2, 3)]
    failed_at = Frame(file="/env/lib/python3.9/site-packages/a.py", line=2, function="f")
    lines = lines_about(failed_at, uses, ["lib"])
    shown = {(place.file, place.line) for place in lines}
    assert shown == {("src/a.py", 2), ("src/a.py", 3), ("src/b.py", 9)}
    soon = warning("Implicit None is deprecated and will raise KeyErrors.")
    (found,) = foretelling([soon], terms=[], modules=["lib"], is_used_at=lines.__contains__)
    assert found.message == soon.message
    assert lines_about(None, uses, ["lib"]) == {SourcePlace(file="src/b.py", line=9)}


def test_what_a_library_was_told_of_another_one_concerns_nobody_else() -> None:
    other = warning("trio.MultiError is deprecated; use BaseExceptionGroup", file=f"{PLACE}lib/x.py")
    own = warning("MultiError is deprecated; use BaseExceptionGroup", file=f"{PLACE}lib/x.py")
    both = warning("lib.run is deprecated; use trio.run", file=f"{PLACE}lib/x.py")
    found = foretelling(
        [other, own, both], terms=[], modules=["lib"], is_of_another=lambda name: name == "trio"
    )
    assert [one.message for one in found] == [own.message, both.message]
    (named,) = foretelling([other], terms=["MultiError"], modules=["lib"], is_of_another=lambda _: True)
    assert named.names_it


def test_what_python_tells_a_library_of_a_module_of_its_own_concerns_nobody_else() -> None:
    message = "the imp module is deprecated in favour of importlib"
    assert not foretelling([warning(message, file=f"{PLACE}lib/x.py")], terms=[], modules=["lib"])
    own = warning("the lib module is deprecated", file=f"{PLACE}lib/x.py")
    assert foretelling([own], terms=[], modules=["lib"])


def test_one_warning_at_many_lines_is_one() -> None:
    rows = [warning("lib.load is deprecated", file=file) for file in ("src/a.py", "src/b.py", "src/a.py")]
    (found,) = foretelling(rows, terms=["load"], modules=())
    assert [place.file for place in found.places] == ["src/a.py", "src/b.py"]


@given(st.lists(st.tuples(st.text(), st.text(), st.text())), st.lists(st.text()), st.lists(st.text()))
def test_any_warnings_are_read(
    rows: list[tuple[str, str, str]], words: list[str], modules: list[str]
) -> None:
    given_ = [warning(message, category, file) for message, category, file in rows]
    assert len(foretelling(given_, terms=words, modules=modules)) <= MOST_WARNINGS
