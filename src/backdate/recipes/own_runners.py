"""A project's own ways to run its tests: programs that set up first, and functions that setup.py names.

Apps of Django have them as a rule: settings and a test database have to be there before any test is imported.
They are told by what they call, and never run here.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping

from backdate.editing.python_source import parsed_or_none
from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, SuitePlan

_NAME = re.compile(
    r"(?:(?:run|do|quick)[_-]?(?:all[_-]?)?tests?|tests?[_-]?runner|all[_-]?tests|testall|test[_-]?suite"
    r"|tests?|load_tests|__main__|manage_?tests?)\.py\Z"
)
_CALLS = re.compile(
    r"unittest2?\.main\(|TextTestRunner|run_tests\(|pytest\.main\(|cmdline\.main\(|get_runner\(|"
    r"call_command\(\s{0,40}['\"]test['\"]"
)
_COMMAND_LINE = re.compile(r"execute_from_command_line\(|execute_manager\(|ManagementUtility\(")
_TEST = re.compile(r"['\"]test['\"]")
_FOLDERS = (".", "tests", "test", "testing")
_NEVER = ("manage.py", "setup.py", "conftest.py", "noxfile.py", "fabfile.py", "tasks.py")
_MOST_PROGRAMS = 40
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def runs_tests(text: str) -> bool:
    """Whether a program calls a runner of tests, as far as its text tells."""
    return bool(_CALLS.search(text) or (_COMMAND_LINE.search(text) and _TEST.search(text)))


def runs_django_tests(text: str) -> bool:
    """Whether a program sets Django up and runs tests."""
    return "django" in text and runs_tests(text)


def starts_itself(text: str) -> bool:
    """Whether a file does something when it is run, and not only defines functions for others to call."""
    if "__main__" in text:
        return True
    tree = parsed_or_none(text)
    if tree is None:
        return False
    own = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and runs_tests(ast.get_source_segment(text, node) or "")
    }
    for node in tree.body:
        if isinstance(node, _DEFINITIONS):
            continue
        calls = {
            call.func.id
            for call in ast.walk(node)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        }
        if calls & own or runs_tests(ast.get_source_segment(text, node) or ""):
            return True
    return False


def own_programs(files: Files) -> Iterator[str]:
    """The project's programs that run its tests by themselves, those of the root first."""
    for folder in _FOLDERS:
        for name in files.names(folder)[:_MOST_PROGRAMS]:
            known = bool(_NAME.match(name)) or (folder == "." and name.endswith(".py"))
            if not known or name in _NEVER:
                continue
            path = posixpath.normpath(posixpath.join(folder, name))
            text = files.text(path) or ""
            if runs_tests(text) and starts_itself(text):
                yield path


def program_plan(path: str, provenance: Provenance, arguments: tuple[str, ...] = ()) -> SuitePlan:
    """``python PATH``, with the project's root on the path as well."""
    variables = () if "/" not in path else (("PYTHONPATH", "."),)
    return SuitePlan(
        runner="program", targets=(path,), arguments=arguments, environment=variables, provenance=provenance
    )


def own_django_plan(files: Files) -> SuitePlan | None:
    """How a Django app of which no manage.py lies in the root runs its tests; None where nothing tells it.

    Its own program, else the function that ``test_suite`` names, else ``manage.py test`` of an example.
    """
    for path in own_programs(files):
        if runs_django_tests(files.text(path) or ""):
            return program_plan(path, Provenance(rule="the project's own program runs its tests", file=path))
    setup = files.text("setup.py") or ""
    if runs_django_tests(setup) and "Command" in setup and _TEST.search(setup):
        rule = "setup.py has a command that runs the tests"
        return program_plan("setup.py", Provenance(rule=rule, file="setup.py"), ("test",))
    return suite_function_plan(files) or example_project_plan(files)


def suite_function_plan(files: Files) -> SuitePlan | None:
    """The function that setuptools' ``test_suite`` names, called by unittest; None where there is none."""
    named = files.declared().test_suite or ""
    module, _, function = named.replace(":", ".").rpartition(".")
    if not module or not all(part.isidentifier() for part in named.replace(":", ".").split(".")):
        return None
    path = module.replace(".", "/")
    for file in (f"{path}.py", f"{path}/__init__.py"):
        if re.search(rf"(?m)^def {function}\(", files.text(file) or "" if files.has(file) else ""):
            return SuitePlan(
                runner="unittest",
                targets=(f"{module}.{function}",),
                provenance=Provenance(rule="test_suite of the project's metadata", file=file),
            )
    return None


def example_project_plan(files: Files) -> SuitePlan | None:
    """``manage.py test`` of the nearest folder that has a manage.py of Django; None without one."""
    folder = _folder_of_manage(files)
    if folder is None:
        return None
    root = posixpath.relpath(".", folder)
    labels, paths = _labels(files, folder)
    path = ":".join(dict.fromkeys(posixpath.relpath(place, folder) for place in (*paths, ".")))
    return SuitePlan(
        runner="django",
        targets=tuple(labels) if labels else (),
        cwd=folder,
        environment=(("PYTHONPATH", path or root),),
        provenance=Provenance(rule="manage.py of an example project", file=f"{folder}/manage.py"),
    )


def _folder_of_manage(files: Files) -> str | None:
    level = [name for name in files.folders(".") if _own_folder(name)][:60]
    for _ in range(2):
        for folder in level:
            if "manage.py" in files.names(folder) and "django" in (files.text(f"{folder}/manage.py") or ""):
                return folder
        level = [
            f"{folder}/{name}" for folder in level for name in files.folders(folder)[:30] if _own_folder(name)
        ][:200]
    return None


def _own_folder(name: str) -> bool:
    return not name.startswith((".", "_", "{")) and name not in ("docs", "node_modules", "build", "dist")


def _labels(files: Files, folder: str) -> tuple[list[str], list[str]]:
    """What Django is to look into, as seen from ``folder``: apps with tests beside it, and where they lie.

    None where all tests lie below ``folder`` itself, which Django looks into anyway.
    """
    labels: list[str] = []
    paths: list[str] = []
    for base in (".", "src"):
        for name in files.folders(base):
            place = posixpath.normpath(posixpath.join(base, name))
            if (
                place.split("/")[0] == folder.split("/", maxsplit=1)[0]
                or not _own_folder(name)
                or name == "src"
            ):
                continue
            package = "__init__.py" in files.names(place)
            if not _has_tests(files, place):
                continue
            labels.append(name if package else posixpath.relpath(place, folder))
            if package and base not in paths:
                paths.append(base)
    if labels and _has_tests(files, folder):
        labels.append(".")
    return labels, paths


def _has_tests(files: Files, folder: str) -> bool:
    level = [folder]
    for _ in range(4):
        if any(name.startswith("test") and name.endswith(".py") for at in level for name in files.names(at)):
            return True
        level = [f"{at}/{name}" for at in level for name in files.folders(at) if _own_folder(name)][:100]
    return False


def module_file(files: Files, cwd: str, module: str) -> str | None:
    """The file below ``cwd`` that ``python -m module`` runs, as seen from there; None outside the project."""
    path = module.replace(".", "/")
    for file in (f"{path}.py", f"{path}/__main__.py"):
        if files.has(posixpath.normpath(posixpath.join(cwd, file))):
            return file
    return None


def with_path(variables: tuple[tuple[str, str], ...], folder: str = ".") -> tuple[tuple[str, str], ...]:
    """``variables`` with ``folder`` on the path of Python."""
    values: Mapping[str, str] = dict(variables)
    known = [part for part in values.get("PYTHONPATH", "").split(":") if part]
    return tuple({**values, "PYTHONPATH": ":".join(dict.fromkeys((folder, *known)))}.items())
