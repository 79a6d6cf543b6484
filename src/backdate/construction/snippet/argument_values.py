"""Values for the parameters of a function, guessed from their names, annotations, defaults and uses.

What is guessed proves nothing: a case counts only where the function runs on it with the origin.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Collection, Mapping, Sequence

from backdate.mining.literals import dotted_of

MOST_CASES = 30
_MOST_PARAMETERS = 5

_POOLS: dict[str, tuple[str, ...]] = {
    "int": ("3", "5", "2", "1", "8"),
    "float": ("0.5", "2.5", "1.0", "0.1"),
    "bool": ("True", "False"),
    "str": ("'abc'", "'Hello World'", "'a b'", "'x'"),
    "bytes": ("b'abc'", "b'hello world'", "b'x y'"),
    "list": ("[1, 2, 3]", "[4.0, 1.5, 2.5, 3.0]", "[5, 3, 1, 4]", "['a', 'b', 'c']"),
    "tuple": ("(2, 3)", "(4, 1, 2)", "(5,)", "(3, 2, 2)"),
    "dict": ("{'a': 1, 'b': 2}", "{'x': 3}", "{1: 2, 3: 4}"),
    "array": (
        "numpy.array([1.0, 2.0, 4.0, 3.0])",
        "numpy.array([[1.0, 2.0], [3.0, 5.0]])",
        "numpy.arange(6)",
        "numpy.array([0.5, 1.5, 0.25])",
    ),
    "matrix": (
        "numpy.array([[2.0, 1.0], [1.0, 3.0]])",
        "numpy.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])",
        "numpy.eye(3)",
        "numpy.arange(12).reshape(3, 4)",
    ),
    "graph": (
        "networkx.path_graph(4)",
        "networkx.cycle_graph(5)",
        "networkx.complete_graph(3)",
        "networkx.path_graph(3, create_using=networkx.DiGraph)",
    ),
    "frame": (
        "pandas.DataFrame({'a': [1, 2, 3], 'b': [4.0, 5.0, 6.5]})",
        "pandas.DataFrame({'a': [3, 1], 'b': [2, 8]})",
        "pandas.DataFrame({'a': [1, 1, 2], 'b': [7.5, 2.5, 1.0]}, index=[2, 4, 6])",
    ),
    "series": (
        "pandas.Series([1, 3, 2, 5])",
        "pandas.Series([0.5, 2.0, 1.5])",
        "pandas.Series([4, 4, 1], index=['a', 'b', 'c'])",
    ),
    "callable": ("math.sqrt", "math.cos", "abs"),
    "sparse": (
        "scipy.sparse.csr_matrix([[1, 0, 2], [0, 3, 0], [4, 0, 5]])",
        "scipy.sparse.coo_matrix([[0, 1], [1, 0]])",
        "scipy.sparse.csc_matrix([[2.0, 0.0], [0.0, 0.5]])",
    ),
}
"""Expressions by kind of value; the modules in them are imported before the code."""

_NAMES_OF_KIND: dict[tuple[str, ...], str] = {
    ("int", "float"): "n k m size num count order degree length width nbins",
    ("int",): "axis dim idx index seed i j",
    ("array", "list", "float", "int"): "x y z a b arr array data values signal vec vector",
    ("matrix", "array", "sparse", "graph"): "matrix mat adj weights image img adjacency",
    ("str", "list", "int"): "text string name word url path s key line label",
    ("graph",): "graph g network tree digraph",
    ("frame", "series"): "df frame dataframe table",
    ("series", "array"): "series ser",
    ("tuple", "list"): "shape dims sizes",
    ("callable", "float"): "func fn callback f function",
    ("list", "array"): "lst items seq iterable elements nodes",
}
_ANNOTATIONS_OF_KIND: dict[tuple[str, ...], str] = {
    **{(kind,): kind for kind in ("int", "bool", "bytes")},
    ("float",): "float Number",
    ("str",): "str Text",
    ("list",): "list List Sequence Iterable",
    ("tuple",): "tuple Tuple",
    ("dict",): "dict Dict Mapping",
    ("array", "matrix"): "ndarray NDArray",
    ("array", "list"): "ArrayLike",
    ("graph",): "Graph DiGraph",
    ("frame",): "DataFrame",
    ("series",): "Series",
    ("callable",): "Callable",
    ("sparse",): "csr_matrix spmatrix",
}
_ATTRIBUTES_OF_KIND: dict[tuple[str, ...], str] = {
    ("array", "matrix"): "shape dtype ndim reshape astype flatten ravel size T",
    ("graph",): "nodes edges neighbors add_edge number_of_nodes adj degree has_edge",
    ("frame", "series"): "columns groupby iterrows iteritems loc iloc drop",
    ("str",): "lower split strip encode startswith upper join",
    ("bytes",): "decode",
    ("dict",): "items keys get",
    ("list",): "append sort extend",
    ("sparse",): "tocsr tocoo todense toarray nnz indptr",
}


def _by_word(table: Mapping[tuple[str, ...], str]) -> dict[str, tuple[str, ...]]:
    return {word: kinds for kinds, words in table.items() for word in words.split()}


_KIND_OF_NAME = _by_word(_NAMES_OF_KIND)
_KIND_OF_ANNOTATION = _by_word(_ANNOTATIONS_OF_KIND)
_KIND_OF_ATTRIBUTE = _by_word(_ATTRIBUTES_OF_KIND)
_ELSE = ("array", "int", "str", "list", "matrix", "float", "dict")
SHOWN_BY = {
    "numpy": "numpy.array",
    "networkx": "networkx.path_graph",
    "pandas": "pandas.DataFrame",
    "scipy.sparse": "scipy.sparse.csr_matrix",
}
"""What the expressions of the pools import besides ``math``, each with a name that shows that it is there."""
MODULES = (*SHOWN_BY, "math")


def guessed_cases(
    parameters: Sequence[ast.arg], body: Sequence[ast.AST], modules: Collection[str] = MODULES
) -> tuple[str, ...]:
    """Tuples of arguments for ``parameters`` (those without a default), as source; () for too many.

    ``modules``: those of ``MODULES`` that both environments have. One that is absent would end every case,
    as all of them are imported before the first.
    """
    if not parameters or len(parameters) > _MOST_PARAMETERS:
        return ()
    used = _attributes_used(body)
    made_with = _kinds_with({*modules, "math"})
    pools = [_pool(one, used.get(one.arg, ()), made_with) for one in parameters]
    rows: dict[tuple[str, ...], None] = {}
    for kinds in itertools.product(*pools):
        longest = max(len(_POOLS[kind]) for kind in kinds)
        for number in range(min(longest, 4)):
            rows[tuple(_POOLS[kind][number % len(_POOLS[kind])] for kind in kinds)] = None
        if len(rows) >= MOST_CASES:
            break
    return tuple(f"({', '.join(row)},)" for row in list(rows)[:MOST_CASES])


def imports_for(cases: Sequence[str]) -> str:
    """The import statements that the expressions of ``cases`` need."""
    return "".join(f"import {module}\n" for module in MODULES if any(f"{module}." in case for case in cases))


def _kinds_with(modules: Collection[str]) -> frozenset[str]:
    """The kinds whose expressions need no other modules than these."""
    others = [f"{module}." for module in MODULES if module not in modules]
    return frozenset(
        kind for kind, values in _POOLS.items() if not any(other in " ".join(values) for other in others)
    )


def _pool(parameter: ast.arg, attributes: Sequence[str], made_with: Collection[str]) -> tuple[str, ...]:
    """The kinds of values for one parameter; of those that cannot be made the usual ones take the place."""
    wanted = [kind for kind in _likely_kinds(parameter, attributes) if kind in made_with]
    return tuple(wanted) or tuple(kind for kind in _ELSE if kind in made_with)


def _likely_kinds(parameter: ast.arg, attributes: Sequence[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    if parameter.annotation is not None:
        for node in ast.walk(parameter.annotation):
            leaf = dotted_of(node).rpartition(".")[2] if isinstance(node, ast.expr) else ""
            found.update(dict.fromkeys(_KIND_OF_ANNOTATION.get(leaf, ())))
    for attribute in attributes:
        found.update(dict.fromkeys(_KIND_OF_ATTRIBUTE.get(attribute, ())))
    if found:
        return tuple(found)
    name = parameter.arg
    kinds = _KIND_OF_NAME.get(name.lower()) or _KIND_OF_NAME.get(name.lower().rpartition("_")[2])
    if kinds is None and name.isupper() and len(name) == 1:
        kinds = ("graph", "matrix") if name == "G" else ("matrix", "array", "sparse")
    return kinds or _ELSE


def _attributes_used(body: Sequence[ast.AST]) -> Mapping[str, tuple[str, ...]]:
    used: dict[str, dict[str, None]] = {}
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used.setdefault(node.value.id, {})[node.attr] = None
    return {name: tuple(attributes) for name, attributes in used.items()}
