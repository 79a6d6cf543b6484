"""Which tests run, what a machine may lack, and the folders that tests read and write."""

from __future__ import annotations

import functools
import gc
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import hypothesis
import pytest
from docker_engine import IMAGE, NotStarted, import_image, started_engine
from proof_share import leave_out_proofs
from slow_tests import leave_out_slow, put_longest_first
from small_debian import small_debian
from user_folders import default_download_cache, folders_of_programs, redirect

from backdate.environments import interpreters
from backdate.environments.cache import default_cache
from backdate.environments.interpreters import probe_interpreter
from backdate.errors import MachineError, SandboxUnavailable
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.docker import Docker
from backdate.sandboxes.interface import BaseSystem, Sandbox
from backdate.sandboxes.unsafe_local import UnsafeLocal

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "data"
INDEX = os.environ.get("BACKDATE_TEST_INDEX", "https://pypi.org/simple")

# How long an example takes says how busy the machine is, not whether the project is right.
_UNTIMED = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("all", _UNTIMED)
# Half as many examples as hypothesis tries where a test names no number of its own: CI tries the rest.
hypothesis.settings.register_profile("default", _UNTIMED, max_examples=50)

# Nor do the colours and the width that whoever runs the tests likes, which programs that are started inherit.
for _name in ("FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "COLUMNS", "LINES", "PYTEST_ADDOPTS"):
    os.environ.pop(_name, None)


def _no_index() -> str | None:
    try:
        httpx.get(f"{INDEX}/six/", timeout=20, follow_redirects=True).raise_for_status()
    except httpx.HTTPError as error:
        return f"the package index {INDEX} cannot be reached: {error}"
    return None


def _no_shared_data() -> str | None:
    return None if SHARED.is_dir() else "the published data is not at ../shared/data"


def _no_debian() -> str | None:
    if os.geteuid() != 0:
        return "a Debian of its own can be made by root only"
    lacking = [name for name in ("bwrap", "debootstrap", "apt-get") if shutil.which(name) is None]
    return f"not installed: {', '.join(lacking)}" if lacking else None


def _no_docker() -> str | None:
    if shutil.which("dockerd") is None:
        return "no Docker engine is installed (Debian: apt-get install docker.io)"
    return _no_debian()


_PROBES: dict[str, Callable[[], str | None]] = {
    "network": _no_index,
    "shared": _no_shared_data,
    "debian": _no_debian,
    "docker": _no_docker,
}


_LEFT_OUT = pytest.StashKey[int]()
_OTHER_PROOFS = pytest.StashKey[int]()
_ABSENT = pytest.StashKey[tuple[Path, ...]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("backdate")
    group.addoption("--all", action="store_true", help="run slow tests as well, as ./dev test --all does")
    group.addoption("--proofs", action="store_true", help="with --all: prove all rules, not a seventh")
    group.addoption(
        "--rows", metavar="WORDS", default="", help="prove only rows of libraries that hold these words"
    )
    group.addoption(
        "--download-cache",
        metavar="DIR",
        default=default_download_cache(),
        help="where downloads are kept (packages by uv, a small Debian); tests write to no other folder that "
        "is not temporary. [env: BACKDATE_TEST_CACHE; default: backdate-tests in your cache folder]",
    )


@pytest.hookimpl(trylast=True)  # after pytest's own, which chooses the temporary folder
def pytest_configure(config: pytest.Config) -> None:
    hypothesis.settings.load_profile("all" if config.getoption("--all") else "default")
    config.stash[_LEFT_OUT] = 0
    config.stash[_OTHER_PROOFS] = 0
    config.stash[_ABSENT] = tuple(folder for folder in folders_of_programs() if not folder.exists())
    temporary = config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
    redirect(temporary, config.getoption("--download-cache"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Look for no garbage while tests are collected, nor in them later: that takes half the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave slow tests out, and skip what this machine cannot run, with the reason."""
    config.stash[_LEFT_OUT] = leave_out_slow(items, config)
    config.stash[_OTHER_PROOFS] = leave_out_proofs(items, config, ROOT)
    put_longest_first(items)
    for mark, probe in _PROBES.items():
        marked = [item for item in items if item.get_closest_marker(mark)]
        if marked and (reason := probe()) is not None:
            for item in marked:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Of ``--dist loadfile``, which is what ./dev asks for."""
    if config.getoption("dist") != "loadfile":
        return None
    from scheduling import FileScheduling  # xdist may not be there

    return FileScheduling(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Every worker of xdist collects the same tests; the one that prints collects none."""
    output = getattr(node, "workeroutput", {})
    for key, name in ((_LEFT_OUT, "left_out"), (_OTHER_PROOFS, "other_proofs")):
        node.config.stash[key] = max(node.config.stash[key], output.get(name, 0))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail when something was written to the home folder after all."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash[_LEFT_OUT]
        session.config.workeroutput["other_proofs"] = session.config.stash[_OTHER_PROOFS]
    elif any(folder.exists() for folder in session.config.stash[_ABSENT]):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was left out, and what should not have been written."""
    if count := config.stash[_LEFT_OUT]:
        terminalreporter.write_line(f"{count} slow tests were left to ./dev test --all")
    if count := config.stash[_OTHER_PROOFS]:
        terminalreporter.write_line(f"{count} files of rules are proven on other days, or with --proofs")
    for folder in config.stash[_ABSENT]:
        if folder.exists():
            terminalreporter.write_line(
                f"FAILED: the tests made {folder}, which is no temporary folder", red=True
            )


@pytest.fixture(scope="session", autouse=True)
def interpreters_are_asked_once() -> Iterator[None]:
    """What interpreters say of themselves, kept for all caches that tests begin: each would ask all again."""
    ask = functools.cache(lambda executable, _unchanged: probe_interpreter(executable))

    def probe(executable: Path) -> interpreters.InterpreterProbe | None:
        status = executable.stat()
        return ask(executable, (status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interpreters, "probe_interpreter", probe)
        yield


@pytest.fixture(scope="session")
def repository_root() -> Path:
    """The folder of this checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Published data beside the checkout; for tests marked ``shared``."""
    return SHARED


@pytest.fixture(scope="session")
def index_url() -> str:
    """The package index; for tests marked ``network``."""
    return INDEX


@pytest.fixture(scope="session")
def session_cache() -> Path:
    """One cache for all tests that build environments, so that each is built once; the default one, too."""
    folder = default_cache()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def debian() -> BaseSystem:
    """A small Debian that is kept from one run of the tests to the next; for tests marked ``debian``."""
    try:
        return small_debian()
    except MachineError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def docker_sandbox(debian: BaseSystem) -> Iterator[Docker]:
    """The sandbox over an engine of the tests' own, that Debian as image; for tests marked ``docker``."""
    with pytest.MonkeyPatch.context() as patch:
        try:
            with started_engine() as address:
                patch.setenv("DOCKER_HOST", address)
                import_image(Path(debian.place))
                yield Docker(IMAGE)
        except NotStarted as error:
            pytest.skip(str(error))


@pytest.fixture(scope="session")
def one_sandbox() -> Sandbox:
    """The real sandbox where there is one, else the unsafe one."""
    bubblewrap = Bubblewrap()
    try:
        bubblewrap.require()
    except SandboxUnavailable:
        return UnsafeLocal()
    return bubblewrap
