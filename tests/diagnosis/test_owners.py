from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.diagnosis.distributions import Distributions
from backdate.diagnosis.owners import BUILTIN, Owners, names_in
from backdate.knowledge.modules import in_standard_library

SOURCE = """
import numpy as np, os.path
import xml.dom
from a.b import c as d, e
from . import own
from .own import other
class X(np.ndarray, d.Base, make()):
    pass
"""


def test_names_of_a_module() -> None:
    names = names_in(SOURCE)
    assert names.imports == {"np": "numpy", "os": "os", "xml": "xml", "d": "a.b.c", "e": "a.b.e"}
    assert names.classes == {"X": ("np.ndarray", "d.Base")}


@pytest.mark.parametrize("source", ["print 'x'", "\0", "(" * 5000, "x = '\\d'", ""])
def test_text_that_does_not_parse(source: str) -> None:
    assert names_in(source).imports == {}


@given(st.text())
def test_any_text(source: str) -> None:
    names_in(source)


def test_files_outside_of_the_tree_are_not_read(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tmp_path / "secret.py").write_text("import numpy as np\n")
    (tree / "link.py").symlink_to(tmp_path / "secret.py")
    (tree / "folder").symlink_to(tmp_path)
    (tree / "loop.py").symlink_to("loop.py")
    (tree / "good.py").write_text("import numpy as np\n")
    owners = Owners(Distributions(), library=None, tree=tree)
    for path in (
        "link.py",
        "folder/secret.py",
        "../secret.py",
        str(tmp_path / "secret.py"),
        "loop.py",
        "a\0b",
        "",
    ):
        assert owners.imports_of(path) == {}
    assert owners.imports_of("good.py") == {"np": "numpy"}


def test_the_standard_library_of_any_version() -> None:
    for name in ("os.path", "imp", "distutils.util", "asyncore", "tomllib", "ConfigParser", "cgi"):
        assert in_standard_library(name)
    assert not in_standard_library("numpy")


def test_without_any_environment(tmp_path: Path) -> None:
    (tmp_path / "src/mine").mkdir(parents=True)
    owners = Owners(Distributions(), library=None, tree=tmp_path)
    modules = ["collections.abc", "yaml.x", "unheard_of", "mine.gone"]
    assert [owners.of_module(name) for name in modules] == [BUILTIN, "PyYAML", "unheard_of", None]
    assert owners.modules_in_line("y = np.float(yaml_) + os.sep", "no.py") == ("numpy.float", "os.sep")


def test_what_a_class_of_the_project_inherits(tmp_path: Path) -> None:
    files = {
        "src/p/base.py": "import lib\n\nclass Base(lib.Schema):\n    pass\n",
        "src/p/mixed.py": "import lib\nfrom other import View\nclass Mixed(lib.Schema, View): ...\n",
        "src/p/plain.py": "class Plain: ...\n",
        "tests/test_p.py": "from p.base import Base\nclass Own(Base): ...\nclass Loop(Loop): ...\n",
        "tests/more.py": "from tests.test_p import Own\nclass Far(Own): ...\n",
        "src/p/core.py": "from lib import Schema\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    owners = Owners(Distributions(), library=None, tree=tmp_path)
    bases = {name: owners.base_of_own(name, "src/p/core.py") for name in ("Base", "Own", "Far")}
    assert bases == {"Base": "lib.Schema", "Own": "lib.Schema", "Far": "lib.Schema"}
    for name in ("Mixed", "Plain", "Loop", "Schema", "dict", "a.B", "Nowhere"):
        assert owners.base_of_own(name, "src/p/core.py") == ""
    assert owners.of_type("Far", "src/p/core.py") == "lib"
