"""From releases to candidates, and from candidates to rows that are rules once they are proven."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
from packaging.version import Version

from backdate.diagnosis.api import Member
from backdate.knowledge.change_rows import ChangesFile
from backdate.knowledge.load import read_table
from backdate.mining.candidates import RuleCandidate, candidates_of, mine_release
from backdate.mining.prove import names_to_ask, proven_rows
from backdate.mining.releases import ReleaseSources
from backdate.mining.write_rows import file_text, rows_of

CORE = '''
def prod(a): ...
def product(a):
    warnings.warn("product is deprecated, use `prod` instead", DeprecationWarning)
class Frame:
    def items(self): ...
    def iteritems(self):
        """Old.

        .. deprecated:: 1.5
           Use items instead.
        """
@deprecate_kwarg(old_arg_name="strip", new_arg_name="trim")
def read(trim=False, strip=None): ...
'''
LATER = """
def prod(a): ...
class Frame:
    def items(self): ...
def read(trim=False): ...
"""


def release(version: str, core: str) -> ReleaseSources:
    """A release with a package that takes its names from a private module."""
    return ReleaseSources(
        version=Version(version),
        sources={"lib": "from ._core import *", "lib._core": core},
        packages=frozenset({"lib"}),
        compiled=frozenset(),
    )


def mined(*releases: ReleaseSources) -> tuple[RuleCandidate, ...]:
    """Their candidates."""
    return candidates_of([mine_release(one) for one in releases])


def test_what_was_announced_and_is_gone_is_a_candidate_under_its_public_name() -> None:
    found = {
        (one.name, one.argument): (one.replacement, str(one.since))
        for one in mined(release("1.0", CORE), release("1.5", CORE), release("2.0", LATER))
    }
    assert found == {
        ("lib.product", ""): ("lib.prod", "2.0"),
        ("lib.Frame.iteritems", ""): ("items", "2.0"),
        ("lib.read", "strip"): ("trim", "2.0"),
    }


FIELDS = """
class Field:
    def __init__(self, missing=None, load_default=None, **extra):
        if missing is not None:
            warnings.warn("'missing' is deprecated. Use 'load_default' instead.", DeprecationWarning)
    def label(self):
        warnings.warn("label is deprecated, use title instead", DeprecationWarning)
    def title(self): ...
class Text(Generic[T], Field):
    def __init__(self, **kwargs): ...
class Date(Field): ...
class Own(Field):
    def __init__(self, pattern): ...
    def label(self): ...
Str = Text
"""
FIELDS_LATER = """
class Field:
    def __init__(self, load_default=None): ...
    def title(self): ...
class Text(Field): ...
class Date(Field): ...
class Own(Field): ...
Str = Text
"""


def test_what_a_base_class_announces_goes_from_the_classes_that_have_it_from_there() -> None:
    found = {one.subject: one.replacement for one in mined(release("1", FIELDS), release("2", FIELDS_LATER))}
    taking = {f"lib.{name}(missing)": "load_default" for name in ("Field", "Text", "Date", "Str")}
    having = {f"lib.{name}.label": "title" for name in ("Field", "Text", "Date")}
    assert found == taking | having


def test_an_argument_that_had_no_effect_is_left_out_of_calls() -> None:
    announced = 'def read(path, presort=None):\n    if presort:\n        warn("presort {}", FutureWarning)\n'
    later = release("2", "def read(path): ...\n")
    (one,) = mined(release("1", announced.format("is ignored and will be removed")), later)
    assert one.dropped
    (row,) = rows_of("lib", [one])
    assert [(edit.argument, edit.becomes) for edit in row.edits] == [("presort", "")]
    (other,) = mined(release("1", announced.format("is ignored when path is a folder")), later)
    assert not other.is_rule


def test_prose_is_no_replacement() -> None:
    announced = '@deprecated("1", alternative="time.strptime or other.parse")\ndef read(path): ...\n'
    (one,) = mined(release("1", announced), release("2", ""))
    assert one.replacement == ""


def test_an_argument_of_which_one_value_has_no_effect_stays() -> None:
    announced = (
        "def hist(a, normed=None):\n    if normed is not None:\n"
        '        warn("Passing normed=False is deprecated, and has no effect.", DeprecationWarning)\n'
    )
    (one,) = mined(release("1", announced), release("2", "def hist(a): ...\n"))
    assert not one.is_rule


def test_what_is_still_there_is_no_candidate() -> None:
    assert mined(release("1.0", CORE), release("1.5", CORE)) == ()


def test_what_came_back_is_no_candidate() -> None:
    assert mined(release("1.0", CORE), release("1.5", LATER), release("1.6", CORE)) == ()


def test_a_table_of_a_later_release_tells_what_an_older_one_had() -> None:
    table = 'def __getattr__(name): ...\n__expired_attributes__ = {"product": "Use `lib.prod` instead."}\n'
    plain = "def prod(a): ...\ndef product(a): ...\n"
    newer = ReleaseSources(
        version=Version("2.0"),
        sources={"lib": "from ._core import prod\n" + table, "lib._core": LATER},
        packages=frozenset({"lib"}),
        compiled=frozenset(),
    )
    (one,) = mined(release("1.0", plain), newer)
    assert (one.name, one.replacement) == ("lib.product", "lib.prod")


def rows_file(tmp_path: Path) -> ChangesFile:
    """The candidates of two releases, written and read again."""
    found = mined(release("1.0", CORE), release("2.0", LATER))
    file = ChangesFile(distribution="lib", origin="mined", licence="MIT", change=rows_of("lib", found))
    path = tmp_path / "lib.toml"
    path.write_text(file_text(file))
    read = read_table(path, ChangesFile)
    assert read == file
    return read


def test_rows_are_written_as_they_are_read_and_are_off(tmp_path: Path) -> None:
    assert all(row.unproven for row in rows_file(tmp_path).change)


def test_words_cannot_break_out_of_the_file(tmp_path: Path) -> None:
    row = rows_file(tmp_path).change[0]
    words = dict.fromkeys(row.names, 'x"\n[[change]]\nsince = "\x7f\x00\u2028')
    file = ChangesFile(distribution='l"ib\n', change=(msgspec.structs.replace(row, words=words),))
    read = tomllib.loads(file_text(file))
    assert read["distribution"] == 'l"ib\n'
    assert [change["words"] for change in read["change"]] == [words]


def there(*names: str, keywords: tuple[str, ...] = ()) -> dict[str, Member]:
    """Members that an environment has."""
    return {name: Member(name=name, present=True, keywords=keywords, takes_any=False) for name in names}


def gone(*names: str) -> dict[str, Member]:
    """Members that it lacks."""
    return {name: Member(name=name, present=False) for name in names}


def test_a_row_is_proven_by_what_two_environments_say(tmp_path: Path) -> None:
    rows = rows_file(tmp_path).change
    assert names_to_ask(rows).old == ("lib.Frame.iteritems", "lib.product", "lib.read")
    assert set(names_to_ask(rows).new) == {*names_to_ask(rows).old, "lib.Frame.items", "lib.prod"}
    old = {**there("lib.product", "lib.Frame.iteritems"), **there("lib.read", keywords=("trim", "strip"))}
    new = {
        **gone("lib.product", "lib.Frame.iteritems"),
        **there("lib.prod", "lib.Frame.items"),
        **there("lib.read", keywords=("trim",)),
    }
    assert [proven.unproven for row in rows for proven in proven_rows(row, old, new)] == ["", "", ""]


def test_what_the_environments_contradict_is_kept_apart_with_the_reason(tmp_path: Path) -> None:
    rows = rows_file(tmp_path).change
    old = {**gone("lib.product"), **there("lib.Frame.iteritems"), **there("lib.read", keywords=("strip",))}
    new = {
        **gone("lib.product", "lib.Frame.iteritems", "lib.Frame.items"),
        **there("lib.read", keywords=("strip",)),
    }
    reasons = {
        next(iter(row.names)): proven.unproven for row in rows for proven in proven_rows(row, old, new)
    }
    assert reasons == {
        "iteritems": "the release does not have the new one",
        "product": "the release before does not have it",
        "strip": "the release takes it, or may",
    }


def test_a_name_that_is_used_otherwise_takes_no_other_name_s_place(tmp_path: Path) -> None:
    (row,) = (row for row in rows_file(tmp_path).change if "product" in row.names)

    def told(**new: object) -> str:
        old = Member(
            name="lib.product", present=True, kind="function", signature="(a, axis)", parameters=("a", "axis")
        )
        there = msgspec.convert({"name": "lib.prod", "present": True, **new}, Member)
        (one,) = proven_rows(row, {"lib.product": old}, {**gone("lib.product"), "lib.prod": there})
        return one.unproven

    assert told(kind="function", signature="(a, axis, out)", parameters=("a", "axis", "out")) == ""
    assert told(kind="function") == ""
    assert told(kind="class") == "the new one is used otherwise"
    assert told(kind="function", signature="(rows, columns)", parameters=("rows", "columns")) == (
        "the new one is used otherwise"
    )
    assert told(kind="function", signature="()") == "the new one is used otherwise"


def test_a_module_that_says_where_it_is_now_is_a_candidate() -> None:
    old = """
deprecated_path = "lib.base"
correct_path = "lib.core"
_raise_dep_warning_if_not_pytest(deprecated_path, correct_path)
"""
    sources = {"lib": "", "lib.base": old, "lib.core": CORE}
    before, after = (
        ReleaseSources(
            version=Version(version), sources=held, packages=frozenset({"lib"}), compiled=frozenset()
        )
        for version, held in (("1.0", sources), ("2.0", {"lib": "", "lib.core": CORE}))
    )
    found = [(one.name, one.replacement, one.module) for one in mined(before, after) if one.module]
    assert found == [("lib.base", "lib.core", True)]
    (row,) = rows_of("lib", [one for one in mined(before, after) if one.module])
    assert (row.kind, row.names) == ("module", {"lib.base": "lib.core"})


def test_a_table_of_names_that_are_to_be_taken_from_other_modules_is_read() -> None:
    table = "sys.modules[__name__] = _DeprecatedImportModule(__name__, {'.core': ['prod', 'Frame']}, '2.0')\n"
    before, after = (
        ReleaseSources(
            version=Version(version),
            sources={"lib": top, "lib.core": CORE},
            packages=frozenset({"lib"}),
            compiled=frozenset(),
        )
        for version, top in (("1.0", f"from .core import prod, Frame\n{table}"), ("2.0", ""))
    )
    found = {one.name: one.replacement for one in mined(before, after)}
    assert found["lib.prod"] == "lib.core.prod"
    assert found["lib.Frame"] == "lib.core.Frame"


def test_a_name_that_another_distribution_has_is_a_replacement() -> None:
    old = """
def escape(s):
    warnings.warn("'lib.escape' is deprecated. Import 'markupsafe.escape' instead.", DeprecationWarning)
class Imputer:
    def __init__(self):
        warnings.warn("Imputer is deprecated. Import core.prod from lib instead.", DeprecationWarning)
"""
    before, after = (
        ReleaseSources(
            version=Version(version),
            sources={"lib": top, "lib.core": CORE},
            packages=frozenset({"lib"}),
            compiled=frozenset(),
        )
        for version, top in (("1.0", old), ("2.0", ""))
    )
    found = {one.name: one.replacement for one in mined(before, after)}
    assert found == {"lib.escape": "markupsafe.escape", "lib.Imputer": "lib.core.prod"}


def test_a_new_table_tells_of_names_that_the_release_before_made_while_it_ran() -> None:
    before = "float64 = 1\nfor name in made: globals()[name] = 1\n"
    told = 'float64 = 1\n__expired_attributes__ = {"float_": "Use `lib.float64` instead."}\n'
    found = mined(release("1.0", before), release("2.0", told), release("2.1", told))
    assert [(one.name, one.replacement, str(one.since)) for one in found] == [
        ("lib.float_", "lib.float64", "2.0")
    ]


def test_a_builtin_of_the_same_name_is_told_by_its_words() -> None:
    told = """
__former_attrs__ = {
    "int": "`lib.int` is a deprecated alias for the builtin `int`. Use `int` by itself.",
    "str": "`lib.str` is deprecated, use `str` instead.",
}
"""
    old = f"{told}\nint = int\nstr = str\n"
    found = mined(release("1.0", old), release("2.0", "x = 1\n"))
    assert {one.name: one.replacement for one in found} == {"lib.int": "builtins.int", "lib.str": ""}
