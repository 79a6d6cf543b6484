"""The command that runs a suite with its events captured, and what the sandbox shows it."""

from __future__ import annotations

import posixpath
import shlex
from dataclasses import dataclass
from pathlib import Path

from backdate.environments.environment import LEFT_BEHIND, Environment
from backdate.recipes.recipe import NOSE_SETUPS, STAND_IN_SETTINGS, SuitePlan
from backdate.sandboxes.identity import USER
from backdate.sandboxes.interface import Command, Limits, Mount, Workspace
from backdate.sandboxes.quiet import QUIET_VARIABLES
from backdate.serial import to_json, write_whole
from backdate.testing.managed_runs import declared_commands
from backdate.testing.shims import write_stand_ins
from backdate.text import version_numbers

CAPTURE = "/backdate/capture"
"""Where the capturing files are seen."""
BOOT = f"{CAPTURE}/backdate_capture_boot.py"
EVENTS = "/backdate/events.jsonl"
STAND_INS = "/backdate/bin"
"""Where the programs are seen that a test script finds in the place of python and pytest."""
SELECTION = "/backdate/selection.json"
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"

_KEPT_OUT = (
    "conftest.py",
    "pytest.ini",
    ".pytest.ini",
    "tox.ini",
    "sitecustomize.py",
    "usercustomize.py",
    "*.pth",
)
"""What a set-up script leaves behind under these names would decide how tests run: the tree's own count."""
_SCRIPT = (
    f"left=${{0%/bin/python}}/{LEFT_BEHIND}; own=$PATH; PATH={_SYSTEM_PATH}; "
    "tar=$(command -v tar); bash=$(command -v bash); PATH=$own; "
    'if [ -s "$left" ]; then "$tar" -xf "$left" --no-same-owner --skip-old-files '
    + " ".join(f"--exclude={shlex.quote(name)}" for name in _KEPT_OUT)
    + ' || exit 125; fi; exec "$bash" "$@"'
)
"""Runs a test script in the tree, beside what the set-up script left behind and the tree itself does not
have; ``$0`` is the environment's interpreter. Programs of the environment take the place neither of tar nor
of bash."""

_FILES = Path(__file__).parent / "capture"
NOSE_PLUGIN = "backdate_capture_nose"
"""What pytest loads for a plan with ``NOSE_SETUPS``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which tests one attempt runs. All by exact id; nothing is matched by pattern."""

    only: tuple[str, ...] | None
    """None for all of them."""
    exclude: tuple[str, ...]
    modules: tuple[str, ...]
    """Files (pytest) or dotted modules (unittest, Django) that are not even imported."""


def arguments(
    plan: SuitePlan, python: str, *, python_warnings: bool, booted: bool = False
) -> tuple[str, ...]:
    """The command line of a plan. ``booted``: the module is started by ``backdate_capture_boot``.

    pytest goes on after a file that cannot be collected and after any number of failures, whatever
    the project's configuration says: the outcome of *every* test is wanted.
    """
    start = (python, "-S", BOOT) if booted else (python, "-m")
    if plan.runner == "pytest":
        warnings = ("-W", "default") if python_warnings else ()
        whole = ("--continue-on-collection-errors", "--maxfail=0", "--color=no")
        nose = ("-p", NOSE_PLUGIN) if NOSE_SETUPS in dict(plan.environment) else ()
        plugins = ("-p", "backdate_capture_pytest", *nose)
        return (*start, "pytest", *plugins, *plan.arguments, *warnings, *whole, *plan.targets)
    if plan.runner == "unittest":
        return (*start, "backdate_capture_unittest", *plan.arguments, *plan.targets)
    if plan.runner == "program":
        return (*start, "backdate_capture_program", *plan.targets, *plan.arguments)
    if plan.runner == "script":
        return ("/bin/sh", "-c", _SCRIPT, python, *plan.targets, *plan.arguments)
    django = (*start, "backdate_capture_django", "test", "--noinput")
    return (*django, *plan.arguments, *plan.targets)


def carried_modules(plan: SuitePlan) -> dict[str, str]:
    """Name to text of the modules that a plan needs where the capture is not; each stands by itself."""
    known = dict(plan.environment)
    wanted = [NOSE_PLUGIN] if plan.runner == "pytest" and NOSE_SETUPS in known else []
    wanted += [STAND_IN_SETTINGS] if known.get("DJANGO_SETTINGS_MODULE") == STAND_IN_SETTINGS else []
    return {name: (_FILES / f"{name}.py").read_text() for name in wanted}


def runs_copies(plan: SuitePlan) -> bool:
    """Whether pytest may run installed copies of the files of tests: their own paths do not have to match."""
    return bool(dict(plan.environment).get("PY_IGNORE_IMPORTMISMATCH"))


def can_boot(environment: Environment) -> bool:
    """Whether its interpreter can read the secret before it runs anything of the environment (Python 3.3)."""
    return version_numbers(environment.choice.interpreter.version) >= (3, 3)


def variables(plan: SuitePlan, environment: Environment, at: str, *, python_warnings: bool) -> dict[str, str]:
    """The whole environment of the process.

    Time zone, locale and hash seed are fixed; a plan may set others, for a project that asks for them. Git,
    Mercurial and Breezy refuse to commit for somebody without an address; they take it from ``EMAIL`` where
    no configuration names one, and the user of the sandbox has a name.
    """
    wanted = dict(plan.environment)
    fixed = {
        **QUIET_VARIABLES,
        "TZ": "UTC",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "EMAIL": f"{USER}@localhost",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        **({"PYTHONWARNINGS": "default"} if python_warnings else {}),
    }
    paths = [CAPTURE, *filter(None, [wanted.get("PYTHONPATH")])]
    shims = [STAND_INS] if plan.runner == "script" else []
    programs = [*shims, str(environment.root / "bin"), wanted.get("PATH") or _SYSTEM_PATH]
    return {
        **fixed,
        **wanted,
        "PYTHONPATH": ":".join(paths),
        "PATH": ":".join(programs),
        "VIRTUAL_ENV": str(environment.root),
        "BACKDATE_CAPTURE_EVENTS": EVENTS,
        "BACKDATE_CAPTURE_SELECTION": SELECTION,
        "BACKDATE_CAPTURE_ROOT": at,
    }


def command(
    plan: SuitePlan,
    environment: Environment,
    at: str,
    limits: Limits,
    *,
    python_warnings: bool,
    secret: bytes | None = None,
    witness: bool = False,
) -> Command:
    """The command that runs ``plan``; it can read ``secret`` once. ``witness``: it looks at tests' bodies."""
    booted = secret is not None and can_boot(environment)
    python = str(environment.python)
    return Command(
        argv=arguments(plan, python, python_warnings=python_warnings, booted=booted),
        secret=secret,
        cwd=posixpath.normpath(posixpath.join(at, plan.cwd)),
        env={
            **variables(plan, environment, at, python_warnings=python_warnings),
            **({"BACKDATE_CAPTURE_WITNESS": "1"} if witness else {}),
        },
        limits=limits,
    )


def prepare(
    environment: Environment,
    tree: Path,
    at: str,
    selection: Selection,
    events: Path,
    chosen: Path,
    *,
    shims: bool = False,
    booted: bool = False,
) -> Workspace:
    """Write ``chosen`` (the selection) and an empty ``events``, and say how a run sees everything.

    With ``shims`` for python and pytest, in a folder beside ``chosen``, for a script that runs them;
    ``booted``: as for ``arguments``.

    The environment and its interpreter are seen read-only at their own paths, which their scripts
    and libraries name.
    """
    events.unlink(missing_ok=True)
    events.touch(mode=0o600)
    write_whole(chosen, to_json(selection))
    chosen.chmod(0o644)
    standing: list[Mount] = []
    if shims:
        folder = chosen.parent / "stand-ins"
        write_stand_ins(
            folder,
            environment.root,
            seen_at=Path(STAND_INS),
            boot=BOOT if booted else None,
            commands=declared_commands(tree),
        )
        standing.append(Mount(source=folder, target=STAND_INS))
    return Workspace(
        tree=tree,
        at=at,
        mounts=(
            *environment.mounts,
            Mount(source=_FILES, target=CAPTURE),
            Mount(source=chosen, target=SELECTION),
            Mount(source=events, target=EVENTS, writable=True),
            *standing,
        ),
        base=environment.base,
    )
