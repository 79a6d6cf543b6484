"""Resolving and installing in one step, where nothing has to be built to do so.

What is asked for by name alone (``named_requirements.py``) resolves without any foreign code where each
distribution that the resolver looks at has a wheel. Then one step does it all: its lock is the index's word,
and need not be compared with it again. ``uv pip compile --no-build`` would not do, as it takes an older
release where the newest has no wheel. So uv may build in that step, but has no place for it: the folder of
its cache in which it makes environments for builds is covered, and it fails (nothing of an sdist runs
before). That this is so of the uv at hand is tried each time by a distribution of ours: a release with a
wheel resolves, and the newer one that is an sdist ends the resolution.
"""

from __future__ import annotations

import io
import platform
import shlex
import tarfile
import tempfile
import uuid
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from backdate.environments import uv
from backdate.environments.built_metadata import BuiltSdist
from backdate.environments.incidents import BuildIncident
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.lock import PROJECT, index_line, is_of_index, read_pylock, split_by_origin
from backdate.environments.lock_wheels import LockedSdist, sdists_to_build
from backdate.environments.named_requirements import NamedRequirements
from backdate.environments.progress import OneStepEnd
from backdate.environments.restated_metadata import restated_metadata
from backdate.environments.stated_metadata import StatedMetadata, metadata_settings
from backdate.environments.step_files import handed_over, input_file, shown
from backdate.environments.step_run import StepRun
from backdate.environments.steps import Resolution, Steps
from backdate.errors import ConfigurationError, StoredDataError
from backdate.sandboxes.interface import UNSAFE_LOCAL, Mount
from backdate.serial import to_json

_BUILDS = "builds-v0"
"""The folder of uv's cache in which it makes environments for builds."""
_CANARY = "backdate-canary"
_STEM = "backdate_canary"
_CANARY_AT = "/run/backdate/canary"
_BUILDS_ANYWAY = 97
_HAS_TO_BUILD = 96
_LOCK, _NEEDED, _INSTALLED = "pylock.toml", "pylock.needed.toml", "pylock.installed.toml"
_NAMES_SDIST = r"s/.*[Ff]ailed to .*build `\([A-Za-z0-9._-]\{1,200\}==[A-Za-z0-9.!+_-]\{1,200\}\)`.*/\1/p"
"""What uv says of an sdist that it cannot build; nothing foreign wrote into that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneStep:
    """What came of resolving and installing in one step."""

    resolution: Resolution | None = None
    """None where it was not resolved."""
    installed: bool = False
    end: OneStepEnd | None = None
    """Why not all of what was wanted was done."""
    needed: LockedSdist | None = None
    """What has to be built before it resolves."""
    incidents: tuple[BuildIncident, ...] = ()
    """See ``Environment``."""


def install_wheels_alone(
    steps: Steps,
    request: EnvironmentRequest,
    asked: NamedRequirements,
    root: Path | None,
    log: Path,
    built: Sequence[BuiltSdist] = (),
    *,
    try_uv: bool = True,
) -> OneStep:
    """Resolve what is ``asked``, all that the request asks for, and make the movable environment at ``root``,
    in ``Cache.environments``, from wheels; without a root it is resolved alone.

    They are of the index, but for ``built``. ``try_uv``: False where it was tried a moment ago that uv fails
    where it would have to build. Where that cannot be, the other way says why. Its files may be
    lent (``lent_files.py``).
    """
    if steps.sandbox.name == UNSAFE_LOCAL or "\\" in steps.index_url:
        return OneStep(end=OneStepEnd.NOT_COVERED)
    work = steps.cache.clean / f"step-{uuid.uuid4().hex}"
    python = request.choice.interpreter.executable
    try:
        known = [one.metadata for one in built]
        with (
            resolving_by_name(steps, request, asked, known, work) as (compiling, mounts),
            _canaries() as canaries,
        ):
            steps.cache.make_clean(work)
            script = [_or_lock_of_needed(steps, request, compiling, work)]
            beside = _canary_lines(python) if try_uv else []
            if root is not None:
                beside.append(shlex.join(uv.create_arguments(python=python, root=root, movable=True)))
                script.append(_ready_to_install(work, steps.index_url, built))
                script.append(_installing(steps, request, root, work))
            mounts += [
                *(shown(one.wheel.path) for one in built),
                Mount(source=canaries, target=_CANARY_AT),
            ]
            step = steps.run(
                *(request, script, mounts, log),
                with_tree=False,
                root=root,
                lend=root is not None,
                beside=beside,
            )
        installed, with_project = root is not None, asked.project is not None
        return _outcome(request, step, work, built, installed=installed, with_project=with_project)
    except (OSError, ConfigurationError, StoredDataError):
        return OneStep(end=OneStepEnd.FAILED)
    finally:
        steps.cache.discard(work)


@contextmanager
def resolving_by_name(
    steps: Steps,
    request: EnvironmentRequest,
    asked: NamedRequirements,
    known: Sequence[StatedMetadata],
    work: Path,
) -> Iterator[tuple[str, list[Mount]]]:
    """A shell line that locks what is ``asked`` in ``work``, and what it has to be shown: uv has no place to
    build in then.

    ``known``: metadata of sdists that need no build for that.
    """
    builds = steps.uv_cache(request) / _BUILDS
    steps.cache.make_clean(builds)
    told = [*known, *([] if asked.project is None else [asked.project])]
    restated = restated_metadata((one.name, one.version) for one in told)
    with (
        input_file("asked.txt", "\n".join(asked.asked).replace(PROJECT, request.at) + "\n") as wanted,
        input_file("limits.txt", "\n".join(asked.limits) + "\n") as limits,
        input_file("uv.toml", f"{metadata_settings(told)}\n{restated}") as settings,
        input_file("README", "In the place of the project's tree.\n") as instead,
        tempfile.TemporaryDirectory(prefix="backdate-covered-") as covered,
    ):
        Path(covered).chmod(0o755)
        mounts = [shown(file.parent) for file in (wanted, limits, settings)]
        mounts.append(Mount(source=Path(covered), target=str(builds)))
        if asked.project is not None:
            mounts.append(Mount(source=instead.parent, target=request.at))
        yield _compiling(steps, request, wanted, limits, settings, work), mounts


def _outcome(
    request: EnvironmentRequest,
    step: StepRun,
    work: Path,
    built: Sequence[BuiltSdist],
    *,
    installed: bool,
    with_project: bool,
) -> OneStep:
    if step.run.exit_code == _BUILDS_ANYWAY:
        return OneStep(end=OneStepEnd.UV_BUILDS)
    version = request.choice.interpreter.version
    if step.run.exit_code == _HAS_TO_BUILD:
        alone = handed_over(work / _NEEDED)
        sdists = sdists_to_build(alone, python=version, machine=platform.machine())
        needed = sdists[0] if len(sdists) == 1 and is_of_index(alone) else None
        return OneStep(end=OneStepEnd.NEEDS_BUILD, needed=needed)
    pylock = handed_over(work / _LOCK)
    if with_project:
        pylock = pylock.replace(request.at, PROJECT)
    lock = read_pylock(
        pylock, instant=request.instant, python=version, cutoff_overrides=request.cutoff_overrides
    )
    if not is_of_index(split_by_origin(pylock)[0] if with_project else pylock):
        return OneStep(end=OneStepEnd.FAILED)
    resolution = Resolution(lock=lock, pylock=pylock, checked=True)
    if step.ok:
        return OneStep(resolution=resolution, installed=installed)
    has_to_build = sdists_to_build(pylock, python=version, machine=platform.machine())
    others = {one.sha256 for one in has_to_build} - {one.sdist.sha256 for one in built}
    end = OneStepEnd.NEEDS_BUILD if others else OneStepEnd.FAILED
    return OneStep(resolution=resolution if others else None, end=end)


def _compiling(
    steps: Steps, request: EnvironmentRequest, asked: Path, limits: Path, settings: Path, work: Path
) -> str:
    return shlex.join(
        uv.resolve_arguments(
            python=request.choice.interpreter.executable,
            instant=request.instant,
            cutoff_overrides=request.cutoff_overrides,
            index_url=steps.index_url,
            inputs=[str(asked)],
            constraints=[str(limits)],
            output=work / _LOCK,
            settings=settings,
            resolution=request.resolution,
        )
    )


def _or_lock_of_needed(steps: Steps, request: EnvironmentRequest, compiling: str, work: Path) -> str:
    """A shell line that resolves; where uv names an sdist that it would have to build, a lock of that alone.

    Said to need nothing, it is locked without a build.
    """
    said, pin, settings = (shlex.quote(str(work / name)) for name in ("said.txt", "pin.txt", "pin.toml"))
    locking = uv.resolve_arguments(
        python=request.choice.interpreter.executable,
        instant=request.instant,
        cutoff_overrides=request.cutoff_overrides,
        index_url=steps.index_url,
        inputs=[str(work / "pin.txt")],
        constraints=(),
        output=work / _NEEDED,
        known_metadata=work / "pin.toml",
    )
    table = shlex.quote('[[dependency-metadata]]\nname = "%s"\nrequires-dist = []\n')
    return (
        f"{{ {compiling} 2>{said} || {{ cat {said} >&2; "
        f"sed -n {shlex.quote(_NAMES_SDIST)} {said} | head -n 1 >{pin}; test -s {pin} && "
        f'printf {table} "$(sed "s/==.*//" {pin})" >{settings} && {shlex.join(locking)} && '
        f"exit {_HAS_TO_BUILD}; exit 1; }}; }}"
    )


def _ready_to_install(work: Path, index_url: str, built: Sequence[BuiltSdist]) -> str:
    """A shell line: a copy of the lock as ``lock.with_index`` writes it, with wheels for what was built."""
    changes = [f"/^version = /a {index_line(index_url).rstrip()}"]
    for one in built:
        path, sha256 = to_json(str(one.wheel.path)).decode(), one.wheel.sha256
        wheel = f'wheels = [{{ path = {path}, hashes = {{ sha256 = "{sha256}" }} }}]'
        escaped = "".join(f"\\{part}" if part in "\\&|" else part for part in wheel)
        changes.append(f's|^sdist = .*"{one.sdist.sha256}".*|{escaped}|')
    expressions = [part for change in changes for part in ("-e", change)]
    return f"{shlex.join(('sed', *expressions, str(work / _LOCK)))} >{shlex.quote(str(work / _INSTALLED))}"


def _installing(steps: Steps, request: EnvironmentRequest, root: Path, work: Path) -> str:
    arguments = uv.install_arguments(
        root=root,
        instant=request.instant,
        cutoff_overrides=request.cutoff_overrides,
        index_url=steps.index_url,
        build=False,
    )
    return shlex.join((*arguments, str(work / _INSTALLED)))


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
    """A folder with a wheel, and a newer sdist that builds without anything."""
    with tempfile.TemporaryDirectory(prefix="backdate-canary-") as name:
        folder = Path(name)
        folder.chmod(0o755)
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
