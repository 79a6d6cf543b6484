"""Members of classes in the place of names that were imported."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import ReplaceName
from backdate.rewriting.rewrite_source import rewrite_source

ROC = ("sklearn.metrics.plot_roc_curve", "sklearn.metrics.RocCurveDisplay.from_estimator")
UTC = ("django.utils.timezone.utc", "datetime.timezone.utc")


@pytest.mark.parametrize(
    ("names", "before", "after"),
    [
        (
            ROC,
            "from sklearn.metrics import plot_roc_curve\nplot_roc_curve(a, b)\n",
            "from sklearn.metrics import RocCurveDisplay\nRocCurveDisplay.from_estimator(a, b)\n",
        ),
        (
            ROC,
            "from sklearn.metrics import plot_roc_curve, auc\nplot_roc_curve(a, b)\nauc(x, y)\n",
            (
                "from sklearn.metrics import auc, RocCurveDisplay\n"
                "RocCurveDisplay.from_estimator(a, b)\nauc(x, y)\n"
            ),
        ),
        (
            ROC,
            "import sklearn.metrics as m\nm.plot_roc_curve(a, b)\n",
            "import sklearn.metrics as m\nm.RocCurveDisplay.from_estimator(a, b)\n",
        ),
        (
            UTC,
            "from django.utils.timezone import utc\nx = f(tzinfo=utc)\n",
            "import datetime\nx = f(tzinfo=datetime.timezone.utc)\n",
        ),
        (
            UTC,
            "from datetime import datetime\nfrom django.utils.timezone import now, utc\nx = f(tzinfo=utc)\n",
            (
                "from datetime import datetime, timezone\n"
                "from django.utils.timezone import now\nx = f(tzinfo=timezone.utc)\n"
            ),
        ),
        (
            UTC,
            "from django.utils import timezone\nx = f(tzinfo=timezone.utc)\n",
            "import datetime\nx = f(tzinfo=datetime.timezone.utc)\n",
        ),
        (  # a module with a capital
            ("PIL.Image.ANTIALIAS", "PIL.Image.LANCZOS"),
            "from PIL.Image import ANTIALIAS\nx = ANTIALIAS\n",
            "from PIL.Image import LANCZOS as ANTIALIAS\nx = ANTIALIAS\n",
        ),
        (
            ("scipy.misc.toimage", "PIL.Image.fromarray"),
            "from scipy.misc import toimage\ntoimage(1)\n",
            "from PIL.Image import fromarray as toimage\ntoimage(1)\n",
        ),
        (
            ("PIL.ImageFont.LAYOUT_RAQM", "PIL.ImageFont.Layout.RAQM"),
            "from PIL.ImageFont import LAYOUT_RAQM\nx = LAYOUT_RAQM\n",
            "from PIL.ImageFont import Layout\nx = Layout.RAQM\n",
        ),
        (
            ("string.maketrans", "str.maketrans"),
            "from string import maketrans\nx = maketrans('a', 'b')\n",
            "x = str.maketrans('a', 'b')\n",
        ),
    ],
)
@pytest.mark.parametrize("everywhere", [True, False])
def test_no_import_takes_a_name_from_a_class(
    names: tuple[str, str], before: str, after: str, *, everywhere: bool
) -> None:
    old, new = names
    at_import = before[: before.index(old.rpartition(".")[2])].count("\n") + 1
    lines = None if everywhere else frozenset({at_import})
    made = rewrite_source(before, ReplaceName(old=old, new=new), lines=lines)
    assert apply_edits(before, made.edits) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from lib import find, other\n\nx = find(1)\nother()\n",
            "from lib import other, registry\n\nx = registry.find(1)\nother()\n",
        ),
        ("import lib\nx = lib.find(1)\n", "import lib\nx = lib.registry.find(1)\n"),
        (
            "from lib import find as f\nx = map(f, y)\n",
            "from lib import registry\nx = map(registry.find, y)\n",
        ),
        ("import lib as l\nprint(l.find)\n", "import lib as l\nprint(l.registry.find)\n"),
    ],
)
def test_a_method_of_a_module_s_object_is_reached_through_that(before: str, after: str) -> None:
    rewrite = ReplaceName(old="lib.find", new="lib.registry.find", holder="lib.registry")
    assert apply_edits(before, rewrite_source(before, rewrite, lines=None).edits) == after
