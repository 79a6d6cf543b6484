import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.recipes.script import ScriptCommand, VariableAssignment, follow


def lines(text: str, *there: str, **variables: str) -> list[tuple[str, str, bool]]:
    """(command, folder, whether it is surely run)."""
    found = follow(text, exists=lambda path: path in there, variables=variables)
    return [(one.text, one.cwd, one.doubt is None) for one in found if isinstance(one, ScriptCommand)]


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("if [ -f r.txt ]; then yes; else no; fi; after", ["yes", "after"]),
        ("if [ ! -f r.txt ]; then no; elif [ -f r.txt ]; then yes; else no; fi", ["yes"]),
        ("if [ -f none ]; then no; fi\nafter", ["after"]),
        ('if [[ "$OS" == osx ]]; then no; else yes; fi', ["yes"]),
        ("[ -f none ] && no\n[ -f none ] || yes", ["yes"]),
        ("test -f r.txt && yes || no", ["yes"]),
        ("false || yes && also", ["yes", "also"]),
        ("true || no; yes", ["yes"]),
        ("a && b; c", ["a", "b", "c"]),
        ("a | b > out 2>&1", ["a", "b"]),
        ("{ a; b; }; c", ["a", "b", "c"]),
        ("set -e; a", ["a"]),
        ("if [ -f none ]; then if [ -f r.txt ]; then no; fi; no; fi; yes", ["yes"]),
    ],
)
def test_conditions_that_can_be_known(text: str, commands: list[str]) -> None:
    assert lines(text, "r.txt", OS="linux") == [(command, ".", True) for command in commands]


@pytest.mark.parametrize(
    "text",
    [
        "if [ $UNKNOWN = 1 ]; then doubtful; fi; sure",
        "if grep x y; then doubtful; else doubtful; fi; sure",
        "for x in a b; do doubtful; done; sure",
        "while true; do doubtful; done; sure",
        "f() { doubtful; }; sure",
        "function f { doubtful; }\nsure",
        "case $x in a) doubtful;; esac; sure",
        "[ $UNKNOWN = 1 ] && doubtful; sure",
    ],
)
def test_conditions_that_cannot(text: str) -> None:
    assert all((command == "sure") == sure for command, _, sure in lines(text))
    assert ("sure", ".", True) in lines(text)


def test_folders() -> None:
    text = "cd a && b\n(cd c; d)\ne\ncd ../..\nf\ncd /etc\ng\ncd $(pwd)/a\nh"
    assert lines(text) == [
        ("b", "a", True),
        ("d", "a/c", True),
        ("e", "a", True),
        ("cd ../..", "a", True),
        ("f", "a", True),
        ("cd /etc", "a", True),
        ("g", "a", True),
        ("h", "a/a", True),
    ]


def test_assignments() -> None:
    found = list(follow("A=1\nexport B=$A C=$(x)\nD=$B E=2 cmd $B", exists=lambda _: False))
    assert [(one.name, one.value, one.exported) for one in found if isinstance(one, VariableAssignment)] == [
        ("A", "1", False),
        ("B", "1", True),
        ("C", None, True),
    ]
    assert isinstance(found[-1], ScriptCommand)
    assert found[-1].assignments == (("D", "1"), ("E", "2"))
    assert found[-1].text == "D=1 E=2 cmd 1"


WORDS = (
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "for",
    "do",
    "done",
    "{",
    "}",
    "(",
    ")",
    "&&",
    "||",
    ";",
    "\n",
    "[ -f x ]",
)


@given(st.lists(st.sampled_from([*WORDS, "a", "cd b", "A=1", "$A", "case", "esac", ";;"]), max_size=40))
def test_any_order_of_words_is_followed(words: list[str]) -> None:
    for one in follow(" ".join(words), exists=lambda path: path == "x"):
        assert isinstance(one, VariableAssignment) or (one.words and not one.cwd.startswith(".."))
