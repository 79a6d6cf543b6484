"""A call behind the imports that sets how a library behaves."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import CallAtStart
from backdate.rewriting.rewrite_source import rewrite_source

SETTING = CallAtStart(function="tensorflow.compat.v1.disable_v2_behavior")


def rewritten(text: str, *lines: int) -> str:
    made = rewrite_source(text, SETTING, lines=frozenset(lines) if lines else None)
    assert bool(made.edits) == bool(made.lines)
    return apply_edits(text, made.edits)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "import tensorflow as tf\nimport os\n\nx = 1\n",
            "import tensorflow as tf\nimport os\ntf.compat.v1.disable_v2_behavior()\n\nx = 1\n",
        ),
        (
            "import os\nimport tensorflow",
            "import os\nimport tensorflow\ntensorflow.compat.v1.disable_v2_behavior()",
        ),
        (
            "import tensorflow.compat.v1 as tf\nx = 1\n",
            "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\nx = 1\n",
        ),
        (
            "from tensorflow import constant\n# more\nimport os\n",
            """from tensorflow import constant
# more
import os
from tensorflow.compat.v1 import disable_v2_behavior
disable_v2_behavior()
""",
        ),
        (
            "import tensorflow as tf; x = tf.constant(1)\n",
            "import tensorflow as tf; tf.compat.v1.disable_v2_behavior(); x = tf.constant(1)\n",
        ),
    ],
)
def test_the_call_stands_behind_the_imports_in_the_spelling_of_the_file(before: str, after: str) -> None:
    assert rewritten(before) == rewritten(before, 1) == after
    assert rewritten(after) == after  # once is enough


def test_a_call_has_its_arguments() -> None:
    printing = CallAtStart(function="numpy.set_printoptions", arguments="legacy='1.25'")
    text = "import numpy as np\nx = np.e\n"
    after = apply_edits(text, rewrite_source(text, printing, lines=None).edits)
    assert after == "import numpy as np\nnp.set_printoptions(legacy='1.25')\nx = np.e\n"
    assert not rewrite_source(after, printing, lines=None).edits


@pytest.mark.parametrize(
    "text",
    [
        "import os\ntensorflow = os\n",
        "try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\n",
        "def f():\n    import tensorflow as tf\n    return tf\n",
        "from . import tensorflow\n",
    ],
)
def test_a_file_that_does_not_import_the_library_for_all_of_itself_is_left_alone(text: str) -> None:
    assert rewritten(text) == text


def test_it_stands_behind_the_import_of_the_functions_own_module() -> None:
    text = "import lib\nlib.use('x')\nimport lib.dates as d\nimport os\n\nx = 1\n"
    setting = CallAtStart(function="lib.dates.set_epoch", arguments="0")
    edits = rewrite_source(text, setting, lines=None).edits
    assert apply_edits(text, edits) == text.replace("import os\n", "import os\nd.set_epoch(0)\n")
