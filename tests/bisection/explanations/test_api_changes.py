from dataclasses import replace

import pytest

from backdate.advising.project_uses import ProjectUses
from backdate.bisection.explanations import api_changes
from backdate.bisection.explanations.api_changes import (
    changed_names,
    names_of,
    of_a_library,
    operator_terms,
    search_terms_of,
)
from backdate.diagnosis.api import ApiDifference, Member, NameChange
from backdate.diagnosis.messages import read_message
from backdate.diagnosis.result import Cause, FrameKind, PlacedFrame
from backdate.testing.outcomes import Frame


def cause(kind: str, message: str) -> Cause:
    said = read_message(kind, message)
    return Cause(
        kind=said.kind, type=kind, message=message, name=said.name, owner=said.owner, owner_is=said.owner_is
    )


@pytest.mark.parametrize(
    ("kind", "message", "modules", "names"),
    [
        ("AttributeError", "module 'numpy' has no attribute 'float'", ("numpy",), ("numpy.float",)),
        ("AttributeError", "`np.NINF` was removed in the NumPy 2.0 release.", ("numpy",), ("numpy.NINF",)),
        (
            "ImportError",
            "cannot import name 'trapz' from 'scipy.integrate'",
            ("scipy",),
            ("scipy.integrate.trapz",),
        ),
        ("ModuleNotFoundError", "No module named 'a.b'", ("a",), ("a.b",)),
        (
            "AttributeError",
            "'DataFrame' object has no attribute 'append'",
            ("pandas",),
            ("pandas.DataFrame.append", "pandas.DataFrame.DataFrame.append"),
        ),
        ("AttributeError", "'array.array' object has no attribute 'tostring'", (), ("array.array.tostring",)),
        ("TypeError", "load() missing 1 required positional argument: 'Loader'", ("yaml",), ("yaml.load",)),
        (
            "TypeError",
            "Word2Vec.__init__() got an unexpected keyword argument 'size'",
            ("g",),
            ("g.Word2Vec",),
        ),
        ("AssertionError", "0 != 8", ("numpy",), ()),
        ("ValueError", "", ("numpy",), ()),
    ],
)
def test_the_name_that_an_error_is_about(
    kind: str, message: str, modules: tuple[str, ...], names: tuple[str, ...]
) -> None:
    assert names_of(cause(kind, message), modules) == names


@pytest.mark.parametrize(
    ("function", "distribution", "terms"),
    [
        ("Message.__getitem__", "importlib_metadata", ("__getitem__",)),
        ("__getitem__", "importlib-metadata", ("__getitem__",)),
        ("__init__", "importlib_metadata", ()),
        ("get_all", "importlib_metadata", ()),
        ("__getitem__", "other", ()),
        ("__getitem__", None, ()),
    ],
)
def test_the_method_of_a_culprit_behind_an_operator_is_asked_for(
    function: str, distribution: str | None, terms: tuple[str, ...]
) -> None:
    frame = Frame(file="a.py", line=1, function=function)
    placed = PlacedFrame(frame=frame, kind=FrameKind.SITE_PACKAGES, distribution=distribution)
    assert operator_terms([placed], {"importlib-metadata"}) == terms
    assert operator_terms([], {"importlib-metadata"}) == ()


def test_the_words_of_an_error() -> None:
    assert search_terms_of(cause("TypeError", "load() missing 1 required positional argument: 'Loader'")) == (
        "Loader",
        "load",
    )
    assert search_terms_of(cause("AttributeError", "module 'numpy' has no attribute 'float'")) == ("float",)
    assert search_terms_of(None) == ()
    # a value is of another type: what its methods are called says nothing of the library that gave it
    text = cause("AttributeError", "'str' object has no attribute 'decode'")
    assert (search_terms_of(text), names_of(text, ["jwt"])) == ((), ())
    # a library may have begun to raise groups of what it raised
    held = replace(cause("ValueError", "no"), group="builtins.ExceptionGroup")
    assert search_terms_of(held) == ("ExceptionGroup",)


def test_of_what_a_module_of_the_project_itself_lacks_no_library_speaks() -> None:
    """A package of which a module failed to be imported lacks the modules that come after it."""
    uses = ProjectUses(files=("acoustics/__init__.py", "acoustics/signal.py"))
    own = cause("AttributeError", "module 'acoustics' has no attribute 'signal'")
    assert of_a_library(own, uses) is None
    other = cause("AttributeError", "module 'scipy' has no attribute 'signal'")
    assert of_a_library(other, uses) is other
    assert of_a_library(None, uses) is None


def test_a_name_of_pythons_own_is_nowhere_to_look(monkeypatch: pytest.MonkeyPatch) -> None:
    class Answer:
        members = (Member(name="lib.testing.path", present=True),)

    def ask(*_: object, **__: object) -> list[ApiDifference]:
        moved = ("lib.testing.__path__",)
        return [
            ApiDifference(
                name="lib.testing.path", change=NameChange.MOVED, old=None, new=None, moved_to=moved
            )
        ]

    monkeypatch.setattr(api_changes, "probe", lambda *_, **__: Answer())
    monkeypatch.setattr(api_changes, "ask_both", ask)
    (changed,) = changed_names(None, None, None, ["lib.testing.path"])  # type: ignore[arg-type]
    assert (changed.change, changed.moved_to) == (NameChange.GONE, ())
