"""How the documentation's site is made: ``sphinx-build -W docs FOLDER``, as ``tests/docs`` does."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

from backdate.version import __version__

project = "backdate"
author = "the backdate developers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "command_reference",
    "library_reference",
    "field_reference",
]
exclude_patterns = ["_extensions"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_preserve_defaults = True

html_theme = "furo"
html_title = f"backdate {version}"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_show_copyright = False
html_show_sphinx = False
