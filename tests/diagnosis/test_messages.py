import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.diagnosis.messages import missing_arguments, read_hint, read_message
from backdate.diagnosis.result import CauseKind

MISSING = CauseKind.MISSING_ATTRIBUTE
NAME = CauseKind.MISSING_NAME
MODULE = CauseKind.MISSING_MODULE
KEYWORD = CauseKind.UNEXPECTED_ARGUMENT
COUNT = CauseKind.ARGUMENT_COUNT
NUMPY_124 = """module 'numpy' has no attribute 'float'.
`np.float` was a deprecated alias for the builtin `float`. To avoid this error in existing code, \
use `float` by itself. Doing this will not modify any behavior and is safe."""


@pytest.mark.parametrize(
    ("kind", "message", "cause", "owner", "name"),
    [
        ("AttributeError", NUMPY_124, MISSING, "numpy", "float"),
        (
            "AttributeError",
            "module 'collections' has no attribute 'Mapping'",
            MISSING,
            "collections",
            "Mapping",
        ),
        ("AttributeError", "module 'a.b' has no attribute 'c'. Did you mean: 'd'?", MISSING, "a.b", "c"),
        ("AttributeError", "'module' object has no attribute 'x'", MISSING, "", "x"),
        ("AttributeError", "Module 'scipy' has no attribute 'interp'", MISSING, "scipy", "interp"),
        (
            "AttributeError",
            "partially initialized module 'x' has no attribute 'y' (most likely due to a circular import)",
            MISSING,
            "x",
            "y",
        ),
        (
            "AttributeError",
            "cannot access submodule 'y' of module 'x' (most likely due to a circular import)",
            MISSING,
            "x",
            "y",
        ),
        ("AttributeError", "'DataFrame' object has no attribute 'append'", MISSING, "DataFrame", "append"),
        (
            "AttributeError",
            "'array.array' object has no attribute 'tostring'",
            MISSING,
            "array.array",
            "tostring",
        ),
        (
            "AttributeError",
            "type object 'DataFrame' has no attribute 'from_items'",
            MISSING,
            "DataFrame",
            "from_items",
        ),
        ("AttributeError", "Foo instance has no attribute 'bar'", MISSING, "Foo", "bar"),
        ("AttributeError", "__enter__", MISSING, "", "__enter__"),
        ("AttributeError", "'NoneType' object has no attribute 'x'", CauseKind.CHANGED_TYPE, "NoneType", "x"),
        (
            "AttributeError",
            "property 'x' of 'Foo' object has no setter",
            CauseKind.CHANGED_TYPE,
            "Foo",
            "x",
        ),
        ("AttributeError", "can't set attribute", CauseKind.CHANGED_TYPE, "", ""),
        (
            "AttributeError",
            "`np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead.",
            CauseKind.REMOVED,
            "np",
            "float_",
        ),
        ("ImportError", "cannot import name 'X' from 'Y' (/a/b (c)/Y/__init__.py)", NAME, "Y", "X"),
        ("ImportError", "cannot import name 'X' from 'Y' (unknown location)", NAME, "Y", "X"),
        ("ImportError", "cannot import name 'X'", NAME, "", "X"),
        ("ImportError", "cannot import name X", NAME, "", "X"),
        (
            "ImportError",
            "cannot import name 'X' from partially initialized module 'Y' (most likely due to a …)",
            NAME,
            "Y",
            "X",
        ),
        ("ImportError", "cannot import name 'X' from 'Y' (consider renaming '/Y.py' if …)", NAME, "Y", "X"),
        ("ModuleNotFoundError", "No module named 'imp'", MODULE, "", "imp"),
        ("ModuleNotFoundError", "No module named 'a.b'; 'a' is not a package", MODULE, "", "a.b"),
        ("ImportError", "No module named yaml", MODULE, "", "yaml"),
        ("ImportError", "No module named a.b.c", MODULE, "", "a.b.c"),
        (
            "ImportError",
            "Missing optional dependency 'xlrd'.  Use pip or conda to install xlrd.",
            MODULE,
            "",
            "xlrd",
        ),
        ("ImportError", "/a/b.so: undefined symbol: _Zfoo", CauseKind.BINARY_INCOMPATIBLE, "", "_Zfoo"),
        (
            "ValueError",
            "numpy.dtype size changed, may indicate binary incompatibility. Expected 96, got 88",
            CauseKind.BINARY_INCOMPATIBLE,
            "",
            "",
        ),
        ("TypeError", "f() got an unexpected keyword argument 'z'", KEYWORD, "f", "z"),
        (
            "TypeError",
            "Word2Vec.__init__() got an unexpected keyword argument 'size'",
            KEYWORD,
            "Word2Vec.__init__",
            "size",
        ),
        ("TypeError", "f() got an unexpected keyword argument 'z'. Did you mean 'y'?", KEYWORD, "f", "z"),
        ("TypeError", "'z' is an invalid keyword argument for this function", KEYWORD, "", "z"),
        ("TypeError", "'z' is an invalid keyword argument for print()", KEYWORD, "print", "z"),
        (
            "TypeError",
            "Unexpected keyword arguments passed to pytest.raises: message\nUse it otherwise?",
            KEYWORD,
            "pytest.raises",
            "message",
        ),
        ("TypeError", "len() takes no keyword arguments", KEYWORD, "len", ""),
        ("TypeError", "f() takes 2 positional arguments but 3 were given", COUNT, "f", ""),
        ("TypeError", "f() takes from 1 to 2 positional arguments but 3 were given", COUNT, "f", ""),
        ("TypeError", "f() takes exactly 2 arguments (1 given)", COUNT, "f", ""),
        ("TypeError", "load() missing 1 required positional argument: 'Loader'", COUNT, "load", "Loader"),
        (
            "TypeError",
            "Client.__init__() missing 1 required keyword-only argument: 'intents'",
            COUNT,
            "Client.__init__",
            "intents",
        ),
        ("TypeError", "object() takes no parameters", COUNT, "object", ""),
        ("TypeError", "foo expected at most 1 argument, got 2", COUNT, "foo", ""),
        ("TypeError", "f() got multiple values for argument 'x'", COUNT, "f", "x"),
        (
            "TypeError",
            "'Timeout' object does not support the context manager protocol",
            CauseKind.CHANGED_TYPE,
            "Timeout",
            "",
        ),
        ("TypeError", "unsupported operand type(s) for +: 'int' and 'str'", CauseKind.CHANGED_TYPE, "", ""),
        (
            "TypeError",
            "Can't instantiate abstract class A without an implementation for abstract method 'f'",
            CauseKind.CHANGED_TYPE,
            "A",
            "f",
        ),
        ("NameError", "name 'unicode' is not defined", CauseKind.UNDEFINED_NAME, "", "unicode"),
        (
            "UnboundLocalError",
            "cannot access local variable 'x' where it is not associated with a value",
            CauseKind.UNDEFINED_NAME,
            "",
            "x",
        ),
        (
            "pydantic.errors.PydanticUserError",
            "`regex` is removed. use `pattern` instead",
            CauseKind.REMOVED,
            "",
            "regex",
        ),
        ("RuntimeError", "foo() is no longer supported; use bar()", CauseKind.REMOVED, "", "foo"),
        ("DeprecationWarning", "`foo` is deprecated, use bar", CauseKind.WARNING_AS_ERROR, "", "foo"),
        ("SyntaxError", "invalid syntax", CauseKind.SYNTAX, "", ""),
        ("AssertionError", "assert 1 == 2, no longer supported", CauseKind.ASSERTION, "", ""),
        ("Failed", "DID NOT RAISE", CauseKind.ASSERTION, "", ""),
        ("KeyError", "'a'", CauseKind.CHANGED_VALUE, "", ""),
        ("mod.Strange", "what", CauseKind.OTHER_ERROR, "", ""),
    ],
)
def test_wordings(kind: str, message: str, cause: CauseKind, owner: str, name: str) -> None:
    parsed = read_message(kind, message)
    assert (parsed.kind, parsed.owner, parsed.name) == (cause, owner, name)


def test_path_of_an_import_error() -> None:
    parsed = read_message("ImportError", "cannot import name 'X' from 'Y' (/a/b (c)/Y/__init__.py)")
    assert parsed.path == "/a/b (c)/Y/__init__.py"


def test_hints() -> None:
    assert "use `float` by itself" in read_hint(NUMPY_124)
    assert read_hint("`np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead.") == (
        "Use `np.float64` instead."
    )
    assert read_hint("list index out of range") == ""
    assert read_hint("It raises. The ``convert`` method is the correct way to change a mode.").startswith(
        "The"
    )
    assert read_hint("assert ('a',) == ('b',)\n  Use -v to get more diff") == ""
    assert read_hint("'DataFrame' object has no attribute 'append'. Did you mean: '_append'?") == ""


KINDS = st.sampled_from(
    [
        "AttributeError",
        "ImportError",
        "ModuleNotFoundError",
        "TypeError",
        "NameError",
        "ValueError",
        "x.Y",
        "",
    ]
)
PIECES = st.sampled_from(
    [
        *(
            "'",
            "`",
            "(",
            ")",
            ".",
            " ",
            "\n",
            "module",
            "has no attribute",
            "cannot import name",
            "from",
            "a.b",
        ),
        *("No module named", "() got an unexpected keyword argument", "was removed", "object", "x", "takes"),
    ]
)


@given(KINDS, st.one_of(st.text(), st.lists(PIECES, max_size=60).map("".join)))
def test_it_never_fails(kind: str, message: str) -> None:
    read_message(kind, message)


IDENTIFIERS = st.from_regex(r"[a-z_][a-z0-9_]{0,10}", fullmatch=True)


@given(IDENTIFIERS, st.lists(IDENTIFIERS, min_size=1, max_size=3).map(".".join))
def test_names_are_read_whole(name: str, module: str) -> None:
    for message in (
        f"module '{module}' has no attribute '{name}'",
        f"cannot import name '{name}' from '{module}' (/x/{module}.py)",
    ):
        kind = "AttributeError" if message.startswith("module") else "ImportError"
        parsed = read_message(kind, message)
        assert (parsed.owner, parsed.name, parsed.owner_is) == (module, name, "module")


@pytest.mark.parametrize(
    "piece", ["a.", "(", "'a' ", "unexpected ", "f() takes 2 ", "x was removed. Use ", "( (a)"]
)
def test_long_messages_are_read_at_once(piece: str) -> None:
    for kind in ("AttributeError", "ImportError", "TypeError", "ValueError"):
        for head in ("", "module '", "cannot import name 'x' from 'y' (", "f() "):
            read_message(kind, head + piece * 4000)


def test_a_hint_goes_on_with_the_code_below_it() -> None:
    message = (
        "\n\"safe_load_all()\" has been removed, use\n\n  yaml = YAML(typ='safe', pure=True)\n"
        '  yaml.load_all(...)\n\ninstead of file "/p/test_core.py", line 570\n\n        safe_load_all(s)\n'
    )
    assert read_hint(message) == (
        "\"safe_load_all()\" has been removed, use: yaml = YAML(typ='safe', pure=True); yaml.load_all(...)"
    )
    assert read_hint("it cannot be of use\nsomewhere else") == ""
    assert read_hint("Use `a` instead of `b`.\na = 1") == "Use `a` instead of `b`."


def test_a_page_that_a_message_names_for_alternatives_is_a_hint() -> None:
    page = "See https://docs.example.org/how-to.html#more-uses for alternatives in common use cases."
    assert read_hint(f"Passing None has been deprecated.\n{page}") == page
    assert read_hint("See the log for details") == ""
    typed = "unexpected value: 250.0\n\nHint: Try setting `strict=False` to allow passing mixed types."
    assert read_hint(typed) == "Hint: Try setting `strict=False` to allow passing mixed types."
    nose = "Nose tests go.\na uses `setup(self)`\nTo remove this warning, rename it to `setup_method(self)`"
    assert read_hint(nose) == "To remove this warning, rename it to `setup_method(self)`"


def test_what_one_will_need_to_do_is_a_hint() -> None:
    said = "If you use `clean` to sanitize css, you'll need to install the ``css`` extras"
    assert read_hint(f"CSS sanitization is completely different now. {said}") == said


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        (
            "FROM clause element expected, got [Column('x')]. Did you mean to say select(Column('x'))?",
            "Did you mean to say select(Column('x'))?",
        ),
        (
            "option --quotes: please update from a string `type=` to a callable `type=`",
            "option --quotes: please update from a string `type=` to a callable `type=`",
        ),
        ("It is gone. Please pass columns as select(a, b).", "Please pass columns as select(a, b)."),
        ("`a` is superseded by `b`.", "`a` is superseded by `b`."),
        (
            "It is reset only once. You can change it to a module-scoped fixture.",
            "You can change it to a module-scoped fixture.",
        ),
        (
            "The generated code is out of date and must be regenerated with protoc >= 3.19.0.",
            "The generated code is out of date and must be regenerated with protoc >= 3.19.0.",
        ),
        (
            "The object should be created within an async function",
            "The object should be created within an async function",
        ),
        (
            "Providing the column is now done in the functions themselves like `complete(line, column)`.",
            "Providing the column is now done in the functions themselves like `complete(line, column)`.",
        ),
        ("connect() no longer uses the `loop` parameter", "connect() no longer uses the `loop` parameter"),
        ("You can find the log in /tmp. This should not happen.", ""),
        ("Please report this at our tracker.", ""),
        ("name 'prnt' is not defined. Did you mean: 'print'?", ""),
    ],
)
def test_what_a_library_asks_to_write(message: str, hint: str) -> None:
    assert read_hint(message) == hint


@pytest.mark.parametrize(
    ("message", "hint"),
    [
        # of urllib3, SQLAlchemy, pandas, scikit-learn, docutils, matplotlib, networkx
        ("getheaders() is deprecated. Instead access HTTPResponse.headers directly.", 1),
        ("has_table is deprecated. Please refer to `Inspector.has_table`.", 1),
        ('The squeeze argument has been deprecated. Append .squeeze("columns") to the call to squeeze.', 1),
        (
            "features='auto' is deprecated. To keep the past behaviour, explicitly set features=1.0.",
            1,
        ),
        ("Node.traverse() is obsoleted by Node.findall().", 0),
        ("Auto-removal of axes is deprecated; explicitly call ax.remove() as needed.", 0),
        ("The `source` argument is deprecated. It has no effect and will be removed.", 1),
        ("'keep_tz' is deprecated. You can stop passing 'keep_tz' to silence this warning.", 1),
        ("`delayed` has been moved from `sklearn.utils.fixes` to `sklearn.utils.parallel`.", 0),
        ("Using Dataset.map is encouraged", 0),
        ("Deprecated, use .url #1654", 0),
        ("info is deprecated and will be removed in version 3.0.", None),
        ("Call to undeclared function failed", None),
        ("Set changed size during iteration", None),
        ("The user is gone, as it was used before.", None),
    ],
)
def test_ways_in_which_libraries_say_what_to_do(message: str, hint: int | None) -> None:
    sentences = message.split(". ")
    said = read_hint(message)
    assert said == "" if hint is None else said.startswith(sentences[hint].removesuffix("."))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Box.f() missing 1 required positional argument: 'ext'", ("f", True, ("ext",))),
        (
            "info() missing 3 required keyword-only arguments: 'a', 'b', and 'c'",
            ("info", False, ("a", "b", "c")),
        ),
        ("f() takes 1 positional argument but 2 were given", None),
    ],
)
def test_every_missing_argument_is_read(
    message: str, expected: tuple[str, bool, tuple[str, ...]] | None
) -> None:
    found = missing_arguments(message)
    assert (found and (found.function, found.positional, found.names)) == expected
