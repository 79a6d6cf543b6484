"""What holds of every rewrite of every file: seen on made-up files, and on those of the standard library."""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backdate.editing.encodings import split_lines
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import (
    AddArgument,
    ChangeArgument,
    NamePositional,
    RenameAttribute,
    ReplaceName,
    ReplaceUse,
    Rewrite,
)
from backdate.rewriting.rewrite_source import rewrite_source

LIBRARY = Path(ast.__file__).parent
FILES = ("tarfile.py", "logging/__init__.py")
REWRITES: tuple[Rewrite, ...] = (
    ReplaceName(old="collections.abc.Callable", new="collections.callables.Function"),
    ReplaceName(old="sys.version_info", new="platform.release"),
    ReplaceName(old="os.path", new="paths"),
    ReplaceName(old="sys", new="system.core"),
    ReplaceName(old="builtins.isinstance", new="kinds.is_a"),
    ReplaceName(old="warnings.warn", new="builtins.print"),
    RenameAttribute(old="append", new="add"),
    ChangeArgument(function=".format", argument="name"),
    ChangeArgument(function="warnings.warn", argument="stacklevel", new="level", value="levels.of({value})"),
    AddArgument(function="os.path.join", argument="strict", value="modes.STRICT"),
    NamePositional(function=".append", names=("value",)),
    ReplaceUse(target=".append", template="lists.add({self}, {args})"),
    ReplaceUse(target="isinstance", template="{0} is {1}"),
    ReplaceUse(target="sys.modules", template="modules.all()", called=False),
)
PIECES = (
    "import numpy as np\n",
    "import numpy, os\n",
    "from numpy import product, array\n",
    "from numpy import (\n    array,  # an array\n    product as p,\n)\n",
    "from numpy import *\n",
    "try:\n    from numpy import product\nexcept ImportError:\n    product = None\n",
    "x = np.product(numpy.product(a))  # np.product\n",
    "def f(np, b=numpy.product):\n    return np.product(b)\n",
    "class A(numpy.product):\n    '''np.product'''\n    y: np.product = f'{product}'\n",
    "p(product, *[numpy\n  .product])\n",
    "ünï = 'é'; np.product(ünï)\n",
    "if x: np = None\n",
    "\tnp.product(\n",
    "\f\n",
)


@settings(max_examples=80, deadline=None)
@given(
    pieces=st.lists(st.sampled_from(PIECES), max_size=8),
    newline=st.sampled_from(["\n", "\r\n"]),
    new=st.sampled_from(["numpy.prod", "numpy.lib.prod", "math.prod", "builtins.max", "prod"]),
    lines=st.none() | st.frozensets(st.integers(1, 20)),
)
def test_only_spans_change_and_python_stays_python(
    pieces: list[str], newline: str, new: str, lines: frozenset[int] | None
) -> None:
    text = "".join(pieces).replace("\n", newline)
    made = rewrite_source(text, ReplaceName(old="numpy.product", new=new), lines=lines)
    after = apply_edits(text, made.edits)
    if parses(text):
        assert parses(after)
    position = 0
    for edit in sorted(made.edits):
        assert position <= edit.start <= edit.end <= len(text)
        position = edit.end
    if newline == "\r\n":
        assert not re.search(r"(?<!\r)\n", after)
    if not made.left and lines is None:
        assert not rewrite_source(after, ReplaceName(old="numpy.product", new=new), lines=None).edits
    touched = {text.count("\n", 0, edit.start) for edit in made.edits}
    before_lines = split_lines(text)
    if lines is not None and not lines & set(range(1, len(before_lines) + 1)):
        assert not touched


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_files_of_the_standard_library_stay_python(file: str) -> None:
    text = (LIBRARY / file).read_text(encoding="utf-8")
    everywhere = frozenset(range(1, text.count("\n") + 2))
    changed = 0
    for rewrite in REWRITES:
        made = rewrite_source(text, rewrite, lines=everywhere)
        after = apply_edits(text, made.edits)
        changed += after != text
        assert parses(after), rewrite
    assert changed


def parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError:
        return False
    return True
