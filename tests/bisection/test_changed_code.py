"""Which changed statements are told: those that the tests that broke run alone."""

from __future__ import annotations

import pytest

from backdate.bisection.changed_code import MOST_TOLD, RunRelease, changed_scopes

FILE = "lib/core.py"
OLD = """\
LIMIT = 1

class Multi:
    def parse(self, args):
        if not args and self.no_args_is_help:
            self.exit()
        return rest(args)

def read(path):
    return open(path)

def size():
    return LIMIT
"""
NEW = """\
LIMIT = 2

class Group:
    def parse(self, args):
        if not args and self.no_args_is_help:
            raise NoArgs(self)
        return rest(args)

class NoArgs(Exception):
    def __init__(self, of):
        self.of = of

def read(path):
    return open(path, "rb")

def size():
    return LIMIT
"""


def lines(source: str, *texts: str) -> frozenset[tuple[str, int]]:
    return frozenset(
        (FILE, number)
        for number, line in enumerate(source.splitlines(), 1)
        if any(text in line for text in texts)
    )


def release(source: str, failing: tuple[str, ...], passing: tuple[str, ...] = ()) -> RunRelease:
    return RunRelease(
        sources={FILE: source}, failing=lines(source, *failing), passing=lines(source, *passing)
    )


def told(
    failing: tuple[str, ...], passing: tuple[str, ...] = (), *, compared: bool = True
) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    scopes = changed_scopes(release(OLD, failing, passing), release(NEW, failing, passing), compared=compared)
    codes = [one.told("lib", "2.0", "") for one in scopes]
    assert all(code.alone is compared for code in codes)
    return {code.name: (code.removed, code.added) for code in codes}


def test_what_only_failing_tests_run_is_told_with_what_stood_there_before() -> None:
    failing = ("if not args", "self.exit()", "raise NoArgs", "self.of", "rest(args)", "open(")
    found = told(failing, ("if not args", "rest(args)", "open("))
    assert found == {"lib.core.Group.parse": (("self.exit()",), ("raise NoArgs(self)",))}


def test_what_passing_tests_run_as_well_is_not_told() -> None:
    scopes = changed_scopes(
        release(OLD, ("open(", "self.exit()"), ("open(",)),
        release(NEW, ("open(", "raise NoArgs"), ("open(",)),
        compared=True,
    )
    assert [one.scope for one in scopes] == ["Group.parse"]


def test_without_passing_tests_little_is_told_and_much_is_not() -> None:
    assert set(told(("open(",), compared=False)) == {"lib.core.read"}
    many = "\n".join(f"def f{number}():\n    return {{}}" for number in range(MOST_TOLD + 1))
    old, new = many.format(*range(9)), many.format(*range(10, 19))
    run = [
        RunRelease(
            sources={FILE: text},
            failing=frozenset((FILE, number) for number in range(1, 20)),
            passing=frozenset(),
        )
        for text in (old, new)
    ]
    assert changed_scopes(*run, compared=False) == ()


def test_a_value_of_the_module_is_told_where_a_function_that_uses_it_runs() -> None:
    found = told(("return LIMIT", "LIMIT ="), ("LIMIT =", "open("))
    assert found == {"lib.core": (("LIMIT = 1",), ("LIMIT = 2",))}
    assert "lib.core" not in told(("open(", "LIMIT ="), ("LIMIT =",))


def test_names_above_what_changed_are_asked_of_the_changelog() -> None:
    (scope,) = changed_scopes(release(OLD, ("self.exit()",)), release(NEW, ("raise NoArgs",)), compared=True)
    assert {"NoArgs", "no_args_is_help", "parse"} <= set(scope.terms)
    assert not {"self", "not", "raise"} & set(scope.terms)
    assert set(scope.terms[:2]) == {"NoArgs", "Group"}  # what came or went


@pytest.mark.parametrize(("old", "new"), [(OLD, "print 'a'"), ("print 'a'", NEW), (OLD, OLD)])
def test_what_cannot_be_compared_or_is_the_same_says_nothing(old: str, new: str) -> None:
    everything = frozenset((FILE, number) for number in range(1, 30))
    was, now = (
        RunRelease(sources={FILE: text}, failing=everything, passing=frozenset()) for text in (old, new)
    )
    assert changed_scopes(was, now, compared=True) == ()


def test_what_the_error_names_comes_first_though_it_is_new() -> None:
    run = ("self.exit()", "raise NoArgs", "self.of", "open(")
    scopes = changed_scopes(release(OLD, run), release(NEW, run), compared=True, named=("NoArgs.__init__",))
    assert [one.scope for one in scopes] == ["NoArgs.__init__", "Group.parse", "read"]
    scopes = changed_scopes(release(OLD, run), release(NEW, run), compared=True, named=("Other.__init__",))
    assert [one.scope for one in scopes] == ["Group.parse", "read"]


def test_what_changed_of_a_rare_name_in_the_failing_line_comes_first_whoever_runs_it() -> None:
    old = "class Def:\n    def finish(self):\n        del self.cached_result\n\ndef f():\n    g(1)\n"
    new = old.replace("del self.cached_result", "self.cached_result = None").replace("g(1)", "g(2)")
    run = [
        RunRelease(
            sources={FILE: text},
            failing=lines(text, "cached_result", "g("),
            passing=lines(text, "cached_result"),
        )
        for text in (old, new)
    ]
    scopes = changed_scopes(*run, compared=True, line="result, key = getattr(it, cached_result)")
    assert [(one.scope, one.alone) for one in scopes] == [("Def.finish", False), ("f", True)]
    assert [one.scope for one in changed_scopes(*run, compared=True, line="result = f()")] == ["f"]
    assert [one.scope for one in changed_scopes(*run, compared=True)] == ["f"]
    (first, *_) = changed_scopes(*run, compared=False, line="getattr(it, cached_result)")
    assert (first.scope, first.alone) == ("Def.finish", False)


def test_a_class_s_bases_are_told_where_its_methods_run() -> None:
    old = "class Link(Thread):\n    def send(self):\n        put()\n"
    new = old.replace("(Thread)", "")
    run = [
        RunRelease(sources={FILE: text}, failing=lines(text, "put()"), passing=frozenset())
        for text in (old, new)
    ]
    (scope,) = changed_scopes(*run, compared=True, named=("Link",))
    code = scope.told("lib", "2.0", "")
    assert (code.name, code.removed, code.added) == (
        "lib.core.Link",
        ("class Link(Thread):",),
        ("class Link:",),
    )


def test_what_one_class_lost_and_another_got_are_two_changes() -> None:
    old = "class A:\n    def f(self):\n        a()\nclass B:\n    def f(self):\n        b()\n        c()\n"
    new = "class A:\n    def f(self):\n        a()\n        d()\nclass B:\n    def f(self):\n        b()\n"
    run = [release(text, ("a()", "b()", "c()", "d()")) for text in (old, new)]
    found = [one.told("lib", "2.0", "") for one in changed_scopes(*run, compared=True)]
    assert [(one.name, one.removed, one.added) for one in found] == [
        ("lib.core.A.f", (), ("d()",)),
        ("lib.core.B.f", ("c()",), ()),
    ]
