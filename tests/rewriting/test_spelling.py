"""Which module holds a dotted name, and how a file comes to it."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import ReplaceName, ReplaceUse
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.spelling import module_of


@pytest.mark.parametrize(
    ("dotted", "module"),
    [
        ("numpy.prod", "numpy"),
        ("importlib.util.find_spec", "importlib.util"),
        ("os.environ.get", "os"),
        ("sqlalchemy.engine.url.URL.create", "sqlalchemy.engine.url"),
        ("matplotlib.colormaps.register", "matplotlib"),
        ("matplotlib.colormaps", "matplotlib"),
        ("flask.request.get_json", "flask"),
    ],
)
def test_objects_and_classes_are_no_modules(dotted: str, module: str) -> None:
    assert module_of(dotted) == module


REGISTER = ReplaceUse(
    target="matplotlib.cm.register_cmap", template="matplotlib.colormaps.register({cmap}, name={0})"
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "import matplotlib.cm as cm\ncm.register_cmap(name, cmap=x)\n",
            "import matplotlib\nmatplotlib.colormaps.register(x, name=name)\n",
        ),
        (
            "from matplotlib.cm import register_cmap\nregister_cmap(name, cmap=x)\n",
            "from matplotlib import colormaps\ncolormaps.register(x, name=name)\n",
        ),
        (
            "import matplotlib as mpl\nmpl.cm.register_cmap(name, cmap=x)\n",
            "import matplotlib as mpl\nmpl.colormaps.register(x, name=name)\n",
        ),
    ],
)
def test_an_object_of_a_package_is_reached_through_the_package(before: str, after: str) -> None:
    assert apply_edits(before, rewrite_source(before, REGISTER, lines=None).edits) == after


def test_beside_imports_that_took_the_usual_names_another_one_tells_the_module() -> None:
    """``timezone.utc`` of Django 5 goes, and its files have a ``timezone`` and a ``datetime`` of others."""
    utc = ReplaceName(old="django.utils.timezone.utc", new="datetime.timezone.utc")
    text = (
        "from datetime import datetime\nfrom django.utils import timezone\n\n"
        "def now():\n    return timezone.now(), datetime(2020, 1, 1, tzinfo=timezone.utc)\n"
    )
    after = text.replace(
        "from datetime import datetime\n", "from datetime import datetime, timezone as datetime_timezone\n"
    ).replace("timezone.utc", "datetime_timezone.utc")
    assert apply_edits(text, rewrite_source(text, utc, lines=None).edits) == after
    taken = text.replace("def now():\n", "def now(datetime_timezone):\n")
    assert not rewrite_source(taken, utc, lines=None).edits
