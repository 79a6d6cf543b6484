"""How uv is called: argument lists and environment variables, nothing run here.

uv cuts by date itself (``--exclude-newer``, build dependencies included). It is always handed the
full instant, never a bare date, whose meaning it takes from the local time zone, and never reads
configuration of the user's or the project's that could add an index or move the date.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from backdate.environments.environment import CutoffOverride
from backdate.errors import MachineError
from backdate.escapes import without_escapes
from backdate.sandboxes.quiet import QUIET_VARIABLES
from backdate.timeline.instants import Instant, format_instant

DEFAULT_INDEX = "https://pypi.org/simple"

_MOST_EXPLAINED = 20_000
_NOT_FOUND = re.compile(
    r"([\w.-]{1,100}) was not found in the package registry"
    r"(?: and ([\w.-]{1,100})(?:==\S{1,60})? depends on \1)?"
)
_ALL_DEPEND = re.compile(r"all versions of ([\w.-]{1,100}) depend on ([\w.-]{1,100})")
_LEFT_OUT = re.compile(
    r"\bhint:|\bpre-?release|\binvalid\b|\byanked\b|\bwheels?\b|\bURLs?\b|\bcould not\b", re.IGNORECASE
)
"""What an explanation says of releases that it does not take for reasons of its own."""
_UNSOLVED = "No solution found when resolving dependencies"
_CUT_AWAY = re.compile(
    r"hint: `[\w.-]{1,100}` was filtered by `exclude-newer` to only include packages uploaded before \S+ "
    r"The latest version satisfying the requirement is \S+ published at \S+ "
    r"Consider using `exclude-newer-package` to override the cutoff for this package\."
)
"""That a release is of a later day: no installer is shown it."""
_NOT_THERE_YET = re.compile(
    r"\W*cause: Because (?:only ([\w.-]{1,100})[<>=]=?\S{1,60} is available|there is no version of "
    r"([\w.-]{1,100})[<>=!~]\S{1,200}) and you require (?:\1|\2)[<>=!~]\S{1,200} "
    r"we can conclude that your requirements are unsatisfiable\.\W*"
)
_NO_VERSIONS = re.compile(r"there are no versions of ([\w.-]{1,100})(?=,? (?:and|we)\b)")
_ONLY_OTHERS = re.compile(
    r"only ([\w.-]{1,100})[<>=]=?\S{1,60} is available and "
    r"all versions of ([\w.-]{1,100}) depend on ([\w.-]{1,100})[<>=!~]"
)
_ASKING = threading.Lock()
_REQUIRED = re.compile(r"you require ([\w.-]*\w)")
_CERTIFICATE_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_NETWORK_VARIABLES = (
    *("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"),
    *("all_proxy", "http_proxy", "https_proxy", "no_proxy"),
    *_CERTIFICATE_VARIABLES,
)


@functools.cache
def find_uv() -> Path:
    """The uv that was installed with backdate (its own API finds it)."""
    from uv import find_uv_bin

    try:
        return Path(find_uv_bin()).resolve()
    except FileNotFoundError as error:
        raise MachineError("uv is missing beside backdate; run: python -m pip install uv") from error


def uv_version() -> str:
    """Its version, such as "0.9.2"."""
    with _ASKING:  # threads ask at once, and each would start it
        return _version()


@functools.cache
def _version() -> str:
    answer = subprocess.run([find_uv(), "--version"], capture_output=True, text=True, check=True, timeout=30)
    return answer.stdout.split()[1]


def certificate_variables(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables that say which certificates this machine trusts, and no others."""
    given = os.environ if environment is None else environment
    return {name: given[name] for name in _CERTIFICATE_VARIABLES if name in given}


def network_variables(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables that say how this machine reaches the network (proxies, certificates), and no others."""
    given = os.environ if environment is None else environment
    return {name: given[name] for name in _NETWORK_VARIABLES if name in given}


def build_variables(*, cache: Path, bin_folder: Path) -> dict[str, str]:
    """The whole environment of a build step. ``bin_folder`` comes first on PATH."""
    return {
        **QUIET_VARIABLES,
        "PATH": f"{bin_folder}:/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "UV_CACHE_DIR": str(cache),
        "UV_NO_CONFIG": "1",  # a file that is named on the command line is read all the same
        "UV_NO_PROGRESS": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_NO_ENV_FILE": "1",
        "UV_NO_GITHUB_FAST_PATH": "1",  # what a repository holds, git says
        # The newer reader refuses archives with names that no Windows takes, such as Protego's (for Scrapy).
        "UV_LEGACY_TAR_BACKEND": "1",
        "UV_LINK_MODE": "copy",  # a hard link would be a way back into the cache, and into what is sealed
        "PIP_CONFIG_FILE": os.devnull,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildFiles:
    """Files that say what isolated builds may take and need."""

    limits: Path
    """In the format of constraints."""
    limited: bool
    """Whether there is anything in it."""
    settings: Path | None
    """uv's configuration with further build dependencies; None when there are none."""

    @property
    def arguments(self) -> list[str]:
        """For uv's ``pip compile`` and ``pip install``."""
        limits = ["--build-constraints", str(self.limits)] if self.limited else []
        return [*limits, *(["--config-file", str(self.settings)] if self.settings else [])]


def _cut(instant: Instant, cutoff_overrides: Sequence[CutoffOverride], index_url: str) -> list[str]:
    moved = (
        f"--exclude-newer-package={cutoff_override.name}={format_instant(cutoff_override.until)}"
        for cutoff_override in cutoff_overrides
    )
    return ["--default-index", index_url, "--exclude-newer", format_instant(instant), *moved]


def resolve_arguments(
    *,
    python: Path,
    instant: Instant,
    cutoff_overrides: Sequence[CutoffOverride],
    index_url: str,
    inputs: Sequence[str],
    constraints: Sequence[str],
    output: Path,
    overrides: Sequence[str] = (),
    builds: BuildFiles | None = None,
    known_metadata: Path | None = None,
    settings: Path | None = None,
    build: bool = True,
    resolution: str = "highest",
) -> tuple[str, ...]:
    """Resolve requirement files into ``output``, a PEP 751 lock with every file's hashes.

    Further files may be put behind. ``known_metadata``: uv's configuration with the metadata of all that the
    files name; nothing else is locked then, and nothing is built. ``settings``: more of its
    configuration. ``resolution``: uv's own word for which versions are preferred.
    """
    return (
        str(find_uv()),
        *("pip", "compile", "--quiet", "--no-header", "--no-annotate", "--no-python-downloads"),
        *(() if resolution == "highest" else ("--resolution", resolution)),
        *("--preview-features", "pylock", "--format", "pylock.toml", "--python", str(python)),
        *_cut(instant, cutoff_overrides, index_url),
        *(part for constraint in constraints for part in ("--constraints", constraint)),
        *(part for override in overrides for part in ("--overrides", override)),
        *(builds.arguments if builds else ()),
        *(("--no-deps", "--config-file", str(known_metadata)) if known_metadata else ()),
        *(("--config-file", str(settings)) if settings else ()),
        *(() if build else ("--no-build",)),
        *("--output-file", str(output), "--", *inputs),
    )


def create_arguments(*, python: Path, root: Path, movable: bool = False) -> tuple[str, ...]:
    """Make an empty virtual environment at ``root``; a ``movable`` one has no path of its own in it."""
    return (
        str(find_uv()),
        *("venv", "--quiet", "--no-project", "--allow-existing"),
        *(("--relocatable",) if movable else ()),
        *("--python", str(python), "--", str(root)),
    )


def install_arguments(
    *,
    root: Path,
    instant: Instant,
    cutoff_overrides: Sequence[CutoffOverride],
    index_url: str,
    builds: BuildFiles | None = None,
    build: bool = True,
) -> tuple[str, ...]:
    """Install what a lock names into the environment at ``root``, hashes verified.

    The lock's path, which ends in ``pylock.toml`` (PEP 751), has to be put behind. Unless ``build`` uv runs
    no code of any distribution, and fails where there is no wheel.
    """
    return (
        str(find_uv()),
        *("pip", "install", "--quiet", "--no-deps", "--preview-features", "pylock"),
        *(() if build else ("--no-build",)),
        *("--python", str(root / "bin" / "python")),
        *_cut(instant, cutoff_overrides, index_url),
        *(builds.arguments if builds else ()),
        "--requirements",
    )


def unpack_arguments(
    *,
    python: Path,
    folder: Path,
    instant: Instant,
    cutoff_overrides: Sequence[CutoffOverride],
    index_url: str,
    pins: Path,
) -> tuple[str, ...]:
    """Unpack the wheels of what the requirement file ``pins`` names into the cache; ``folder`` gets links
    to them."""
    return (
        str(find_uv()),
        *("pip", "install", "--quiet", "--no-deps", "--no-build", "--link-mode", "symlink"),
        *("--python", str(python), "--target", str(folder)),
        *_cut(instant, cutoff_overrides, index_url),
        *("--requirements", str(pins)),
    )


def tools_arguments(
    *,
    root: Path,
    tools: Sequence[str],
    instant: Instant,
    cutoff_overrides: Sequence[CutoffOverride],
    index_url: str,
) -> tuple[str, ...]:
    """Install build tools of the time into the environment at ``root``."""
    return (
        str(find_uv()),
        *("pip", "install", "--quiet", "--python", str(root / "bin" / "python")),
        *_cut(instant, cutoff_overrides, index_url),
        *tools,
    )


_INDEX_DOWN = re.compile(
    r"dns error|client error \(Connect\)|[Cc]onnection (?:refused|reset)|operation timed out|"
    r"Request failed after \d+ retries|HTTP status server error \(5\d\d",
)
_DISK_FULL = re.compile(r"No space left on device|os error 28\b")
_FILE_TOO_LARGE = re.compile(r"\bFile too large\b|os error 27\b")


def says_index_down(log: str) -> bool:
    """Whether uv's output blames the index or the way to it, not the project."""
    return _INDEX_DOWN.search(log) is not None


def says_disk_full(log: str) -> bool:
    """Whether uv's output says that the disk is full."""
    return _DISK_FULL.search(log) is not None


def says_file_too_large(log: str) -> bool:
    """Whether uv, or what it ran, says that one file reached the limit that a file has."""
    return _FILE_TOO_LARGE.search(log) is not None


def says_a_name_is_missing(log: str) -> bool:
    """Whether uv could not resolve because the index has nothing of a name that cannot be done without.

    One that is required itself, or by all releases of one that is; not one that a single release requires:
    pip might have taken another release.
    """
    text = " ".join(without_escapes(log)[-_MOST_EXPLAINED:].split())
    if _required_by_all(text):
        return True
    for match in _NOT_FOUND.finditer(text):
        asking = match[2] or match[1]  # the project, or whoever requires it, of which there is one release
        only = rf"only {re.escape(asking)}(?:==\S+)? is available and " if match[2] else ""
        if re.search(rf"{only}you require {re.escape(asking)}(?![\w.-]*\w)", text):
            return True
    return False


def says_nothing_fits(log: str) -> bool:
    """Whether uv found that no releases at all fit together, by what a pip that resolves goes by as well.

    Not where it hints at releases, or files of them, which it left out and pip may take.
    """
    why = _why_nothing_fits(log)
    return "your requirements are unsatisfiable" in why and _LEFT_OUT.search(why) is None


def says_a_requirement_is_not_there_yet(log: str) -> bool:
    """Whether no release of something that is required itself satisfies the requirement: that is all."""
    return _NOT_THERE_YET.fullmatch(_why_nothing_fits(log)) is not None


def _why_nothing_fits(log: str) -> str:
    """The words of a resolution without a solution, without hints at releases of a later day; else empty."""
    text = " ".join(without_escapes(log)[-_MOST_EXPLAINED:].split())
    why = text.rpartition(_UNSOLVED)[2] if _UNSOLVED in text else ""
    return _CUT_AWAY.sub("", why)


def _required_by_all(text: str) -> bool:
    """Whether nothing suitable is there of what all releases of a requirement require, on whichever way."""
    if "pre-release" in text:  # which pip takes where there is nothing else
        return False
    depends = [(match[1], match[2]) for match in _ALL_DEPEND.finditer(text)]
    gone = {match[1] for match in _NO_VERSIONS.finditer(text)}
    gone |= {match[2] for match in _ONLY_OTHERS.finditer(text) if match[1] == match[3]}
    for _ in depends:
        gone |= {name for name, wanted in depends if wanted in gone}
    return any(match[1] in gone for match in _REQUIRED.finditer(text))


_TELLING = re.compile(r"\b(?:fatal )?error\b(?:: | at )", re.IGNORECASE)
_MOST_TELLING = 8


def explain_failure(log: str, *, lines: int = 40) -> str:
    """The part of uv's output that says why it failed: from its error line on, cut to ``lines`` lines and the
    errors of compilers and their like between them.
    """
    text = without_escapes(log).splitlines()
    starts = [
        number
        for number, line in enumerate(text)
        if line.lstrip().startswith(("error:", "\u00d7", "thread '"))
    ]
    found = text[starts[0] :] if starts else text[-lines:]
    if len(found) > lines:
        left_out = found[lines // 2 : -lines // 2]
        told = [line for line in left_out if _TELLING.search(line)][:_MOST_TELLING]
        found = [
            *found[: lines // 2],
            *told,
            f"… {len(left_out) - len(told)} lines left out …",
            *found[-lines // 2 :],
        ]
    return "\n".join(found).strip() or "no output"
