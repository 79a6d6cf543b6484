"""What the tables say to write, as rewrites."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.index.names import normalise
from backdate.knowledge.change_rows import ChangeRow, EditRow
from backdate.knowledge.load import changes_of, distributions_with_rules
from backdate.knowledge.row_rewrites import rewrites_of_row
from backdate.knowledge.rules import Rule, RuleOrigin, rules_behind, rules_for, rules_of
from backdate.rewriting.in_words import in_words
from backdate.rewriting.rewrite import AddArgument, CallAtStart, RenameAttribute, ReplaceName
from backdate.rewriting.rewrite_source import rewrite_source


def rewrites(rules: tuple[Rule, ...]) -> list[object]:
    """Their rewrites alone."""
    return [rule.rewrite for rule in rules]


def test_a_name_has_its_rule_between_the_releases_that_dropped_it_and_not_elsewhere() -> None:
    wanted = ReplaceName(old="numpy.product", new="numpy.prod")
    assert set(rewrites(rules_for("numpy", "numpy.product", old="1.26.4", new="2.1.0"))) == {wanted}
    assert rules_for("numpy", "numpy.product", old="1.24.0", new="1.26.4") == ()
    assert rules_for("numpy", "numpy.product", old="2.0.1", new="2.1.0") == ()
    assert rules_for("numpy", "numpy.producer") == ()
    assert rules_for("no-such-library", "numpy.product") == ()


def test_what_went_with_its_distribution_has_the_rules_of_its_last_releases() -> None:
    (rule,) = rules_for("setuptools", "pkg_resources.parse_version", old="47.1", new="")
    assert rule.rewrite == ReplaceName(old="pkg_resources.parse_version", new="packaging.version.parse")


def test_builtins_are_named_with_their_module() -> None:
    assert rewrites(rules_for("numpy", "numpy.float")) == [
        ReplaceName(old="numpy.float", new="builtins.float")
    ]


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("StrictVersion", "v.version < (1, 0)", "(v.release + (0, 0))[:3] < (1, 0)"),
        ("LooseVersion", "v.version < [1, 0]", "list(v.release) < [1, 0]"),
    ],
)
def test_what_a_version_of_distutils_has_is_had_of_one_of_packaging(
    name: str, before: str, after: str
) -> None:
    (rule,) = rules_for("python", f"distutils.version.{name}", old="3.8.1", new="3.12.1")
    text = f"from distutils.version import {name}\nv = {name}(text)\nold = {before}\n"
    made = apply_edits(text, rewrite_source(text, rule.rewrite, lines=frozenset({1})).edits)
    imported = f"from packaging.version import Version as {name}"
    assert made == f"{imported}\nv = {name}(text)\nold = {after}\n"


def test_a_name_within_a_renamed_module_has_the_rule_of_the_module() -> None:
    (rule,) = rules_for("scikit-learn", "sklearn.externals.joblib.dump")
    assert rule.rewrite == ReplaceName(old="sklearn.externals.joblib", new="joblib")


def test_a_method_has_a_rule_by_its_name_and_its_class() -> None:
    of_class = rules_for("pandas", "pandas.DataFrame.iteritems")
    assert rewrites(of_class) == [RenameAttribute(old="iteritems", new="items", owner="DataFrame")]
    assert len(rules_for("pandas", ".iteritems")) == 2
    assert rules_for("pandas", "pandas.Panel.iteritems") == ()


def test_a_message_leads_to_the_rules_of_its_row() -> None:
    message = "TypeError: load() missing 1 required positional argument: 'Loader'"
    assert AddArgument(
        function="yaml.load", argument="Loader", value="yaml.FullLoader", position=1
    ) in rewrites(rules_behind("pyyaml", message))
    assert rules_behind("pyyaml", "TypeError: something else") == ()


def test_an_argument_that_is_not_looked_at_any_more_shows_in_what_it_held_back() -> None:
    (rule,) = rules_behind("pyjwt", "jwt.exceptions.InvalidSignatureError: Signature verification failed")
    text = "import jwt\njwt.decode(a, verify=False, algorithms=b)\njwt.decode(a, key, algorithms=b)\n"
    rewritten = apply_edits(text, rewrite_source(text, rule.rewrite, lines=frozenset({2, 3})).edits)
    assert rewritten == text.replace("verify=False", "options={'verify_signature': False}")


def test_of_the_names_of_a_row_only_that_of_the_message_counts() -> None:
    message = "ImportError: cannot import name 'soft_unicode' from 'markupsafe'"
    assert [rule.name for rule in rules_behind("markupsafe", message)] == [
        "markupsafe:markupsafe.soft_unicode"
    ]


def test_a_message_that_does_not_repeat_the_one_name_of_its_row_is_enough() -> None:
    message = "TypeError: Either one of corpus_file or corpus_iterable value must be provided"
    assert {rule.name for rule in rules_behind("gensim", message, old="3.8", new="4.3")} == {
        "gensim:.build_vocab(sentences)",
        "gensim:.train(sentences)",
    }


def test_a_setting_of_the_whole_library_has_a_rule_by_its_message_in_each_direction() -> None:
    empty = "RuntimeError: The Session graph is empty.  Add operations to the graph before calling run()."
    lacking = "AttributeError: 'Tensor' object has no attribute 'numpy'"
    forth = CallAtStart(function="tensorflow.compat.v1.disable_v2_behavior")
    back = CallAtStart(function="tensorflow.compat.v1.enable_v2_behavior")

    def told(message: str, old: str, new: str) -> list[object]:
        return rewrites(rules_behind("tensorflow", message, old=old, new=new))

    assert told(empty, "1.15.0", "2.0.0") == [forth]
    assert told(empty, "2.0.0", "1.15.0") == []
    assert told(lacking, "2.0.0", "1.15.0") == [back]
    assert told(lacking, "1.15.0", "2.0.0") == told(lacking, "2.3.0", "2.1.0") == []
    assert told(lacking, "2.0.0", "") == told(lacking, "", "") == []  # nobody knows that it goes back
    assert back in rewrites(rules_of("tensorflow", unproven=True))


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("AssertionError: assert '[np.float64(1.5)]' == '[1.5]'", True),
        ("AssertionError: gave '(np.int64(4), 2)' and not '(4, 2)'", True),
        ("AssertionError: assert '[np.float64(1.5)]' == '[2.5]'", False),
        ("AssertionError: assert np.float64(0.3) == 0.3", False),  # numbers, not what is shown of them
    ],
)
def test_texts_that_differ_in_the_types_of_scalars_alone_have_a_rule(message: str, told: bool) -> None:
    found = rewrites(rules_behind("numpy", message, old="1.26.4", new="2.0.0"))
    wanted = CallAtStart(function="numpy.set_printoptions", arguments="legacy='1.25'")
    assert (wanted in found) is told


@pytest.mark.parametrize("method", ["StringMethods.split", "split"])  # Python before 3.10 names no class
def test_a_method_of_texts_is_recognised_with_its_class_and_without(method: str) -> None:
    message = f"TypeError: {method}() takes from 1 to 2 positional arguments but 3 were given"
    found = rules_behind("pandas", message, old="1.2.4", new="2.2.3")
    assert [rule.target for rule in found] == [".split"]


def test_of_a_row_about_several_functions_the_one_that_refuses_is_meant() -> None:
    message = "TypeError: mean() got an unexpected keyword argument 'level'"
    found = rules_behind("pandas", message, old="1.2.4", new="2.2.3")
    assert [rule.target for rule in found] == [".mean"]


def test_a_written_rule_that_nothing_proves_hides_no_mined_one_that_says_the_same() -> None:
    (rule,) = rules_for("tensorflow", "tensorflow.Session", old="1.15.0", new="2.0.0")
    assert rule.rewrite == ReplaceName(old="tensorflow.Session", new="tensorflow.compat.v1.Session")
    assert rule.origin is RuleOrigin.MINED


def test_unproven_rules_are_off() -> None:
    every = [rule for one in distributions_with_rules() for rule in rules_of(one, unproven=True)]
    off = [rule for rule in every if not rule.proven]
    assert off
    for rule in off:
        assert all(other.proven for other in rules_of(rule.distribution)), rule.name


@pytest.mark.parametrize("distribution", distributions_with_rules())
def test_mined_rows_say_what_the_library_says(distribution: str) -> None:
    for file in changes_of(distribution):
        for row in file.change if file.origin == "mined" else ():
            assert normalise(file.distribution) == distribution
            assert file.licence
            assert row.module or row.kind == "module"
            assert row.source.startswith("https://")
            # What moved without a word has none.
            assert set(row.words) in (set(), set(row.names))
            assert all(row.names.values()) or row.kind == "argument"  # what had no effect is left out


def test_a_written_row_that_was_mined_too_is_one_rule_in_the_words_of_the_library() -> None:
    (rule,) = rules_for("networkx", "networkx.from_numpy_matrix")
    assert rule.origin is RuleOrigin.MINED
    assert "from_numpy_array" in rule.words
    assert rule.source.startswith("https://pypi.org/project/networkx/")


@pytest.mark.parametrize("distribution", distributions_with_rules())
def test_of_one_edit_there_is_one_rule(distribution: str) -> None:
    edits = [(rule.name, rule.owners, repr(rule.rewrite)) for rule in rules_of(distribution)]
    assert [edit for edit in edits if edits.count(edit) > 1] == []


def test_what_imp_found_and_loaded_is_loaded_by_importlib() -> None:
    text = (
        "import imp\ndef load(name, folder):\n"
        "    handle, path, how = imp.find_module(name, [folder])\n"
        "    return imp.load_module(name, handle, path, how)\n"
    )
    for target in ("imp.find_module", "imp.load_module"):
        rewrite = rules_for("python", target, old="3.8", new="3.12")[0].rewrite
        text = apply_edits(text, rewrite_source(text, rewrite, lines=None).edits)
    assert text == (
        "import importlib.machinery\ndef load(name, folder):\n"
        "    handle, path, how = "
        "(None, importlib.machinery.PathFinder.find_spec(name, [folder]).origin, None)\n"
        "    return importlib.machinery.SourceFileLoader(name, path).load_module()\n"
    )


def test_a_row_may_define_what_a_name_did() -> None:
    edit = EditRow(
        of=("lib.dump",),
        defines="\nimport io\nfrom lib import YAML\n\ndef dump(data):\n    return YAML(io.StringIO(data))\n",
    )
    row = ChangeRow(since="2.0", kind="behaviour", edits=(edit,), source="https://lib")
    (made,) = rewrites_of_row(row)
    assert (made.target, made.name) == ("lib.dump", "dump")
    assert in_words(made.rewrite) == "lib.dump is defined in files that use it"
    text = "import lib\n\nlib.dump(lib.x)\n"
    assert apply_edits(text, rewrite_source(text, made.rewrite, lines=None).edits) == (
        "import lib\nimport io\nfrom lib import YAML\n\n\n"
        "def dump(data):\n    return YAML(io.StringIO(data))\n\n\ndump(lib.x)\n"
    )
