"""Resolving and installing in one step, where nothing has to be built to do so.

What is asked for by name alone resolves without any foreign code where each distribution that the resolver
looks at has a wheel. Then one step does it all: its lock is the index's word, and need not be compared with
it again. ``uv pip compile --no-build`` would not do, as it takes an older release where the newest has no
wheel. So uv may build in that step, but has no place for it: the folder of its cache in which it makes
environments for builds is covered, and it fails (nothing of an sdist runs before). That this is so of the uv
at hand is tried each time by a distribution of ours: a release with a wheel resolves, and the newer one that
is an sdist ends the resolution.
"""

from __future__ import annotations

import io
import shlex
import tarfile
import tempfile
import uuid
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from backdate.environments import uv
from backdate.environments.environment import Lock
from backdate.environments.inputs import EnvironmentRequest, requirement_lines
from backdate.environments.lock import index_line, is_of_index, needs_no_build, read_pylock
from backdate.environments.step_files import handed_over, input_file, shown
from backdate.environments.steps import Resolution, Steps
from backdate.errors import ConfigurationError, StoredDataError
from backdate.sandboxes.interface import Mount
from backdate.sandboxes.unsafe_local import UnsafeLocal

_BUILDS = "builds-v0"
"""The folder of uv's cache in which it makes environments for builds."""
_CANARY = "backdate-canary"
_STEM = "backdate_canary"
_CANARY_AT = "/run/backdate/canary"
_BUILDS_ANYWAY = 97


def asks_by_name_alone(request: EnvironmentRequest) -> bool:
    """Whether the request names distributions of the index and limits of them, and nothing else."""
    lines = [line for step in request.steps for line in step.packages]
    return (
        all(step.kind == "packages" for step in request.steps)
        and not request.build_variations
        and all(_is_by_name(line) for line in (*lines, *request.constraints))
    )


def install_wheels_alone(
    steps: Steps, request: EnvironmentRequest, root: Path, log: Path
) -> Resolution | None:
    """Make the movable environment at ``root``, in ``Cache.environments``, from wheels of the index.

    None where that cannot be, for whatever reason: the other way says why. Its files may be lent
    (``lent_files.py``).
    """
    if steps.sandbox.name == UnsafeLocal.name or "\\" in steps.index_url:
        return None  # nothing can be covered there
    uv_cache = steps.uv_cache(request)
    output = steps.cache.clean / f"pylock.{uuid.uuid4().hex}.toml"
    python = request.choice.interpreter.executable
    try:
        with (
            input_file("asked.txt", "\n".join(requirement_lines(request)) + "\n") as asked,
            input_file("limits.txt", "\n".join(request.constraints) + "\n") as limits,
            _canaries() as canaries,
        ):
            steps.cache.make_clean(uv_cache / _BUILDS)
            compiling = uv.resolve_arguments(
                python=python,
                instant=request.instant,
                cutoff_overrides=request.cutoff_overrides,
                index_url=steps.index_url,
                inputs=[str(asked)],
                constraints=[str(limits)],
                output=output,
            )
            script = [
                *_canary_lines(python),
                shlex.join(uv.create_arguments(python=python, root=root, movable=True)),
                shlex.join(compiling),
                _with_index(output, steps.index_url),
                _installing(steps, request, root),
            ]
            mounts = [
                *(shown(file.parent) for file in (asked, limits)),
                Mount(source=canaries, target=_CANARY_AT),
                Mount(source=canaries / "covered", target=str(uv_cache / _BUILDS)),
            ]
            step = steps.run(request, script, mounts, log, with_tree=False, root=root, lend=True)
        return _resolution(request, handed_over(output)) if step.ok else None
    except (OSError, ConfigurationError, StoredDataError):
        return None
    finally:
        steps.cache.discard(output)


def _resolution(request: EnvironmentRequest, pylock: str) -> Resolution | None:
    lock: Lock = read_pylock(
        pylock,
        instant=request.instant,
        python=request.choice.interpreter.version,
        cutoff_overrides=request.cutoff_overrides,
    )
    if not is_of_index(pylock) or not needs_no_build(pylock):
        return None
    return Resolution(lock=lock, pylock=pylock, checked=True)


def _is_by_name(line: str) -> bool:
    try:
        return Requirement(line).url is None
    except InvalidRequirement:
        return False


def _with_index(lock: Path, index_url: str) -> str:
    """A shell line: a copy of the lock in $TMPDIR, as ``lock.with_index`` writes it."""
    added = f"/^version = /a {index_line(index_url).rstrip()}"
    return f'{shlex.join(("sed", added, str(lock)))} > "$TMPDIR/pylock.toml"'


def _installing(steps: Steps, request: EnvironmentRequest, root: Path) -> str:
    arguments = uv.install_arguments(
        root=root,
        instant=request.instant,
        cutoff_overrides=request.cutoff_overrides,
        index_url=steps.index_url,
        build=False,
    )
    return f'{shlex.join(arguments)} "$TMPDIR/pylock.toml"'


def _canary_lines(python: Path) -> list[str]:
    """Shell lines that fail unless uv resolves what has a wheel, and ends where it would have to build."""
    resolving = shlex.join(
        (
            *(str(uv.find_uv()), "pip", "compile", "--quiet", "--python", str(python)),
            *("--no-python-downloads", "--no-index", "--find-links", _CANARY_AT, "-"),
        )
    )
    with_wheel, without = (f'echo "{_CANARY}{limit}" | {resolving}' for limit in ("==1.0", ">=1.0"))
    return [
        f"{with_wheel} >/dev/null",
        f"if {without} >/dev/null 2>&1; then exit {_BUILDS_ANYWAY}; fi",
    ]


@contextmanager
def _canaries() -> Iterator[Path]:
    """A folder with a wheel, a newer sdist that builds without anything, and an empty folder ``covered``."""
    with tempfile.TemporaryDirectory(prefix="backdate-canary-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "covered").mkdir(mode=0o755)
        described = f"{_STEM}-1.0.dist-info"
        with zipfile.ZipFile(folder / f"{_STEM}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{described}/METADATA", _metadata("1.0"))
            wheel.writestr(
                f"{described}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            )
            wheel.writestr(f"{described}/RECORD", "")
        with tarfile.open(folder / f"{_STEM}-2.0.tar.gz", "w:gz") as sdist:
            for path, text in (("pyproject.toml", _PYPROJECT), ("canary.py", _BACKEND)):
                entry = tarfile.TarInfo(f"{_STEM}-2.0/{path}")
                entry.size = len(text)
                sdist.addfile(entry, io.BytesIO(text.encode()))
        yield folder


def _metadata(version: str) -> str:
    return f"Metadata-Version: 2.1\nName: {_CANARY}\nVersion: {version}\n"


_WHEEL = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_PYPROJECT = '[build-system]\nrequires = []\nbuild-backend = "canary"\nbackend-path = ["."]\n'
_BACKEND = f"""
import os
def prepare_metadata_for_build_wheel(folder, config_settings=None):
    name = "{_STEM}-2.0.dist-info"
    os.mkdir(os.path.join(folder, name))
    with open(os.path.join(folder, name, "METADATA"), "w") as file:
        file.write({_metadata("2.0")!r})
    return name
def build_wheel(folder, config_settings=None, metadata_directory=None):
    raise SystemExit("this is never built")
"""
