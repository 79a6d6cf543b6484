"""What the documentation of an object calls its better name."""

from __future__ import annotations

from pathlib import Path

from two_releases import with_library

from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.new_homes import _documented_as, new_homes
from backdate.diagnosis.api import Member
from backdate.diagnosis.homes import Homes
from backdate.sandboxes.interface import Sandbox

SAID = {
    "lib.TABLE.items": "D.items() -> a set-like object providing a view on D's items",
    "lib.product": "Give the product.\n\nSee Also\n--------\nprod : equivalent function; see for details.",
}
HOMES = Homes(aliases={}, documents=SAID, members={})


def test_the_documentation_of_a_function_names_its_successor() -> None:
    member = Member(name="lib.product", present=True, kind="function", module="lib", qualified="product")
    assert "lib.prod" in _documented_as("lib.product", HOMES, member)


def test_the_documentation_of_a_plain_values_method_is_about_no_name_of_the_library() -> None:
    member = Member(name="lib.TABLE.items", present=True, kind="function", qualified="dict.items")
    assert _documented_as("lib.TABLE.items", HOMES, member) == []


BODY = """
        self.loop.stop()
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.closed.set()
"""
OLD = f"import asyncio\nclass Controller:\n    def _stop(self):{BODY}    def other(self):{BODY}"
NEW = f"""import asyncio
class Controller:
    def cancel_tasks(self, stop_loop=True):
        if stop_loop:
            print('stops'){BODY}
    def other(self):{BODY}
    def started(self):
        return self.loop.is_running() and not self.closed.is_set()
"""


def test_a_method_with_another_name_is_known_by_its_code(tmp_path: Path, one_sandbox: Sandbox) -> None:
    pair = EnvironmentPair(
        sandbox=one_sandbox,
        old=with_library(tmp_path / "old", "lib", "1.0", {"lib.py": OLD}),
        new=with_library(tmp_path / "new", "lib", "2.0", {"lib.py": NEW}),
    )
    name = "lib.Controller._stop"
    (home,) = new_homes(name, pair.ask_old([name])[name], pair)
    assert (home.name, home.why) == (
        "lib.Controller.cancel_tasks",
        "the code of lib.Controller.cancel_tasks is like its own",
    )
    assert 0.7 <= home.likeness < 1.0


def test_a_method_of_an_object_that_is_gone_is_no_function_of_its_class(
    tmp_path: Path, one_sandbox: Sandbox
) -> None:
    base = "class Signal:\n    def connect(self, f): pass\n    @classmethod\n    def made(cls): pass\n"
    old = {"lib/__init__.py": "from lib.base import Signal\nconnected = Signal()\n", "lib/base.py": base}
    new = {"lib/__init__.py": "", "lib/base.py": base}
    pair = EnvironmentPair(
        sandbox=one_sandbox,
        old=with_library(tmp_path / "old", "lib", "1.0", old),
        new=with_library(tmp_path / "new", "lib", "2.0", new),
    )
    names = ["lib.connected.connect", "lib.Signal.connect"]
    members = pair.ask_old(names)
    of_object, of_class = ([home.name for home in new_homes(name, members[name], pair)] for name in names)
    assert of_object == []
    assert of_class == ["lib.base.Signal.connect"]


def test_the_methods_of_a_class_are_compared_where_it_is_now(tmp_path: Path, one_sandbox: Sandbox) -> None:
    old = {"lib/__init__.py": "", "lib/control.py": OLD}
    new = {"lib/__init__.py": "from lib.inner import Controller\n", "lib/inner.py": NEW}
    pair = EnvironmentPair(
        sandbox=one_sandbox,
        old=with_library(tmp_path / "old", "lib", "1.0", old),
        new=with_library(tmp_path / "new", "lib", "2.0", new),
    )
    name = "lib.control.Controller._stop"
    homes = [home.name for home in new_homes(name, pair.ask_old([name])[name], pair)]
    assert homes == ["lib.control.Controller.cancel_tasks"]  # its last part is written, of the same object


def test_a_package_that_goes_on_under_nearly_the_same_name_has_its_private_places_too(
    tmp_path: Path, one_sandbox: Sandbox
) -> None:
    helper = {"_compat.py": "def is_tuple(kind): 'Whether it is one.'\n", "__init__.py": ""}
    other = {
        "_compat.py": "def is_tuple(kind): 'Something else altogether, of many words.'\n",
        "__init__.py": "",
    }
    old = {f"tree/{file}": text for file, text in helper.items()}
    new = {f"trees/{file}": text for file, text in helper.items()}
    new |= {f"treesome/{file}": text for file, text in other.items()}
    pair = EnvironmentPair(
        sandbox=one_sandbox,
        old=with_library(tmp_path / "old", "tree", "1.0", old),
        new=with_library(tmp_path / "new", "tree", "2.0", new),
    )
    packages = ("trees", "treesome")
    for name in ("tree._compat.is_tuple", "tree._compat"):
        (home,) = new_homes(name, pair.ask_old([name])[name], pair, packages=packages)
        assert home.name == name.replace("tree.", "trees.")
    assert not list(
        new_homes(
            "tree._compat.is_tuple", pair.ask_old(["tree._compat.is_tuple"])["tree._compat.is_tuple"], pair
        )
    )
