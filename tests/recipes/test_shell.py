import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.recipes.shell import tokens


def read(text: str, **variables: str) -> list[str]:
    return [word.text for word in tokens(text, {"PWD": "/PROJECT", **variables})]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pip install 'a>1' \"b[c]\" d\\ e", ["pip", "install", "a>1", "b[c]", "d e"]),
        ("pip install git+https://x/y#egg=z # why", ["pip", "install", "git+https://x/y#egg=z"]),
        ("a &&b||c;d|e", ["a", "&&", "b", "||", "c", ";", "d", "|", "e"]),
        ("a \\\n  b\nc", ["a", "b", "\n", "c"]),
        ("cat <<EOF > f\npip install no\nEOF\nls", ["cat", "\n", "ls"]),
        ("cat <<-'E F'", ["cat", "<<-", "E F"]),
        (
            "$A \"$A\" '$A' ${A} ${B:-c d} ${B-x}y",
            [["1", "2"][0], "2", "1 2", "$A", "1", "2", "c", "d", "xy"],
        ),
        ("${A:+yes}${B:+no}", ["yes"]),
        ("x=$(pwd)/y z=`pwd`", ["x=/PROJECT/y", "z=/PROJECT"]),
        ("'' \"\"", ["", ""]),
        ("a\u00a0b\x0cc", ["a", "b", "c"]),
        ("echo 'unfinished", ["echo", "unfinished"]),
        ("echo $ 5$", ["echo", "$", "5$"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert read(text, A="1 2") == words


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("$(date)", "command substitution"),
        ("a`id`b", "command substitution"),
        ('"$(cat $(ls))"', "command substitution"),
        ("${{ secrets.TOKEN }}", "secrets.TOKEN"),
        ("$NOPE", "the variable NOPE"),
        ("${NOPE%.*}", "not evaluated"),
        ("$1", "$1"),
    ],
)
def test_what_only_a_shell_could_tell(text: str, reason: str) -> None:
    (word,) = tokens(text, {})
    assert word.unknown is not None
    assert reason in word.unknown


def test_lines_are_counted() -> None:
    lines = [word.line for word in tokens("a\n'b\nc' d \\\n e\nf", {}) if not word.operator]
    assert lines == [1, 2, 3, 4, 5]


@given(st.text(alphabet=st.sampled_from("ab$(){}`'\"\\ \n<|&;#=-\t\0é\u2003"), max_size=60))
def test_any_text_ends(text: str) -> None:
    found = list(tokens(text, {"a": "b c", "PWD": "/PROJECT"}))
    assert all(1 <= word.line <= text.count("\n") + 1 for word in found)
